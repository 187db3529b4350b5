/* SPDX-License-Identifier: MIT */
/* What trap.c asks of machine.c. */
#ifndef TRAP_H
#define TRAP_H

/* Takes one interrupt from the controller and serves it; interrupts off. */
void machine_interrupt(void);

#endif /* TRAP_H */
