/* SPDX-License-Identifier: MIT */
/*
 * Processes: an address space, its threads, and what remains until somebody waits for it.
 *
 *   FREE -> ALIVE     process_spawn
 *   ALIVE -> ENDED    its last thread, once the space is gone
 *   ENDED -> FREE     process_wait
 *
 * A thread leaves its process thus, and the order matters: interrupts off, space = null, lazy; then
 * it is off the list. So when the last one is off the list no CPU has the space loaded, nor will a
 * switch load it again: ktlb_space_destroy may be called.
 *
 * process_lock guards the table and the lists of threads. A process is ended by marking it and
 * waking all its threads; each notices when it is about to return to user mode, or to sleep.
 */
#include <arch.h>

enum process_state {
	PROCESS_FREE,
	PROCESS_ALIVE,
	PROCESS_ENDED,
};

struct process {
	struct space space;
	enum process_state state; /* process_lock */
	uint32_t program;         /* constant */
	struct thread *threads;   /* process_lock */
	uint32_t stacks;          /* process_lock: how many threads there ever were */
	uint32_t must_die;        /* process_lock to set, atomic to look */
	int64_t code;             /* process_lock */
	uint64_t from, to, go;    /* process_lock: SYS_ON_FAULT */
};

static struct spinlock process_lock;
static struct process processes[MAX_PROCESSES];
static struct waitq process_waiters; /* for any to end */

static const char *const program_names[PROGRAMS] = {
	[PROGRAM_COHERENCE] = "coherence", [PROGRAM_PATTERN] = "pattern",
	[PROGRAM_WANDER] = "wander",       [PROGRAM_STORM] = "storm",
	[PROGRAM_GIVE_BACK] = "give back", [PROGRAM_EXIT_IN_TURN] = "exit in turn",
	[PROGRAM_SENDER] = "sender",       [PROGRAM_RECEIVER] = "receiver",
	[PROGRAM_SPARSE] = "sparse",       [PROGRAM_LAZY] = "lazy",
	[PROGRAM_FAULT] = "fault",
};

static struct process *self(void)
{
	return arch_current()->process;
}

/* ---- threads ----------------------------------------------------------------------------------*/

static int add_thread(struct process *process, uint64_t pc, uint64_t arg0, uint64_t arg1,
                      int32_t pinned)
{
	uint64_t irq = spin_lock(&process_lock), top;
	uint32_t stack = process->stacks;
	struct thread *thread;

	if (stack < USER_MAX_THREADS)
		process->stacks++;
	spin_unlock(&process_lock, irq);
	if (stack == USER_MAX_THREADS)
		return -1;
	top = USER_STACKS + (stack + 1) * USER_STACK_STEP;
	if (vm_map(&process->space, top - USER_STACK_SIZE, USER_STACK_SIZE, PROT_READ | PROT_WRITE))
		return -1;

	thread = thread_prepare(program_names[process->program]);
	thread->process = process;
	thread->space = &process->space;
	thread->pinned = pinned;
	arch_thread_user(thread, pc, top, arg0, arg1);
	irq = spin_lock(&process_lock);
	thread->sibling = process->threads;
	process->threads = thread;
	spin_unlock(&process_lock, irq);
	thread_start(thread);
	return 0;
}

int process_add_thread(uint64_t pc, uint64_t arg0, uint64_t arg1, uint64_t cpu)
{
	if (cpu != CPU_ANY && cpu >= cpu_count)
		return -1;
	return add_thread(self(), pc, arg0, arg1, cpu == CPU_ANY ? -1 : (int32_t)cpu);
}

static void forget_thread(struct process *process, struct thread *thread)
{
	struct thread **at = &process->threads;

	while (*at != thread)
		at = &(*at)->sibling;
	*at = thread->sibling;
}

void process_exit_thread(void)
{
	struct thread *me = arch_current();
	struct process *process = me->process;
	uint64_t irq = arch_irq_save();
	int last;

	me->space = NULL;
	ktlb_enter_lazy();
	spin_lock(&process_lock);
	forget_thread(process, me);
	last = !process->threads;
	spin_unlock(&process_lock, irq);
	if (last) {
		vm_destroy(&process->space);
		irq = spin_lock(&process_lock);
		process->state = PROCESS_ENDED;
		wake_all(&process_waiters);
		spin_unlock(&process_lock, irq);
	}
	thread_exit();
}

