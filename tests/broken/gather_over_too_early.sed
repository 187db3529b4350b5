# src/ktlb_gather.c: a gather that was only posted counts as over
# unit: gather
# check: gathers-meet any
# retells: B03 posted counts as flushed
/^void ktlb_gather_post/,/^}/ s/^\tktlb_shootdown_post(.*/&\n\tktlb_add_release(\&gather->space->gathers, ~0u);/
/^struct ktlb_gather_page \*ktlb_gather_wait/,/^}/ s/^\tktlb_add_release(&space->gathers, ~0u);/\tif (!gather->ranges)\n&/
