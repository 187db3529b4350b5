/* SPDX-License-Identifier: MIT */
/*
 * All that each CPU's TLB could hold.
 *
 * What a TLB holds never steers the code under test. So for one schedule the union over everything
 * that walkers could have done is kept, exactly, and no search needs luck with fills. Of each CPU
 * there is a set for each hardware id that it has used, and set 0 for global entries. For each
 * page-table entry (pte) a set has two masks, a bit for each version of the pte:
 *
 *   leaf    versions that may be cached as translations
 *   upper   versions that may be cached as pointers to a table (paging-structure, walk caches)
 *
 * Filling. A CPU's walker may use its contexts, pairs of a root and an id. The kernel's root is
 * walked under each of them. saturate() adds all that walkers could cache now:
 *
 *   1. from each root of a context: all versions that the walker can read (mem_pte_visible);
 *      present ones with the accessed bit only
 *   2. under an id a pointer that is still cached is followed, too, whosever root it came from
 *   3. from each table that one of these pointers leads to: its leaves
 *
 * With no store what walkers can read only shrinks, so it is enough to saturate after a change of
 * contexts, after an invalidation, and when a present entry has been stored.
 *
 * Invalidations that take time (arm64's TLBI until its DSB). Nobody knows when they happen: as late
 * as the DSB, so the set keeps all; or as early as the TLBI, with a refill of what walkers still
 * could read. What may be there after the DSB is what the early one left and what was filled since.
 * That is another set, a shadow: copied from the real set at the TLBI, cut at once, saturated
 * beside it, and put in its place by the DSB. `world`: the shadows of one issuer and kind, or the
 * real sets.
 *
 * Freed tables. A version that points to a table at the time when it is freed is dead from then on,
 * even if the table is used again. A walker that can follow a dead one is the violation.
 *
 * The second mode, tlb_random, fills by chance instead and is there to check the first: one choice
 * an event decides for all entries. What it finds the first mode must find. Whether a freed table is
 * in reach is not left to chance.
 *
 * Not modelled: a contiguous group is removed as a whole, but filled one by one.
 */
#include <string.h>

#include "mem.h"
#include "sim.h"
#include "tlb.h"

#define TABLE_ENTRIES 64 /* bits of a mask */
#define TABLES        32
#define SETS          64 /* ids that one CPU can use in a run, and 1 for global entries */
#define GLOBAL_SET    0
#define NO_ID         (~0u)
#define WORLDS        (2 * SIM_CPUS)
#define REAL          WORLDS
#define SHADOWS       (64 * SIM_CPUS)
#define CONTIGUOUS    16 /* entries of a contiguous group, 4 KiB granule */
#define CHANCES       64 /* tlb_random: one in so many events fills nothing at all */
#define ALL_VERSIONS  (~(uint64_t)0)
#define KERNEL        (-1)

struct mask {
	uint64_t leaf, upper;
};

struct set {
	uint32_t roots; /* tables that may have bits in an upper mask */
	struct mask m[SIM_PTES];
};

struct table {
	uint64_t pa, va, former_va;
	int is_root, space, freed, moved;
	unsigned first, entries;
	uint64_t used; /* entries that have had a version that could be cached */
};

struct context {
	unsigned table, id, set;
};

struct tlb_cpu {
	unsigned contexts, sets;
	int globals;
	unsigned id; /* of the newest context */
	struct context context[TLB_CONTEXTS];
	unsigned set_id[SETS];
	struct set set[SETS];
};

/* Of one pte: which versions are what. */
struct entry {
	uint64_t leaf, pointer, global, contiguous; /* present and accessed versions */
	uint64_t dead;                              /* that pointed to a table when it was freed */
	uint64_t former;                            /* written before its own table was freed */
	unsigned newest;
};

struct shadow {
	unsigned cpu, set;
	unsigned next; /* of its world, or free; 0: none */
	struct set copy;
};

static struct machine {
	unsigned tables;
	int contiguous; /* is there any such entry? */
	struct table table[TABLES];
	struct entry entry[SIM_PTES];
} now, start;

static unsigned ptes;
static int setting_up;
static uint32_t kernel_roots;
static uint64_t *word[SIM_PTES];
static uint8_t table_of[SIM_PTES];
static uint8_t target[SIM_PTES][SIM_PTE_VERSIONS];
static uint64_t value[SIM_PTES][SIM_PTE_VERSIONS];
static struct tlb_cpu cpus[SIM_CPUS], start_cpus[SIM_CPUS];

