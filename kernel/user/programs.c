/* SPDX-License-Identifier: MIT */
/* The smaller programs; abi.h says what their arguments are. */
#include "user.h"

/* ---- many processes, each with its pattern at the same address --------------------------------*/

#define PATTERN       USER_FREE
#define PATTERN_PAGES 4

static void write_pattern(uint64_t pattern)
{
	for (uint64_t page = 0; page < PATTERN_PAGES; page++)
		*(volatile uint64_t *)(uintptr_t)(PATTERN + page * PAGE) = pattern + page;
}

static void check_pattern(uint64_t pattern)
{
	for (uint64_t page = 0; page < PATTERN_PAGES; page++) {
		uint64_t found = *(volatile uint64_t *)(uintptr_t)(PATTERN + page * PAGE);

		if (found != pattern + page)
			DIE("another process's memory: found, wanted", found, pattern + page);
	}
}

void program_pattern(uint64_t arg)
{
	uint64_t in = arg & 0xffff, out = arg >> 16 & 0xffff, pattern = arg >> 32 << 16;
	struct message message;

	map(PATTERN, PATTERN_PAGES, PROT_READ | PROT_WRITE);
	write_pattern(pattern);
	for (;;) {
		receive(in, &message);
		if (!message.word[0])
			break;
		/* Yielding, so that as many others as possible run in between. */
		for (uint32_t i = 0; i < 3; i++) {
			check_pattern(pattern);
			sys_yield();
		}
		pattern += PATTERN_PAGES;
		write_pattern(pattern);
		sys_yield();
		check_pattern(pattern);
		send(out, &message);
	}
}

/* ---- threads that are moved between CPUs ------------------------------------------------------*/

#define WANDER       USER_FREE
#define WANDER_WORDS 512

static void wanderer(uint64_t arg)
{
	uint64_t me = arg & 0xffff, rounds = arg >> 16, sum;
	volatile uint64_t *page = (volatile uint64_t *)(uintptr_t)(WANDER + (1 + me) * PAGE);

	for (uint64_t round = 0; round < rounds; round++) {
		for (uint32_t i = 0; i < WANDER_WORDS; i++)
			page[i] = me * round + i;
		if (round % 4 == 0)
			sys_yield();
		sum = sys_cpu(); /* a system call in between, and the answer is not negative */
		for (uint32_t i = 0; i < WANDER_WORDS; i++)
			if (page[i] != me * round + i)
				DIE("memory changed under a thread that moved: found, CPU", page[i],
				    sum);
	}
	__atomic_fetch_sub((uint32_t *)(uintptr_t)WANDER, 1, __ATOMIC_RELEASE);
}

/* Runs `threads` of them, the caller included, and waits for all. Their first page counts them. */
static void run_threads(uint64_t pages, uint64_t threads, uint64_t rounds, void (*run)(uint64_t))
{
	map(USER_FREE, pages, PROT_READ | PROT_WRITE);
	*(volatile uint32_t *)(uintptr_t)USER_FREE = (uint32_t)threads;
	for (uint64_t i = 1; i < threads; i++)
		thread_create(run, i | rounds << 16);
	run(rounds << 16);
	while (__atomic_load_n((uint32_t *)(uintptr_t)USER_FREE, __ATOMIC_ACQUIRE))
		sys_yield();
}

void program_wander(uint64_t arg)
{
	run_threads(1 + (arg & 0xffff), arg & 0xffff, arg >> 16, wanderer);
}

/* ---- a storm of changes, each thread in pages of its own, all in the same tables --------------*/

#define STORM       0x30000000ull
#define STORM_PAGES 24
#define STORM_STEP  (32 * PAGE)

static uint64_t storm_tag(uint64_t me, uint64_t round, uint64_t page)
{
	return me << 48 | round << 16 | page | 0x8000;
}

