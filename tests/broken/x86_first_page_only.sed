# src/arch/x86_64/ktlb_arch/arch.h: a range is flushed at its first page only
# check: flush-access any
# retells: C14 the loop does not advance
/^static inline void ktlb_arch_flush_pages/,/^}/ s/, va += (uint64_t)1 << step_shift/, va += 0 * step_shift/
