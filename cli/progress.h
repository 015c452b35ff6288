/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress of reading a large file: percentage, rate and time left, on standard error. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what, *name; /* "converting", name of the file; borrowed */
	uint64_t began, next;    /* CLOCK_MONOTONIC, ns */
	bool terminal;           /* one line that is overwritten; otherwise a line every five seconds */
	bool in_line;            /* this line has no end yet */
	bool quiet;
	pthread_t thread; /* of progress__watch() */
	int fd, ending;   /* the file that it watches; an eventfd that ends it, -1 = there is no thread */
	uint64_t size;    /* of the file */
};

/** progress__begin() - nothing is shown in the first second; @quiet: nothing at all */
void progress__begin(struct progress *p, const char *what, const char *name, bool quiet);

/** progress__show() - @done of @all bytes are read; prints at most five times a second */
void progress__show(struct progress *p, uint64_t done, uint64_t all);

/** progress__watch() - let a thread show the position in @fd until progress__end(); nothing for a pipe, or without memory for a thread */
void progress__watch(struct progress *p, int fd);

/** progress__end() - end the thread, and the line before other messages */
void progress__end(struct progress *p);

#endif
