# src/ktlb_asid_percpu.c: no fence between a CPU is known and its TLB is emptied [B22]
# unit: protocol
/^void ktlb_ids_cpu_online/,/^}/ s/^\tktlb_fence_full();//
