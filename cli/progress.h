/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress of reading a large file: percentage, rate and time left, on standard error. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what, *name; /* words before the numbers, such as "converting" and a file name; borrowed */
	uint64_t began, next;    /* time of progress__begin(); earliest time of the next print; CLOCK_MONOTONIC, ns */
	bool terminal;           /* overwrite one line on a terminal; false: print a line every 5 s */
	bool in_line;            /* the printed line has no newline yet */
	bool quiet;
	pthread_t thread; /* started by progress__watch() */
	/* @fd: the file that the thread watches; @ending: an eventfd that ends the thread, -1 = there is no thread */
	int fd, ending;
	uint64_t size; /* size of the file @fd */
};

/** progress__begin() - start the measurement; nothing is printed in the first second. @quiet: never print */
void progress__begin(struct progress *p, const char *what, const char *name, bool quiet);

/** progress__show() - report that @done of @all bytes are read; prints at most every 0.2 s on a terminal, otherwise every 5 s */
void progress__show(struct progress *p, uint64_t done, uint64_t all);

/** progress__watch() - let a thread show the position in @fd until progress__end(); no effect if @fd is no regular file */
void progress__watch(struct progress *p, int fd);

/** progress__end() - end the thread and the printed line; call it before other messages are printed */
void progress__end(struct progress *p);

#endif
