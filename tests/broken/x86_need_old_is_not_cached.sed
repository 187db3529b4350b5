# src/arch/x86_64/ktlb_arch/arch.h: a page that is not marked as accessed counts as not cached
# unit: need in x86_64-default
s/(!(old_entry & KTLB_X86_PTE_ACCESSED) && (given & KTLB_GIVEN_ACCESSED_FLUSHED))/!(old_entry \& KTLB_X86_PTE_ACCESSED)/
