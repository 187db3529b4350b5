# src/ktlb_switch_global.c: `loaded` says the next space while the root is still the last one's
# unit: switch
/^static inline void load(/,/^}/ {
	/ktlb_store_release/d
	s/^\tktlb_arch_load_root/\tktlb_store_release(\&self->loaded, next);\n&/
}
