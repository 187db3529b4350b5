/* SPDX-License-Identifier: MIT */
/*
 * Pages change while many threads use them, and when the call that changed them has returned, no
 * thread anywhere may see them as they were.
 *
 * The first thread changes, the others touch. They agree by one word, which counts states:
 *
 *   LIVE       the pages are there; touching must work. Each thread has touched all of them once,
 *              and goes on touching, so that every CPU has them in its TLB
 *   CHANGING   the call is under way: touching may work or fail
 *   CHANGED    the call has returned: whatever it forbade must fail, for each thread and page
 *   RESTORING  everybody has looked; the first thread makes the pages anew
 *
 * A toucher reads the word before an access and once more after it. Before: acquire; if it reads
 * CHANGED, then the flush was complete before the access began. After: to tell a forbidden failure
 * in LIVE from one in CHANGING. What is stored names page and round, so that a read through a stale
 * translation (poison, zeroes, another page) is noticed, too.
 */
#include "user.h"

enum {
	LIVE,
	CHANGING,
	CHANGED,
	RESTORING,
	STATES
};

#define CONTROL USER_FREE

/*
 * Both areas straddle two tables, and no count of pages below covers all of one. In the first a
 * page at each end stays mapped and keeps the tables alive; in the second there is nothing else
 * within 1 GiB, so that two levels of tables go with the pages.
 */
#define AREA_KEPT    0x30000000ull
#define AREA_DROPPED 0x40000000ull
#define AREA_START   (256 * PAGE)
#define AREA_ANCHOR  (1023 * PAGE)

#define STOP 0xffffffffu

struct control {
	uint32_t state; /* round * STATES + state, or STOP: by the first thread, release */
	uint32_t how;
	uint32_t round;
	uint64_t base, pages; /* constant from LIVE to CHANGED */
	uint32_t running;
	uint32_t seen[USER_MAX_THREADS]; /* the state that a thread has done its part in: release */
};

static struct control *control(void)
{
	return (struct control *)(uintptr_t)CONTROL;
}

static uint64_t tag(uint32_t round, uint64_t page)
{
	return page << 32 | 0x5a0000 | (round & 0xffff);
}

static uint32_t state_now(void)
{
	return ktlb_load_acquire(&control()->state);
}

/* One page in LIVE or CHANGING. In HOW_DONTNEED only the first thread stores. */
static void touch_live(uint32_t state, uint64_t page)
{
	struct control *c = control();
	uint64_t va = c->base + page * PAGE, want = tag(state / STATES, page), value = want;
	int worked = c->how == HOW_DONTNEED || try_store(va, want);

	if (worked)
		worked = try_load(va, &value);
	if (!worked && state_now() == state)
		DIE("a page that is mapped faults: page, state", page, state);
	if (worked && value != want && state_now() == state)
		DIE("a page has the wrong content: page, content", page, value);
}

/* One page in CHANGED. */
static void touch_changed(uint32_t state, uint64_t page)
{
	struct control *c = control();
	uint64_t va = c->base + page * PAGE, value = 0;

	switch (c->how) {
	case HOW_UNMAP:
	case HOW_UNMAP_TABLE:
		if (try_load(va, &value))
			DIE("read after unmap: page, content", page, value);
		if (try_store(va, ~0ull))
			DIE("written after unmap: page, of how many", page, c->pages);
		break;
	case HOW_PROTECT:
		if (try_store(va, ~0ull))
			DIE("written after protect: page, of how many", page, c->pages);
		if (!try_load(va, &value) || value != tag(state / STATES, page))
			DIE("protect lost a page: page, content", page, value);
		break;
	default:
		if (!try_load(va, &value) || value)
			DIE("not zero after don't need: page, content", page, value);
	}
}

/* The part of a thread in a state that it has just seen for the first time, or, LIVE, again. */
static void take_part(uint32_t state, int first, uint64_t *random)
{
	struct control *c = control();
	uint64_t last = c->pages - 1;

	if (state % STATES == LIVE && first)
		for (uint64_t page = 0; page <= last; page++)
			touch_live(state, page);
	if (state % STATES == LIVE)
		for (uint32_t i = 0; i < 8 && state_now() == state; i++) {
			touch_live(state, next_random(random) % c->pages);
			touch_live(state, 0);
			touch_live(state, last);
		}
	if (state % STATES == CHANGED && first) {
		/* The ends first: they are the ones that are still in the TLB for sure. */
		touch_changed(state, last);
		touch_changed(state, 0);
		for (uint64_t page = 0; page <= last; page++)
			touch_changed(state, page);
	}
}

