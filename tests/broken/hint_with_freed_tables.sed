# src/ktlb_shootdown_broadcast.c: a level hint although tables may have been freed
# unit: flush
/^KTLB_INLINE void invalidate_span/,/^}/ s/invalidate(scope, 0, plan, id, va, pages, step_shift, 0);/invalidate(scope, 0, plan, id, va, pages, step_shift, hint(KTLB_WHAT_LEAVES_OF_LEVEL, step_shift));/
# retells: C05 a level hint although tables were freed
