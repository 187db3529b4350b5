/* SPDX-License-Identifier: MIT */
/*
 * Shootdown by interrupt: whom to ask, how a request reaches a CPU, what that CPU does.
 *
 * The flush
 *   1. the caller has written the entries
 *   2. the generation of the space is raised; the number that comes out is the request's  [B25]
 *   3. whom to ask: the CPUs in the space's set, less those that are lazy or run another space. Tables
 *      may have gone: lazy ones, too, for they may still walk from the root
 *   4. the request into each one's queue; an interrupt where the queue was empty
 *   5. this CPU's own part, while the others work
 *   6. wait until all have answered, serving what others ask of this CPU meanwhile
 *
 * Interrupts are off from 2 to 5, so that one flush at a time uses this CPU's request, and on again,
 * if they were, in 6. A thread that is moved while it waits goes on waiting for the records of the
 * CPU that it asked from: an answer is the sequence of its request or a later one. The next flush on
 * a CPU first waits until all have answered the last one.
 *
 * The queue
 *   A CPU's queue is a list of calls, pushed by compare-and-exchange, taken whole by exchange. A call
 *   belongs to one pair of CPUs. Its request is read before it is answered, and written only when it
 *   has been. A request and a call, and the flag `lazy` and the head of the queue, are on lines of
 *   their own.
 *
 * A CPU that does not answer is named by the watchdog (KTLB_CFG_WATCHDOG) and interrupted again.
 *
 * The answer comes when the work is done: "answered" means that the TLB is clean.
 *
 * A CPU that goes offline closes its queue: whoever finds it closed has nothing to ask. So a flusher
 * that has chosen it a moment ago neither waits for ever nor has to be waited for.
 */
#include "ktlb_asid_percpu.h"

/* ktlb_cpu.queue of a CPU that takes no requests: it is not online. */
#define CLOSED ((struct ktlb_call *)1)

/* How often a flush asks CPUs that run another space, too, so that they leave the set. */
#define TRIM_EVERY 4096

/* [B26]: one function reads both, in the one order that works.
 *
 *     the CPU                                flusher of A
 *     lazy, runs B
 *     loaded := SWITCHING, lazy := 0
 *     loaded := A                            if it read lazy first, it would have seen 1, and then
 *                                            loaded == A: a CPU that runs A would be passed over
 *
 * Loaded first: if it is A, a lazy that is read later and is 1 was set after A was loaded, and the
 * CPU compares generations when it returns from lazy mode. Partner: [B20].
 */
enum needs {
	NEEDS_REQUEST,
	IS_LAZY,
	RUNS_ANOTHER,
};

static enum needs needs(const struct ktlb_cpu *cpu, const struct ktlb_space *space)
{
	const struct ktlb_space *loaded = ktlb_load_relaxed(&cpu->loaded);

	ktlb_fence_acquire(); /* [B26] */
	if (loaded != space && loaded != KTLB_SWITCHING)
		return RUNS_ANOTHER;
	return ktlb_load_relaxed(&cpu->lazy) ? IS_LAZY : NEEDS_REQUEST;
}

/* ---- what a CPU does for a request ------------------------------------------------------------*/

/* The kernel's half, on this CPU. */
static void flush_kernel(const struct ktlb_request *request)
{
	if (request->pages && ktlb_arch_kernel_by_page(ktlb_sys.features, ktlb_sys.errata,
	                                               request->what == KTLB_WHAT_ALL_LEVELS)) {
		ktlb_count(KTLB_COUNT_HANDLED_RANGE);
		ktlb_arch_flush_pages(request->va, request->pages, request->step_shift);
	} else {
		ktlb_count(KTLB_COUNT_HANDLED_FULL);
		ktlb_arch_flush_everything(ktlb_sys.features);
	}
}

/*
 * Pages of the space that is loaded, under its id; and under the user's id, too, where ids are split: at
 * once if that can be done address by address, which leaves what the tables have led to.
 */
