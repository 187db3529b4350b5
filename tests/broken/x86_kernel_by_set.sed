# src/ktlb_shootdown_ipi.c: a kernel range asks those CPUs alone that run a space
# unit: protocol
s/if (cpu != self->number \&\& is_online(cpu) \&\& ktlb_load_dependency(\&ktlb_cpus\[cpu\]))/if (cpu != self->number \&\& ktlb_cpus[cpu] \&\& ktlb_cpus[cpu]->loaded)/
# check: kernel-flush any
# retells: S07 the kernel half is not served
