/* SPDX-License-Identifier: MIT */
/* The small kernel that scenarios run in: see world.h. Instrumented, as the library is. */
#include "world.h"

#include <ktlb/port.h>

#include "ktlb_priv.h" /* names of its variables; the seam of flush_unnumbered */
#include "oracle.h"

#define USER_VA                ((uint64_t)0x40000000)
#define KERNEL_VA              ((uint64_t)0xffff800040000000)
#define SPACE_PA(number)       (((uint64_t)(number) + 1) << 20)
#define TABLE_PA(number, slot) (SPACE_PA(number) + ((uint64_t)(slot) + 1) * 0x1000)
#define KERNEL_PA              ((uint64_t)0x7f000000)
#define EMPTY_PA               ((uint64_t)0x7e000000)
#define LEAF_BITS              (PTE_PRESENT | PTE_ACCESSED | PTE_WRITE)
#define TABLE_BITS             (PTE_PRESENT | PTE_ACCESSED)

struct space world_space[WORLD_SPACES];
struct ktlb_cpu world_cpu[SIM_CPUS];
uint64_t world_frame;
uint32_t world_absent, world_former_root, world_id_limit, world_full_flush_strides;

/* Walked from on every CPU, whatever it has loaded. */
static struct {
	uint64_t root[2];
	uint64_t table[2][WORLD_PAGES];
	uint32_t frames;
} kernel;

/* ---- ktlb's port ------------------------------------------------------------------------------*/

void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want)
{
	sim_violation("assertion", "%s (%#llx, %#llx)", sentence, (unsigned long long)got,
	              (unsigned long long)want);
	for (;;)
		;
}

uint64_t ktlb_port_irq_save(void)
{
	return sim_irq_save();
}

void ktlb_port_irq_restore(uint64_t saved)
{
	sim_irq_restore(saved);
}

#if KTLB_ARCH_INTERRUPTS
void ktlb_port_send_ipi(const struct ktlb_cpuset *cpus)
{
	uint32_t cpu;

	ktlb_cpuset_for_each(cpu, cpus) sim_send_ipi(cpu);
}
#endif

/* ---- changes ----------------------------------------------------------------------------------*/

uint64_t page_va(unsigned slot, unsigned page)
{
	return USER_VA + ((uint64_t)slot << TLB_UPPER_SHIFT) + ((uint64_t)page << TLB_PAGE_SHIFT);
}

/* Frames are never used twice, so that an entry tells which mapping it is of. */
static uint64_t new_frame(struct space *space)
{
	uint32_t frame = ktlb_add_relaxed(&space->frames, 1u);

	return ((uint64_t)(space->number + 1) << 32) + ((uint64_t)frame << 12);
}

void map_page(struct space *space, unsigned slot, unsigned page)
{
	ktlb_store_relaxed(&space->table[slot][page], new_frame(space) | LEAF_BITS);
}

void unmap_page(struct space *space, unsigned slot, unsigned page)
{
	ktlb_store_relaxed(&space->table[slot][page], (uint64_t)0);
}

/* The call has returned, and has left interrupts as they were. */
static void keep(const struct oracle_promise *promise, int irqs_off)
{
	if (sim_cur->irqs_off != irqs_off)
		sim_violation("interrupts", "%s has left interrupts %s", promise->what,
		              irqs_off ? "on" : "off");
	oracle_keep(promise);
}

void flush_page(struct space *space, unsigned slot, unsigned page, uint32_t flags)
{
	struct oracle_promise promise;
	int irqs_off = sim_cur->irqs_off;
	uint64_t va = page_va(slot, page);

	oracle_promise(&promise, "ktlb_flush_page", (int)space->number, va, 4096,
	               (flags & KTLB_LEAF_ONLY) != 0);
	ktlb_flush_page(&space->ktlb, va, flags);
	keep(&promise, irqs_off);
}

static void flush_range(struct space *space, unsigned slot, uint64_t size, uint64_t leaf_size,
                        uint32_t flags)
{
	struct oracle_promise promise;
	uint64_t va = page_va(slot, 0);
	int irqs_off = sim_cur->irqs_off;

	oracle_promise(&promise, "ktlb_flush_range", (int)space->number, va, size,
	               (flags & KTLB_LEAF_ONLY) != 0);
	ktlb_flush_range(&space->ktlb, va, size, leaf_size, flags);
	keep(&promise, irqs_off);
}

