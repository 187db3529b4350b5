/* SPDX-License-Identifier: MIT */
/*
 * Memory: which store a load returns, what a walker can read, and whether plain accesses race.
 *
 * A location is a word that is accessed atomically. Its stores have an order, the order of modification;
 * a store's place in it is its version. Each CPU has a view: of each location the oldest version that it
 * may still read. A store carries the view that an acquiring load takes over. The first entries of a
 * view are a vector clock, one entry a CPU, by which two accesses are ordered or race.
 *
 *   sc        a load returns the newest store
 *   tso       stores wait in a buffer of their CPU, first in, first out; a load finds its own there
 *   weak      a relaxed load returns any store that its CPU's view allows; acquire, release, fences and
 *             read-modify-writes move views as C11 says
 *
 * and `weak` has the rule of arm64 that a store which a second CPU has read is visible to all:
 * `propagated` collects those, with all that they carry, and all that came before a full fence. A full
 * fence takes them over; so does a load of the newest store that acquires, or that an acquire fence
 * follows, since what comes after it is executed later. weak-c11 does without.
 *
 * In all models a plain access reads real memory, and is checked against the vector clocks. Real memory
 * holds the newest store. Stores enter the order of modification when they are made (tso: drained), so
 * load buffering and 2+2W are not shown.
 *
 * A walker is not a CPU. Under sc and tso it reads what is drained; under weak any version that is not
 * older than its CPU's view was at that CPU's last serialising instruction, nor than what a DSB has
 * shown to all walkers.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "sim.h"

#define VIEW      (SIM_CPUS <= 8 ? 256 : 1024) /* CPUs, then locations */
#define LOCATIONS (VIEW - SIM_CPUS)
#define RING \
	8 /* stores of a location that a load may still return: fewer only removes behaviours */
#define BUFFER    32 /* of a CPU's stores under tso */
#define STALE_MAX 12 /* so many loads in a row may return an old store */

typedef int16_t stamp;

struct view {
	stamp at[VIEW];
} __attribute__((aligned(32)));

struct store {
	uint64_t value;
	uint32_t cpu;
	uint32_t length; /* of the view */
	struct view view;
};

struct location {
	void *address;
	uint32_t size;
	unsigned newest, oldest;
	int dirty; /* a plain store has been here since */
	int pte;   /* its number, or -1 */
	unsigned mask;
	struct store *store;
};

/* What is known of eight bytes of simulated memory: who accessed them last, and when by its clock. */
struct cell {
	uint32_t run; /* valid if it is this run's */
	int16_t location;
	uint8_t write_mask, atomic_mask;
	uint8_t write_cpu, atomic_cpu;
	stamp write_clock, atomic_clock;
	uint64_t open_cpus; /* CPUs that made plain accesses with interrupts on */
	uint8_t read_mask;
	stamp plain_read[SIM_CPUS], atomic_read[SIM_CPUS];
};

struct buffered {
	int location;
	uint32_t size;
	uint64_t value;
	uint32_t length;
	struct view view;
};

static struct mem_cpu {
	struct view current;  /* no older store may be read */
	struct view acquired; /* what an acquire fence would add */
	struct view released; /* what a release fence gave to later relaxed stores */
	struct view mine;     /* own stores */
	struct view replaced; /* what stores of others carry that own ones came after */
	struct view walk;     /* no older entry can be read by the walker */
	unsigned stale;       /* old stores that loads have returned in a row */
	unsigned first, count;
	struct buffered buffer[BUFFER];
} cpus[SIM_CPUS];

static struct view fenced;     /* by full fences */
static struct view propagated; /* visible to all */
static struct view walkable;   /* shown to all walkers */

static struct view handed[2 * SIM_THREADS]; /* of threads that are on no CPU */
static unsigned handed_length[2 * SIM_THREADS];

static struct location locations[LOCATIONS];
static unsigned location_count, pte_count;
static struct store small_rings[LOCATIONS][RING];
static struct store pte_rings[SIM_PTES][SIM_PTE_VERSIONS];
static unsigned length; /* of views, in this run so far */

