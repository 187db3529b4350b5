/* SPDX-License-Identifier: MIT */
/*
 * The real atomic.h, with a point before each read-modify-write at which a test can let another CPU
 * of the fake machine run.
 */
#ifndef UNIT_KTLB_ATOMIC_H
#define UNIT_KTLB_ATOMIC_H

#include "../../../include/ktlb/atomic.h"
#include "../fake.h"

#undef ktlb_exchange_relaxed
#undef ktlb_exchange_acquire
#undef ktlb_cas_relaxed
#define ktlb_exchange_relaxed(p, v) \
	(fake_point(FAKE_EXCHANGE), __atomic_exchange_n((p), (v), __ATOMIC_RELAXED))
#define ktlb_exchange_acquire(p, v) \
	(fake_point(FAKE_LOCK), __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE))
#define ktlb_cas_relaxed(p, expected, new_value)                                            \
	(fake_point(FAKE_CAS), __atomic_compare_exchange_n((p), (expected), (new_value), 0, \
	                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))

#endif /* UNIT_KTLB_ATOMIC_H */
