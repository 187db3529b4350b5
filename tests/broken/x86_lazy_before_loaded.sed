# src/ktlb_shootdown_ipi.c: a flusher reads `lazy` before `loaded` [B26]
# equivalent: who reads lazy = 1 after raising the generation comes before the fence with which the CPU leaves lazy mode, which then sees the generation
# retells: M4 lazy read before loaded
/^static enum needs needs/,/^}/ {
	s/^\tconst struct ktlb_space \*loaded = .*/\tuint64_t lazy = ktlb_load_relaxed(\&cpu->lazy);\n\n\tktlb_fence_acquire();\n&/
	/ktlb_fence_acquire(); \/\* \[B26\]/d
	s/return ktlb_load_relaxed(&cpu->lazy) ?/return lazy ?/
}