static struct shadow shadows[SHADOWS + 1];
static unsigned free_shadow, unused_shadow = 1;
static unsigned world_head[WORLDS];
static uint16_t shadow_of[WORLDS][SIM_CPUS][SETS];
static unsigned active[WORLDS], active_count;

/*
 * arm64: what a CPU was using when its own invalidation completed. Instructions that it has fetched
 * or begun may still use that, until its next context synchronisation.
 */
static struct {
	int any;
	uint64_t leaf[SIM_PTES];
} begun[SIM_CPUS];

int tlb_break_before_make;
int tlb_random;

/* Set-up adds tables when there are sets already. */
static unsigned used_ptes(void)
{
	return setting_up ? SIM_PTES : ptes;
}

/* ---- tables and versions ----------------------------------------------------------------------*/

static inline uint64_t bit(unsigned n)
{
	return (uint64_t)1 << n;
}

static inline unsigned take_lowest(uint64_t *bits)
{
	unsigned n = (unsigned)__builtin_ctzll(*bits);

	*bits &= *bits - 1;
	return n;
}

static inline unsigned take_table(uint32_t *bits)
{
	unsigned n = (unsigned)__builtin_ctz(*bits);

	*bits &= *bits - 1;
	return n;
}

static unsigned shift_of(const struct table *t)
{
	return t->is_root ? TLB_UPPER_SHIFT : TLB_PAGE_SHIFT;
}

static uint64_t va_of(unsigned pte)
{
	const struct table *t = &now.table[table_of[pte]];

	return t->va + ((uint64_t)(pte - t->first) << shift_of(t));
}

/* Its index, or TABLES. */
static unsigned find_table(uint64_t pa)
{
	for (unsigned i = 0; i < now.tables; i++)
		if (now.table[i].pa == pa)
			return i;
	return TABLES;
}

static uint32_t table_bit(unsigned table)
{
	return (uint32_t)1 << table;
}

/* What this version is; a pointer is resolved here once. */
static void classify(unsigned pte, unsigned version, uint64_t v)
{
	struct entry *e = &now.entry[pte];
	uint64_t b = bit(version);
	int cached = (v & (PTE_PRESENT | PTE_ACCESSED)) == (PTE_PRESENT | PTE_ACCESSED);
	int pointer = now.table[table_of[pte]].is_root && !(v & PTE_LEAF);

	e->newest = version;
	value[pte][version] = v;
	e->leaf = (e->leaf & ~b) | (cached && !pointer ? b : 0);
	e->pointer = (e->pointer & ~b) | (cached && pointer ? b : 0);
	e->global = (e->global & ~b) | (v & PTE_GLOBAL ? b : 0);
	e->contiguous = (e->contiguous & ~b) | (v & PTE_CONT ? b : 0);
	now.contiguous |= (v & PTE_CONT) != 0;
	if (cached)
		now.table[table_of[pte]].used |= bit(pte - now.table[table_of[pte]].first);
	if (cached && pointer) {
		unsigned t = find_table(PTE_ADDRESS(v));

		target[pte][version] = (uint8_t)t;
		if (t < TABLES && now.table[t].freed)
			e->dead |= b;
	}
}

/* Set-up stores without telling; what it left is version 0. */
static void classify_all(void)
{
	for (unsigned pte = 0; pte < ptes; pte++)
		classify(pte, 0, *word[pte]);
}

unsigned tlb_table(uint64_t pa, int is_root, int space, uint64_t va, uint64_t *words,
                   unsigned entries)
{
	unsigned first = ptes;
	struct table *t = &now.table[now.tables];

	if (now.tables == TABLES || entries > TABLE_ENTRIES || ptes + entries > SIM_PTES) {
		sim_violation("limit", "more than %d tables, %d entries in one, %d in all", TABLES,
		              TABLE_ENTRIES, SIM_PTES);
		return 0;
	}
	memset(t, 0, sizeof(*t));
	t->pa = pa;
	t->is_root = is_root;
	t->space = space;
	t->va = va;
	t->first = first;
	t->entries = entries;
	if (is_root && space == KERNEL)
		kernel_roots |= table_bit(now.tables);
	for (unsigned i = 0; i < entries; i++) {
		word[first + i] = &words[i];
		table_of[first + i] = (uint8_t)now.tables;
		mem_pte(first + i, &words[i]);
	}
	now.tables++;
	ptes += entries;
	return first;
}

/* What the walker of this CPU can read. */
static inline uint64_t visible(uint32_t cpu, unsigned pte)
{
	return now.entry[pte].newest ? mem_pte_visible(cpu, pte) : 1;
}

/* ---- conflicts (arm64) ------------------------------------------------------------------------*/

