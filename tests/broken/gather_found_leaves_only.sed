# src/ktlb_gather.c: what is found empty is flushed for leaves alone
# unit: gather
# check: gathers-meet any arm64-default
# retells: B08 a table that went with its entries untouched
/^void ktlb_gather_found_empty/,/^}/ s/^\tgather->tables = 1;//
