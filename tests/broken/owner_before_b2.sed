# src/ktlb_shootdown_broadcast.c: where the space runs is read before the change is visible
# unit: local in local
# check: first-run any local
/^void ktlb_shootdown_page/,/^}/ { s/uint64_t id = id_to_flush(space);/struct reach reach = reach_of(space);\n\tuint64_t id = id_to_flush(space);/
/^\tstruct reach reach;$/d
/^\treach = reach_of(space);$/d
}
