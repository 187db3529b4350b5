# src/ktlb_switch_global.c: `loaded` says the next space while the root is still the last one's
# unit: switch
# check: rollover-leaving weak
# retells: X16 what software says and the register differ
/^static inline void load(/,/^}/ {
	/ktlb_store_relaxed(&self->loaded/d
	s/^\tktlb_arch_load_root/\tktlb_store_relaxed(\&self->loaded, next);\n&/
}