static void flush_space(struct space *space)
{
	struct oracle_promise promise;
	int irqs_off = sim_cur->irqs_off;

	oracle_promise(&promise, "ktlb_flush_space", (int)space->number, 0, (uint64_t)1 << 47, 0);
	ktlb_flush_space(&space->ktlb);
	keep(&promise, irqs_off);
}

#if KTLB_ARCH_INTERRUPTS
void flush_unnumbered(struct space *space)
{
	struct oracle_promise promise;
	int irqs_off = sim_cur->irqs_off;

	oracle_promise(&promise, "a flush without a number", (int)space->number, 0,
	               (uint64_t)1 << 47, 0);
	ktlb_shootdown_dead_space(&space->ktlb);
	keep(&promise, irqs_off);
}
#endif

void unlink_table(struct space *space, unsigned slot)
{
	ktlb_store_relaxed(&space->root[slot], (uint64_t)0);
}

void free_table(struct space *space, unsigned slot)
{
	tlb_table_free(TABLE_PA(space->number, slot));
}

/* One entry of the root for 2 MiB; its slot must be empty and flushed. */
void map_block(struct space *space, unsigned slot)
{
	ktlb_store_relaxed(&space->root[slot], (new_frame(space) << 9) | LEAF_BITS | PTE_LEAF);
}

/* Filled before it is linked. */
void link_table_again(struct space *space, unsigned slot, unsigned pages)
{
	for (unsigned page = 0; page < pages; page++)
		unmap_page(space, slot, page);
	tlb_table_reuse(TABLE_PA(space->number, slot), page_va(slot, 0));
	for (unsigned page = 0; page < pages; page++)
		map_page(space, slot, page);
	ktlb_publish();
	ktlb_store_release(&space->root[slot], TABLE_PA(space->number, slot) | TABLE_BITS);
}

void change(struct space *space, unsigned slot, enum change how)
{
	sim_leave_user();
	switch (how) {
	case CHANGE_LEAF:
		unmap_page(space, slot, 0);
		flush_page(space, slot, 0, KTLB_LEAF_ONLY);
		map_page(space, slot, 0);
		break;
	case CHANGE_PAGE:
		unmap_page(space, slot, 0);
		flush_page(space, slot, 0, 0);
		map_page(space, slot, 0);
		break;
	case CHANGE_RANGE:
		for (unsigned page = 0; page < WORLD_PAGES; page++)
			unmap_page(space, slot, page);
		flush_range(space, slot, WORLD_PAGES * 4096, 4096, KTLB_LEAF_ONLY);
		for (unsigned page = 0; page < WORLD_PAGES; page++)
			map_page(space, slot, page);
		break;
	case CHANGE_SPACE:
		unmap_page(space, slot, 0);
		flush_space(space);
		map_page(space, slot, 0);
		break;
	case CHANGE_TABLE:
		unlink_table(space, slot);
		flush_range(space, slot, (uint64_t)1 << TLB_UPPER_SHIFT, 0, 0);
		free_table(space, slot);
		link_table_again(space, slot, WORLD_PAGES);
		break;
	case CHANGE_BLOCK:
	case CHANGE_MIXED:
		unlink_table(space, slot);
		flush_range(space, slot, (uint64_t)1 << TLB_UPPER_SHIFT, 0, 0);
		free_table(space, slot);
		map_block(space, slot);
		unlink_table(space, slot);
		flush_range(space, slot, (uint64_t)1 << TLB_UPPER_SHIFT,
		            how == CHANGE_MIXED ? 0 : (uint64_t)1 << TLB_UPPER_SHIFT,
		            KTLB_LEAF_ONLY);
		link_table_again(space, slot, WORLD_PAGES);
		break;
	case CHANGES:
		break;
	}
}

static uint64_t kernel_leaf(void)
{
	return ((uint64_t)0xff << 32) + ((uint64_t)ktlb_add_relaxed(&kernel.frames, 1u) << 12) +
	       (LEAF_BITS | PTE_GLOBAL);
}

static void flush_kernel_range(uint64_t va, uint64_t size, uint64_t leaf_size, uint32_t flags)
{
	struct oracle_promise promise;
	int irqs_off = sim_cur->irqs_off;

	oracle_promise(&promise, "ktlb_flush_kernel_range", -1, va, size,
	               (flags & KTLB_LEAF_ONLY) != 0);
	ktlb_flush_kernel_range(va, size, leaf_size, flags);
	keep(&promise, irqs_off);
}

