/* SPDX-License-Identifier: MIT */
/*
 * Page frames, and memory that is never freed.
 *
 * A frame that was freed is filled with poison and is the next to be handed out again: whoever
 * still reads it through a stale translation sees poison or another owner's data, and whoever
 * writes it is found when the frame is taken (the poison is damaged) or when its new owner looks.
 * For that the free list lies outside the frames, in an array with a place for each.
 *
 * Everything is guarded by page_lock, except the contents of frames, which are whoever's they are.
 */
#include <arch.h>

#define FRAMES ((ARCH_RAM_END - ARCH_RAM_START) / PAGE_SIZE)

static struct spinlock page_lock;
static struct ktlb_gather_page node[FRAMES]; /* in whatever list a frame is */
static struct page_list free_frames;
static uint64_t fresh; /* physical: from here on nothing was ever used */
static uint64_t image_end;
static uint64_t in_use, damaged;

extern const char kernel_end[];

void page_init(void)
{
	image_end = (uint64_t)(uintptr_t)kernel_end - ARCH_LINEAR_OFFSET;
	fresh = (image_end + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
}

int page_is_ours(uint64_t address)
{
	return address >= image_end;
}

struct ktlb_gather_page *page_node(uint64_t address)
{
	return &node[(address - ARCH_RAM_START) / PAGE_SIZE];
}

static uint64_t node_address(const struct ktlb_gather_page *n)
{
	return ARCH_RAM_START + (uint64_t)(n - node) * PAGE_SIZE;
}

static void fill(uint64_t address, uint64_t word)
{
	uint64_t *p = page_pointer(address);

	for (uint32_t i = 0; i < PAGE_SIZE / sizeof(*p); i++)
		ktlb_store_relaxed(&p[i], word);
}

static int is_poison(uint64_t address)
{
	const uint64_t *p = page_pointer(address);

	for (uint32_t i = 0; i < PAGE_SIZE / sizeof(*p); i++)
		if (ktlb_load_relaxed(&p[i]) != PAGE_POISON)
			return 0;
	return 1;
}

static uint64_t take_fresh(uint64_t size, uint64_t alignment)
{
	uint64_t address = (fresh + alignment - 1) & ~(alignment - 1);

	if (address + size > ARCH_RAM_END)
		panic("out of memory");
	fresh = address + size;
	return address;
}

uint64_t page_alloc(void)
{
	uint64_t irq = spin_lock(&page_lock), address;
	int used = free_frames.first != NULL;

	if (used) {
		address = node_address(free_frames.first);
		free_frames.first = free_frames.first->next;
	} else {
		address = take_fresh(PAGE_SIZE, PAGE_SIZE);
	}
	in_use++;
	spin_unlock(&page_lock, irq);

	if (used && !is_poison(address)) {
		ktlb_add_relaxed(&damaged, 1);
		kprintf("page %lx was written after it had been freed\n", address);
	}
	fill(address, 0);
	return address;
}

void page_list_add(struct page_list *list, uint64_t address)
{
	/* Plain: a frame that is on its way to be freed belongs to the one that frees it. */
	page_node(address)->next = list->first;
	list->first = page_node(address);
}

void page_list_free(struct page_list *list)
{
	while (list->first) {
		uint64_t address = node_address(list->first), irq;

		list->first = list->first->next;
		fill(address, PAGE_POISON);
		irq = spin_lock(&page_lock);
		page_list_add(&free_frames, address);
		in_use--;
		spin_unlock(&page_lock, irq);
	}
}

void page_free(uint64_t address)
{
	struct page_list list = {0};

	page_list_add(&list, address);
	page_list_free(&list);
}

uint64_t page_in_use(void)
{
	return ktlb_load_relaxed(&in_use);
}

uint64_t page_damaged(void)
{
	uint64_t irq = spin_lock(&page_lock);

	for (const struct ktlb_gather_page *n = free_frames.first; n; n = n->next)
		if (!is_poison(node_address(n))) {
			ktlb_add_relaxed(&damaged, 1);
			fill(node_address(n), PAGE_POISON);
		}
	spin_unlock(&page_lock, irq);
	return ktlb_load_relaxed(&damaged);
}

void *memory_alloc(uint64_t size, uint64_t alignment)
{
	uint64_t irq = spin_lock(&page_lock);
	uint64_t address = take_fresh((size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1),
	                              alignment < PAGE_SIZE ? PAGE_SIZE : alignment);

	spin_unlock(&page_lock, irq);
	for (uint64_t at = 0; at < size; at += PAGE_SIZE)
		fill(address + at, 0);
	return page_pointer(address);
}
