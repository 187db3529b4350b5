/* SPDX-License-Identifier: MIT */
/*
 * The console. A call formats into a buffer of its own and prints it under console_lock, so that
 * lines of different CPUs do not mix. panic() does not insist on the lock: its holder may be the
 * one that is stuck.
 *
 * Also the four functions that a compiler may call on its own in freestanding code.
 */
#include <stdarg.h>

#include <arch.h>

#define LINE_SIZE   256
#define PANIC_SPINS 1000000 /* a line takes far less, even on a slow console */

static struct spinlock console_lock;

struct text {
	char *to;
	size_t room; /* without the final 0 */
};

static void put(struct text *text, char c)
{
	if (text->room) {
		*text->to++ = c;
		text->room--;
	}
}

static void put_number(struct text *text, uint64_t value, uint32_t base)
{
	char digits[20]; /* 2^64 has that many in base 10 */
	uint32_t n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (n)
		put(text, digits[--n]);
}

static void format_list(char *to, size_t size, const char *format, va_list list)
{
	struct text text = {to, size - 1};

	for (; *format; format++) {
		int is_long = 0;

		if (*format != '%') {
			put(&text, *format);
			continue;
		}
		if (*++format == 'l') {
			is_long = 1;
			format++;
		}
		switch (*format) {
		case 's':
			for (const char *s = va_arg(list, const char *); *s; s++)
				put(&text, *s);
			break;
		case 'c':
			put(&text, (char)va_arg(list, int));
			break;
		case 'd': {
			int64_t value = is_long ? va_arg(list, long) : va_arg(list, int);

			if (value < 0)
				put(&text, '-');
			put_number(&text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);
			break;
		}
		case 'u':
		case 'x':
			put_number(&text,
			           is_long ? va_arg(list, unsigned long)
			                   : va_arg(list, unsigned int),
			           *format == 'x' ? 16 : 10);
			break;
		default:
			put(&text, *format);
		}
	}
	*text.to = '\0';
}

void kformat(char *to, size_t size, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	format_list(to, size, format, list);
	va_end(list);
}

static void put_line(const char *line)
{
	while (*line)
		arch_console_put(*line++);
}

void kprintf(const char *format, ...)
{
	char line[LINE_SIZE];
	va_list list;
	uint64_t irq;

	va_start(list, format);
	format_list(line, sizeof(line), format, list);
	va_end(list);
	irq = spin_lock(&console_lock);
	put_line(line);
	spin_unlock(&console_lock, irq);
}

void panic(const char *format, ...)
{
	static uint32_t panics;
	char line[LINE_SIZE];
	va_list list;

	arch_irq_save();
	/* The first to come ends the run; others, and a panic in here, wait for that. */
	if (__atomic_exchange_n(&panics, 1, __ATOMIC_ACQUIRE))
		for (;;)
			ktlb_relax();
	va_start(list, format);
	format_list(line, sizeof(line), format, list);
	va_end(list);
	for (uint32_t i = 0; i < PANIC_SPINS && ktlb_load_relaxed(&console_lock.held); i++)
		ktlb_relax();
	put_line("\npanic: ");
	put_line(line);
	put_line("\n");
	arch_exit(2);
}

int string_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* ---- what compilers call: https://gcc.gnu.org/onlinedocs/gcc/Standards.html -------------------*/

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

void *memcpy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	if ((uintptr_t)to <= (uintptr_t)from)
		return memcpy(to, from, size);
	while (size--)
		((volatile uint8_t *)to)[size] = ((const uint8_t *)from)[size];
	return to;
}

void *memset(void *to, int value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile uint8_t *)to)[i] = (uint8_t)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		int difference = ((const uint8_t *)a)[i] - ((const uint8_t *)b)[i];

		if (difference)
			return difference;
	}
	return 0;
}
