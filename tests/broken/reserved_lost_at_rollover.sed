# src/ktlb_asid_global.c: a rollover gives reserved numbers away
# unit: kept
s/= ids.pinned\[i\] | ids.set_aside\[i\];/= ids.pinned[i];/
