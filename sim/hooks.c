/* SPDX-License-Identifier: MIT */
/*
 * What the compiler calls, with -fsanitize=thread, in front of each access to memory and in place of each
 * atomic operation. Entry points only: mem.c does the work.
 *
 * A plain access happens by itself after its hook has returned; nothing else runs in between. Volatile
 * accesses have no meaning here, nor have accesses that are not aligned: the library has none.
 */
#include "sim.h"

/* Prototypes: the compiler knows these names, no header does. */
#define HOOK(result, name, ...)   \
	result name(__VA_ARGS__); \
	result name(__VA_ARGS__)

HOOK(void, __tsan_init, void)
{
}

HOOK(void, __tsan_func_entry, void *caller)
{
	(void)caller;
}

HOOK(void, __tsan_func_exit, void)
{
}

#define PLAIN(size)                                                  \
	HOOK(void, __tsan_read##size, const void *address)           \
	{                                                            \
		mem_plain(address, size, 0);                         \
	}                                                            \
	HOOK(void, __tsan_write##size, void *address)                \
	{                                                            \
		mem_plain(address, size, 1);                         \
	}                                                            \
	HOOK(void, __tsan_unaligned_read##size, const void *address) \
	{                                                            \
		mem_plain(address, size, 0);                         \
	}                                                            \
	HOOK(void, __tsan_unaligned_write##size, void *address)      \
	{                                                            \
		mem_plain(address, size, 1);                         \
	}

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

HOOK(void, __tsan_read_range, const void *address, size_t size)
{
	mem_plain(address, (unsigned)size, 0);
}

HOOK(void, __tsan_write_range, void *address, size_t size)
{
	mem_plain(address, (unsigned)size, 1);
}

/* gcc calls these by the type's size in bits. An order has a hint in its upper bits. */
#define ORDER(order) ((order)&0x7fff)
#define ATOMIC(bits, type)                                                                         \
	HOOK(type, __tsan_atomic##bits##_load, const type *p, int order)                           \
	{                                                                                          \
		return (type)mem_load(p, bits / 8, ORDER(order));                                  \
	}                                                                                          \
	HOOK(void, __tsan_atomic##bits##_store, type *p, type value, int order)                    \
	{                                                                                          \
		mem_store(p, bits / 8, value, ORDER(order));                                       \
	}                                                                                          \
	HOOK(type, __tsan_atomic##bits##_exchange, type *p, type value, int order)                 \
	{                                                                                          \
		return (type)mem_rmw(p, bits / 8, MEM_EXCHANGE, value, ORDER(order));              \
	}                                                                                          \
	HOOK(type, __tsan_atomic##bits##_fetch_add, type *p, type value, int order)                \
	{                                                                                          \
		return (type)mem_rmw(p, bits / 8, MEM_ADD, value, ORDER(order));                   \
	}                                                                                          \
	HOOK(type, __tsan_atomic##bits##_fetch_sub, type *p, type value, int order)                \
	{                                                                                          \
		return (type)mem_rmw(p, bits / 8, MEM_SUB, value, ORDER(order));                   \
	}                                                                                          \
	HOOK(type, __tsan_atomic##bits##_fetch_and, type *p, type value, int order)                \
	{                                                                                          \
		return (type)mem_rmw(p, bits / 8, MEM_AND, value, ORDER(order));                   \
	}                                                                                          \
	HOOK(type, __tsan_atomic##bits##_fetch_or, type *p, type value, int order)                 \
	{                                                                                          \
		return (type)mem_rmw(p, bits / 8, MEM_OR, value, ORDER(order));                    \
	}                                                                                          \
	HOOK(type, __tsan_atomic##bits##_fetch_xor, type *p, type value, int order)                \
	{                                                                                          \
		return (type)mem_rmw(p, bits / 8, MEM_XOR, value, ORDER(order));                   \
	}                                                                                          \
	HOOK(int, __tsan_atomic##bits##_compare_exchange_strong, type *p, type *expected,          \
	     type value, int success, int failure)                                                 \
	{                                                                                          \
		uint64_t want = *expected;                                                         \
		int done = mem_cas(p, bits / 8, &want, value, ORDER(success), ORDER(failure));     \
                                                                                                   \
		*expected = (type)want;                                                            \
		return done;                                                                       \
	}                                                                                          \
	HOOK(int, __tsan_atomic##bits##_compare_exchange_weak, type *p, type *expected,            \
	     type value, int success, int failure)                                                 \
	{                                                                                          \
		return __tsan_atomic##bits##_compare_exchange_strong(p, expected, value, success,  \
		                                                     failure);                     \
	}                                                                                          \
	HOOK(type, __tsan_atomic##bits##_compare_exchange_val, type *p, type expected, type value, \
	     int success, int failure)                                                             \
	{                                                                                          \
		uint64_t want = expected;                                                          \
                                                                                                   \
		mem_cas(p, bits / 8, &want, value, ORDER(success), ORDER(failure));                \
		return (type)want;                                                                 \
	}

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

HOOK(void, __tsan_atomic_thread_fence, int order)
{
	mem_fence(ORDER(order));
}

/*
 * For the compiler only, and the calls around it are barriers for that. But where an architecture has no
 * instruction for an order, because its own model gives it, arch.h has a full one of these: under the weak
 * models, which do not give it, that is a fence.
 */
HOOK(void, __tsan_atomic_signal_fence, int order)
{
	if (ORDER(order) == __ATOMIC_SEQ_CST && sim_model >= SIM_WEAK)
		mem_fence(__ATOMIC_SEQ_CST);
}
