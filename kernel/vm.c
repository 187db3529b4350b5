/* SPDX-License-Identifier: MIT */
/*
 * Address spaces. The page table is the only record of what is mapped where: what is to be
 * allocated when touched stands in it as a demand entry (arch.h), which no hardware looks at.
 *
 * space.lock guards all entries of a space against other threads. The hardware reads them at any
 * time, so they are written by single stores, and what a walker may have cached is handled thus:
 *
 *   empty -> demand, demand -> empty     never valid: nothing to flush
 *   demand -> page                       ktlb_publish; another CPU may fault once more, and retries
 *   page -> demand, page -> empty        one flush for all that a call changes; then the pages go
 *   table -> empty                       the same, for all levels: walkers cache tables
 *   page -> page, other permissions      what ktlb_need_flush says: less needs a flush; more does not,
 *                                        and a CPU that faults by an old entry mends it in vm_fault
 *
 * A change is collected in a struct change, which is a gather of ktlb's: first all entries are written,
 * under the lock, then there is one flush, and only after it does the gather give back the frames of
 * pages and tables. The flush is posted with the lock held and waited for without: the other CPUs
 * flush while this one wakes whoever waits for the lock.
 *
 * The wait is outside space.lock: it is for other CPUs, whose threads may want the lock, and flushes of
 * one space must be able to meet. What the lock then no longer keeps off is kept off by the busy
 * ranges of the space: what is being flushed is busy from before the lock is given up until the flush
 * is over, and whoever wants the lock for addresses that are busy waits for that, too (lock_range).
 * Therefore
 *
 *   - a fault on an entry that has just gone does not bring a new page while another CPU may still
 *     use the old one: two CPUs never have two pages for one address
 *   - a second change of the same addresses, which finds them empty and nothing to flush, does not
 *     return while somebody may still use the old page
 *   - where a table goes, everything that it could map is busy: no new table, and so no new entry,
 *     comes under an entry of the level above that a walker may still have cached
 *   - a frame belongs to nobody but the change from when its entry was cleared until it is freed,
 *     after the flush
 *
 * Changes of other addresses go on meanwhile. Nobody waits for a range while it has one, nor with
 * the lock held, so nobody waits in a circle. The end of a space comes after its last thread, and
 * only its threads change it: nothing is busy then.
 */
#include <arch.h>

#define ENTRIES (1u << ARCH_TABLE_BITS)

struct vm_counts vm_counts;

struct change {
	struct space *space;
	void (*leaf)(struct change *change, uint64_t *entry, uint64_t va);
	uint32_t prot;
	uint64_t physical; /* of the next page to map */
	int make_tables;   /* where there are none; otherwise those addresses are left out */
	int drop_tables;   /* that have become empty */
	int error;         /* stops the walk */
	int publish;       /* entries allow more than before */
	int dropped;
	struct ktlb_gather gather;
	struct busy_range busy; /* what was asked for, and what dropped tables could map */
};

/* ---- busy ranges ------------------------------------------------------------------------------*/

/* busy_lock is held. */
static int is_busy(const struct space *space, uint64_t va, uint64_t size)
{
	const struct busy_range *range = space->busy;

	while (range && (va >= range->end || va + size <= range->first))
		range = range->next;
	return range != NULL;
}

/* space.lock, with no flush under way in [va, va + size). */
static void lock_range(struct space *space, uint64_t va, uint64_t size)
{
	uint64_t irq;

	mutex_lock(&space->lock);
	irq = spin_lock(&space->busy_lock);
	while (is_busy(space, va, size)) {
		mutex_unlock(&space->lock);
		wait_on(&space->busy_waiters, &space->busy_lock);
		spin_unlock(&space->busy_lock, irq);
		mutex_lock(&space->lock);
		irq = spin_lock(&space->busy_lock);
	}
	spin_unlock(&space->busy_lock, irq);
}

/* With space.lock: who gets it next finds the range. */
static void busy_begin(struct space *space, struct busy_range *range)
{
	uint64_t irq = spin_lock(&space->busy_lock);

	range->next = space->busy;
	space->busy = range;
	spin_unlock(&space->busy_lock, irq);
}

static void busy_end(struct space *space, struct busy_range *range)
{
	uint64_t irq = spin_lock(&space->busy_lock);
	struct busy_range **at = &space->busy;

	while (*at != range)
		at = &(*at)->next;
	*at = range->next;
	wake_all(&space->busy_waiters);
	spin_unlock(&space->busy_lock, irq);
}

/* ---- the walk ---------------------------------------------------------------------------------*/