static struct cell *cells;
static uint8_t *ignored;
static uint32_t run = 1;
static size_t data_size;

enum sim_model sim_model;
const char *const sim_model_name[SIM_MODELS] = {"sc", "tso", "weak", "weak-c11"};

#define WEAK (sim_model >= SIM_WEAK)

/* ---- views ------------------------------------------------------------------------------------*/

static inline unsigned round_up(unsigned n)
{
	return (n + 15) & ~15u;
}

static inline void join(struct view *into, const struct view *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		into->at[i] = into->at[i] < from->at[i] ? from->at[i] : into->at[i];
}

/* Only which stores, without the clocks: for what orders accesses, but is no synchronisation of C11's. */
static inline void join_stores(struct view *into, const struct view *from, unsigned n)
{
	for (unsigned i = SIM_CPUS; i < n; i++)
		into->at[i] = into->at[i] < from->at[i] ? from->at[i] : into->at[i];
}

static inline void copy(struct view *into, const struct view *from)
{
	memcpy(into->at, from->at, length * sizeof(stamp));
}

static inline stamp *in_view(struct view *view, int location)
{
	return &view->at[SIM_CPUS + location];
}

static inline void raise_to(stamp *at, unsigned version)
{
	if (*at < (stamp)version)
		*at = (stamp)version;
}

static inline struct mem_cpu *self(void)
{
	return &cpus[sim_cur->number];
}

/* What follows a release is a new step of this CPU's clock. */
static inline void tick(struct mem_cpu *c)
{
	c->current.at[sim_cur->number]++;
}

static int acquires(int order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
	       order == __ATOMIC_SEQ_CST || order == __ATOMIC_CONSUME;
}

static int releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* ---- cells and races --------------------------------------------------------------------------*/

static uint64_t raw_load(const void *address, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, address, size);
	return value;
}

static void raw_store(void *address, unsigned size, uint64_t value)
{
	memcpy(address, &value, size);
}

/* Null: not simulated. */
static inline struct cell *find_cell(const void *address)
{
	size_t offset = (size_t)((const char *)address - sim_data_start);
	struct cell *cell;

	if (offset >= data_size || ignored[offset >> 3])
		return 0;
	cell = &cells[offset >> 3];
	if (cell->run != run) {
		memset(cell, 0, sizeof(*cell));
		cell->run = run;
		cell->location = -1;
	}
	return cell;
}

static uint8_t bytes(const void *address, unsigned size)
{
	return (uint8_t)(((1u << size) - 1) << ((uintptr_t)address & 7));
}

static void race(const void *address, const char *what, uint32_t other)
{
	sim_violation("data-race", "%s of %s by cpu%u, not ordered after an access by cpu%u", what,
	              trace_name_of(address), sim_cur->number, other);
}

static void check_write(const struct cell *cell, const void *address, uint8_t mask,
                        const char *what)
{
	const struct view *now = &self()->current;

	if ((cell->write_mask & mask) && now->at[cell->write_cpu] < cell->write_clock)
		race(address, what, cell->write_cpu);
}

static void check_reads(const stamp *read, const void *address, const char *what)
{
	const struct view *now = &self()->current;

	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		if (now->at[cpu] < read[cpu] && cpu != sim_cur->number)
			race(address, what, cpu);
}

static void buffered_here(struct mem_cpu *c, int location);

