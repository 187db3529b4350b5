# src/ktlb_asid_global.c: a rollover gives pinned numbers away
# unit: kept
# check: pinned-rollover any
s/= ids.pinned\[i\] | ids.set_aside\[i\];/= ids.set_aside[i];/