/* A table on the way to `va` is off, as is all that the entry for it, of this level, could map. */
static void note_dropped(struct change *change, uint64_t va, uint32_t level)
{
	uint64_t size = (uint64_t)1 << (PAGE_SHIFT + ARCH_TABLE_BITS * level);
	uint64_t first = va & ~(size - 1);

	/* Any address below it does, for its pages have been added as they went. */
	ktlb_gather_add_table(&change->gather, va, PAGE_SIZE);
	change->dropped++;
	if (first < change->busy.first)
		change->busy.first = first;
	if (first + size > change->busy.end)
		change->busy.end = first + size;
}

static int is_empty_table(const uint64_t *table)
{
	for (uint32_t i = 0; i < ENTRIES; i++)
		if (ktlb_load_relaxed(&table[i]))
			return 0;
	return 1;
}

static void walk(struct change *change, uint64_t *table, uint32_t level, uint64_t start,
                 uint64_t end);

/* Goes into the table that `entry` leads to. Levels count from the last, which is 0. */
static void walk_into(struct change *change, uint64_t *entry, uint32_t level, uint64_t start,
                      uint64_t end)
{
	uint64_t value = ktlb_load_relaxed(entry);
	uint64_t *table;

	if (!value) {
		if (!change->make_tables)
			return;
		value = arch_entry_table(page_alloc());
		/* Release: a walker that finds the table finds it full of zeroes. */
		ktlb_store_release(entry, value);
	}
	table = page_pointer(arch_entry_address(value));
	walk(change, table, level - 1, start, end);
	if (change->drop_tables && is_empty_table(table)) {
		ktlb_store_relaxed(entry, 0);
		note_dropped(change, start, level);
		ktlb_gather_keep(&change->gather, page_node(arch_entry_address(value)));
	}
}

static void walk(struct change *change, uint64_t *table, uint32_t level, uint64_t start,
                 uint64_t end)
{
	uint32_t shift = PAGE_SHIFT + ARCH_TABLE_BITS * level;
	uint64_t step = (uint64_t)1 << shift;

	for (uint64_t va = start, next; va < end && !change->error; va = next) {
		uint64_t *entry = &table[va >> shift & (ENTRIES - 1)];

		next = (va & ~(step - 1)) + step;
		if (next > end)
			next = end;
		if (level)
			walk_into(change, entry, level, va, next);
		else
			change->leaf(change, entry, va);
	}
}

static int is_user_range(uint64_t va, uint64_t size)
{
	return size && !((va | size) & (PAGE_SIZE - 1)) && va < ARCH_USER_END &&
	       size <= ARCH_USER_END - va;
}

/* Runs change->leaf over the range; space.lock is held. */
static void change_entries(struct change *change, uint64_t va, uint64_t size)
{
	walk(change, page_pointer(change->space->root), ARCH_TABLE_LEVELS - 1, va, va + size);
}

/* All of a change, and its flush. Then nobody uses what the old entries led to, and it is free. */
static void change_range(struct change *change, uint64_t va, uint64_t size)
{
	struct space *space = change->space;
	struct page_list freed;

	change->busy = (struct busy_range){.first = va, .end = va + size};
	lock_range(space, va, size);
	ktlb_gather_begin(&change->gather, &space->ktlb);
	change_entries(change, va, size);
	if (change->publish)
		ktlb_publish();
	busy_begin(space, &change->busy);
	ktlb_gather_post(&change->gather);
	mutex_unlock(&space->lock);

	freed.first = ktlb_gather_wait(&change->gather);
	busy_end(space, &change->busy);
	ktlb_add_relaxed(&vm_counts.tables, (uint64_t)change->dropped);
	page_list_free(&freed);
}

/* A page goes: its frame after the flush, unless it is part of the image. */
static void take_page(struct change *change, uint64_t entry, uint64_t va)
{
	ktlb_gather_add(&change->gather, va, PAGE_SIZE, PAGE_SIZE);
	if (page_is_ours(arch_entry_address(entry)))
		ktlb_gather_keep(&change->gather, page_node(arch_entry_address(entry)));
}

/* ---- life -------------------------------------------------------------------------------------*/

void vm_create(struct space *space)
{
	space->root = page_alloc();
	arch_new_root(space->root);
	ktlb_space_init(&space->ktlb, space->root);
}