/* What is there, and what is not: pages [from, to) were changed as `how` says. */
static void storm_check(uint64_t base, uint64_t me, uint64_t round, uint64_t pages, uint64_t from,
                        uint64_t to, uint64_t how)
{
	for (uint64_t page = pages; page--;) {
		uint64_t va = base + page * PAGE, value = 0, want = storm_tag(me, round, page);
		int changed = page >= from && page < to;
		int worked = try_load(va, &value);

		if (changed && how == HOW_UNMAP && worked)
			DIE("read after unmap in a storm: page, content", page, value);
		if (changed && how == HOW_UNMAP)
			continue;
		if (changed && how == HOW_DONTNEED)
			want = 0;
		if (!worked || value != want)
			DIE("wrong content in a storm: page, content", page, value);
		if (changed && how == HOW_PROTECT && try_store(va, 0))
			DIE("written after protect in a storm: page, of how many", page, pages);
	}
}

static void storm_round(uint64_t base, uint64_t me, uint64_t round, uint64_t *random)
{
	uint64_t pages = 1 + next_random(random) % STORM_PAGES;
	uint64_t from = next_random(random) % pages;
	uint64_t to = from + 1 + next_random(random) % (pages - from);
	uint64_t how = round % 3 == 0 ? HOW_UNMAP : round % 3 == 1 ? HOW_PROTECT : HOW_DONTNEED;

	map(base, pages, PROT_READ | PROT_WRITE);
	for (uint64_t page = 0; page < pages; page++)
		if (!try_store(base + page * PAGE, storm_tag(me, round, page)))
			DIE("a fresh page faults in a storm: page, of how many", page, pages);
	if (how == HOW_UNMAP)
		unmap(base + from * PAGE, to - from);
	else if (how == HOW_PROTECT)
		protect(base + from * PAGE, to - from, PROT_READ);
	else
		dontneed(base + from * PAGE, to - from);
	storm_check(base, me, round, pages, from, to, how);
	unmap(base, pages);
	storm_check(base, me, round, pages, 0, pages, HOW_UNMAP);
}

static void stormer(uint64_t arg)
{
	uint64_t me = arg & 0xffff, rounds = arg >> 16, random = me + 1;

	for (uint64_t round = 0; round < rounds; round++)
		storm_round(STORM + me * STORM_STEP, me, round, &random);
	__atomic_fetch_sub((uint32_t *)(uintptr_t)USER_FREE, 1, __ATOMIC_RELEASE);
}

void program_storm(uint64_t arg)
{
	run_threads(1, arg & 0xffff, arg >> 16, stormer);
}

/* ---- all threads give back a page each, at the same time --------------------------------------*/

/*
 * The load of origin O5: on each CPU a thread writes its page, gives it back, and reads it, which
 * must be zero. The others' pages are none of its business; but if it is to look, it reads them all
 * before and after each of its own changes, so that every CPU has every page in its TLB and each
 * flush has something to miss. A page says whose it is and which of its owner's rounds wrote it;
 * `given` says which rounds are over. What is read after that has been read is zero or of a later
 * round. Anything else, poison and other pages' content included, is a stale translation.
 *
 * Who looks also gives back a page that belongs to all of them. There another thread may have taken
 * the page first and be in the middle of its flush: no excuse for returning earlier.
 */
#define GIVEN 0x30000000ull

struct giving {
	uint64_t threads, look, rounds;   /* constant */
	uint64_t ready;                   /* threads that have started */
	uint64_t tickets;                 /* atomic: what is written to the page of all */
	uint64_t given[USER_MAX_THREADS]; /* a thread's last round that is over: release */
};

static struct giving *giving(void)
{
	return (struct giving *)(uintptr_t)USER_FREE;
}

static volatile uint64_t *given_page(uint64_t owner)
{
	return (volatile uint64_t *)(uintptr_t)(GIVEN + owner * PAGE);
}

static void look_at_given(void)
{
	struct giving *g = giving();

	for (uint64_t owner = 0; owner < g->threads; owner++) {
		uint64_t over = ktlb_load_acquire(&g->given[owner]);
		uint64_t found = *given_page(owner);

		if (found && (found >> 32 != owner + 1 || (uint32_t)found <= over))
			DIE("read after it was given back: page, content", owner, found);
	}
}

