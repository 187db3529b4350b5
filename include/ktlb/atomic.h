/* SPDX-License-Identifier: MIT */
/*
 * Memory that several CPUs touch at once, page-table entries included, is read and written through
 * these. They are C11's atomic operations on plain integers: the compiler's __atomic builtins,
 * because _Atomic and stdatomic.h cannot be used from C++ and make every plain-looking access
 * sequentially consistent. The order is in the name; there is no default.
 *
 * All work on naturally aligned objects of 1, 2, 4 or 8 bytes. None calls into a library.
 */
#ifndef KTLB_ATOMIC_H
#define KTLB_ATOMIC_H

#define ktlb_load_relaxed(p)        __atomic_load_n((p), __ATOMIC_RELAXED)
#define ktlb_load_acquire(p)        __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define ktlb_store_relaxed(p, v)    __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define ktlb_store_release(p, v)    __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define ktlb_exchange_relaxed(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define ktlb_exchange_acquire(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define ktlb_add_relaxed(p, v)      __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define ktlb_add_release(p, v)      __atomic_fetch_add((p), (v), __ATOMIC_RELEASE)
#define ktlb_or_relaxed(p, v)       __atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define ktlb_and_release(p, v)      __atomic_fetch_and((p), (v), __ATOMIC_RELEASE)

/* Fences. A read-modify-write is a full one on x86-64 only: where code relies on that it says so by
 * ktlb_fence_after_rmw(), which is the architecture's. */
#define ktlb_fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define ktlb_fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
#define ktlb_fence_full()    __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Stores `new_value` if *p is *expected; true if it did. Otherwise *expected is what *p holds. */
#define ktlb_cas_relaxed(p, expected, new_value)                                       \
	__atomic_compare_exchange_n((p), (expected), (new_value), 0, __ATOMIC_RELAXED, \
	                            __ATOMIC_RELAXED)

/* As ktlb_cas_relaxed, and everything before it is visible to who acquires the new value. */
#define ktlb_cas_release(p, expected, new_value)                                       \
	__atomic_compare_exchange_n((p), (expected), (new_value), 0, __ATOMIC_RELEASE, \
	                            __ATOMIC_RELAXED)

/*
 * A relaxed load whose result other operations of this CPU depend on, where that dependency is the
 * order relied upon: the architecture keeps it (arm64: "Dependency relations" in the manual),
 * C11's memory_order_consume does not in practice. Nothing else than the value itself, used in an
 * address or a register write, may be ordered this way. The checker's builds mark it by an order of its
 * own.
 */
#ifndef KTLB_ORDER_DEPENDENCY
#define KTLB_ORDER_DEPENDENCY __ATOMIC_RELAXED
#endif
#define ktlb_load_dependency(p) __atomic_load_n((p), KTLB_ORDER_DEPENDENCY)

#endif /* KTLB_ATOMIC_H */
