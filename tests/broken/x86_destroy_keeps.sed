# src/ktlb_space.c: a space that is destroyed stays loaded on this CPU
# unit: protocol
# check: destroy-loaded any
# retells: X14 the root is freed while it is loaded
/^void ktlb_space_destroy/,/^}/ s/^\t\tktlb_enter_lazy();/\t\t(void)0;/
