# src/ktlb_switch_percpu.c: `loaded` says the next space before its root is written
# retells: X16 what software says and the register differ
/^KTLB_INLINE void load_space/,/^}/ {
	/^\tktlb_store_release(&self->loaded, next);/d
	s/^\tif (ktlb_likely(slot->clean == generation)) {/\tktlb_store_release(\&self->loaded, next);\n&/
}