KTLB_INLINE void flush_pages(struct ktlb_cpu *self, uint64_t va, uint64_t pages,
                             uint32_t step_shift, enum ktlb_what what)
{
	ktlb_arch_flush_pages(va, pages, step_shift);
	if (!KTLB_CFG_SPLIT_IDS)
		return;
	if (what != KTLB_WHAT_ALL_LEVELS && ktlb_arch_user_by_page(ktlb_sys.features))
		ktlb_arch_flush_user_pages(self->loaded_slot->tag, va, pages, step_shift);
	else
		ktlb_empty_user_id_later(self, self->loaded_slot);
}

/* The spans are in memory of the flusher, which is there until this CPU has answered. */
static __attribute__((noinline)) void flush_spans(struct ktlb_cpu *self,
                                                  const struct ktlb_request *request)
{
	for (uint32_t i = 0; i < request->spans; i++) {
		const struct ktlb_span *span = &request->span[i];

		flush_pages(self, span->va, span->pages, span->step_shift,
		            (enum ktlb_what)span->what);
	}
}

static uint64_t read_generation(const struct ktlb_space *space)
{
	ktlb_count(KTLB_COUNT_GENERATION_READ);
	return ktlb_load_acquire(&space->generation); /* [B24] */
}

/*
 * O5. After: the generation, the most contended line of a storm, is read last, and not at all by a
 * CPU that is lazy, runs another space, or has done what the request's own number asks for. Before:
 * it is read first. A request without a number is none that has been done already.
 */
static void flush_user(struct ktlb_cpu *self, const struct ktlb_request *request)
{
	struct ktlb_space *space = request->space;
	struct ktlb_slot *slot = self->loaded_slot;
	uint64_t number = request->generation;
	uint64_t generation = KTLB_CFG_OPT_EARLY_OUT ? 0 : read_generation(space);

	if (ktlb_load_relaxed(&self->loaded) != space) {
		ktlb_count(KTLB_COUNT_HANDLED_OTHER);
		if (ktlb_mask_has(space, self->number))
			ktlb_mask_remove(space, self->number);
		return;
	}
	if (ktlb_load_relaxed(&self->lazy)) {
		ktlb_count(KTLB_COUNT_HANDLED_LAZY);
		ktlb_leave_lazy_space(self);
		return;
	}
	if (KTLB_CFG_OPT_EARLY_OUT) {
		if (number != 0 && number <= slot->clean) {
			ktlb_count(KTLB_COUNT_HANDLED_SATISFIED);
			return;
		}
		generation = read_generation(space);
	}
	if (number != 0 && slot->clean == generation) {
		ktlb_count(KTLB_COUNT_HANDLED_CAUGHT_UP);
		return;
	}

	/*
	 * A range is enough only if it is all that this CPU lacks: the request's number follows what
	 * the slot is clean up to. (That it is also the latest is only speed: others are on their way.)
	 */
	if (request->pages && number == slot->clean + 1 && number == generation) {
		ktlb_count(KTLB_COUNT_HANDLED_RANGE);
		flush_pages(self, request->va, request->pages, request->step_shift,
		            (enum ktlb_what)request->what);
	} else if (request->what == KTLB_WHAT_GATHERED && number == slot->clean + 1 &&
	           number == generation) {
		ktlb_count(KTLB_COUNT_HANDLED_RANGE);
		flush_spans(self, request);
	} else {
		ktlb_count(KTLB_COUNT_HANDLED_FULL);
		ktlb_arch_flush_current();
		ktlb_empty_user_id_later(self, slot);
	}
	slot->clean = generation;
}

static void perform(struct ktlb_cpu *self, const struct ktlb_request *request)
{
	ktlb_count_of(KTLB_COUNT_HANDLED, request->space,
	              request->what == KTLB_WHAT_GATHERED ? 0 : request->va, request->pages,
	              request->generation);
	if (request->space)
		flush_user(self, request);
	else
		flush_kernel(request);
}

/* Of what an exchange took from a queue: is it a list of calls? One comparison tells all three. */
KTLB_INLINE int is_list(const struct ktlb_call *call)
{
	return (int)ktlb_likely((uintptr_t)call > (uintptr_t)CLOSED);
}