static void change_kernel_table(void)
{
	ktlb_store_relaxed(&kernel.root[1], (uint64_t)0);
	flush_kernel_range(KERNEL_VA + ((uint64_t)1 << TLB_UPPER_SHIFT),
	                   (uint64_t)1 << TLB_UPPER_SHIFT, 0, 0);
	tlb_table_free(KERNEL_PA + 0x2000);
	for (unsigned page = 0; page < WORLD_PAGES; page++)
		ktlb_store_relaxed(&kernel.table[1][page], (uint64_t)0);
	tlb_table_reuse(KERNEL_PA + 0x2000, KERNEL_VA + ((uint64_t)1 << TLB_UPPER_SHIFT));
	for (unsigned page = 0; page < WORLD_PAGES; page++)
		ktlb_store_relaxed(&kernel.table[1][page], kernel_leaf());
	ktlb_publish();
	ktlb_store_release(&kernel.root[1], (KERNEL_PA + 0x2000) | TABLE_BITS);
}

void change_kernel(unsigned page, enum kernel_change how)
{
	sim_leave_user();
	if (how == KERNEL_TABLE) {
		change_kernel_table();
		return;
	}
	ktlb_store_relaxed(&kernel.table[0][page], (uint64_t)0);
	flush_kernel_range(KERNEL_VA + ((uint64_t)page << TLB_PAGE_SHIFT), 4096, 4096,
	                   how == KERNEL_LEAF ? KTLB_LEAF_ONLY : 0);
	ktlb_store_relaxed(&kernel.table[0][page], kernel_leaf());
}

void destroy(struct space *space)
{
	sim_leave_user();
	ktlb_space_destroy(&space->ktlb);
	oracle_destroyed((int)space->number, SPACE_PA(space->number));
}

/* ---- threads ----------------------------------------------------------------------------------*/

static int space_number(const struct ktlb_space *space)
{
	return space ? (int)((const struct space *)(const void *)space)->number : -1;
}

int may_use_old_entry(const struct space *space, unsigned slot, unsigned page)
{
	return (int)(tlb_usable(sim_cur->number, space->first_pte[slot] + page) & 1);
}

void use(unsigned n)
{
	for (; n; n--) {
		if (!sim_cur->user) {
			sim_enter_user();
			sim_cur->user = 1;
		}
		sim_user_again();
		sim_point();
	}
}

void sim_user_again(void)
{
	int number = space_number(sim_thread_space(sim_cur->number));

	oracle_in_user(sim_cur->number, number);
	oracle_user(sim_cur->number, number);
}

void sim_leave_user(void)
{
	sim_cur->user = 0;
	oracle_in_user(sim_cur->number, -1);
}

static void context_switch(void *space)
{
	oracle_in_user(sim_cur ? sim_cur->number : sim_setup_cpu->number, -1);
	if (space)
		ktlb_switch(space);
	else
		ktlb_enter_lazy();
}

void enter(struct space *space)
{
	uint64_t saved;

	sim_leave_user();
	saved = sim_irq_save();
	sim_thread_set_space(space ? &space->ktlb : 0);
	context_switch(space ? &space->ktlb : 0);
	sim_irq_restore(saved);
}

void do_nothing(void *unused)
{
	(void)unused;
	sim_point();
}

void spin_lock(struct spinlock *lock, int poll)
{
	while (ktlb_exchange_acquire(&lock->held, 1u)) {
		ktlb_relax();
		if (poll)
			ktlb_poll();
	}
}

void spin_unlock(struct spinlock *lock)
{
	ktlb_store_release(&lock->held, 0u);
}

/* ---- set-up -----------------------------------------------------------------------------------*/

void world_add_space(uint32_t number, unsigned slots, unsigned pages)
{
	struct space *space = &world_space[number];
	unsigned first;

	space->number = number;
	space->frames = 0;
	for (unsigned slot = 0; slot < slots; slot++)
		space->root[slot] = TABLE_PA(number, slot) | TABLE_BITS;
	first = oracle_table(SPACE_PA(number), 1, (int)number, USER_VA, space->root, slots, -1);
	for (unsigned slot = 0; slot < slots; slot++) {
		for (unsigned page = 0; page < pages; page++)
			map_page(space, slot, page);
		space->first_pte[slot] = oracle_table(TABLE_PA(number, slot), 0, (int)number,
		                                      page_va(slot, 0), space->table[slot], pages,
		                                      (int)(first + slot));
	}
	ktlb_space_init(&space->ktlb, SPACE_PA(number));
}