/* Two versions of an entry may be cached together if these are the same. */
static uint64_t identity(unsigned pte, unsigned version)
{
	uint64_t kind = now.table[table_of[pte]].is_root ? PTE_LEAF | PTE_CONT : PTE_CONT;

	return PTE_ADDRESS(value[pte][version]) | (value[pte][version] & kind);
}

static void conflict(uint32_t cpu, unsigned pte, const char *what)
{
	sim_violation("break-before-make",
	              "cpu%u may hold, for %#llx of space %d, %s at the same time", cpu,
	              (unsigned long long)va_of(pte), now.table[table_of[pte]].space, what);
}

/* The entry of the root over a leaf table; or SIM_PTES. */
static unsigned upper_over(const struct table *t)
{
	for (unsigned i = 0; i < now.tables; i++) {
		const struct table *root = &now.table[i];
		uint64_t index = (t->va - root->va) >> TLB_UPPER_SHIFT;

		if (root->is_root && root->space == t->space && index < root->entries)
			return root->first + (unsigned)index;
	}
	return SIM_PTES;
}

static uint64_t leaves(const struct set *set, const struct set *global, unsigned pte)
{
	return set->m[pte].leaf | global->m[pte].leaf;
}

static int has_pages(const struct set *set, const struct set *global, const struct table *t)
{
	for (unsigned pte = t->first; pte < t->first + t->entries; pte++)
		if (leaves(set, global, pte))
			return 1;
	return 0;
}

static void check_sizes(uint32_t cpu, const struct set *set, const struct set *global, unsigned pte)
{
	const struct table *t = &now.table[table_of[pte]];
	unsigned over;

	if (!t->is_root) {
		over = upper_over(t);
		if (over < SIM_PTES && leaves(set, global, over))
			conflict(cpu, pte, "a page and a block over it");
		return;
	}
	if (!leaves(set, global, pte))
		return;
	for (unsigned i = 0; i < now.tables; i++)
		if (!now.table[i].is_root && upper_over(&now.table[i]) == pte &&
		    has_pages(set, global, &now.table[i]))
			conflict(cpu, pte, "a block and pages under it");
}

static void check_conflict(uint32_t cpu, const struct set *set, const struct set *global,
                           unsigned pte)
{
	uint64_t all = leaves(set, global, pte) | set->m[pte].upper;
	uint64_t first = identity(pte, take_lowest(&all));

	while (all)
		if (identity(pte, take_lowest(&all)) != first)
			conflict(cpu, pte, "two valid entries that differ in address or size");
	check_sizes(cpu, set, global, pte);
}

/* ---- filling ----------------------------------------------------------------------------------*/

struct filling {
	uint32_t cpu;
	int real;
	int globals;
	unsigned chance; /* tlb_random */
	struct set *set, *global;
};

/* tlb_random: at most one of these, or none. */
static uint64_t by_chance(const struct filling *f, unsigned pte, uint64_t bits)
{
	uint64_t lot = ((uint64_t)f->chance << 32 | pte) * 0x9e3779b97f4a7c15u >> 32;
	unsigned which = (unsigned)(lot >> 1) % (unsigned)__builtin_popcountll(bits);

	if (!f->chance || (lot & 1))
		return 0;
	while (which--)
		bits &= bits - 1;
	return bits & -bits;
}

static inline void add_leaf(const struct filling *f, unsigned pte, uint64_t bits)
{
	uint64_t global;

	if (!bits)
		return;
	if (__builtin_expect(tlb_random, 0))
		bits = by_chance(f, pte, bits);
	global = f->globals ? bits & now.entry[pte].global : 0;
	bits &= ~global;
	if (!(bits & ~f->set->m[pte].leaf) && !(global & ~f->global->m[pte].leaf))
		return;
	f->set->m[pte].leaf |= bits;
	f->global->m[pte].leaf |= global;
	if (tlb_break_before_make && f->real)
		check_conflict(f->cpu, f->set, f->global, pte);
}

static inline void add_upper(const struct filling *f, unsigned pte, uint64_t bits)
{
	if (!bits)
		return;
	if (__builtin_expect(tlb_random, 0))
		bits = by_chance(f, pte, bits);
	if (!(bits & ~f->set->m[pte].upper))
		return;
	f->set->m[pte].upper |= bits;
	f->set->roots |= table_bit(table_of[pte]);
	if (tlb_break_before_make && f->real)
		check_conflict(f->cpu, f->set, f->global, pte);
}

