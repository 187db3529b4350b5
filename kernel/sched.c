/* SPDX-License-Identifier: MIT */
/*
 * Threads: one run queue for all CPUs, so that threads wander, and what they sleep on.
 *
 * A thread is on a CPU, or in the queue, or asleep. It enters the queue only once its stack is out
 * of use, that is, after the switch, and it is its successor on that CPU that puts it there:
 *
 *   state      on a CPU's stack   who changes it                            to
 *   RUNNING    yes                itself, before it sleeps or ends          BLOCKING, DEAD
 *              just left          its successor (preempted, yielding)       READY, queued
 *   BLOCKING   yes                thread_wake (the wait is over early)      RUNNING
 *              just left          its successor                             BLOCKED
 *   BLOCKED    no                 thread_wake                               READY, queued
 *   READY      no                 the CPU that takes it out of the queue    RUNNING
 *   DEAD       just left          its successor frees it
 *
 * all under sched_lock, which is not held across the switch itself. So no CPU ever waits for
 * another one's stack, and no thread is on two.
 *
 * ktlb's part: the thread's CPU number is written before the switch, by the CPU that it will run
 * on; its space is loaded before the switch, or, if it has none, the user space is left. From the
 * one to the other the CPU runs kernel code only, which every space sees alike.
 *
 * An idle CPU takes is_idle under sched_lock, after it has found the queue empty; whoever fills
 * the queue looks at is_idle under the same lock and sends an interrupt. Until that is pending, WFI
 * sleeps; it is entered with interrupts masked, so that the interrupt cannot come too early.
 *
 * A CPU that is to leave takes nothing more from the queue: its thread goes back there at the next tick,
 * and the idle thread, which no other CPU can run, takes the CPU offline. It begins anew on its own
 * stack when the CPU is started again. Threads that are pinned to the CPU wait until then.
 */
#include <arch.h>

#define STACK_MAGIC 0x5a5ac3c3f00dull
#define MUTEX_LOOKS 200 /* longer than a change of a few entries takes */

KTLB_PERCPU(struct cpu, this_cpu);

static struct spinlock sched_lock;
static struct thread *queue_first, *queue_last; /* sched_lock */
static struct thread *spare;                    /* sched_lock: descriptors to use again */
static uint32_t thread_numbers;

/* ---- the queue --------------------------------------------------------------------------------*/

static void queue_add(struct thread *thread)
{
	thread->state = THREAD_READY;
	thread->next = NULL;
	if (queue_last)
		queue_last->next = thread;
	else
		queue_first = thread;
	queue_last = thread;
}

/* The first in the queue that may run here. */
static struct thread *queue_take(uint32_t cpu)
{
	struct thread *before = NULL, *thread = queue_first;

	while (thread && thread->pinned >= 0 && thread->pinned != (int32_t)cpu) {
		before = thread;
		thread = thread->next;
	}
	if (!thread)
		return NULL;
	if (before)
		before->next = thread->next;
	else
		queue_first = thread->next;
	if (queue_last == thread)
		queue_last = before;
	return thread;
}

/* An idle CPU for a thread that was just queued, or cpu_count if there is none; no longer idle. */
static uint32_t idle_cpu_for(const struct thread *thread)
{
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		if ((thread->pinned < 0 || thread->pinned == (int32_t)cpu) &&
		    percpu_of(cpu, this_cpu)->is_idle) {
			percpu_of(cpu, this_cpu)->is_idle = 0;
			return cpu;
		}
	return cpu_count;
}

static void kick(uint32_t cpu)
{
	if (cpu < cpu_count)
		arch_kick(cpu);
}

/* ---- the switch -------------------------------------------------------------------------------*/

static struct thread_block *block_of(struct thread *thread)
{
	return (struct thread_block *)(void *)((char *)thread - THREAD_STACK_END);
}

/* By the new thread, for the one that ran before; interrupts off. */
static void switch_finish(struct thread *before)
{
	struct cpu *cpu = ktlb_this_cpu(this_cpu);
	uint32_t target = cpu_count;
	uint64_t irq;

	/* The number that ktlb answers must be right from the first instruction on. */
	if (ktlb_cpu_id() != arch_cpu_number())
		panic("ktlb_cpu_id() says %u on CPU %u", ktlb_cpu_id(), arch_cpu_number());
	cpu->checks++;
	if (block_of(before)->magic != STACK_MAGIC)
		panic("thread %u (%s) has overrun its stack", before->number, before->name);
	if (before == cpu->idle)
		return;

	irq = spin_lock(&sched_lock);
	if (before->state == THREAD_RUNNING) {
		queue_add(before);
		target = idle_cpu_for(before);
	} else if (before->state == THREAD_BLOCKING) {
		before->state = THREAD_BLOCKED;
	} else if (before->state == THREAD_DEAD) {
		before->next = spare;
		spare = before;
	}
	spin_unlock(&sched_lock, irq);
	kick(target);
}