static void plain(const void *address, unsigned size, int write)
{
	struct cell *cell = find_cell(address);
	uint32_t me;
	uint8_t mask;

	if (!cell)
		return;
	me = sim_cur->number;
	mask = bytes(address, size);
	check_write(cell, address, mask, write ? "plain store" : "plain load");
	if ((cell->atomic_mask & mask) && self()->current.at[cell->atomic_cpu] < cell->atomic_clock)
		race(address, write ? "plain store" : "plain load", cell->atomic_cpu);
	if (write) {
		if (cell->read_mask & mask)
			check_reads(cell->plain_read, address, "plain store");
		check_reads(cell->atomic_read, address, "plain store");
		cell->write_mask |= mask;
		cell->write_cpu = (uint8_t)me;
		cell->write_clock = self()->current.at[me];
		if (sim_cur->in_handler && (cell->open_cpus >> me & 1))
			sim_violation("interrupt-race",
			              "the handler on cpu%u stores to %s, which is accessed with "
			              "interrupts on",
			              me, trace_name_of(address));
	} else {
		cell->read_mask |= mask;
		cell->plain_read[me] = self()->current.at[me];
	}
	if (!sim_cur->irqs_off)
		cell->open_cpus |= (uint64_t)1 << (me & 63);
	if (cell->location >= 0) {
		buffered_here(self(), cell->location);
		if (write)
			locations[cell->location].dirty = 1;
	}
}

void mem_plain(const void *address, unsigned size, int write)
{
	const char *at = address, *end = at + size;

	if (!sim_cur)
		return;
	while (at < end) {
		unsigned n = 8 - (unsigned)((uintptr_t)at & 7);

		if (n > (size_t)(end - at))
			n = (unsigned)(end - at);
		plain(at, n, write);
		at += n;
	}
}

/* ---- locations --------------------------------------------------------------------------------*/

static int new_location(void *address, unsigned size, int pte)
{
	int number = (int)location_count;
	struct location *l = &locations[number];

	if (location_count == LOCATIONS)
		sim_violation("limit", "more than %d atomic locations", LOCATIONS);
	location_count++;
	l->address = address;
	l->size = size;
	l->newest = l->oldest = 0;
	l->dirty = 0;
	l->pte = pte;
	l->store = pte >= 0 ? pte_rings[pte] : small_rings[number];
	l->mask = pte >= 0 ? SIM_PTE_VERSIONS - 1 : RING - 1;
	l->store[0].value = raw_load(address, size);
	l->store[0].cpu = SIM_CPUS;
	l->store[0].length = 0;
	if (WEAK) {
		unsigned longer = round_up(SIM_CPUS + location_count);

		for (; length < longer; length += 16)
			mem_extend(length);
	}
	return number;
}

/* Views grow by 16 entries, of zeroes. */
void mem_extend(unsigned from)
{
	size_t size = 16 * sizeof(stamp);

	for (uint32_t i = 0; i < sim_cpu_count; i++) {
		memset(&cpus[i].current.at[from], 0, size);
		memset(&cpus[i].acquired.at[from], 0, size);
		memset(&cpus[i].released.at[from], 0, size);
		memset(&cpus[i].mine.at[from], 0, size);
		memset(&cpus[i].replaced.at[from], 0, size);
		memset(&cpus[i].walk.at[from], 0, size);
	}
	memset(&fenced.at[from], 0, size);
	memset(&propagated.at[from], 0, size);
	memset(&walkable.at[from], 0, size);
}

static struct store *append(struct location *l, uint64_t value, uint32_t cpu)
{
	struct store *s;

	l->newest++;
	if (l->pte >= 0 && l->newest == SIM_PTE_VERSIONS)
		sim_violation("limit", "more than %d stores to one page-table entry",
		              SIM_PTE_VERSIONS);
	if (l->newest > INT16_MAX - 1)
		sim_violation("limit", "too many stores to one location");
	if (l->newest - l->oldest > l->mask)
		l->oldest = l->newest - l->mask;
	s = &l->store[l->newest & l->mask];
	s->value = value;
	s->cpu = cpu;
	s->length = 0;
	raw_store(l->address, l->size, value);
	return s;
}

static void appended(struct location *l)
{
	if (l->store[l->newest & l->mask].value != l->store[(l->newest - 1) & l->mask].value)
		sim_progress(); /* who spins by a read-modify-write changes nothing */
	if (l->pte >= 0)
		tlb_pte_stored((unsigned)l->pte);
}