static void walk_freed(const struct filling *f, unsigned pte, uint64_t dead)
{
	unsigned version = take_lowest(&dead);

	sim_violation("freed-table-walk",
	              "cpu%u may still walk the freed table %#llx, through version %u of the entry "
	              "for %#llx of space %d",
	              f->cpu, (unsigned long long)PTE_ADDRESS(value[pte][version]), version,
	              (unsigned long long)va_of(pte), now.table[table_of[pte]].space);
}

/* The tables that these versions of an entry point to. */
static inline uint32_t follow(const struct filling *f, unsigned pte, uint64_t pointers)
{
	uint64_t dead = pointers & now.entry[pte].dead;
	uint32_t tables = 0;

	if (__builtin_expect(dead != 0, 0)) {
		if (f->real)
			walk_freed(f, pte, dead);
		pointers &= ~dead;
	}
	while (pointers) {
		unsigned t = target[pte][take_lowest(&pointers)];

		if (t == TABLES)
			sim_violation("unknown-table",
			              "cpu%u walks to a table that is none: %#llx of space %d",
			              f->cpu, (unsigned long long)va_of(pte),
			              now.table[table_of[pte]].space);
		else
			tables |= table_bit(t);
	}
	return tables;
}

static uint32_t walk_root(const struct filling *f, const struct table *t, int loaded)
{
	uint64_t used = t->used;
	uint32_t tables = 0;

	while (used) {
		unsigned pte = t->first + take_lowest(&used);
		uint64_t seen = loaded ? visible(f->cpu, pte) : 0;
		uint64_t pointers = seen & now.entry[pte].pointer;

		add_leaf(f, pte, seen & now.entry[pte].leaf);
		add_upper(f, pte, pointers);
		pointers |= f->set->m[pte].upper;
		if (pointers)
			tables |= follow(f, pte, pointers);
	}
	return tables;
}

/* `loaded`: the roots that may be walked under the id of this set. */
static void fill(const struct filling *f, uint32_t loaded)
{
	uint32_t roots = loaded | f->set->roots, tables = 0;

	while (roots) {
		unsigned root = take_table(&roots);

		tables |= walk_root(f, &now.table[root], (int)(loaded >> root & 1));
	}
	while (tables) {
		const struct table *t = &now.table[take_table(&tables)];
		uint64_t used = t->used;

		while (used) {
			unsigned pte = t->first + take_lowest(&used);

			add_leaf(f, pte, visible(f->cpu, pte) & now.entry[pte].leaf);
		}
	}
}

static inline struct set *set_in(unsigned world, uint32_t cpu, unsigned set)
{
	unsigned shadow = world == REAL ? 0 : shadow_of[world][cpu][set];

	return shadow ? &shadows[shadow].copy : &cpus[cpu].set[set];
}

/* The first context that uses this set? Then the roots of all that do. */
static uint32_t roots_under(const struct tlb_cpu *c, unsigned first)
{
	uint32_t roots = kernel_roots;

	for (unsigned i = 0; i < c->contexts; i++) {
		if (c->context[i].set != c->context[first].set)
			continue;
		if (i < first)
			return 0;
		roots |= table_bit(c->context[i].table);
	}
	return roots;
}

static void saturate_world(uint32_t cpu, unsigned world, unsigned chance)
{
	const struct tlb_cpu *c = &cpus[cpu];

	for (unsigned i = 0; i < c->contexts; i++) {
		unsigned set = c->context[i].set;
		uint32_t roots = roots_under(c, i);
		struct filling f = {
			.cpu = cpu,
			.real = world == REAL,
			.globals = c->globals,
			.chance = chance,
			.set = set_in(world, cpu, set),
			.global = set_in(world, cpu, GLOBAL_SET),
		};

		if (roots && (f.real || f.set != &c->set[set] || f.global != &c->set[GLOBAL_SET]))
			fill(&f, roots);
	}
}

static unsigned draw(void)
{
	return tlb_random && sim_cur ? sim_choose(SIM_CHOOSE_OTHER, CHANCES) : 0;
}

static void saturate(uint32_t cpu)
{
	unsigned chance;

	if (!cpus[cpu].contexts)
		return;
	if (!sim_cur)
		classify_all();
	chance = draw();
	saturate_world(cpu, REAL, chance);
	for (unsigned i = 0; i < active_count; i++)
		saturate_world(cpu, active[i], chance);
}

static void saturate_all(void)
{
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		saturate(cpu);
}

void tlb_walk_by_chance(uint32_t cpu)
{
	if (tlb_random)
		saturate(cpu);
}

