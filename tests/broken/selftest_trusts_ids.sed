# src/ktlb_selftest.c: two spaces may have one id
# unit: selftest and porting
s/^		no_id_twice(test, cpu);//