/* A plain store has been here: that is the only store that anybody may read now. */
static void restart(struct location *l)
{
	l->dirty = 0;
	append(l, raw_load(l->address, l->size), SIM_CPUS);
	l->oldest = l->newest;
}

/* The location of an atomic access at this address; its number is an index into views. */
static int locate(struct cell *cell, const void *address, unsigned size)
{
	struct location *l;

	if (cell->location < 0)
		cell->location = (int16_t)new_location((void *)(uintptr_t)address, size, -1);
	l = &locations[cell->location];
	if (l->address != address || l->size != size)
		sim_violation("mixed-size", "%s is accessed in different sizes",
		              trace_name_of(address));
	if (l->dirty)
		restart(l);
	return cell->location;
}

static void atomic_access(struct cell *cell, const void *address, unsigned size, int read,
                          int write)
{
	uint32_t me = sim_cur->number;
	uint8_t mask = bytes(address, size);

	check_write(cell, address, mask, write ? "atomic store" : "atomic load");
	if (read)
		cell->atomic_read[me] = self()->current.at[me];
	if (write) {
		if (cell->read_mask & mask)
			check_reads(cell->plain_read, address, "atomic store");
		cell->atomic_mask |= mask;
		cell->atomic_cpu = (uint8_t)me;
		cell->atomic_clock = self()->current.at[me];
	}
}

/* ---- store buffers (tso) ----------------------------------------------------------------------*/

unsigned mem_buffered(uint32_t cpu)
{
	return cpus[cpu].count;
}

void mem_drain_one(uint32_t cpu)
{
	struct mem_cpu *c = &cpus[cpu];
	struct buffered *b = &c->buffer[c->first];
	struct location *l = &locations[b->location];
	struct store *s;

	c->first = (c->first + 1) % BUFFER;
	c->count--;
	if (l->dirty)
		restart(l);
	s = append(l, b->value, cpu);
	s->length = b->length;
	memcpy(s->view.at, b->view.at, b->length * sizeof(stamp));
	sim_hash_add(cpu + 0x10000);
	if (sim_tracing)
		trace_drained(cpu, l->address, b->value);
	appended(l);
}

static void drain(uint32_t cpu)
{
	while (cpus[cpu].count)
		mem_drain_one(cpu);
}

void mem_drain_all(void)
{
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		drain(cpu);
}

static struct buffered *newest_buffered(struct mem_cpu *c, int location)
{
	for (unsigned i = c->count; i-- > 0;) {
		struct buffered *b = &c->buffer[(c->first + i) % BUFFER];

		if (b->location == location)
			return b;
	}
	return 0;
}

static void buffered_here(struct mem_cpu *c, int location)
{
	if (c->count && newest_buffered(c, location))
		drain(sim_cur->number);
}

/* ---- atomic accesses --------------------------------------------------------------------------*/

/* Another CPU than its own has read this store: it is visible to all, and so is what it carries. */
static void observe(const struct store *s, int number, unsigned version)
{
	if (sim_model != SIM_WEAK)
		return;
	join_stores(&propagated, &s->view, s->length);
	raise_to(in_view(&propagated, number), version);
}

/* What this CPU does later, walks included, depends on a read of this store, which is another CPU's. */
static void depend(struct mem_cpu *c, struct location *l, int number, unsigned version)
{
	struct store *s = &l->store[version & l->mask];

	join(&c->current, &s->view, s->length);
	raise_to(in_view(&c->current, number), version);
	join(&c->released, &s->view, s->length);
	raise_to(in_view(&c->released, number), version);
	join(&c->walk, &s->view, s->length);
	raise_to(in_view(&c->walk, number), version);
	if (sim_model == SIM_WEAK && version == l->newest) {
		join_stores(&c->current, &propagated, length);
		join_stores(&c->walk, &propagated, length);
	}
}

