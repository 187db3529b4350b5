# src/arch/x86_64/ktlb_arch/arch.h: INVLPG is trusted where it spares global entries
# unit: look
s/!(errata & KTLB_ERRATUM_INVLPG_GLOBAL)/1/
