# src/ktlb_shootdown_broadcast.c: everything of the kernel half is invalidated under id 0 only
# check: kernel-flush any
# retells: S25 global entries are not matched by id
s/ktlb_insn_broadcast_all();/ktlb_insn_broadcast_id(ktlb_arch_id_operand(0));/
