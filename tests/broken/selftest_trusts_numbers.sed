# src/ktlb_selftest.c: a CPU that believes to be another one passes
# unit: selftest and porting
s/^		if (who.id != cpu)/		if (0)/
