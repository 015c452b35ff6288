/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/progress.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/messages.h"
#include "cli/stop.h"

#define AFTER_NS    TW_NS_PER_SECOND
#define TERMINAL_NS (TW_NS_PER_SECOND / 5)
#define LINES_NS    (5 * TW_NS_PER_SECOND)
#define WATCH_MS    200
#define CLEAR       "\x1b[K" /* clears the rest of the line */

void progress__begin(struct progress *p, const char *what, const char *name, bool quiet)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	*p = (struct progress){ .what = what,
				.name = name,
				.began = now,
				.next = now + AFTER_NS,
				.terminal = isatty(STDERR_FILENO),
				.quiet = quiet,
				.ending = -1 };
}

/* Prints a line of progress. If standard error does not accept the line, no more lines are printed. */
static void print(struct progress *p, double done, double all, double seconds)
{
	const double share = all > 0 && done < all ? done / all : 1;
	const double left = share > 0 ? seconds / share - seconds : 0;

	if (p->terminal)
		fputc('\r', stderr);
	say(stderr, "%s %s: %.0f %%, %.0f MB/s, %.0f s left", p->what, p->name, share * 100, done / seconds / 1e6,
	    left);
	fputs(p->terminal ? CLEAR : "\n", stderr);
	p->quiet = fflush(stderr);
}

void progress__show(struct progress *p, uint64_t done, uint64_t all)
{
	const uint64_t now = p->quiet ? 0 : tw_time__now(CLOCK_MONOTONIC);

	if (now < p->next)
		return;
	p->next = now + (p->terminal ? TERMINAL_NS : LINES_NS);
	p->in_line = p->terminal;
	print(p, (double)done, (double)all, (double)(now - p->began) / TW_NS_PER_SECOND);
}

static void *watch_main(void *data)
{
	struct progress *p = data;
	struct pollfd ending = { .fd = p->ending, .events = POLLIN };

	pthread_setname_np(pthread_self(), "tracewire-prog");
	while (!poll(&ending, 1, WATCH_MS)) {
		const off_t at = lseek(p->fd, 0, SEEK_CUR);

		if (at > 0)
			progress__show(p, (uint64_t)at, p->size);
	}
	return NULL;
}

void progress__watch(struct progress *p, int fd)
{
	struct stat st;

	if (p->quiet || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	p->fd = fd;
	p->size = (uint64_t)st.st_size;
	p->ending = eventfd(0, EFD_CLOEXEC);
	if (p->ending >= 0 && stop__start_thread(&p->thread, watch_main, p)) {
		close(p->ending);
		p->ending = -1;
	}
}

static void end_thread(struct progress *p)
{
	const uint64_t one = 1;

	if (p->ending < 0 || write(p->ending, &one, sizeof(one)) < 0)
		return;
	pthread_join(p->thread, NULL);
	close(p->ending);
	p->ending = -1;
}

void progress__end(struct progress *p)
{
	end_thread(p);
	if (p->in_line)
		fputc('\n', stderr);
	p->in_line = false;
}
