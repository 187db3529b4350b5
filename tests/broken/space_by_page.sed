# src/ktlb_shootdown_broadcast.c: a flush of a space invalidates one page of it
# check: flush-access any arm64-default
# retells: S24 an operation of the wrong scope
/^void ktlb_shootdown_space/,/^}/ s/invalidate_id(reach.here, KTLB_ID_NUMBER(id));/ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 0, 0, ktlb_arch_va_operand(0, KTLB_ID_NUMBER(id), 0));/
