# src/ktlb_shootdown_broadcast.c: more than the largest range is one range after all
# unit: cover in cover_two
/^KTLB_INLINE enum ktlb_plan plan_for/,/^}/ s/if (cover\.pages > KTLB_ARCH_RANGE_PAGES_MAX)/if (0)/