/* Newest first: the oldest then find their work done. */
KTLB_INLINE void answer(struct ktlb_cpu *self, struct ktlb_call *call)
{
	do {
		/* Both before the answer, with which the call is its owner's again. */
		struct ktlb_call *next = ktlb_load_relaxed(&call->next);
		struct ktlb_request *request = ktlb_load_relaxed(&call->request);

		perform(self, request);
		/* [B29] release, partner [B30]: the TLB is clean, and the request has been read. */
		ktlb_store_release(&call->done, request->sequence);
		call = next;
	} while (call);
}

/* Takes the whole queue. */
static void serve(struct ktlb_cpu *self)
{
	/* [B27] acquire, partner [B28]: the call and its request are there. */
	struct ktlb_call *call = ktlb_exchange_acquire(&self->queue, (struct ktlb_call *)0);

	if (is_list(call))
		answer(self, call);
	else if (call == CLOSED)
		ktlb_requests_close(self); /* an interrupt that came late */
}

/*
 * [B60] The root has gone and is out of every walker before the queue is seen to be closed. Partner:
 * [B61]. Without it: tables are freed, for a CPU that is not asked, and still walked from.
 *
 * One exchange closes the queue and takes what is in it: so each request is in the list that is answered
 * here, or its flusher finds the queue closed.
 */
void ktlb_requests_close(struct ktlb_cpu *self)
{
	struct ktlb_call *call;

	ktlb_fence_full();                                  /* [B60] */
	call = ktlb_exchange_acquire(&self->queue, CLOSED); /* [B27] */
	if (is_list(call))
		answer(self, call);
}

/* Before the fence of the caller [B22]: a flusher that still finds the queue closed has written its
 * entries before this CPU empties its TLB. */
void ktlb_requests_open(struct ktlb_cpu *self)
{
	ktlb_store_relaxed(&self->queue, (struct ktlb_call *)0);
}

void ktlb_handle_ipi(void)
{
	KTLB_CHECK(ktlb_insn_irqs_off(), "ktlb_handle_ipi: interrupts must be off", 0, 0);
	serve(ktlb_cpu_self());
}

void ktlb_poll(void)
{
	if (ktlb_unlikely(ktlb_load_relaxed(KTLB_CPU_FIELD(queue)) != 0)) {
		uint64_t irqs = ktlb_port_irq_save();

		serve(ktlb_cpu_self());
		ktlb_port_irq_restore(irqs);
	}
}

/* ---- asking others ----------------------------------------------------------------------------*/

/* A wait for one CPU, as the watchdog sees it. */
struct watch {
	uint64_t since;
	uint32_t started, reports;
};

/*
 * Atomic loads, of what others may be writing: the report is about a moment. The request stays what it is
 * until all have answered.
 */
static struct ktlb_stuck look_at(const struct watch *watch, uint64_t now,
                                 const struct ktlb_cpu *from, uint32_t cpu)
{
	const struct ktlb_cpu *silent = ktlb_load_dependency(&ktlb_cpus[cpu]);
	const struct ktlb_request *request = &from->request;
	struct ktlb_stuck stuck = {.since = watch->since, .now = now, .cpu = cpu};

	stuck.from = from->number;
	stuck.times = watch->reports;
	stuck.queued = ktlb_load_relaxed(&silent->queue) != 0;
	stuck.loaded = ktlb_load_relaxed(&silent->loaded);
	stuck.lazy = (uint32_t)ktlb_load_relaxed(&silent->lazy);
	if (stuck.loaded == KTLB_SWITCHING) {
		stuck.loaded = 0;
		stuck.switching = 1;
	}
	stuck.space = ktlb_load_relaxed(&request->space);
	stuck.generation = ktlb_load_relaxed(&request->generation);
	stuck.sequence = ktlb_load_relaxed(&request->sequence);
	if (ktlb_load_relaxed(&request->what) == KTLB_WHAT_GATHERED) {
		stuck.spans = ktlb_load_relaxed(&request->spans);
	} else {
		stuck.va = ktlb_load_relaxed(&request->va);
		stuck.pages = ktlb_load_relaxed(&request->pages);
	}
	return stuck;
}