/* An entry that is not present adds nothing that could be cached. */
void tlb_pte_stored(unsigned pte)
{
	unsigned version = mem_pte_newest(pte);

	classify(pte, version, mem_pte_value(pte, version));
	if ((now.entry[pte].leaf | now.entry[pte].pointer) & bit(version))
		saturate_all();
}

/* ---- contexts ---------------------------------------------------------------------------------*/

static unsigned set_for(struct tlb_cpu *c, unsigned id)
{
	for (unsigned i = 1; i < c->sets; i++)
		if (c->set_id[i] == id)
			return i;
	if (c->sets == SETS) {
		sim_violation("limit", "a CPU uses more than %d ids", SETS - 1);
		return GLOBAL_SET;
	}
	c->set_id[c->sets] = id;
	c->set[c->sets].roots = 0;
	memset(c->set[c->sets].m, 0,
	       (sim_cur ? ptes : SIM_PTES) * sizeof(struct mask)); /* set-up adds */
	return c->sets++;
}

void tlb_context_none(uint32_t cpu)
{
	cpus[cpu].contexts = 0;
}

/* More than TLB_CONTEXTS at a time: the oldest is forgotten, which only hides. */
static void append_context(struct tlb_cpu *c, unsigned table, unsigned id)
{
	c->id = id;
	for (unsigned i = 0; i < c->contexts; i++)
		if (c->context[i].table == table && c->context[i].id == id)
			return;
	if (c->contexts == TLB_CONTEXTS) {
		c->contexts--;
		memmove(c->context, c->context + 1, c->contexts * sizeof(c->context[0]));
	}
	c->context[c->contexts++] = (struct context){table, id, set_for(c, id)};
}

void tlb_context_add(uint32_t cpu, uint64_t root, unsigned id)
{
	unsigned table = find_table(root);

	if (table == TABLES || !now.table[table].is_root) {
		sim_violation("unknown-root", "cpu%u loads %#llx, which is no root", cpu,
		              (unsigned long long)root);
		return;
	}
	if (now.table[table].freed)
		sim_violation("freed-root", "cpu%u loads the freed root %#llx of space %d", cpu,
		              (unsigned long long)root, now.table[table].space);
	append_context(&cpus[cpu], table, id);
	saturate(cpu);
}

unsigned tlb_contexts(uint32_t cpu, struct tlb_context contexts[TLB_CONTEXTS])
{
	const struct tlb_cpu *c = &cpus[cpu];

	for (unsigned i = 0; i < c->contexts; i++) {
		contexts[i].root = now.table[c->context[i].table].pa;
		contexts[i].id = c->context[i].id;
	}
	return c->contexts;
}

void tlb_set_globals(uint32_t cpu, int on)
{
	cpus[cpu].globals = on;
}

int tlb_root_loaded(uint64_t root_pa)
{
	unsigned table = find_table(root_pa);

	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		for (unsigned i = 0; i < cpus[cpu].contexts; i++)
			if (cpus[cpu].context[i].table == table)
				return (int)cpu;
	return -1;
}

unsigned tlb_id(uint32_t cpu)
{
	return cpus[cpu].id;
}

/* ---- invalidation -----------------------------------------------------------------------------*/

/*
 * A table that was freed and is used again elsewhere has two places: what walkers had read from it
 * before is still cached for the former one.
 */
enum place {
	ONLY_PLACE,
	NEW_PLACE,
	FORMER_PLACE
};

static uint64_t versions_at(const struct entry *e, enum place place)
{
	if (place == ONLY_PLACE)
		return ALL_VERSIONS;
	return place == NEW_PLACE ? ~e->former : e->former;
}

static void drop_entry(struct mask *m, const struct entry *e, const struct tlb_op *op,
                       uint64_t versions, int exact, int drop_leaves)
{
	if (!exact)
		versions &= e->contiguous;
	else if (op->uppers == TLB_UPPERS_COVERING)
		m->upper &= ~versions;
	if (drop_leaves)
		m->leaf &= ~versions;
}

static void drop_span(struct set *set, const struct table *t, const struct tlb_op *op,
                      enum place place)
{
	unsigned shift = shift_of(t);
	uint64_t in_entry = bit(shift) - 1;
	uint64_t in_group = now.contiguous ? CONTIGUOUS * bit(shift) - 1 : in_entry;
	uint64_t first = op->first & ~in_group, last = op->last | in_group;
	uint64_t va = place == FORMER_PLACE ? t->former_va : t->va;
	uint64_t end = va + ((uint64_t)t->entries << shift) - 1;