/* Of a top-level table the user's half alone: the rest, if there is one, is the kernel's. */
static void free_tree(struct page_list *freed, uint64_t page, uint32_t level)
{
	const uint64_t *table = page_pointer(page);
	uint64_t users = ARCH_USER_END >> (PAGE_SHIFT + ARCH_TABLE_BITS * level);

	for (uint32_t i = 0; i < ENTRIES && i < users; i++) {
		uint64_t entry = ktlb_load_relaxed(&table[i]);

		if (level && entry)
			free_tree(freed, arch_entry_address(entry), level - 1);
		else if (arch_entry_is_page(entry) && page_is_ours(arch_entry_address(entry)))
			page_list_add(freed, arch_entry_address(entry));
	}
	page_list_add(freed, page);
}

void vm_destroy(struct space *space)
{
	struct page_list freed = {0};
	uint64_t irq = arch_irq_save();

	ASSERT(!space->busy);
	/* After this nobody walks from the root, so no flush is needed, however much is freed. */
	ktlb_space_destroy(&space->ktlb);
	arch_irq_restore(irq);
	free_tree(&freed, space->root, ARCH_TABLE_LEVELS - 1);
	page_list_free(&freed);
}

/* ---- map and unmap ----------------------------------------------------------------------------*/

static void leaf_must_be_empty(struct change *change, uint64_t *entry, uint64_t va)
{
	(void)va;
	if (ktlb_load_relaxed(entry))
		change->error = -1;
}

static void leaf_map(struct change *change, uint64_t *entry, uint64_t va)
{
	(void)va;
	ktlb_store_relaxed(entry, arch_entry_demand(change->prot));
}

static void leaf_map_image(struct change *change, uint64_t *entry, uint64_t va)
{
	(void)va;
	ktlb_store_relaxed(entry, arch_entry_page(change->physical, change->prot));
	change->physical += PAGE_SIZE;
}

static int map(struct change *change, uint64_t va, uint64_t size,
               void (*leaf)(struct change *, uint64_t *, uint64_t))
{
	if (!is_user_range(va, size))
		return -1;
	lock_range(change->space, va, size);
	change->leaf = leaf_must_be_empty;
	change_entries(change, va, size);
	if (!change->error) {
		change->leaf = leaf;
		change->make_tables = 1;
		change_entries(change, va, size);
		ktlb_publish();
	}
	mutex_unlock(&change->space->lock);
	return change->error;
}

int vm_map(struct space *space, uint64_t va, uint64_t size, uint32_t prot)
{
	struct change change = {.space = space, .prot = prot};

	return map(&change, va, size, leaf_map);
}

int vm_map_image(struct space *space, uint64_t va, uint64_t size, uint64_t physical)
{
	struct change change = {
		.space = space, .prot = PROT_READ | PROT_EXEC, .physical = physical};

	return map(&change, va, size, leaf_map_image);
}

static void leaf_unmap(struct change *change, uint64_t *entry, uint64_t va)
{
	uint64_t value = ktlb_load_relaxed(entry);

	if (!value)
		return;
	ktlb_store_relaxed(entry, 0);
	if (arch_entry_is_page(value))
		take_page(change, value, va);
}

int vm_unmap(struct space *space, uint64_t va, uint64_t size)
{
	struct change change = {.space = space, .leaf = leaf_unmap, .drop_tables = 1};

	if (!is_user_range(va, size))
		return -1;
	change_range(&change, va, size);
	return 0;
}

/* ---- don't need -------------------------------------------------------------------------------*/

static void leaf_dontneed(struct change *change, uint64_t *entry, uint64_t va)
{
	uint64_t value = ktlb_load_relaxed(entry);

	if (!arch_entry_is_page(value))
		return;
	ktlb_store_relaxed(entry, arch_entry_demand(arch_entry_prot(value)));
	take_page(change, value, va);
}

int vm_dontneed(struct space *space, uint64_t va, uint64_t size)
{
	struct change change = {.space = space, .leaf = leaf_dontneed};

	if (!is_user_range(va, size))
		return -1;
	change_range(&change, va, size);
	return 0;
}

/* ---- protect ----------------------------------------------------------------------------------*/

static void leaf_protect(struct change *change, uint64_t *entry, uint64_t va)
{
	uint64_t value = ktlb_load_relaxed(entry), next;
	uint32_t need;

	if (arch_entry_is_demand(value))
		ktlb_store_relaxed(entry, arch_entry_demand(change->prot));
	if (!arch_entry_is_page(value) || arch_entry_prot(value) == change->prot)
		return;
	next = arch_entry_page(arch_entry_address(value), change->prot);
	need = ktlb_need_flush(value, next, 0, 0);
	ASSERT((need & KTLB_NEED_KIND) != KTLB_NEED_BREAK); /* not for permissions alone */
	ktlb_store_relaxed(entry, next);
	if (need & KTLB_NEED_PUBLISH)
		change->publish = 1;
	if ((need & KTLB_NEED_KIND) == KTLB_NEED_FLUSH)
		ktlb_gather_add(&change->gather, va, PAGE_SIZE, PAGE_SIZE);
	else
		ktlb_add_relaxed(&vm_counts.unflushed, 1);
}