/* Again, after its destroy: the same struct, the same tables. */
void create_again(struct space *space, unsigned slots, unsigned pages)
{
	sim_leave_user();
	tlb_table_reuse(SPACE_PA(space->number), USER_VA);
	ktlb_space_init(&space->ktlb, SPACE_PA(space->number));
	for (unsigned slot = 0; slot < slots; slot++) {
		unlink_table(space, slot);
		link_table_again(space, slot, pages);
	}
}

void world_lazy(uint32_t cpu, struct space *space)
{
	sim_setup_cpu = &sim_cpus[cpu];
	ktlb_switch(&space->ktlb);
	ktlb_enter_lazy();
}

/* In a run; by the thread of the CPU itself, before its first use of a space. */
void world_online(void)
{
	uint32_t cpu = sim_cur->number;
	sim_irq_save();
	/* Its memory is used for the first time, and zeroed by this CPU. */
	for (uint64_t i = 0; i < sizeof(world_cpu[cpu]) / 8; i++)
		((uint64_t *)(void *)&world_cpu[cpu])[i] = 0;
	sim_cur->absent = 0;
	sim_cur->starting = 1;
	ktlb_cpu_online(cpu, &world_cpu[cpu]);
	sim_cur->starting = 0;
	oracle_online(cpu);
	sim_irq_restore(0);
}

#if !KTLB_ARCH_INTERRUPTS
/* The allocator's, static there: checker/link makes it known. */
extern uint64_t ids[];
#endif

static void name_everything(void)
{
	static const char *const root[WORLD_SLOTS] = {"S%u.root[0]", "S%u.root[1]"};
	static const char *const page[WORLD_SLOTS][WORLD_PAGES] = {
		{"S%u.table[0][0]", "S%u.table[0][1]"}, {"S%u.table[1][0]", "S%u.table[1][1]"}};
	struct space *s = world_space;
	struct ktlb_cpu *c = world_cpu;

#define OF_SPACE(field, name) \
	trace_name(&s->field, sizeof(s->field), WORLD_SPACES, sizeof(*s), name)
#define OF_CPU(field, name) trace_name(&c->field, sizeof(c->field), SIM_CPUS, sizeof(*c), name)
	trace_name(s, sizeof(*s), WORLD_SPACES, sizeof(*s), "S%u");
	OF_SPACE(ktlb.id, "S%u.id");
	for (unsigned slot = 0; slot < WORLD_SLOTS; slot++) {
		OF_SPACE(root[slot], root[slot]);
		for (unsigned i = 0; i < WORLD_PAGES; i++)
			OF_SPACE(table[slot][i], page[slot][i]);
	}
	OF_SPACE(frames, "S%u.frames");
	trace_name(c, sizeof(*c), SIM_CPUS, sizeof(*c), "cpu%u");
	OF_CPU(loaded, "cpu%u.loaded");
	trace_name(ktlb_cpus, 8, KTLB_CFG_MAX_CPUS, 8, "ktlb_cpus[%u]");
	trace_name(&ktlb_sys.generation, 8, 1, 0, "ktlb_sys.generation");
	trace_name(&ktlb_online, sizeof(ktlb_online), 1, 0, "ktlb_online");
	trace_name(kernel.table[0], 8, WORLD_PAGES, 8, "kernel.table[0][%u]");
	trace_name(kernel.table[1], 8, WORLD_PAGES, 8, "kernel.table[1][%u]");
	trace_name(kernel.root, 8, 2, 8, "kernel.root[%u]");
	trace_name(&world_frame, 8, 1, 0, "frame");
	trace_name(&kernel.frames, 4, 1, 0, "kernel.frames");
#if KTLB_ARCH_INTERRUPTS
	OF_SPACE(ktlb.generation, "S%u.generation");
	OF_SPACE(ktlb.cpus, "S%u.cpus");
	OF_CPU(lazy, "cpu%u.lazy");
	OF_CPU(queue, "cpu%u.queue");
	OF_CPU(slot, "cpu%u.slot");
	OF_CPU(request, "cpu%u.request");
	OF_CPU(asked, "cpu%u.asked");
	OF_CPU(call, "cpu%u.call");
	for (uint32_t cpu = 0; cpu < 4 && cpu < SIM_CPUS; cpu++) {
		static const char *const call[4] = {"cpu%u.call[0]", "cpu%u.call[1]",
		                                    "cpu%u.call[2]", "cpu%u.call[3]"};
		static const char *const done[4] = {"cpu%u.call[0].done", "cpu%u.call[1].done",
		                                    "cpu%u.call[2].done", "cpu%u.call[3].done"};

		OF_CPU(call[cpu], call[cpu]);
		OF_CPU(call[cpu].done, done[cpu]);
	}
#else
	trace_name(ids, 4, 1, 0, "ids.lock");
	trace_name(ids + 1, 8, 1, 0, "ids.generation");
	trace_name(ids + 2, 4, 1, 0, "ids.cursor");
	trace_name(ids + 3, 8 * KTLB_CPUSET_WORDS, 1, 0, "ids.owes");
	trace_name(ids + 3 + KTLB_CPUSET_WORDS, 8, 8, 8, "ids.used[%u]");
	OF_CPU(active, "cpu%u.active");
	OF_CPU(reserved, "cpu%u.reserved");
	OF_CPU(leaving, "cpu%u.leaving");
#endif
#undef OF_SPACE
#undef OF_CPU
}