	if (!t->entries || first > end || last < va)
		return;
	if (first < va)
		first = va;
	if (last > end)
		last = end;
	for (uint64_t i = (first - va) >> shift; i <= (last - va) >> shift; i++) {
		const struct entry *e = &now.entry[t->first + i];
		uint64_t at = va + (i << shift);
		int exact = (at | in_entry) >= op->first && at <= op->last;

		drop_entry(&set->m[t->first + i], e, op, versions_at(e, place), exact,
		           t->is_root ? op->blocks : op->pages);
	}
}

static void drop_address(struct set *set, const struct tlb_op *op)
{
	for (unsigned i = 0; i < now.tables; i++) {
		const struct table *t = &now.table[i];

		drop_span(set, t, op, t->moved ? NEW_PLACE : ONLY_PLACE);
		if (t->moved)
			drop_span(set, t, op, FORMER_PLACE);
	}
}

static void drop_uppers(struct set *set)
{
	for (unsigned pte = 0; pte < ptes; pte++)
		set->m[pte].upper = 0;
	set->roots = 0;
}

static void drop(struct set *set, const struct tlb_op *op)
{
	if (!op->by_address) {
		memset(set->m, 0, ptes * sizeof(struct mask));
		set->roots = 0;
		return;
	}
	if (op->uppers == TLB_UPPERS_ALL && set->roots)
		drop_uppers(set);
	drop_address(set, op);
}

static int concerns(const struct tlb_op *op, const struct tlb_cpu *c, unsigned set)
{
	if (set == GLOBAL_SET)
		return op->globals;
	return op->any_id || c->set_id[set] == op->id;
}

void tlb_invalidate(uint32_t cpu, const struct tlb_op *op)
{
	struct tlb_cpu *c = &cpus[cpu];

	for (unsigned set = 0; set < c->sets; set++)
		if (concerns(op, c, set))
			drop(&c->set[set], op);
	saturate(cpu);
}

/* ---- invalidations that take time -------------------------------------------------------------*/

static void copy_set(struct set *to, const struct set *from)
{
	to->roots = from->roots;
	memcpy(to->m, from->m, used_ptes() * sizeof(struct mask));
}

static unsigned new_shadow(void)
{
	unsigned shadow = free_shadow;

	if (shadow) {
		free_shadow = shadows[shadow].next;
		return shadow;
	}
	if (unused_shadow > SHADOWS)
		sim_violation("limit", "more than %d unfinished invalidations", SHADOWS);
	return unused_shadow++;
}

static struct set *shadow_for(unsigned world, uint32_t cpu, unsigned set)
{
	unsigned shadow = shadow_of[world][cpu][set];

	if (shadow)
		return &shadows[shadow].copy;
	if (!world_head[world])
		active[active_count++] = world;
	shadow = new_shadow();
	shadows[shadow].cpu = cpu;
	shadows[shadow].set = set;
	shadows[shadow].next = world_head[world];
	world_head[world] = shadow;
	shadow_of[world][cpu][set] = (uint16_t)shadow;
	copy_set(&shadows[shadow].copy, &cpus[cpu].set[set]);
	return &shadows[shadow].copy;
}

static void issue_on(unsigned world, uint32_t cpu, const struct tlb_op *op)
{
	struct tlb_cpu *c = &cpus[cpu];

	for (unsigned set = 0; set < c->sets; set++)
		if (concerns(op, c, set))
			drop(shadow_for(world, cpu, set), op);
	saturate_world(cpu, world, draw());
}

void tlb_issue(uint32_t issuer, int local, const struct tlb_op *op)
{
	unsigned world = 2 * issuer + (local != 0);

	if (local) {
		issue_on(world, issuer, op);
		return;
	}
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		issue_on(world, cpu, op);
}

/* What one finished invalidation has removed is no longer there for another to leave. */
static void intersect(struct set *set, const struct set *with)
{
	for (unsigned pte = 0; pte < ptes; pte++) {
		set->m[pte].leaf &= with->m[pte].leaf;
		set->m[pte].upper &= with->m[pte].upper;
	}
}

static void finish_shadow(unsigned world, struct shadow *s)
{
	copy_set(&cpus[s->cpu].set[s->set], &s->copy);
	shadow_of[world][s->cpu][s->set] = 0;
	for (unsigned i = 0; i < active_count; i++) {
		unsigned other = shadow_of[active[i]][s->cpu][s->set];

		if (other)
			intersect(&shadows[other].copy, &s->copy);
	}
}

static void finish_world(unsigned world)
{
	unsigned shadow = world_head[world];

	while (shadow) {
		unsigned next = shadows[shadow].next;

		finish_shadow(world, &shadows[shadow]);
		shadows[shadow].next = free_shadow;
		free_shadow = shadow;
		shadow = next;
	}
	world_head[world] = 0;
	for (unsigned i = 0; i < active_count; i++)
		if (active[i] == world)
			active[i] = active[--active_count];
}

