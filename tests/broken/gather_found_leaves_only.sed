# src/ktlb_gather.c: what is found empty is flushed for leaves alone
# unit: gather
/^void ktlb_gather_found_empty/,/^}/ s/^\tgather->tables = 1;//
