# src/ktlb_asid_percpu.c: a CPU empties its TLB before others know that it is there
# unit: protocol
/^void ktlb_ids_cpu_online/,/^}/ {
	s/^\tktlb_arch_flush_everything(ktlb_sys.features);//
	s/^\tktlb_store_release(&ktlb_cpus.*/\tktlb_arch_flush_everything(ktlb_sys.features);\n&/
}
