/* SPDX-License-Identifier: MIT */
/*
 * Says what the plugin counts x86-64 instructions as: reads the bytes of one on each line, in
 * hexadecimal, and writes the kind. The bytes lie at the end of a block of their own, so that a
 * sanitizer sees a read beyond them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_x86_64.h"

#define MOST_BYTES 15

static const char *const kind_name[COUNT_X86_64_KINDS] = {"other", "atomic", "fence",
                                                          "root",  "invlpg", "invpcid"};

/* How many bytes the line has; 0 if it is not what it should be. */
static size_t parse(const char *line, uint8_t byte[MOST_BYTES])
{
	size_t n = 0;
	unsigned int value;
	int used;

	while (n < MOST_BYTES && sscanf(line, " %2x%n", &value, &used) == 1) {
		byte[n++] = (uint8_t)value;
		line += used;
	}
	return line[strspn(line, " \n")] ? 0 : n;
}

int main(void)
{
	char line[256];
	uint8_t byte[MOST_BYTES];

	while (fgets(line, sizeof(line), stdin)) {
		size_t n = parse(line, byte);
		uint8_t *exact = malloc(n ? n : 1);

		if (!n || !exact) {
			fprintf(stderr, "not an instruction: %s", line);
			return 1;
		}
		memcpy(exact, byte, n);
		puts(kind_name[count_decode_x86_64(exact, n)]);
		free(exact);
	}
	return 0;
}