/* A load has returned this store. */
static void take_view(struct mem_cpu *c, struct location *l, int number, unsigned version,
                      int order)
{
	struct store *s = &l->store[version & l->mask];

	join(&c->acquired, &s->view, s->length);
	if (acquires(order))
		join(&c->current, &s->view, s->length);
	if (!WEAK)
		return;
	raise_to(in_view(&c->current, number), version);
	if (s->cpu != sim_cur->number)
		observe(s, number, version);
	if (sim_model == SIM_WEAK && version == l->newest)
		join_stores(acquires(order) ? &c->current : &c->acquired, &propagated, length);
	if (order == __ATOMIC_CONSUME && s->cpu != sim_cur->number)
		depend(c, l, number, version);
}

static unsigned choose_version(struct mem_cpu *c, struct location *l, int number, int order)
{
	unsigned least = l->oldest, seen = (unsigned)*in_view(&c->current, number);
	unsigned back;

	if (seen > least)
		least = seen;
	if (order == __ATOMIC_SEQ_CST && (unsigned)*in_view(&fenced, number) > least)
		least = (unsigned)*in_view(&fenced, number);
	if (least >= l->newest || c->stale >= STALE_MAX) {
		c->stale = 0;
		return l->newest;
	}
	back = sim_choose(SIM_CHOOSE_STORE, l->newest - least + 1);
	c->stale = back ? c->stale + 1 : 0;
	return l->newest - back;
}

uint64_t mem_load(const void *address, unsigned size, int order)
{
	struct cell *cell = sim_cur ? find_cell(address) : 0;
	struct mem_cpu *c;
	struct location *l;
	struct buffered *own = 0;
	unsigned version;
	uint64_t value;
	int number;

	if (!cell)
		return raw_load(address, size);
	sim_point();
	c = self();
	number = locate(cell, address, size);
	l = &locations[number];
	atomic_access(cell, address, size, 1, 0);
	if (sim_model == SIM_TSO && c->count)
		own = newest_buffered(c, number);
	if (own) {
		value = own->value;
	} else {
		version = WEAK ? choose_version(c, l, number, order) : l->newest;
		value = l->store[version & l->mask].value;
		take_view(c, l, number, version, order);
		if (sim_tracing && version != l->newest)
			trace_note("(an older value than memory's)");
	}
	sim_hash_add(value);
	if (sim_tracing)
		trace_access(TRACE_LOAD, address, value, 0);
	return value;
}

static void set_store_view(struct mem_cpu *c, struct view *view, uint32_t *view_length, int order)
{
	copy(view, releases(order) ? &c->current : &c->released);
	*view_length = length;
}

/* When an own store is visible to all, what it came after is. */
static void replace(struct mem_cpu *c, const struct store *s)
{
	if (s->cpu != sim_cur->number)
		join_stores(&c->replaced, &s->view, s->length);
}

void mem_store(void *address, unsigned size, uint64_t value, int order)
{
	struct cell *cell = sim_cur ? find_cell(address) : 0;
	struct mem_cpu *c;
	struct location *l;
	int number;

	if (!cell) {
		raw_store(address, size, value);
		return;
	}
	sim_point();
	c = self();
	number = locate(cell, address, size);
	l = &locations[number];
	atomic_access(cell, address, size, 0, 1);
	sim_hash_add(value);
	if (sim_tracing)
		trace_access(TRACE_STORE, address, value, 0);
	if (sim_model == SIM_TSO && order != __ATOMIC_SEQ_CST) {
		struct buffered *b;

		if (c->count == BUFFER)
			mem_drain_one(sim_cur->number);
		b = &c->buffer[(c->first + c->count++) % BUFFER];
		b->location = number;
		b->size = size;
		b->value = value;
		set_store_view(c, &b->view, &b->length, order);
	} else {
		struct store *s;

		drain(sim_cur->number);
		if (sim_model == SIM_WEAK)
			replace(c, &l->store[l->newest & l->mask]);
		s = append(l, value, sim_cur->number);
		if (WEAK) {
			raise_to(in_view(&c->current, number), l->newest);
			raise_to(in_view(&c->mine, number), l->newest);
			if (order == __ATOMIC_SEQ_CST)
				raise_to(in_view(&fenced, number), l->newest);
		}
		set_store_view(c, &s->view, &s->length, order);
		if (WEAK)
			raise_to(in_view(&s->view, number), l->newest);
		appended(l);
	}
	if (releases(order))
		tick(c);
}

