# src/ktlb_cpu.c: a CPU that comes online does not look for what has been asked of it
# unit: protocol
/^void ktlb_cpu_online/,/^}/ s/^\tktlb_poll();//
