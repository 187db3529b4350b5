/* SPDX-License-Identifier: MIT */
/*
 * The real atomic.h, but each access goes through the fake machine, which shows it to a test's hook
 * (fake.c) or lets stores wait in a store buffer as the hardware does (stress.c). Counting alone, by
 * ktlb_add_relaxed, goes past it: it would be a fence wherever something is counted, and the library
 * must do without, as it does with KTLB_CFG_COUNT == 0.
 */
#ifndef UNIT_X86_64_KTLB_ATOMIC_H
#define UNIT_X86_64_KTLB_ATOMIC_H

#include "../../../include/ktlb/atomic.h"
#include "../fake.h"

#undef ktlb_load_relaxed
#undef ktlb_load_acquire
#undef ktlb_load_dependency
#undef ktlb_store_relaxed
#undef ktlb_store_release
#undef ktlb_exchange_acquire
#undef ktlb_add_release
#undef ktlb_or_relaxed
#undef ktlb_and_release
#undef ktlb_cas_release
#undef ktlb_fence_acquire
#undef ktlb_fence_release
#undef ktlb_fence_full

#define FAKE_LOAD_OF(op, p)     ((__typeof__(*(p)))(uintptr_t)fake_load((op), (p), sizeof(*(p))))
#define FAKE_STORE_TO(op, p, v) fake_store((op), (p), (uint64_t)(uintptr_t)(v), sizeof(*(p)))

#define ktlb_load_relaxed(p)     FAKE_LOAD_OF(FAKE_LOAD, p)
#define ktlb_load_acquire(p)     FAKE_LOAD_OF(FAKE_LOAD_ACQUIRE, p)
#define ktlb_load_dependency(p)  FAKE_LOAD_OF(FAKE_LOAD, p)
#define ktlb_store_relaxed(p, v) FAKE_STORE_TO(FAKE_STORE, p, v)
#define ktlb_store_release(p, v) FAKE_STORE_TO(FAKE_STORE_RELEASE, p, v)
#define ktlb_exchange_acquire(p, v) \
	(fake_order(FAKE_RMW_ACQUIRE, (p)), __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE))
#define ktlb_add_release(p, v) \
	(fake_order(FAKE_RMW_RELEASE, (p)), __atomic_fetch_add((p), (v), __ATOMIC_RELEASE))
#define ktlb_or_relaxed(p, v) \
	(fake_order(FAKE_RMW, (p)), __atomic_fetch_or((p), (v), __ATOMIC_RELAXED))
#define ktlb_and_release(p, v) \
	(fake_order(FAKE_RMW_RELEASE, (p)), __atomic_fetch_and((p), (v), __ATOMIC_RELEASE))
#define ktlb_cas_release(p, expected, new_value)                                        \
	(fake_order(FAKE_RMW_RELEASE, (p)),                                             \
	 __atomic_compare_exchange_n((p), (expected), (new_value), 0, __ATOMIC_RELEASE, \
	                             __ATOMIC_RELAXED))
#define ktlb_fence_acquire() \
	(fake_order(FAKE_FENCE_ACQUIRE, 0), __atomic_thread_fence(__ATOMIC_ACQUIRE))
#define ktlb_fence_release() \
	(fake_order(FAKE_FENCE_RELEASE, 0), __atomic_thread_fence(__ATOMIC_RELEASE))
#define ktlb_fence_full() (fake_order(FAKE_FENCE_FULL, 0), __atomic_thread_fence(__ATOMIC_SEQ_CST))

#endif /* UNIT_X86_64_KTLB_ATOMIC_H */
