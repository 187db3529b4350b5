# src/ktlb_shootdown_ipi.c: where tables went pages go address by address from the user's id
# unit: split in x86_64-split
/^KTLB_INLINE void flush_pages/,/^}/ s/if (what != KTLB_WHAT_ALL_LEVELS \&\&/if (/
