/* SPDX-License-Identifier: MIT */
/*
 * Lines of text for the kernel to print: words and numbers, one after the other, cut where the line is
 * full. No printf, no heap.
 */
#ifndef KTLB_TEXT_H
#define KTLB_TEXT_H

#include "ktlb_priv.h"

#define KTLB_TEXT_SIZE 120u

struct ktlb_text {
	uint32_t used;
	char line[KTLB_TEXT_SIZE];
};

/* Byte by byte through atomic.h: the compiler would call memcpy and strlen for plain ones. */
static inline void ktlb_text_char(struct ktlb_text *text, char c)
{
	if (text->used == KTLB_TEXT_SIZE - 1)
		return;
	ktlb_store_relaxed(&text->line[text->used++], c);
	ktlb_store_relaxed(&text->line[text->used], '\0');
}

static inline void ktlb_text_add(struct ktlb_text *text, const char *words)
{
	for (; *words; words++)
		ktlb_text_char(text, *words);
}

static inline void ktlb_text_begin(struct ktlb_text *text, const char *words)
{
	text->used = 0;
	text->line[0] = '\0';
	ktlb_text_add(text, words);
}

/* In decimal or, with 0x in front, in hexadecimal. */
static inline void ktlb_text_number(struct ktlb_text *text, uint64_t value, uint32_t base)
{
	uint64_t unit = 1;

	if (base == 16)
		ktlb_text_add(text, "0x");
	while (value / unit >= base)
		unit *= base;
	for (; unit; unit /= base)
		ktlb_text_char(text, "0123456789abcdef"[value / unit % base]);
}

#endif /* KTLB_TEXT_H */