int vm_protect(struct space *space, uint64_t va, uint64_t size, uint32_t prot)
{
	struct change change = {.space = space, .leaf = leaf_protect, .prot = prot};

	if (!is_user_range(va, size) || !(prot & PROT_READ))
		return -1;
	change_range(&change, va, size);
	return 0;
}

/* ---- faults -----------------------------------------------------------------------------------*/

static uint32_t prot_for(enum vm_access access)
{
	return access == VM_WRITE ? PROT_WRITE : access == VM_EXECUTE ? PROT_EXEC : PROT_READ;
}

/* The last-level entry of an address; null if there is no table for it. space.lock is held. */
static uint64_t *find_entry(struct space *space, uint64_t va)
{
	uint64_t page = space->root;

	for (uint32_t level = ARCH_TABLE_LEVELS - 1;; level--) {
		uint32_t shift = PAGE_SHIFT + ARCH_TABLE_BITS * level;
		uint64_t *table = page_pointer(page);
		uint64_t *entry = &table[va >> shift & (ENTRIES - 1)];

		if (!level)
			return entry;
		if (!ktlb_load_relaxed(entry))
			return NULL;
		page = arch_entry_address(ktlb_load_relaxed(entry));
	}
}

/*
 * What the hardware refused may be fine by now: another thread was in the middle of a change (it is
 * over, or the address would be busy), or has brought the page, or this CPU has not yet seen the
 * new entry.
 */
int vm_fault(struct space *space, uint64_t va, enum vm_access access)
{
	uint64_t *entry, value, page;
	int error = 0;

	if (va >= ARCH_USER_END)
		return -1;
	/* Before the lock: to fill a page takes longer than all the rest. */
	page = page_alloc();
	lock_range(space, va, 1);
	entry = find_entry(space, va);
	value = entry ? ktlb_load_relaxed(entry) : 0;
	if (!value || !(arch_entry_prot(value) & prot_for(access))) {
		error = -1;
	} else if (arch_entry_is_demand(value)) {
		/* Release: whoever sees the entry sees the zeroes. */
		ktlb_store_release(entry, arch_entry_page(page, arch_entry_prot(value)));
		ktlb_publish();
		page = 0;
		ktlb_add_relaxed(&vm_counts.demand, 1);
	} else {
		ktlb_fix_spurious(&space->ktlb, va);
		ktlb_add_relaxed(&vm_counts.spurious, 1);
	}
	mutex_unlock(&space->lock);
	if (page)
		page_free(page);
	return error;
}

/* By the kernel's own addresses of the frames: the user's are never used in the kernel. */
int vm_read(struct space *space, uint64_t va, void *to, uint64_t size)
{
	char *out = to;
	int error = 0;

	lock_range(space, va, size);
	for (; size && !error; size--, va++) {
		const uint64_t *entry = va < ARCH_USER_END ? find_entry(space, va) : NULL;
		uint64_t value = entry ? ktlb_load_relaxed(entry) : 0;

		if (arch_entry_is_page(value))
			*out++ = ((const char *)page_pointer(
				arch_entry_address(value)))[va & (PAGE_SIZE - 1)];
		else
			error = -1;
	}
	mutex_unlock(&space->lock);
	return error;
}

/* ---- the kernel's window ----------------------------------------------------------------------*/

/*
 * Break before make (Arm ARM DDI 0487, "Using break-before-make when updating translation table
 * entries"): were the new entry written over the old one, a CPU could hold both for one address. The
 * entries are global, so the flush is of every id.
 */
void vm_window_remap(uint64_t first_page, uint64_t pages, const uint64_t *frames)
{
	static struct mutex window_lock;

	mutex_lock(&window_lock);
	for (uint64_t i = 0; i < pages; i++)
		ktlb_store_relaxed(arch_window_entry(first_page + i), 0);
	ktlb_flush_kernel_range(ARCH_WINDOW + first_page * PAGE_SIZE, pages * PAGE_SIZE, PAGE_SIZE,
	                        KTLB_LEAF_ONLY);
	for (uint64_t i = 0; frames && i < pages; i++)
		ktlb_store_relaxed(arch_window_entry(first_page + i), arch_window_page(frames[i]));
	ktlb_publish();
	mutex_unlock(&window_lock);
}
