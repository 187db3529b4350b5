# src/ktlb_shootdown_broadcast.c: a page is invalidated on this CPU alone
# check: flush-access any arm64-default
# retells: M11 a local invalidation where others run the space
/^void ktlb_shootdown_page/,/^}/ s/^\t\tinvalidate_page(KTLB_SCOPE_ID, number, va, leaf_only);/\t\tktlb_insn_tlbi_vmalle1();/
