# src/ktlb_asid_global.c: ktlb_init keeps the debts of what was before
# unit: ids
/^void ktlb_ids_init/,/^}/ s/ktlb_clear_words(ids.owes.word, KTLB_CPUSET_WORDS);//
