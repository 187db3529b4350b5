# src/ktlb_shootdown_ipi.c: a spurious fault flushes under another space's id
# unit: need in x86_64-default
/^void ktlb_shootdown_here/,/^}/ s/^\tif (.*/\tif (space)/