/*
 * The interrupt once more, should it have been lost. Safe at any time: whoever gets it serves its queue,
 * and an empty one, or a closed one, is nothing to do. The waiting thread may be on the silent CPU itself
 * by now, which then serves by polling.
 */
static void interrupt_again(uint32_t cpu)
{
	struct ktlb_cpuset one;
	uint64_t irqs = ktlb_port_irq_save();

	if (ktlb_cpu_self()->number != cpu) {
		ktlb_clear_words(one.word, KTLB_CPUSET_WORDS);
		ktlb_cpuset_add(&one, cpu);
		ktlb_count(KTLB_COUNT_INTERRUPT_AGAIN);
		ktlb_port_send_ipi(&one);
	}
	ktlb_port_irq_restore(irqs);
}

/*
 * Once in a turn of the waiting loop: a report for each interval that has gone by. The option is asked for
 * here, too: a compiler that does not optimise keeps the function, and with it what the port then lacks.
 */
static void watch_wait(struct watch *watch, const struct ktlb_cpu *from, uint32_t cpu)
{
	uint64_t now = KTLB_CFG_WATCHDOG ? ktlb_port_clock() : 0;
	struct ktlb_stuck stuck;

	if (!watch->started) {
		watch->started = 1;
		watch->since = now;
	}
	if (!ktlb_sys.watchdog || (now - watch->since) / ktlb_sys.watchdog <= watch->reports)
		return;
	watch->reports++;
	stuck = look_at(watch, now, from, cpu);
	if (KTLB_CFG_WATCHDOG)
		ktlb_port_stuck(&stuck);
	interrupt_again(cpu);
}

/*
 * [B30] acquire, partner [B29]: what the other CPU did came before. `from` may be another CPU than
 * this one by now.
 */
static void wait_for(const struct ktlb_cpu *from, const struct ktlb_cpuset *asked,
                     uint64_t sequence)
{
	uint32_t cpu;

	ktlb_cpuset_for_each(cpu, asked)
	{
		struct watch watch = {0};

		while (ktlb_load_acquire(&from->call[cpu].done) < sequence) { /* [B30] */
			ktlb_relax();
			ktlb_poll();
			if (KTLB_CFG_WATCHDOG)
				watch_wait(&watch, from, cpu);
		}
	}
}

/* What was in the queue before; CLOSED: the call was not pushed. */
static struct ktlb_call *push(struct ktlb_cpu *target, struct ktlb_call *call)
{
	struct ktlb_call *first = ktlb_load_relaxed(&target->queue);

	do {
		if (ktlb_unlikely(first == CLOSED))
			return first;
		ktlb_store_relaxed(&call->next, first);
	} while (!ktlb_cas_release(&target->queue, &first, call)); /* [B28] */
	return first;
}

/*
 * The target is not online, and was chosen when it still was, or for a bit that it has left in a set. It has
 * no root but the kernel's, and will have an empty TLB when it comes back. [B61] acquire, partner [B60].
 */
static void not_online(struct ktlb_cpu *self, struct ktlb_call *call)
{
	ktlb_fence_acquire(); /* [B61] */
	ktlb_count(KTLB_COUNT_SKIP_OFFLINE);
	ktlb_store_release(&call->done, self->request.sequence);
}

/* The request into the queue of each CPU of the set; interrupts where they are needed. */
static void ask(struct ktlb_cpu *self, const struct ktlb_cpuset *targets)
{
	struct ktlb_cpuset interrupt;
	uint32_t cpu, interrupts = 0;

	ktlb_clear_words(interrupt.word, KTLB_CPUSET_WORDS);
	ktlb_cpuset_for_each(cpu, targets)
	{
		struct ktlb_cpu *target = ktlb_load_dependency(&ktlb_cpus[cpu]);
		struct ktlb_call *call = &self->call[cpu];
		struct ktlb_call *first;

		ktlb_store_relaxed(&call->request, &self->request);
		first = push(target, call);
		if (ktlb_unlikely(first == CLOSED)) {
			not_online(self, call);
			continue;
		}
		ktlb_count(KTLB_COUNT_REQUEST);
		if (!first) {
			ktlb_cpuset_add(&interrupt, cpu);
			interrupts = 1;
			ktlb_count(KTLB_COUNT_INTERRUPT);
		}
	}
	if (interrupts)
		ktlb_port_send_ipi(&interrupt);
}

