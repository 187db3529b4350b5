# src/ktlb_selftest.c: a request whose interrupt is lost stays where it is
# unit: porting
s/^		run_on(test, cpu, poll, 0);//
