/* SPDX-License-Identifier: MIT */
/*
 * The sample kernel, its portable half: what its files offer one another.
 *
 *   main.c      the start, and the command line            print.c    the console
 *   page.c      page frames                                 vm.c       address spaces
 *   sched.c     threads, the run queue, waiting             process.c  processes
 *   channel.c   messages                                    syscall.c  the system calls
 *   watchdog.c  hung CPUs, and the deadline                 test.c     the boot tests
 *   bench.c     the measurements                            user/      the user programs
 *
 * What an architecture adds is in arch.h. ktlb is called from main.c (through the port), sched.c
 * (switch, lazy) and vm.c (everything that changes a page table), and nowhere else.
 *
 * Locks, outermost first; a lock that spins is held with interrupts off, one that sleeps is not:
 *
 *   space.lock (sleeps)   the page table of one space; never held while ktlb flushes
 *   space.busy_lock       what is being flushed in one space
 *   process_lock          the process table, the threads of each process
 *   channel.lock          one channel
 *   mutex.guard           one sleeping lock
 *   sched_lock            the run queue, the state of every thread
 *   page_lock             the free frames
 *   console_lock          the console
 *
 * Since every spinning lock holds interrupts off, a CPU that takes an interrupt holds none: the
 * kernel is preemptible wherever interrupts are on, and needs no preemption counter.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include <ktlb/atomic.h>
#include <ktlb/cpu.h>
#include <ktlb/ktlb.h>

#include <abi.h>
#include <arch_defs.h>

/* How many CPUs this kernel can start; a page of tables and a stack each, nothing is quadratic. */
#define MAX_CPUS 16

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the console: print.c ---------------------------------------------------------------------*/

/* A line at a time: one call is not interrupted by another CPU's. %s %c %d %u %x, %lu and %lx. */
__attribute__((format(printf, 1, 2))) void kprintf(const char *format, ...);
__attribute__((format(printf, 3, 4))) void kformat(char *to, size_t size, const char *format, ...);

/* Prints and ends the run with a failure, whatever the other CPUs are doing. */
__attribute__((noreturn, format(printf, 1, 2))) void panic(const char *format, ...);

