# src/ktlb_switch_global.c: the fast path goes on although a rollover took the id away
# check: id-reuse any
# retells: A02 a CPU that owes a flush does not take the slow path
s/ktlb_likely(active != 0 \&\& /ktlb_likely(/