/*
 * Steps 4 and 5; returns the sequence that step 6 is to wait for, 0 if nobody was asked. `irqs` is what the caller's
 * ktlb_port_irq_save returned. `also_here`: this CPU has a part in it.
 */
KTLB_INLINE uint64_t send(struct ktlb_cpu *self, const struct ktlb_request *what,
                          const struct ktlb_cpuset *targets, int also_here, uint64_t irqs)
{
	uint64_t sequence = 0;

	if (ktlb_cpuset_next(targets, 0) != KTLB_CFG_MAX_CPUS) {
		sequence = self->request.sequence;
		wait_for(self, &self->asked, sequence);
		self->request.space = what->space;
		self->request.generation = what->generation;
		self->request.va = what->va;
		self->request.pages = what->pages;
		self->request.step_shift = what->step_shift;
		self->request.what = what->what;
		self->request.sequence = ++sequence;
		ktlb_cpuset_copy(&self->asked, targets);
		ask(self, targets);
	}
	if (also_here)
		perform(self, what);
	ktlb_port_irq_restore(irqs);
	return sequence;
}

/* Steps 4 to 6. */
static void flush(struct ktlb_cpu *self, const struct ktlb_request *what,
                  const struct ktlb_cpuset *targets, int also_here, uint64_t irqs)
{
	uint64_t sequence = send(self, what, targets, also_here, irqs);

	if (sequence)
		wait_for(self, targets, sequence);
}

/*
 * Step 3: into *targets; true if this CPU has the space loaded. `everybody`: those that are lazy or run
 * another space, too.
 */
static int choose(struct ktlb_cpu *self, struct ktlb_space *space, int everybody,
                  struct ktlb_cpuset *targets)
{
	uint32_t cpu;

	for (uint32_t i = 0; i < KTLB_CPUSET_WORDS; i++)
		ktlb_store_relaxed(&targets->word[i], ktlb_load_relaxed(&space->cpus.word[i]));
	/* [B32] acquire, partner [B12]: whose bit is seen, its state in ktlb_cpus is seen. */
	ktlb_fence_acquire();
	ktlb_cpuset_remove(targets, self->number);
	if (!everybody) {
		ktlb_cpuset_for_each(cpu, targets)
		{
			switch (needs(ktlb_load_dependency(&ktlb_cpus[cpu]), space)) {
			case NEEDS_REQUEST:
				break;
			case IS_LAZY:
				ktlb_count_of(KTLB_COUNT_SKIP_LAZY, space, 0, 0, 0);
				ktlb_cpuset_remove(targets, cpu);
				break;
			case RUNS_ANOTHER:
				ktlb_count_of(KTLB_COUNT_SKIP_OTHER, space, 0, 0, 0);
				ktlb_cpuset_remove(targets, cpu);
				break;
			}
		}
	}
	/*
	 * [B31] acquire, partners: the release of those who have left the set, [B23] of those who have
	 * left the space, and the fence of those who have gone lazy. What they did before came before
	 * what the caller does with the page.
	 */
	ktlb_fence_acquire();
	return ktlb_load_relaxed(&self->loaded) == space;
}

static void check_space(const struct ktlb_space *space)
{
	KTLB_CHECK(ktlb_sys.id_limit != 0, "ktlb_flush: ktlb_init has not run", 0, 0);
	KTLB_CHECK(space->self == space, "ktlb_flush: the space is not initialised",
	           (uintptr_t)space->self, (uintptr_t)space);
}

static struct ktlb_cpu *online_self(void)
{
	struct ktlb_cpu *self = ktlb_cpu_self();

	KTLB_REQUIRE(self->magic == KTLB_CPU_MAGIC, "ktlb_flush: this CPU is not online", 0, 0);
	return self;
}

/*
 * Steps 2 and 3 of a flush of a user's half. [B25] The read-modify-write orders the caller's entries
 * before the generation, and the generation before the reads of `choose`. Release, so that who acquires
 * the generation [B24] sees the entries.
 */