/* What was written before the call must not be read after it; others' tickets may. */
static void give_back_shared(void)
{
	struct giving *g = giving();
	uint64_t ticket = __atomic_add_fetch(&g->tickets, 1, __ATOMIC_RELAXED), found;

	*given_page(g->threads) = ticket;
	dontneed(GIVEN + g->threads * PAGE, 1);
	found = *given_page(g->threads);
	if (found == ticket || found > ktlb_load_relaxed(&g->tickets))
		DIE("the page of all, read after it was given back: ticket, content", ticket,
		    found);
}

static void giver(uint64_t me)
{
	struct giving *g = giving();

	__atomic_fetch_add(&g->ready, 1, __ATOMIC_RELEASE);
	while (ktlb_load_acquire(&g->ready) < g->threads)
		ktlb_relax();
	for (uint64_t round = 1; round <= g->rounds; round++) {
		*given_page(me) = (me + 1) << 32 | round;
		if (g->look)
			look_at_given();
		dontneed(GIVEN + me * PAGE, 1);
		if (*given_page(me))
			DIE("not zero after it was given back: page, content", me, *given_page(me));
		ktlb_store_release(&g->given[me], round);
		if (g->look) {
			look_at_given();
			give_back_shared();
		}
	}
}

/* The first thread only starts the others. */
void program_give_back(uint64_t arg)
{
	struct giving *g = giving();

	map(USER_FREE, 1, PROT_READ | PROT_WRITE);
	g->threads = arg & 0xffff;
	g->look = arg >> 16 & 1;
	g->rounds = arg >> 32;
	map(GIVEN, g->threads + 1, PROT_READ | PROT_WRITE);
	for (uint64_t i = 0; i < g->threads; i++)
		thread_create_on(i, giver, i);
	sys_thread_exit();
}

/* ---- a process whose threads end one by one, leaving idle CPUs behind -------------------------*/

static void short_lived(uint64_t arg)
{
	volatile uint64_t *page = (volatile uint64_t *)(uintptr_t)(USER_FREE + (1 + arg) * PAGE);

	for (uint64_t i = 0; i < 2000 * (arg + 1); i++)
		page[i % 512] = i;
	__atomic_fetch_sub((uint32_t *)(uintptr_t)USER_FREE, 1, __ATOMIC_RELEASE);
}

void program_exit_in_turn(uint64_t arg)
{
	uint64_t threads = arg & 0xffff;
	volatile uint32_t *running = (volatile uint32_t *)(uintptr_t)USER_FREE;

	map(USER_FREE, 1 + threads, PROT_READ | PROT_WRITE);
	*running = (uint32_t)threads;
	for (uint64_t i = 0; i < threads; i++)
		thread_create(short_lived, i);
	/* Half of the processes end while some of the threads are still at it. */
	while (*running > (arg >> 16 ? threads / 2 : 0))
		sys_yield();
}

/* ---- messages ---------------------------------------------------------------------------------*/

void program_sender(uint64_t arg)
{
	uint64_t first = arg & 0xffff, index = arg >> 16 & 0xffff, loops = arg >> 32;

	for (uint64_t i = 0; i < loops; i++)
		for (uint64_t to = 0; to < GROUP_RECEIVERS; to++) {
			struct message message = {{index, i, to, ~(index + i + to)}};

			send(first + to, &message);
		}
}

void program_receiver(uint64_t arg)
{
	uint64_t channel = arg & 0xffff, loops = arg >> 32;
	uint32_t next[GROUP_SENDERS];

	for (uint32_t i = 0; i < GROUP_SENDERS; i++)
		next[i] = 0;
	for (uint64_t i = 0; i < loops * GROUP_SENDERS; i++) {
		struct message m;

		receive(channel, &m);
		if (m.word[0] >= GROUP_SENDERS || m.word[1] != next[m.word[0]] ||
		    m.word[3] != ~(m.word[0] + m.word[1] + m.word[2]))
			DIE("a wrong message: from, number", m.word[0], m.word[1]);
		next[m.word[0]]++;
	}
}