static uint64_t apply(enum mem_rmw op, uint64_t old, uint64_t operand)
{
	switch (op) {
	case MEM_EXCHANGE:
		return operand;
	case MEM_ADD:
		return old + operand;
	case MEM_SUB:
		return old - operand;
	case MEM_AND:
		return old & operand;
	case MEM_OR:
		return old | operand;
	case MEM_XOR:
		return old ^ operand;
	}
	return old;
}

static uint64_t truncate(uint64_t value, unsigned size)
{
	return size == 8 ? value : value & (((uint64_t)1 << size * 8) - 1);
}

/* Reads the newest store and is the next one. Its view continues the store's that it read. */
static void rmw_store(struct mem_cpu *c, struct location *l, int number, uint64_t value, int order)
{
	struct store *read = &l->store[l->newest & l->mask];
	struct view continued;
	uint32_t continued_length = read->length;
	struct store *s;

	memcpy(continued.at, read->view.at, continued_length * sizeof(stamp));
	take_view(c, l, number, l->newest, order);
	s = append(l, value, sim_cur->number);
	if (WEAK) {
		raise_to(in_view(&c->current, number), l->newest);
		raise_to(in_view(&c->mine, number), l->newest);
		if (order == __ATOMIC_SEQ_CST)
			raise_to(in_view(&fenced, number), l->newest);
	}
	set_store_view(c, &s->view, &s->length, order);
	join(&s->view, &continued, continued_length);
	if (WEAK)
		raise_to(in_view(&s->view, number), l->newest);
	appended(l);
	if (releases(order))
		tick(c);
}

uint64_t mem_rmw(void *address, unsigned size, enum mem_rmw op, uint64_t operand, int order)
{
	struct cell *cell = sim_cur ? find_cell(address) : 0;
	struct location *l;
	uint64_t old;
	int number;

	if (!cell) {
		old = raw_load(address, size);
		raw_store(address, size, apply(op, old, operand));
		return old;
	}
	sim_point();
	drain(sim_cur->number);
	number = locate(cell, address, size);
	l = &locations[number];
	atomic_access(cell, address, size, 1, 1);
	old = l->store[l->newest & l->mask].value;
	sim_hash_add(old);
	rmw_store(self(), l, number, truncate(apply(op, old, operand), size), order);
	if (sim_tracing)
		trace_access(TRACE_RMW, address, truncate(apply(op, old, operand), size), old);
	return old;
}

int mem_cas(void *address, unsigned size, uint64_t *expected, uint64_t value, int success,
            int failure)
{
	struct cell *cell = sim_cur ? find_cell(address) : 0;
	struct location *l;
	uint64_t old;
	int number;

	if (!cell) {
		old = raw_load(address, size);
		if (old == *expected) {
			raw_store(address, size, value);
			return 1;
		}
		*expected = old;
		return 0;
	}
	sim_point();
	drain(sim_cur->number);
	number = locate(cell, address, size);
	l = &locations[number];
	old = l->store[l->newest & l->mask].value;
	sim_hash_add(old);
	if (old == *expected) {
		atomic_access(cell, address, size, 1, 1);
		rmw_store(self(), l, number, value, success);
		if (sim_tracing)
			trace_access(TRACE_RMW, address, value, old);
		return 1;
	}
	atomic_access(cell, address, size, 1, 0);
	take_view(self(), l, number, l->newest, failure);
	if (sim_tracing)
		trace_access(TRACE_LOAD, address, old, 0);
	*expected = old;
	return 0;
}

