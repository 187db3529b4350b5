# src/ktlb_priv.h: the trace does not say which space it was
# unit: trace in trace
s/space ? ktlb_load_relaxed(&space->id) : 0/0/