static void keep_what_is_begun(uint32_t cpu)
{
	uint64_t leaf[SIM_PTES];

	for (unsigned pte = 0; pte < ptes; pte++)
		leaf[pte] = tlb_usable(cpu, pte);
	memcpy(begun[cpu].leaf, leaf, sizeof(leaf[0]) * ptes);
	begun[cpu].any = 1;
}

void tlb_synchronised(uint32_t cpu)
{
	begun[cpu].any = 0;
}

int tlb_outstanding(uint32_t issuer)
{
	return world_head[2 * issuer] != 0;
}

void tlb_complete(uint32_t issuer, int local)
{
	tlb_complete_by(issuer, issuer, local);
}

void tlb_complete_by(uint32_t who, uint32_t issuer, int local)
{
	unsigned world = 2 * issuer + (local != 0);

	if (!world_head[world])
		return;
	/* A broadcast waits for what other CPUs had begun. (For all of it: this hides a little.) */
	for (uint32_t cpu = 0; cpu < sim_cpu_count && !local; cpu++)
		begun[cpu].any = 0;
	if (who == issuer)
		keep_what_is_begun(issuer);
	finish_world(world);
}

/* ---- tables come and go -----------------------------------------------------------------------*/

static void kill_pointers(unsigned table)
{
	for (unsigned pte = 0; pte < ptes; pte++) {
		uint64_t pointers = now.entry[pte].pointer;

		while (pointers) {
			unsigned version = take_lowest(&pointers);

			if (target[pte][version] == table)
				now.entry[pte].dead |= bit(version);
		}
	}
}

void tlb_table_free(uint64_t pa)
{
	unsigned table = find_table(pa);
	struct table *t = &now.table[table];
	int cpu;

	if (table == TABLES) {
		sim_violation("unknown-table", "%#llx is freed, and is no table",
		              (unsigned long long)pa);
		return;
	}
	t->freed = 1;
	t->former_va = t->va;
	for (unsigned pte = t->first; pte < t->first + t->entries; pte++)
		now.entry[pte].former = ALL_VERSIONS >>
		                        (SIM_PTE_VERSIONS - 1 - now.entry[pte].newest);
	kill_pointers(table);
	cpu = t->is_root ? tlb_root_loaded(pa) : -1;
	if (cpu >= 0)
		sim_violation("freed-root", "cpu%d still has the freed root %#llx of space %d", cpu,
		              (unsigned long long)pa, t->space);
	saturate_all();
}

void tlb_table_reuse(uint64_t pa, uint64_t va)
{
	unsigned table = find_table(pa);
	struct table *t = &now.table[table];

	if (table == TABLES || !t->freed) {
		sim_violation("unknown-table", "%#llx is used again, and was not freed",
		              (unsigned long long)pa);
		return;
	}
	t->freed = 0;
	t->moved = va != t->former_va;
	t->va = va;
}

/* ---- questions --------------------------------------------------------------------------------*/

uint64_t tlb_usable(uint32_t cpu, unsigned pte)
{
	const struct tlb_cpu *c = &cpus[cpu];
	uint64_t versions = c->set[GLOBAL_SET].m[pte].leaf;

	for (unsigned i = 0; i < c->contexts; i++)
		versions |= c->set[c->context[i].set].m[pte].leaf;
	return begun[cpu].any ? versions | begun[cpu].leaf[pte] : versions;
}

uint64_t tlb_upper_usable(uint32_t cpu, unsigned pte)
{
	const struct tlb_cpu *c = &cpus[cpu];
	uint64_t versions = 0;

	for (unsigned i = 0; i < c->contexts; i++)
		versions |= c->set[c->context[i].set].m[pte].upper;
	return versions;
}

int tlb_foreign(uint32_t cpu, unsigned pte)
{
	uint64_t va = va_of(pte);
	int space = now.table[table_of[pte]].space;

	for (unsigned i = 0; i < now.tables; i++) {
		const struct table *t = &now.table[i];
		uint64_t index = (va - t->va) >> shift_of(t);

		if (t->space != space && va >= t->va && index < t->entries &&
		    tlb_usable(cpu, t->first + (unsigned)index))
			return (int)(t->first + (unsigned)index);
	}
	return -1;
}