static void full_fence(struct mem_cpu *c)
{
	drain(sim_cur->number);
	join(&c->current, &c->acquired, length);
	if (WEAK) {
		if (sim_model == SIM_WEAK) {
			join_stores(&c->current, &propagated, length);
			join_stores(&c->current, &c->replaced, length);
			join_stores(&propagated, &c->current, length);
		}
		join_stores(&c->current, &fenced, length);
		join_stores(&fenced, &c->current, length);
	}
	copy(&c->released, &c->current);
	tick(c);
}

void mem_fence(int order)
{
	struct mem_cpu *c;

	if (!sim_cur)
		return;
	sim_point();
	c = self();
	sim_hash_add((uint64_t)order);
	if (sim_tracing)
		trace_fence(order);
	if (order == __ATOMIC_SEQ_CST) {
		full_fence(c);
		return;
	}
	if (acquires(order))
		join(&c->current, &c->acquired, length);
	if (releases(order)) {
		copy(&c->released, &c->current);
		tick(c);
	}
}

void mem_barrier(enum mem_barrier kind)
{
	struct mem_cpu *c;

	if (!sim_cur)
		return;
	c = self();
	if ((kind == MEM_SERIALISE || kind == MEM_DSB_NSH) && WEAK) {
		if (kind == MEM_DSB_NSH)
			join(&c->current, &c->acquired, length);
		copy(&c->walk, &c->current);
		return;
	}
	if (kind != MEM_DSB_ST) {
		full_fence(c);
		if (WEAK) {
			copy(&c->walk, &c->current);
			join(&walkable, &c->current, length);
		}
		return;
	}
	drain(sim_cur->number);
	if (WEAK) {
		join_stores(&walkable, &c->mine, length);
		join_stores(&fenced, &c->mine, length);
		join_stores(&c->current, &fenced, length);
		if (sim_model == SIM_WEAK) {
			join_stores(&propagated, &c->mine, length);
			join_stores(&c->current, &propagated, length);
		}
	}
	copy(&c->released, &c->current);
	tick(c);
}

/*
 * arm64: a DSB waits until others have done what they did by translations that it invalidates. (By any: this
 * hides a little.)
 */
void mem_others_are_done(void)
{
	struct mem_cpu *c = self();

	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		if (cpu != sim_cur->number)
			c->current.at[cpu] = cpus[cpu].current.at[cpu]++;
}

/* Every store reaches every CPU in the end. True if one had not that makes a difference. */
int mem_settle(void)
{
	int any = 0;

	if (!WEAK)
		return 0;
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		for (unsigned i = 0; i < location_count; i++) {
			struct location *l = &locations[i];
			stamp *at = in_view(&cpus[cpu].current, (int)i);
			unsigned least = (unsigned)*at < l->oldest ? l->oldest : (unsigned)*at;

			any |= l->store[least & l->mask].value !=
			       l->store[l->newest & l->mask].value;
			raise_to(at, l->newest);
		}
	return any;
}

/*
 * A thread that moves takes along what it has seen, as by the lock of a run queue. The store that let
 * it go comes after its own, so those are visible when it is found.
 */
void mem_hand_over_begin(unsigned thread)
{
	copy(&handed[thread], &self()->current);
	handed_length[thread] = length;
	tick(self());
}

void mem_hand_over_end(unsigned thread, uint32_t from)
{
	drain(from);
	join(&self()->current, &handed[thread], handed_length[thread]);
}

/* ---- page-table entries -----------------------------------------------------------------------*/

void mem_pte(unsigned pte, uint64_t *address)
{
	if (pte != pte_count || pte == SIM_PTES)
		abort();
	pte_count++;
	locations[pte].address = address; /* made a location by each mem_reset: the first ones */
	locations[pte].store = 0;
}

static struct location *of_pte(unsigned pte)
{
	return &locations[pte];
}

unsigned mem_pte_newest(unsigned pte)
{
	return of_pte(pte)->newest;
}

