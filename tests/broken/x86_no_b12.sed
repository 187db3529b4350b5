# src/ktlb_asid_percpu.c: a CPU is made known without release [B12]
# unit: protocol
s/ktlb_store_release(&ktlb_cpus/ktlb_store_relaxed(\&ktlb_cpus/
