/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/wants.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"

#define NUDGE_NS (10 * TW_NS_PER_MS) /* between two times that the other thread is woken */
#define ALL_NS   (TW_NS_PER_SECOND / 2)
#define ALL_ROW  4 /* times that all is said without a pause */

struct tw_wants {
	int fd;
	_Atomic uint16_t most;
	uint64_t nudged; /* CLOCK_MONOTONIC, ns; the one thread's */
	uint64_t paid;   /* when all that was said of all has had its share of time; the other's */
};

struct tw_wants *tw_wants__new(void)
{
	struct tw_wants *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd >= 0)
		return w;
	free(w);
	return NULL;
}

void tw_wants__free(struct tw_wants *w)
{
	if (!w)
		return;
	close(w->fd);
	free(w);
}

/* What comes too soon for another wake-up is found by the next round, or asked again. */
void tw_wants__add(struct tw_wants *w, uint16_t what)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC), one = 1;

	if (what > atomic_load(&w->most))
		atomic_store(&w->most, what); /* at worst what was just taken is said once more */
	if (now - w->nudged < NUDGE_NS)
		return;
	if (write(w->fd, &one, sizeof(one)) == sizeof(one))
		w->nudged = now;
}

int tw_wants__fd(const struct tw_wants *w)
{
	return w->fd;
}

static bool can_afford_all(struct tw_wants *w, uint64_t now)
{
	const uint64_t paid = (w->paid > now ? w->paid : now) + ALL_NS;

	if (paid > now + ALL_ROW * ALL_NS)
		return false;
	w->paid = paid;
	return true;
}

uint16_t tw_wants__take(struct tw_wants *w, uint64_t now)
{
	const uint16_t most = atomic_load_explicit(&w->most, memory_order_relaxed) ? atomic_exchange(&w->most, 0) : 0;

	return most == TW_WANT_ALL && !can_afford_all(w, now) ? TW_WANT_CLOCK : most;
}
