# src/ktlb_switch_global.c: a space has run here only when its root is loaded
# unit: local in local
/^static inline void load(/,/^}/ { /if (KTLB_ARCH_LOCAL)/d
/^\t\tenter(self, next);/d
s/^\tktlb_store_release/\tif (KTLB_ARCH_LOCAL)\n\t\tenter(self, next);\n\tktlb_store_release/
}