/* Does a pointer that this CPU could follow lead there? The sets hold all that it can read, too. */
static int reaches(uint32_t cpu, unsigned table)
{
	const struct tlb_cpu *c = &cpus[cpu];
	uint32_t loaded = c->contexts ? kernel_roots : 0;

	for (unsigned i = 0; i < c->contexts; i++)
		loaded |= table_bit(c->context[i].table);
	if (loaded >> table & 1)
		return 1;
	for (unsigned pte = 0; pte < ptes; pte++) {
		uint64_t pointers = tlb_upper_usable(cpu, pte);

		while (pointers)
			if (target[pte][take_lowest(&pointers)] == table)
				return 1;
	}
	return 0;
}

/*
 * A locked read-modify-write of the newest version: a walker sets A of any present entry that it
 * gets to, also speculatively; D for a store only, where stores are allowed.
 */
int tlb_walker_sets_accessed(uint32_t cpu, unsigned pte, int for_store)
{
	const struct table *t = &now.table[table_of[pte]];
	uint64_t v = mem_pte_value(pte, mem_pte_newest(pte));
	uint64_t flags = for_store ? PTE_ACCESSED | PTE_DIRTY : PTE_ACCESSED;

	if (!(v & PTE_PRESENT) || (v & flags) == flags || (for_store && !(v & PTE_WRITE)))
		return 0;
	if (!reaches(cpu, table_of[pte]))
		return 0;
	if (t->freed)
		sim_violation("freed-table-write",
		              "the walker of cpu%u sets a flag in the freed table %#llx", cpu,
		              (unsigned long long)t->pa);
	mem_pte_update(pte, v | flags);
	return 1;
}

/* ---- runs -------------------------------------------------------------------------------------*/

static void copy_cpu(struct tlb_cpu *to, const struct tlb_cpu *from)
{
	to->contexts = from->contexts;
	to->globals = from->globals;
	to->id = from->id;
	to->sets = from->sets;
	memcpy(to->context, from->context, from->contexts * sizeof(from->context[0]));
	memcpy(to->set_id, from->set_id, from->sets * sizeof(from->set_id[0]));
	for (unsigned set = 0; set < from->sets; set++)
		copy_set(&to->set[set], &from->set[set]);
}

static void copy_machine(struct machine *to, const struct machine *from)
{
	to->tables = from->tables;
	to->contiguous = from->contiguous;
	memcpy(to->table, from->table, from->tables * sizeof(from->table[0]));
	memcpy(to->entry, from->entry, ptes * sizeof(from->entry[0]));
}

void tlb_begin(void)
{
	setting_up = 1;
	while (active_count)
		finish_world(active[0]);
	ptes = 0;
	kernel_roots = 0;
	memset(&now, 0, sizeof(now));
	for (uint32_t cpu = 0; cpu < SIM_CPUS; cpu++) {
		cpus[cpu].contexts = 0;
		cpus[cpu].globals = 0;
		cpus[cpu].id = 0;
		cpus[cpu].sets = 1;
		cpus[cpu].set_id[GLOBAL_SET] = NO_ID;
		memset(&cpus[cpu].set[GLOBAL_SET], 0, sizeof(struct set));
	}
}

/* Set-up may have changed an entry after it was cached; version 0 is what it left. */
static void forget_what_is_no_entry(struct set *set)
{
	for (unsigned pte = 0; pte < ptes; pte++) {
		set->m[pte].leaf &= now.entry[pte].leaf;
		set->m[pte].upper &= now.entry[pte].pointer;
	}
}

/* What a CPU may hold before it is started: anything, under any of these ids. */
void tlb_dirty(uint32_t cpu)
{
	classify_all();
	for (unsigned id = 0; id < 16; id++) {
		struct set *set = &cpus[cpu].set[set_for(&cpus[cpu], id)];

		for (unsigned pte = 0; pte < ptes; pte++)
			set->m[pte].leaf |= 1;
	}
	for (unsigned pte = 0; pte < ptes && cpus[cpu].globals; pte++)
		cpus[cpu].set[GLOBAL_SET].m[pte].leaf |= now.entry[pte].global & 1;
}

void tlb_snapshot(void)
{
	while (active_count)
		finish_world(active[0]);
	classify_all();
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++) {
		for (unsigned set = 0; set < cpus[cpu].sets; set++)
			forget_what_is_no_entry(&cpus[cpu].set[set]);
		saturate(cpu);
		copy_cpu(&start_cpus[cpu], &cpus[cpu]);
	}
	copy_machine(&start, &now);
	setting_up = 0;
}

void tlb_reset(void)
{
	while (active_count)
		finish_world(active[0]);
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		begun[cpu].any = 0;
	copy_machine(&now, &start);
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		copy_cpu(&cpus[cpu], &start_cpus[cpu]);
}
