# src/ktlb_asid_percpu.c: a CPU empties its TLB before others know that it is there
# unit: protocol
# check: cpu-online sc
# retells: S18 nothing is flushed between the tables of start-up and the real ones
/^void ktlb_ids_cpu_online/,/^}/ {
	s/^\tktlb_arch_flush_everything(ktlb_sys.features);//
	s/^\tktlb_store_release(&ktlb_cpus.*/\tktlb_arch_flush_everything(ktlb_sys.features);\n&/
}
