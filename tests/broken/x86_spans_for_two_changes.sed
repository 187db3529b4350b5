# src/ktlb_shootdown_ipi.c: ranges are taken for enough after several changes
# unit: gather in x86_64-default
s/\(request->what == KTLB_WHAT_GATHERED\) \&\& number == slot->clean + 1 \&\&/\1 \&\&/
