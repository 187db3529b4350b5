/* SPDX-License-Identifier: MIT */
/* The system calls, abi.h, each a line or two around what the other files do. Interrupts are on. */
#include <arch.h>

#define TEXT_SIZE 128

/* Takes a text from the program; what does not fit, or cannot be read, is left out. */
static const char *user_text(char *to, uint64_t va, uint64_t size)
{
	if (size >= TEXT_SIZE)
		size = TEXT_SIZE - 1;
	to[size] = '\0';
	return vm_read(arch_current()->space, va, to, size) ? "(unreadable)" : to;
}

static uint64_t sys_send(const uint64_t arg[6])
{
	struct message message;

	for (uint32_t i = 0; i < MESSAGE_WORDS; i++)
		message.word[i] = arg[1 + i];
	return (uint64_t)channel_send((uint32_t)arg[0], &message);
}

static uint64_t sys_receive(uint64_t arg[6])
{
	struct message message = {{0}};
	int error = channel_receive((uint32_t)arg[0], &message);

	for (uint32_t i = 0; i < MESSAGE_WORDS; i++)
		arg[1 + i] = message.word[i];
	return (uint64_t)error;
}

static uint64_t sys_print(const uint64_t arg[6])
{
	char text[TEXT_SIZE];

	kprintf("%s\n", user_text(text, arg[0], arg[1]));
	return 0;
}

static uint64_t sys_die(const uint64_t arg[6])
{
	char text[TEXT_SIZE];

	kprintf("thread %u (%s): %s (0x%lx, 0x%lx)\n", arch_current()->number, arch_current()->name,
	        user_text(text, arg[0], arg[1]), arg[2], arg[3]);
	process_end(1);
	return 0;
}

static uint64_t sys_cpu(void)
{
	uint64_t irq = arch_irq_save(), cpu = ktlb_cpu_id();

	arch_irq_restore(irq);
	return cpu;
}

void syscall(uint64_t number, uint64_t arg[6])
{
	struct space *space = arch_current()->space;
	uint64_t result = 0;

	switch (number) {
	case SYS_MAP:
		result = (uint64_t)vm_map(space, arg[0], arg[1], (uint32_t)arg[2]);
		break;
	case SYS_UNMAP:
		result = (uint64_t)vm_unmap(space, arg[0], arg[1]);
		break;
	case SYS_PROTECT:
		result = (uint64_t)vm_protect(space, arg[0], arg[1], (uint32_t)arg[2]);
		break;
	case SYS_DONTNEED:
		result = (uint64_t)vm_dontneed(space, arg[0], arg[1]);
		break;
	case SYS_CHANNEL:
		result = (uint64_t)channel_create();
		break;
	case SYS_SEND:
		result = sys_send(arg);
		break;
	case SYS_RECEIVE:
		result = sys_receive(arg);
		break;
	case SYS_SPAWN:
		result = (uint64_t)process_spawn((uint32_t)arg[0], arg[1]);
		break;
	case SYS_THREAD:
		result = (uint64_t)process_add_thread(arg[0], arg[1], arg[2], arg[3]);
		break;
	case SYS_WAIT:
		result = (uint64_t)process_wait((uint32_t)arg[0]);
		break;
	case SYS_EXIT:
		process_end((int64_t)arg[0]);
		break;
	case SYS_THREAD_EXIT:
		process_exit_thread();
	case SYS_YIELD:
		sched_yield();
		break;
	case SYS_CPU:
		result = sys_cpu();
		break;
	case SYS_ON_FAULT:
		process_on_fault(arg[0], arg[1], arg[2]);
		break;
	case SYS_PRINT:
		result = sys_print(arg);
		break;
	case SYS_DIE:
		result = sys_die(arg);
		break;
	default:
		result = (uint64_t)-1;
	}
	arg[0] = result;
}