/* ---- one unmap of two pages that lie far apart ------------------------------------------------*/

void program_sparse(uint64_t arg)
{
	static const uint64_t here = 0x100000000ull, there = 0x240000000ull;
	uint64_t value;

	for (uint64_t i = 0; i < arg; i++) {
		map(here, 1, PROT_READ | PROT_WRITE);
		map(there, 1, PROT_READ | PROT_WRITE);
		if (!try_store(here, i) || !try_store(there, i))
			DIE("a fresh page faults: round", i, 0);
		unmap(here, (there - here) / PAGE + 1);
		if (try_load(here, &value) || try_load(there, &value))
			DIE("read after a sparse unmap: round, content", i, value);
	}
}

/* ---- changes while the threads that used the pages sleep --------------------------------------*/

/* Nothing else is within 1 GiB, so that tables go with the pages, unless the anchor keeps them. */
#define LAZY        0x80000000ull
#define LAZY_PAGES  5
#define LAZY_ANCHOR (LAZY + 64 * PAGE)
#define LAZY_LOOKED USER_FREE /* how many helpers have looked, ever */

static uint64_t lazy_tag(uint64_t round, uint64_t page)
{
	return round << 16 | page | 0x8000;
}

/* Waits for a message, looks at all pages, says so. Word 0 is the round, word 1: are they there? */
static void lazy_helper(uint64_t channel)
{
	struct message m;

	for (;;) {
		receive(channel, &m);
		for (uint64_t page = 0; page < LAZY_PAGES; page++) {
			uint64_t value = 0;
			int worked = try_load(LAZY + page * PAGE, &value);

			if (worked && !m.word[1])
				DIE("read what went while the CPU was idle: page, content", page,
				    value);
			if (m.word[1] && (!worked || value != lazy_tag(m.word[0], page)))
				DIE("not what came while the CPU was idle: page, content", page,
				    value);
		}
		__atomic_fetch_add((uint64_t *)(uintptr_t)LAZY_LOOKED, 1, __ATOMIC_RELEASE);
	}
}

/*
 * All helpers look, each where a CPU is idle, and sleep again. This thread does not: it would make
 * its CPU free for one of them. A moment later their CPUs are idle, too.
 */
static void lazy_look(uint64_t first, uint64_t helpers, uint64_t round, uint64_t there)
{
	uint64_t *looked = (uint64_t *)(uintptr_t)LAZY_LOOKED, before = *looked;
	struct message m = {{round, there}};

	for (uint64_t i = 0; i < helpers; i++)
		send(first + i, &m);
	while (__atomic_load_n(looked, __ATOMIC_ACQUIRE) != before + helpers)
		;
	for (uint32_t i = 0; i < 20; i++)
		sys_cpu();
}

void program_lazy(uint64_t arg)
{
	uint64_t done = arg & 0xffff, how = arg >> 16 & 0xff, helpers = arg >> 24 & 0xff;
	struct message m = {{0}};

	map(LAZY_LOOKED, 1, PROT_READ | PROT_WRITE);
	if (how == HOW_UNMAP)
		map(LAZY_ANCHOR, 1, PROT_READ | PROT_WRITE);
	for (uint64_t i = 0; i < helpers; i++)
		thread_create(lazy_helper, done + 2 + i);
	for (uint64_t round = 0; round < arg >> 32; round++) {
		map(LAZY, LAZY_PAGES, PROT_READ | PROT_WRITE);
		for (uint64_t page = 0; page < LAZY_PAGES; page++)
			if (!try_store(LAZY + page * PAGE, lazy_tag(round, page)))
				DIE("a fresh page faults: round, page", round, page);
		lazy_look(done + 2, helpers, round, 1);
		unmap(LAZY, LAZY_PAGES);
		lazy_look(done + 2, helpers, round, 0);
	}
	send(done, &m);
	receive(done + 1, &m);
}

/* ---- one that has to be stopped ---------------------------------------------------------------*/

void program_fault(uint64_t arg)
{
	*(volatile uint64_t *)(uintptr_t)(arg & 7) = 0;
}