/*
 * Gives the CPU to the next in the queue, if there is one or this thread cannot go on. `counter`
 * counts it if it happens, as what it was. Interrupts off.
 */
static void schedule(uint64_t *counter)
{
	struct thread *me = arch_current(), *next;
	struct cpu *cpu = ktlb_this_cpu(this_cpu);
	uint64_t irq = spin_lock(&sched_lock);

	if (ktlb_load_relaxed(&cpu->life) == CPU_LEAVING)
		next = me == cpu->idle ? NULL : cpu->idle;
	else
		next = queue_take(me->ktlb.cpu);
	if (!next && me->state != THREAD_RUNNING)
		next = cpu->idle;
	cpu->is_idle = next ? next == cpu->idle : me == cpu->idle;
	if (next)
		next->state = THREAD_RUNNING;
	spin_unlock(&sched_lock, irq);
	if (!next)
		return;

	++*counter;
	if (next->ktlb.cpu != me->ktlb.cpu)
		cpu->migrations++;
	next->ktlb.cpu = me->ktlb.cpu;
	ktlb_store_relaxed(&cpu->thread_name, next->name);
	ktlb_store_relaxed(&cpu->thread_number, next->number);
	if (next->space)
		ktlb_switch(&next->space->ktlb);
	else
		ktlb_enter_lazy();
	switch_finish(arch_switch(me, next));
}

void kernel_thread_main(struct thread *before)
{
	struct thread *me = arch_current();

	switch_finish(before);
	arch_irq_restore(0);
	me->start(me->arg);
	thread_exit();
}

void kernel_thread_user(struct thread *before)
{
	switch_finish(before);
}

void sched_yield(void)
{
	uint64_t irq = arch_irq_save();

	schedule(&ktlb_this_cpu(this_cpu)->switches);
	arch_irq_restore(irq);
}

void sched_tick(void)
{
	struct cpu *cpu = ktlb_this_cpu(this_cpu);

	/* The idle thread looks for itself; it is about to. */
	if (arch_current() != cpu->idle &&
	    (ktlb_load_relaxed(&queue_first) || ktlb_load_relaxed(&cpu->life) == CPU_LEAVING))
		schedule(&cpu->preemptions);
}

void sched_init_cpu(struct thread *idle)
{
	struct cpu *cpu = ktlb_this_cpu(this_cpu);

	block_of(idle)->magic = STACK_MAGIC;
	idle->name = "idle";
	idle->pinned = (int32_t)idle->ktlb.cpu;
	cpu->idle = idle;
	cpu->thread_name = idle->name;
	cpu->thread_number = idle->number;
	ktlb_store_relaxed(&cpu->heartbeat, arch_clock());
}

/* Out of ktlb's hands first: from then on nobody waits for this CPU. Interrupts off. */
__attribute__((noreturn)) static void leave(struct cpu *cpu)
{
	uint64_t irq = spin_lock(&sched_lock);

	cpu->is_idle = 0;
	spin_unlock(&sched_lock, irq);
	arch_timer_stop();
	ktlb_cpu_offline();
	ktlb_store_release(&cpu->life, CPU_OFF);
	arch_cpu_off();
}

void sched_idle(void)
{
	for (;;) {
		struct cpu *cpu = ktlb_this_cpu(this_cpu);

		arch_irq_save();
		if (ktlb_load_relaxed(&cpu->life) == CPU_LEAVING)
			leave(cpu);
		schedule(&ktlb_this_cpu(this_cpu)->switches);
		arch_wait_for_interrupt();
		arch_irq_restore(0); /* what is pending is taken here */
	}
}

void sched_cpu_is_on(void)
{
	ktlb_store_release(&ktlb_this_cpu(this_cpu)->life, CPU_ON);
}

int sched_cpu_is_off(uint32_t cpu)
{
	return ktlb_load_acquire(&percpu_of(cpu, this_cpu)->life) != CPU_ON;
}

void sched_cpu_off(uint32_t cpu)
{
	struct cpu *of = percpu_of(cpu, this_cpu);

	ASSERT(cpu != 0 && ktlb_load_relaxed(&of->life) == CPU_ON);
	ktlb_store_relaxed(&of->life, CPU_LEAVING);
	arch_kick(cpu);
	while (ktlb_load_acquire(&of->life) != CPU_OFF || !arch_cpu_is_off(cpu))
		sched_yield();
}

void sched_cpu_on(uint32_t cpu)
{
	struct cpu *of = percpu_of(cpu, this_cpu);

	ktlb_store_relaxed(&of->heartbeat, arch_clock());
	arch_start_cpu(cpu, of->idle);
	while (ktlb_load_acquire(&of->life) != CPU_ON)
		sched_yield();
}

