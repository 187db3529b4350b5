/* SPDX-License-Identifier: MIT */
/*
 * A pool of processes: as many at once as there are cores, their lines as they come, and how far all
 * of it is.
 *
 * Progress is for a terminal alone: "312 of 1120 jobs, 3.1 M runs, 84 k/s, 40 s left", on one line
 * that is written over. In a pipe nothing is said until the end.
 */
#include "front.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_MS 200

struct slot {
	struct job job;
	pid_t child; /* 0: the slot is free */
	int out;
	char *text; /* what has come and is no whole line yet */
	size_t length, size;
};

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void start(struct slot *slot)
{
	int ends[2];

	fflush(0);
	if (pipe(ends) != 0 || (slot->child = fork()) < 0)
		usage("cannot start a process: %s", strerror(errno));
	if (slot->child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		if (slot->job.command) {
			execv(slot->job.command->argument[0], slot->job.command->argument);
			_exit(127);
		}
		exit(slot->job.function(slot->job.subject));
	}
	close(ends[1]);
	slot->out = ends[0];
	slot->length = 0;
}

static void give_lines(struct pool *pool, struct slot *slot)
{
	char *line = slot->text, *end;

	while ((end = memchr(line, '\n', slot->length - (size_t)(line - slot->text)))) {
		*end = 0;
		pool->line(pool->context, &slot->job, line);
		line = end + 1;
	}
	slot->length -= (size_t)(line - slot->text);
	memmove(slot->text, line, slot->length);
}

static void finish(struct pool *pool, struct slot *slot)
{
	int status;

	close(slot->out);
	while (waitpid(slot->child, &status, 0) < 0)
		if (errno != EINTR)
			usage("lost a process: %s", strerror(errno));
	slot->child = 0;
	pool->end(pool->context, &slot->job, status);
}

/* Takes what there is to read; at its end the process is over. */
static void take(struct pool *pool, struct slot *slot)
{
	ssize_t got;

	if (slot->size - slot->length < 4096) {
		slot->size = 2 * slot->size + 4096;
		slot->text = realloc(slot->text, slot->size);
		if (!slot->text)
			usage("out of memory");
	}
	got = read(slot->out, slot->text + slot->length, slot->size - slot->length);
	if (got > 0) {
		slot->length += (size_t)got;
		give_lines(pool, slot);
	} else if (got == 0 || errno != EINTR) {
		finish(pool, slot);
	}
}

static void draw(struct pool *pool, double began)
{
	char text[128];
	double share = pool->progress(pool->context, text, sizeof(text));
	double passed = now() - began;

	fprintf(stderr, "\r\033[K  %s", text);
	if (share > 0.01 && share < 1)
		fprintf(stderr, ", %.0f s left", passed / share - passed);
	fflush(stderr);
}

static unsigned fill(struct pool *pool, struct slot *slots)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < pool->jobs; i++) {
		if (!slots[i].child) {
			memset(&slots[i].job, 0, sizeof(slots[i].job));
			if (!pool->next(pool->context, &slots[i].job))
				continue;
			start(&slots[i]);
		}
		busy++;
	}
	return busy;
}

void pool_run(struct pool *pool)
{
	struct slot *slots = allocate(pool->jobs * sizeof(*slots));
	struct pollfd *polled = allocate(pool->jobs * sizeof(*polled));
	int terminal = isatty(STDERR_FILENO);
	double began = now(), drawn = 0;

	while (fill(pool, slots)) {
		for (unsigned i = 0; i < pool->jobs; i++)
			polled[i] = (struct pollfd){slots[i].child ? slots[i].out : -1, POLLIN, 0};
		if (poll(polled, pool->jobs, REDRAW_MS) > 0)
			for (unsigned i = 0; i < pool->jobs; i++)
				if (polled[i].fd >= 0 && polled[i].revents)
					take(pool, &slots[i]);
		if (terminal && now() - drawn > REDRAW_MS * 1e-3) {
			draw(pool, began);
			drawn = now();
		}
	}
	if (terminal)
		fputs("\r\033[K", stderr);
	for (unsigned i = 0; i < pool->jobs; i++)
		free(slots[i].text);
	free(slots);
	free(polled);
}