int thread_must_die(void)
{
	struct process *process = self();

	return process && ktlb_load_relaxed(&process->must_die);
}

void process_end(int64_t code)
{
	struct process *process = self();
	uint64_t irq = spin_lock(&process_lock);

	if (!process->must_die) {
		process->code = code;
		ktlb_store_relaxed(&process->must_die, 1);
		for (struct thread *thread = process->threads; thread; thread = thread->sibling)
			thread_wake(thread);
	}
	spin_unlock(&process_lock, irq);
}

/* ---- processes --------------------------------------------------------------------------------*/

int process_spawn(uint32_t program, uint64_t arg)
{
	uint64_t size = (uint64_t)(arch_user_image_end - arch_user_image);
	uint64_t irq = spin_lock(&process_lock);
	struct process *process = processes;

	while (process < processes + MAX_PROCESSES && process->state != PROCESS_FREE)
		process++;
	if (process == processes + MAX_PROCESSES || program >= PROGRAMS) {
		spin_unlock(&process_lock, irq);
		return -1;
	}
	process->state = PROCESS_ALIVE;
	process->program = program;
	process->stacks = 0;
	process->must_die = 0;
	process->code = 0;
	process->from = process->to = process->go = 0;
	spin_unlock(&process_lock, irq);

	vm_create(&process->space);
	/* Shared with all other processes, never written: no cache maintenance either. */
	vm_map_image(&process->space, USER_TEXT, size,
	             (uint64_t)(uintptr_t)arch_user_image - ARCH_LINEAR_OFFSET);
	add_thread(process, USER_TEXT, program, arg, -1);
	return (int)(process - processes);
}

int64_t process_wait(uint32_t number)
{
	struct process *process = &processes[number];
	uint64_t irq;
	int64_t code = -1;

	if (number >= MAX_PROCESSES)
		return -1;
	irq = spin_lock(&process_lock);
	while (process->state == PROCESS_ALIVE && !thread_must_die())
		wait_on(&process_waiters, &process_lock);
	if (process->state == PROCESS_ENDED) {
		code = process->code;
		process->state = PROCESS_FREE;
	}
	spin_unlock(&process_lock, irq);
	return code;
}

uint32_t process_space_ids(uint64_t *ids, uint32_t size)
{
	uint64_t irq = spin_lock(&process_lock);
	uint32_t n = 0;

	for (uint32_t i = 0; i < MAX_PROCESSES && n < size; i++)
		if (processes[i].state == PROCESS_ALIVE)
			ids[n++] = ktlb_space_id(&processes[i].space.ktlb);
	spin_unlock(&process_lock, irq);
	return n;
}

struct ktlb_space *process_space(uint32_t number)
{
	return &processes[number].space.ktlb;
}

/* ---- what user mode runs into -----------------------------------------------------------------*/

void process_on_fault(uint64_t from, uint64_t to, uint64_t go)
{
	uint64_t irq = spin_lock(&process_lock);

	self()->from = from;
	self()->to = to;
	self()->go = go;
	spin_unlock(&process_lock, irq);
}

uint64_t process_fault_target(uint64_t pc)
{
	uint64_t irq = spin_lock(&process_lock);
	uint64_t go = pc >= self()->from && pc < self()->to ? self()->go : 0;

	spin_unlock(&process_lock, irq);
	return go;
}

uint64_t kernel_user_fault(uint64_t va, uint64_t pc, enum vm_access access)
{
	uint64_t go;

	if (!vm_fault(arch_current()->space, va, access))
		return 0;
	go = process_fault_target(pc);
	/* PROGRAM_FAULT is there to fault: no need to tell. */
	if (!go && self()->program != PROGRAM_FAULT)
		kprintf("thread %u (%s): fault at pc %lx, address %lx\n", arch_current()->number,
		        arch_current()->name, pc, va);
	if (!go)
		process_end(EXIT_FAULT);
	return go;
}

void kernel_user_bad(const char *what, uint64_t pc)
{
	kprintf("thread %u (%s): %s at pc %lx\n", arch_current()->number, arch_current()->name,
	        what, pc);
	process_end(EXIT_FAULT);
}

void kernel_user_return(void)
{
	if (thread_must_die()) {
		arch_irq_restore(0);
		process_exit_thread();
	}
}