void sched_counts(struct cpu_counts *sum)
{
	*sum = (struct cpu_counts){0};
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
		struct cpu *of = percpu_of(cpu, this_cpu);

		sum->switches += ktlb_load_relaxed(&of->switches);
		sum->migrations += ktlb_load_relaxed(&of->migrations);
		sum->preemptions += ktlb_load_relaxed(&of->preemptions);
		sum->checks += ktlb_load_relaxed(&of->checks);
	}
}

/* ---- birth and death --------------------------------------------------------------------------*/

struct thread *thread_prepare(const char *name)
{
	uint64_t irq = spin_lock(&sched_lock);
	struct thread *thread = spare;

	if (thread)
		spare = thread->next;
	spin_unlock(&sched_lock, irq);
	if (!thread) {
		struct thread_block *block = memory_alloc(sizeof(struct thread_block),
		                                          THREAD_BLOCK_SIZE);

		block->magic = STACK_MAGIC;
		thread = &block->thread;
	}
	*thread = (struct thread){
		.state = THREAD_BLOCKED,
		.name = name,
		.number = ktlb_add_relaxed(&thread_numbers, 1) + 1,
		.pinned = -1,
	};
	return thread;
}

void thread_start(struct thread *thread)
{
	thread_wake(thread);
}

void kthread_create(const char *name, void (*start)(void *), void *arg, int32_t pinned)
{
	struct thread *thread = thread_prepare(name);

	thread->start = start;
	thread->arg = arg;
	thread->pinned = pinned;
	arch_thread_kernel(thread);
	thread_start(thread);
}

void thread_exit(void)
{
	arch_irq_save();
	ktlb_store_relaxed(&arch_current()->state, THREAD_DEAD);
	schedule(&ktlb_this_cpu(this_cpu)->switches);
	panic("a dead thread runs");
}

/* ---- sleeping ---------------------------------------------------------------------------------*/

void thread_wake(struct thread *thread)
{
	uint32_t target = cpu_count;
	uint64_t irq = spin_lock(&sched_lock);

	if (thread->state == THREAD_BLOCKED) {
		queue_add(thread);
		target = idle_cpu_for(thread);
	} else if (thread->state == THREAD_BLOCKING) {
		thread->state = THREAD_RUNNING;
	}
	spin_unlock(&sched_lock, irq);
	kick(target);
}

static void wait_remove(struct waitq *queue, struct thread *thread)
{
	struct thread **at = &queue->first;

	while (*at && *at != thread)
		at = &(*at)->wait_next;
	if (*at)
		*at = thread->wait_next;
}

void wait_on(struct waitq *queue, struct spinlock *lock)
{
	struct thread *me = arch_current(), **at = &queue->first;
	uint64_t irq = spin_lock(&sched_lock);

	me->state = THREAD_BLOCKING;
	spin_unlock(&sched_lock, irq);
	while (*at)
		at = &(*at)->wait_next;
	me->wait_next = NULL;
	*at = me;

	/* Interrupts stay off from here to there: the caller's, who has the lock. */
	ktlb_store_release(&lock->held, 0);
	schedule(&ktlb_this_cpu(this_cpu)->switches);
	spin_lock(lock);
	wait_remove(queue, me);
}

void wake_one(struct waitq *queue)
{
	struct thread *thread = queue->first;

	if (thread) {
		queue->first = thread->wait_next;
		thread_wake(thread);
	}
}

void wake_all(struct waitq *queue)
{
	while (queue->first)
		wake_one(queue);
}

static int mutex_try(struct mutex *mutex)
{
	uint64_t irq = spin_lock(&mutex->guard);
	int free = !mutex->held;

	mutex->held = 1;
	spin_unlock(&mutex->guard, irq);
	return free;
}

/*
 * Looks for a while before it sleeps: who holds it is mostly done before a CPU has gone idle and been
 * woken again. Interrupts are on meanwhile.
 */
void mutex_lock(struct mutex *mutex)
{
	uint64_t irq;

	for (uint32_t i = 0; i < MUTEX_LOOKS; i++) {
		if (!ktlb_load_relaxed(&mutex->held) && mutex_try(mutex))
			return;
		ktlb_relax();
	}
	irq = spin_lock(&mutex->guard);
	while (mutex->held)
		wait_on(&mutex->waiters, &mutex->guard);
	mutex->held = 1;
	spin_unlock(&mutex->guard, irq);
}

void mutex_unlock(struct mutex *mutex)
{
	uint64_t irq = spin_lock(&mutex->guard);

	mutex->held = 0;
	wake_one(&mutex->waiters);
	spin_unlock(&mutex->guard, irq);
}

void latch_done(struct latch *latch)
{
	uint64_t irq = spin_lock(&latch->lock);

	if (!--latch->missing)
		wake_all(&latch->waiters);
	spin_unlock(&latch->lock, irq);
}

void latch_wait(struct latch *latch)
{
	uint64_t irq = spin_lock(&latch->lock);

	while (latch->missing)
		wait_on(&latch->waiters, &latch->lock);
	spin_unlock(&latch->lock, irq);
}