KTLB_INLINE int raise_and_choose(struct ktlb_cpu *self, struct ktlb_request *request, int tables,
                                 struct ktlb_cpuset *targets)
{
	struct ktlb_space *space = request->space;

	request->generation = ktlb_add_release(&space->generation, (uint64_t)1) + 1; /* [B25] */
	ktlb_fence_after_rmw();                                                      /* [B25] */
	return choose(self, space, tables || request->generation % TRIM_EVERY == 0, targets);
}

/* pages == 0: everything. */
static void flush_space(struct ktlb_space *space, uint64_t va, uint64_t pages, uint32_t step_shift,
                        enum ktlb_what what)
{
	struct ktlb_request request;
	struct ktlb_cpuset targets;
	struct ktlb_cpu *self;
	uint64_t irqs = ktlb_port_irq_save();
	int loaded_here;

	self = online_self();
	request.space = space;
	request.va = va;
	request.pages = pages;
	request.step_shift = step_shift;
	request.what = what;
	request.sequence = 0;
	loaded_here = raise_and_choose(self, &request, what == KTLB_WHAT_ALL_LEVELS, &targets);
	flush(self, &request, &targets, loaded_here, irqs);
}

void ktlb_shootdown_page(struct ktlb_space *space, uint64_t va, int leaf_only)
{
	check_space(space);
	ktlb_count_of(KTLB_COUNT_FLUSH_PAGE, space, va, 1, 0);
	flush_space(space, va, 1, KTLB_ARCH_PAGE_SHIFT,
	            leaf_only ? KTLB_WHAT_LEAVES : KTLB_WHAT_ALL_LEVELS);
}

/* So many pages, leaf by leaf; or 0, everything, if that is cheaper. */
static uint64_t plan_pages(uint64_t pages, uint32_t step_shift)
{
	if (pages >> (step_shift - KTLB_ARCH_PAGE_SHIFT) >= ktlb_sys.full_flush_strides) {
		ktlb_count(KTLB_COUNT_FLUSH_WIDENED);
		return 0;
	}
	ktlb_count(KTLB_COUNT_PLAN_LEAVES);
	return pages;
}

void ktlb_shootdown_span(struct ktlb_space *space, uint64_t va, uint64_t pages, uint32_t step_shift,
                         enum ktlb_what what)
{
	check_space(space);
	ktlb_count_of(KTLB_COUNT_FLUSH_RANGE, space, va, pages, 0);
	pages = plan_pages(pages, step_shift);
	flush_space(space, va, pages, step_shift, what);
}

void ktlb_shootdown_space(struct ktlb_space *space)
{
	check_space(space);
	ktlb_count_of(KTLB_COUNT_FLUSH_SPACE, space, 0, 0, 0);
	flush_space(space, 0, 0, KTLB_ARCH_PAGE_SHIFT, KTLB_WHAT_ALL_LEVELS);
}

/* What takes as long as everything is everything; one span is as any other flush. */
static void describe(struct ktlb_request *request, const struct ktlb_pending *pending)
{
	const struct ktlb_span *span = pending->span;
	uint64_t strides = 0;

	for (uint32_t i = 0; i < pending->spans; i++)
		strides += span[i].pages >> (span[i].step_shift - KTLB_ARCH_PAGE_SHIFT);
	if (strides == 0 || strides >= ktlb_sys.full_flush_strides) {
		request->what = KTLB_WHAT_ALL_LEVELS;
		if (strides != 0)
			ktlb_count(KTLB_COUNT_FLUSH_WIDENED);
	} else if (pending->spans == 1) {
		request->va = span->va;
		request->pages = span->pages;
		request->step_shift = span->step_shift;
		request->what = span->what;
	} else {
		request->span = span;
		request->spans = pending->spans;
		request->what = KTLB_WHAT_GATHERED;
	}
}

