# src/ktlb_switch_global.c: a switch between two labels of one number loads nothing
# equivalent: `active` is never of an older generation than the last rollover, which makes it 0
# retells: A13 the number alone says who was here
s/} else if (active == id) {/} else if (KTLB_ID_NUMBER(active) == KTLB_ID_NUMBER(id)) {/
