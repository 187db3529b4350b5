# src/ktlb_shootdown_ipi.c: a request keeps the address of the last one
# check: cpu-offline-kernel sc
# retells: C36 an operand that was not filled in
s/^\t\tself->request.va = what->va;/\t\t;/