static void toucher(uint64_t me)
{
	struct control *c = control();
	uint64_t random = me + 1;
	uint32_t state;

	while ((state = state_now()) != STOP) {
		take_part(state, state != c->seen[me], &random);
		ktlb_store_release(&c->seen[me], state);
		sys_yield();
	}
	__atomic_fetch_sub(&c->running, 1, __ATOMIC_RELEASE);
}

/*
 * Goes to the next state, and waits until every toucher has done its part in it: in RESTORING, to
 * have let go of the one before. Only CHANGING is for those who come in the middle of it.
 */
static void enter(uint32_t state, uint32_t threads)
{
	struct control *c = control();

	ktlb_store_release(&c->state, c->round * STATES + state);
	for (uint32_t i = 0; i < threads && state != CHANGING; i++)
		while (ktlb_load_acquire(&c->seen[i]) != c->round * STATES + state)
			sys_yield();
}

static void make_pages(uint32_t how)
{
	struct control *c = control();

	map(c->base, c->pages, PROT_READ | PROT_WRITE);
	if (how == HOW_DONTNEED)
		for (uint64_t page = 0; page < c->pages; page++)
			try_store(c->base + page * PAGE, tag(c->round, page));
}

static void change(uint32_t how)
{
	struct control *c = control();

	if (how == HOW_PROTECT)
		protect(c->base, c->pages, PROT_READ);
	else if (how == HOW_DONTNEED)
		dontneed(c->base, c->pages);
	else
		unmap(c->base, c->pages);
}

/* protect: writes must work again; then, as for don't need, the pages go to make the next. */
static void restore(uint32_t how, uint32_t threads)
{
	struct control *c = control();

	if (how == HOW_PROTECT) {
		protect(c->base, c->pages, PROT_READ | PROT_WRITE);
		for (uint64_t page = 0; page < c->pages; page++)
			if (!try_store(c->base + page * PAGE, 0))
				DIE("not writable again: page", page, 0);
		c->round++;
		enter(LIVE, threads);
		enter(RESTORING, threads);
	}
	if (how == HOW_PROTECT || how == HOW_DONTNEED)
		unmap(c->base, c->pages);
}

void program_coherence(uint64_t arg)
{
	/* One page, odd ones, the end of one table, more than one table; no power of two above 64. */
	static const uint16_t pages[] = {1, 2, 3, 7, 64, 200, 600};
	uint32_t how = arg & 0xff, threads = arg >> 8 & 0xff, rounds = (uint32_t)(arg >> 16);
	uint64_t area = how == HOW_UNMAP_TABLE ? AREA_DROPPED : AREA_KEPT;
	struct control *c = control();

	map(CONTROL, 1, PROT_READ | PROT_WRITE);
	c->how = how;
	c->base = area + AREA_START;
	c->running = threads;
	c->state = RESTORING;
	for (uint32_t i = 0; i < threads; i++)
		c->seen[i] = RESTORING;
	if (how != HOW_UNMAP_TABLE) {
		map(area, 1, PROT_READ | PROT_WRITE);
		map(area + AREA_ANCHOR, 1, PROT_READ | PROT_WRITE);
	}
	c->pages = 1;
	for (uint32_t i = 0; i < threads; i++)
		thread_create(toucher, i);

	for (uint32_t i = 0; i < rounds; i++) {
		c->round++;
		c->pages = pages[i % (sizeof(pages) / sizeof(pages[0]))];
		make_pages(how);
		enter(LIVE, threads);
		enter(CHANGING, threads);
		change(how);
		enter(CHANGED, threads);
		enter(RESTORING, threads);
		restore(how, threads);
	}
	ktlb_store_release(&c->state, STOP);
	while (__atomic_load_n(&c->running, __ATOMIC_ACQUIRE))
		sys_yield();
}
