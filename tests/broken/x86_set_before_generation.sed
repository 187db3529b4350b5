# src/ktlb_shootdown_ipi.c: the set is read before the generation is raised [B25]
# check: flush-first sc
# retells: M2 who uses it is read too early
/^KTLB_INLINE int raise_and_choose/,/^}/ {
	/request->generation = ktlb_add_release/d
	/ktlb_fence_after_rmw();/d
	s/^\treturn choose(self, space, tables ||.*/\ttables = choose(self, space, tables, targets);\n\trequest->generation = ktlb_add_release(\&space->generation, (uint64_t)1) + 1;\n\treturn tables;/
}