#define ASSERT(condition)                                                             \
	do {                                                                          \
		if (!(condition))                                                     \
			panic("%s:%d: %s is not so", __FILE__, __LINE__, #condition); \
	} while (0)

int string_equal(const char *a, const char *b);

/* ---- the command line: main.c -----------------------------------------------------------------*/

struct options {
	const char *test; /* the only test to run, or null: all */
	uint64_t bench;   /* 1: bench_main instead of the tests */
	uint64_t ids;     /* ktlb_config.id_limit */
	uint64_t full;    /* ktlb_config.full_flush_strides */
	uint64_t norange; /* 1: no range invalidation, even if the CPUs have it */
	uint64_t nottl;   /* 1: no level hints, likewise */
	uint64_t nopcid;  /* 1: no ids, likewise; and so for INVPCID and global pages */
	uint64_t noinvpcid;
	uint64_t noglobal;
	uint64_t noerrata; /* 1: work around none */
	uint64_t repeat;   /* 1: work around KTLB_ERRATUM_REPEAT_TLBI */
	uint64_t phase;    /* the first tick comes this many thirds of a period later */
	uint64_t rounds;   /* how many times longer the tests run */
	uint64_t deadline; /* seconds until the run has failed */
	uint64_t silent;   /* seconds without a tick until a CPU counts as hung */
	uint64_t hang;     /* 1: hang a CPU, to see the watchdog bite */
};
extern struct options options;

/* The value of word "name=" in a command line, or `otherwise`; 1 if it stands there without "=". */
uint64_t cmdline_number(const char *cmdline, const char *name, uint64_t otherwise);

extern uint32_t cpu_count; /* CPUs 0 .. cpu_count - 1 are online */

/* CPU `cpu`'s copy of a per-CPU variable; one's own is ktlb_this_cpu(x). */
extern uintptr_t percpu_offset[MAX_CPUS];
#define percpu_of(cpu, x) ((__typeof__(&(x)))(void *)((uintptr_t) & (x) + percpu_offset[cpu]))

/* ---- ktlb's port ------------------------------------------------------------------------------*/

void port_start_ktlb(void);             /* the boot CPU, once, before the next */
void port_start_ktlb_cpu(uint32_t cpu); /* each CPU, first of all */

/* ---- locks that spin: here --------------------------------------------------------------------*/

struct spinlock {
	uint32_t held;
};

/* The interrupted state is the caller's to keep: uint64_t irq = spin_lock(l); spin_unlock(l, irq); */
static inline uint64_t spin_lock(struct spinlock *lock)
{
	uint64_t irq = arch_irq_save();

	/* Not fair on purpose: the next in a queue may be a CPU that the host has descheduled. */
	while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
		while (ktlb_load_relaxed(&lock->held)) {
			ktlb_poll();
			ktlb_relax();
		}
	return irq;
}

static inline void spin_unlock(struct spinlock *lock, uint64_t irq)
{
	ktlb_store_release(&lock->held, 0);
	arch_irq_restore(irq);
}

/* ---- page frames: page.c ----------------------------------------------------------------------*/

/* What a free frame is filled with: a stale read shows it, a stale write damages it. */
#define PAGE_POISON 0xfeedfacedeadbeefull

/* Frames that wait to be freed, linked outside themselves. Of zero bytes: empty. */
struct page_list {
	struct ktlb_gather_page *first;
};

void page_init(void);
uint64_t page_alloc(void); /* the physical address of a page of zeroes; never 0 */
void page_free(uint64_t address);
void page_list_add(struct page_list *list, uint64_t address);
void page_list_free(struct page_list *list);
struct ktlb_gather_page *page_node(uint64_t address); /* by which a frame is in a list */
int page_is_ours(uint64_t address);                   /* not the kernel's image */
uint64_t page_in_use(void);
uint64_t page_damaged(void); /* looks at all free frames; how many were ever found damaged */
void *memory_alloc(uint64_t size, uint64_t alignment); /* for ever; zeroes */

static inline void *page_pointer(uint64_t address)
{
	return (void *)(uintptr_t)(address + ARCH_LINEAR_OFFSET);
}

/* ---- threads: sched.c -------------------------------------------------------------------------*/

enum thread_state {
	THREAD_RUNNING,  /* on a CPU */
	THREAD_READY,    /* in the run queue */
	THREAD_BLOCKING, /* on a CPU, on its way to sleep */
	THREAD_BLOCKED,  /* asleep, its stack unused */
	THREAD_DEAD,     /* on a CPU, for the last time */
};

/*
 * A thread. Its kernel stack ends where the descriptor begins, so that in an exception from user
 * mode, with the stack still empty, the stack pointer is the descriptor's address.
 */
struct thread {
	struct ktlb_thread ktlb;  /* the CPU: by sched.c, before the thread runs there */
	uint32_t state;           /* sched_lock */
	struct arch_thread arch;  /* by arch_switch */
	struct space *space;      /* the thread itself, interrupts off; null: no user half */
	struct process *process;  /* constant; null: a kernel thread */
	struct thread *next;      /* sched_lock: in the run queue */
	struct thread *wait_next; /* the lock of what is waited for */
	struct thread *sibling;   /* process_lock */
	void (*start)(void *arg); /* kernel threads: constant */
	void *arg;
	const char *name;
	uint32_t number;
	int32_t pinned; /* the only CPU that may run it, or -1 */
} __attribute__((aligned(16)));

struct thread_block {
	uint64_t magic; /* the far end of the stack: an overflow destroys it */
	uint8_t stack[THREAD_STACK_END - sizeof(uint64_t)];
	struct thread thread;
} __attribute__((aligned(THREAD_BLOCK_SIZE)));

_Static_assert(offsetof(struct thread, ktlb) == KTLB_CFG_THREAD_OFFSET, "ktlb looks there");
_Static_assert(offsetof(struct thread, arch) == THREAD_ARCH_OFFSET, "arch_switch looks there");
_Static_assert(offsetof(struct thread_block, thread) == THREAD_STACK_END, "start.S looks there");
_Static_assert(sizeof(struct thread_block) == THREAD_BLOCK_SIZE, "a power of two");

/* Where a CPU is: off, unless the kernel started it; it goes when it is asked to. */
enum cpu_life {
	CPU_OFF,
	CPU_ON,
	CPU_LEAVING,
};

/* What each CPU knows of itself; read by others for printing only, but for `life` and `is_idle`. */
struct cpu {
	struct thread *idle;     /* constant */
	const char *thread_name; /* what runs, or did last: by this CPU */
	uint32_t thread_number;
	uint32_t is_idle;     /* sched_lock: to be woken by an interrupt */
	uint64_t heartbeat;   /* clock at the last tick: by this CPU */
	uint64_t switches;    /* by a thread's own doing; all counts are this CPU's */
	uint64_t preemptions; /* switches by the timer */
	uint64_t migrations;  /* of both: to a thread that ran elsewhere before */
	uint64_t checks;      /* times that ktlb_cpu_id() was compared with the hardware's */
	uint32_t life;        /* enum cpu_life: LEAVING by who asks, the others by this CPU */
};
KTLB_PERCPU_DECLARE(struct cpu, this_cpu);

struct cpu_counts {
	uint64_t switches, migrations, preemptions, checks;
};
void sched_counts(struct cpu_counts *sum); /* over all CPUs */

void sched_init_cpu(struct thread *idle); /* the CPU itself, whose first thread this is */
__attribute__((noreturn)) void sched_idle(void);
void sched_cpu_is_on(void);         /* the CPU itself, interrupts off: it takes threads now */
void sched_cpu_off(uint32_t cpu);   /* not the boot CPU; returns when it is off */
void sched_cpu_on(uint32_t cpu);    /* and back; from a thread, one at a time */
int sched_cpu_is_off(uint32_t cpu); /* or about to be */
void sched_tick(void);              /* from the timer, interrupts off: perhaps another thread */
void sched_yield(void);             /* lets others run first */
struct thread *thread_prepare(const char *name);  /* not yet startable, not yet known */
void thread_start(struct thread *thread);         /* into the run queue */
__attribute__((noreturn)) void thread_exit(void); /* kernel threads, and process.c */
int thread_must_die(void);                        /* its process was ended */

/* A kernel thread. pinned: the only CPU that may run it, or -1. */
void kthread_create(const char *name, void (*start)(void *), void *arg, int32_t pinned);

/* Threads that wait for something, guarded by the lock of that something. */
struct waitq {
	struct thread *first;
};

/*
 * Sleeps until woken; may return without cause, so call it in a loop. The caller holds `lock`, has
 * it again afterwards, and is on the queue in between.
 */
void wait_on(struct waitq *queue, struct spinlock *lock);
void wake_one(struct waitq *queue);
void wake_all(struct waitq *queue);
void thread_wake(struct thread *thread);

/* A lock that sleeps. */
struct mutex {
	struct spinlock guard;
	uint32_t held;
	struct waitq waiters;
};
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

/* Waits for a number of events. */
struct latch {
	struct spinlock lock;
	uint32_t missing;
	struct waitq waiters;
};
void latch_done(struct latch *latch);
void latch_wait(struct latch *latch);

/* ---- address spaces: vm.c ---------------------------------------------------------------------*/

enum vm_access {
	VM_READ,
	VM_WRITE,
	VM_EXECUTE,
};

/* Addresses that are being flushed; on the stack of who flushes them. */
struct busy_range {
	uint64_t first, end;
	struct busy_range *next;
};

struct space {
	struct ktlb_space ktlb;
	uint64_t root;     /* constant */
	struct mutex lock; /* the page table */
	struct spinlock busy_lock;
	struct busy_range *busy;   /* busy_lock */
	struct waitq busy_waiters; /* busy_lock: for a range to be gone */
};

struct vm_counts {
	uint64_t demand;    /* faults that got a page of zeroes */
	uint64_t spurious;  /* faults that another thread had mended, or by an entry of before */
	uint64_t unflushed; /* pages that are allowed more, for which nothing was flushed */
	uint64_t tables;    /* page-table pages freed while the space lived */
};
extern struct vm_counts vm_counts; /* atomic adds */

void vm_create(struct space *space);
void vm_destroy(struct space *space); /* no thread runs in it any more */

/* Whole pages. 0, or -1 if the range is not the user's, or (map) not free, or (protect) a hole. */
int vm_map(struct space *space, uint64_t va, uint64_t size, uint32_t prot);
int vm_map_image(struct space *space, uint64_t va, uint64_t size, uint64_t physical);
int vm_unmap(struct space *space, uint64_t va, uint64_t size);
int vm_protect(struct space *space, uint64_t va, uint64_t size, uint32_t prot);
int vm_dontneed(struct space *space, uint64_t va, uint64_t size);

int vm_fault(struct space *space, uint64_t va, enum vm_access access); /* 0: try again */
int vm_read(struct space *space, uint64_t va, void *to, uint64_t size);

/* Points pages of the kernel's window at other frames, or at none; the old ones are then free. */
void vm_window_remap(uint64_t first_page, uint64_t pages, const uint64_t *frames);

/* ---- processes: process.c ---------------------------------------------------------------------*/

#define MAX_PROCESSES 512

int process_spawn(uint32_t program, uint64_t arg); /* its number, or -1 */
int64_t process_wait(uint32_t number);             /* its exit code; forgets it. -1: none, killed */

/* To the caller's process. cpu: the only CPU that may run it, or CPU_ANY. 0, or -1. */
int process_add_thread(uint64_t pc, uint64_t arg0, uint64_t arg1, uint64_t cpu);

void process_end(int64_t code); /* the caller's: all threads must die */
__attribute__((noreturn)) void process_exit_thread(void);
void process_on_fault(uint64_t from, uint64_t to, uint64_t go);
uint64_t process_fault_target(uint64_t pc);               /* 0: none */
uint32_t process_space_ids(uint64_t *ids, uint32_t size); /* ktlb_space_id of all that live */
struct ktlb_space *process_space(uint32_t number);        /* of one that lives */

/* ---- messages: channel.c ----------------------------------------------------------------------*/

#define MAX_CHANNELS 1024

int channel_create(void); /* its number, or -1 */
void channel_destroy(uint32_t number);
int channel_send(uint32_t number, const struct message *message); /* 0; -1: no such, or killed */
int channel_receive(uint32_t number, struct message *message);

/* ---- what interrupts the rest: watchdog.c, syscall.c -----------------------------------------*/

void watchdog_start(void);
void watchdog_tick(void);
void watchdog_task(const char *name); /* what the run is busy with, for the deadline's report */
__attribute__((noreturn)) void watchdog_hang(void);

/* Arguments in arg[0..5]; the answer goes to arg[0], a received message to arg[1..4]. */
void syscall(uint64_t number, uint64_t arg[6]);

/* ---- the work: test.c, bench.c ----------------------------------------------------------------*/

int test_main(void); /* the exit code */
void bench_main(const char *cmdline);

/*
 * The messaging load: in each group 20 senders and 20 receivers, a process each; every sender
 * sends `loops` messages to every receiver of its group. Returns when all have ended: 0 if every
 * message arrived, in order, once. From a kernel thread.
 */
int run_messages(uint32_t groups, uint32_t loops);

#endif /* KERNEL_H */