uint64_t mem_pte_value(unsigned pte, unsigned version)
{
	struct location *l = of_pte(pte);

	/* Before the first run real memory is all there is. */
	return l->store ? l->store[version & l->mask].value : raw_load(l->address, 8);
}

uint64_t mem_pte_visible(uint32_t cpu, unsigned pte)
{
	struct location *l = of_pte(pte);
	unsigned least = l->newest;

	if (WEAK) {
		unsigned walked = (unsigned)*in_view(&cpus[cpu].walk, (int)pte);
		unsigned shown = (unsigned)*in_view(&walkable, (int)pte);

		least = walked > shown ? walked : shown;
	}
	return (~(uint64_t)0 << least) & (~(uint64_t)0 >> (63 - l->newest));
}

/* Under tso the stores that are still in the CPU's own buffer come next. */
unsigned mem_pte_view(uint32_t cpu, unsigned pte)
{
	struct location *l = of_pte(pte);
	struct mem_cpu *c = &cpus[cpu];
	unsigned version = l->newest;

	if (WEAK)
		return (unsigned)*in_view(&c->current, (int)pte);
	for (unsigned i = 0; i < c->count; i++)
		version += c->buffer[(c->first + i) % BUFFER].location == (int)pte;
	return version;
}

unsigned mem_ptes(void)
{
	return pte_count;
}

/* Whoever has read this version of one entry, in memory, what of the other must it find there? */
unsigned mem_pte_carried(unsigned pte, unsigned version, unsigned other)
{
	struct location *l = of_pte(pte);
	struct store *s = &l->store[version & l->mask];

	if (!WEAK || s->length <= SIM_CPUS + other)
		return 0;
	return (unsigned)*in_view(&s->view, (int)other);
}

/* A walker has read the store; what another CPU has made, it has made visible to all. */
void mem_translated(unsigned pte, unsigned version, int ordered)
{
	struct mem_cpu *c = self();
	struct location *l = of_pte(pte);

	sim_hash_add(version + ((uint64_t)pte << 32));
	if (!WEAK || l->store[version & l->mask].cpu == sim_cur->number)
		return;
	observe(&l->store[version & l->mask], (int)pte, version);
	join(&c->acquired, &l->store[version & l->mask].view, l->store[version & l->mask].length);
	raise_to(in_view(&c->acquired, (int)pte), version);
	join(&c->released, &l->store[version & l->mask].view, l->store[version & l->mask].length);
	raise_to(in_view(&c->released, (int)pte), version);
	if (ordered)
		depend(c, l, (int)pte, version);
}

void mem_pte_update(unsigned pte, uint64_t value)
{
	struct location *l = of_pte(pte);

	append(l, value, SIM_CPUS);
	appended(l);
}

/* ---- runs -------------------------------------------------------------------------------------*/

void mem_ignore(const void *start, size_t size)
{
	size_t first = (size_t)((const char *)start - sim_data_start);

	mem_start();
	for (size_t i = first >> 3; i < (first + size + 7) >> 3; i++)
		ignored[i] = 1;
}

void mem_start(void)
{
	if (cells)
		return;
	data_size = (size_t)(sim_data_end - sim_data_start);
	cells = calloc(data_size / 8 + 1, sizeof(*cells));
	ignored = calloc(data_size / 8 + 1, 1);
	if (!cells || !ignored)
		abort();
}

void mem_forget_ptes(void)
{
	pte_count = 0;
}

void mem_reset(void)
{
	run++;
	memset(handed_length, 0, sizeof(handed_length));
	location_count = 0;
	length = 0;
	for (; length < round_up(SIM_CPUS); length += 16)
		mem_extend(length);
	for (uint32_t i = 0; i < sim_cpu_count; i++) {
		cpus[i].current.at[i] = 1;
		cpus[i].first = cpus[i].count = cpus[i].stale = 0;
	}
	for (unsigned i = 0; i < pte_count; i++) {
		void *address = locations[i].address;
		struct cell *cell = find_cell(address);

		cell->location = (int16_t)new_location(address, 8, (int)i);
	}
}