void world_begin(uint32_t cpus)
{
	struct ktlb_config config = {0};
	unsigned first;

	config.cpus = cpus;
	config.kernel_root = KTLB_ARCH_INTERRUPTS ? KERNEL_PA : EMPTY_PA;
	config.id_limit = world_id_limit;
	config.full_flush_strides = world_full_flush_strides;
	config.errata = sim_machine_repeat ? KTLB_ERRATUM_REPEAT_TLBI : 0;
	sim_context_switch = context_switch;
#if KTLB_ARCH_INTERRUPTS
	sim_interrupt_handler = ktlb_handle_ipi;
#endif
	name_everything();

	first = oracle_table(KERNEL_PA, 1, -1, KERNEL_VA, kernel.root, 2, -1);
	for (unsigned slot = 0; slot < 2; slot++) {
		kernel.root[slot] = (KERNEL_PA + (slot + 1) * 0x1000) | TABLE_BITS;
		for (unsigned page = 0; page < WORLD_PAGES; page++)
			kernel.table[slot][page] = kernel_leaf();
		oracle_table(KERNEL_PA + (slot + 1) * 0x1000, 0, -1,
		             KERNEL_VA + ((uint64_t)slot << TLB_UPPER_SHIFT), kernel.table[slot],
		             WORLD_PAGES, (int)(first + slot));
	}
	if (!KTLB_ARCH_INTERRUPTS)
		tlb_table(EMPTY_PA, 1, -2, 0, kernel.root, 0); /* an empty one */

	sim_setup_cpu = &sim_cpus[0];
	ktlb_init(&config);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		mem_ignore(world_cpu[cpu].count, sizeof(world_cpu[cpu].count));
		if (world_absent >> (cpu & 31) & 1 && cpu < 32) {
			sim_cpus[cpu].absent = 1;
			continue;
		}
		sim_setup_cpu = &sim_cpus[cpu];
		ktlb_cpu_online(cpu, &world_cpu[cpu]);
	}
	mem_ignore(ktlb_percpu.count, sizeof(ktlb_percpu.count));
}

/* Each CPU has the space of its first thread loaded. */
void world_ready(void)
{
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++) {
		struct ktlb_space *space = sim_thread_space(cpu);

		sim_setup_cpu = &sim_cpus[cpu];
		if (sim_setup_cpu->absent)
			sim_former_life(cpu, world_former_root ? SPACE_PA(1) : 0);
		else if (space)
			ktlb_switch(space);
	}
}

/* After a run: null, or what is wrong with the state that it has left. */
const char *world_end(void)
{
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++) {
		const char *wrong;

		sim_setup_cpu = &sim_cpus[cpu];
		if (sim_setup_cpu->absent || sim_setup_cpu->irqs_off)
			continue; /* when the last thread ended it was in the middle of something */
		sim_setup_cpu->irqs_off = 1;
		wrong = ktlb_audit();
		if (wrong)
			return wrong;
	}
	return 0;
}

uint64_t world_count(enum ktlb_counter counter)
{
	struct ktlb_stats stats = {{0}};

	ktlb_stats_add(&stats);
	return stats.count[counter];
}