void ktlb_shootdown_post(struct ktlb_pending *pending, int tables)
{
	struct ktlb_request request = {.space = pending->space};
	struct ktlb_cpu *self;
	uint64_t irqs;
	int loaded_here;

	check_space(pending->space);
	describe(&request, pending);
	irqs = ktlb_port_irq_save();
	self = online_self();
	loaded_here = raise_and_choose(self, &request, tables, &pending->asked);
	pending->from = self;
	pending->sequence = send(self, &request, &pending->asked, loaded_here, irqs);
}

void ktlb_shootdown_wait(struct ktlb_pending *pending)
{
	wait_for(pending->from, &pending->asked, pending->sequence);
}

/* The slot stays clean up to what it was: to flush without raising that is always allowed. */
void ktlb_shootdown_here(struct ktlb_space *space, uint64_t va)
{
	uint64_t irqs = ktlb_port_irq_save();
	struct ktlb_cpu *self = ktlb_cpu_self();

	if (ktlb_load_relaxed(&self->loaded) == space)
		flush_pages(self, va, 1, KTLB_ARCH_PAGE_SHIFT, KTLB_WHAT_LEAVES);
	ktlb_port_irq_restore(irqs);
}

/*
 * Every CPU that may have the root, lazily then. The request has no number: there is no change that
 * anybody could be clean up to, and whoever has the space loaded must let go of it.
 */
void ktlb_shootdown_dead_space(struct ktlb_space *space)
{
	struct ktlb_request request = {.space = space, .what = KTLB_WHAT_ALL_LEVELS};
	struct ktlb_cpuset targets;
	struct ktlb_cpu *self;
	uint64_t irqs = ktlb_port_irq_save();
	int loaded_here;

	self = online_self();
	ktlb_fence_full(); /* [B25] */
	loaded_here = choose(self, space, 1, &targets);
	flush(self, &request, &targets, loaded_here, irqs);
}

static int is_online(uint32_t cpu)
{
	return (int)(ktlb_load_relaxed(&ktlb_online.word[ktlb_cpuset_word(cpu)]) >> cpu % 64 & 1);
}

/* Every CPU that is online. */
void ktlb_shootdown_kernel_span(uint64_t va, uint64_t pages, uint32_t step_shift,
                                enum ktlb_what what)
{
	struct ktlb_request request = {
		.va = va, .pages = pages, .step_shift = step_shift, .what = what};
	struct ktlb_cpuset targets;
	struct ktlb_cpu *self;
	uint64_t irqs = ktlb_port_irq_save();

	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_flush: ktlb_init has not run", 0, 0);
	ktlb_count_of(KTLB_COUNT_FLUSH_KERNEL, 0, va, pages, 0);
	self = online_self();
	request.pages = plan_pages(pages, step_shift);
	ktlb_fence_full(); /* [B22] */
	ktlb_clear_words(targets.word, KTLB_CPUSET_WORDS);
	for (uint32_t cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++)
		if (cpu != self->number && is_online(cpu) && ktlb_load_dependency(&ktlb_cpus[cpu]))
			ktlb_cpuset_add(&targets, cpu);
	flush(self, &request, &targets, 1, irqs);
}

/* ---- is the port right? -----------------------------------------------------------------------*/

/* The page is the kernel's last one: any would do. */
struct ktlb_ping ktlb_shootdown_ping(uint32_t cpu)
{
	struct ktlb_request request = {.pages = 1,
	                               .va = ~(uint64_t)0 << KTLB_ARCH_PAGE_SHIFT,
	                               .step_shift = KTLB_ARCH_PAGE_SHIFT,
	                               .what = KTLB_WHAT_LEAVES};
	struct ktlb_cpuset targets;
	struct ktlb_ping ping;
	uint64_t irqs = ktlb_port_irq_save();

	ping.from = ktlb_cpu_self();
	ping.cpu = cpu;
	ktlb_clear_words(targets.word, KTLB_CPUSET_WORDS);
	if (ping.from->number != cpu)
		ktlb_cpuset_add(&targets, cpu);
	ping.sequence = send(ktlb_cpu_self(), &request, &targets, 0, irqs);
	return ping;
}

int ktlb_shootdown_pong(const struct ktlb_ping *ping)
{
	return ping->from->number == ping->cpu ||
	       ktlb_load_acquire(&ping->from->call[ping->cpu].done) >= ping->sequence;
}
