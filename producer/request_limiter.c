/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/request_limiter.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"

#define CLOCK_NS  (TW_NS_PER_SECOND / 20)
#define CLOCK_ROW 8
#define ALL_NS    (TW_NS_PER_SECOND / 2)
#define ALL_ROW   2
#define ALL_BYTES (256u << 10) /* more takes longer than ALL_NS, as much as it is more */

#define BIT(what) (1u << (what))

/* Something may be said so often in a row, and then once in so many ns. */
struct budget {
	uint64_t each, row;
	uint64_t paid; /* when all that was said has had its share of time */
};

struct tw_request_limiter {
	int fd;
	_Atomic unsigned int wanted; /* BIT()s of what is still to be said */
	struct budget clock, all;    /* who takes has them */
};

struct tw_request_limiter *tw_request_limiter__new(void)
{
	struct tw_request_limiter *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->clock = (struct budget){ .each = CLOCK_NS, .row = CLOCK_ROW };
	w->all = (struct budget){ .each = ALL_NS, .row = ALL_ROW };
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd >= 0)
		return w;
	free(w); /* which keeps errno */
	return NULL;
}

void tw_request_limiter__free(struct tw_request_limiter *w)
{
	if (!w)
		return;
	close(w->fd);
	free(w);
}

/* Until all can be said, HOST and CLOCK are. What was wanted before has woken who takes it, who knows when it may be said. */
void tw_request_limiter__add(struct tw_request_limiter *w, uint16_t what)
{
	const unsigned int wanted = what >= TW_METADATA_REQUEST_ALL
					    ? BIT(TW_METADATA_REQUEST_ALL) | BIT(TW_METADATA_REQUEST_CLOCK)
					    : BIT(what);

	if (wanted & ~atomic_fetch_or(&w->wanted, wanted))
		eventfd_write(w->fd, 1);
}

int tw_request_limiter__fd(const struct tw_request_limiter *w)
{
	return w->fd;
}

static uint64_t paid_after(const struct budget *b, uint64_t now)
{
	return (b->paid > now ? b->paid : now) + b->each;
}

/* How long until it may be said once more */
static uint64_t pause_of(const struct budget *b, uint64_t now)
{
	const uint64_t paid = paid_after(b, now), most = now + b->row * b->each;

	return paid > most ? paid - most : 0;
}

static bool spend(struct budget *b, uint64_t now)
{
	if (pause_of(b, now))
		return false;
	b->paid = paid_after(b, now);
	return true;
}

uint16_t tw_request_limiter__take(struct tw_request_limiter *w, uint64_t now)
{
	const unsigned int wanted = atomic_load(&w->wanted);

	if (wanted & BIT(TW_METADATA_REQUEST_ALL) && spend(&w->all, now)) {
		atomic_fetch_and(&w->wanted, ~(BIT(TW_METADATA_REQUEST_ALL) | BIT(TW_METADATA_REQUEST_CLOCK)));
		return TW_METADATA_REQUEST_ALL;
	}
	if (wanted & BIT(TW_METADATA_REQUEST_CLOCK) && spend(&w->clock, now)) {
		atomic_fetch_and(&w->wanted, ~BIT(TW_METADATA_REQUEST_CLOCK));
		return TW_METADATA_REQUEST_CLOCK;
	}
	return 0;
}

void tw_request_limiter__set_metadata_size(struct tw_request_limiter *w, uint64_t bytes)
{
	w->all.each = bytes > ALL_BYTES ? bytes * (ALL_NS / ALL_BYTES) : ALL_NS;
}

uint64_t tw_request_limiter__pause(const struct tw_request_limiter *w, uint64_t now)
{
	const unsigned int wanted = atomic_load(&w->wanted);
	const uint64_t all = wanted & BIT(TW_METADATA_REQUEST_ALL) ? pause_of(&w->all, now) : UINT64_MAX;
	const uint64_t clock = wanted & BIT(TW_METADATA_REQUEST_CLOCK) ? pause_of(&w->clock, now) : UINT64_MAX;

	return all < clock ? all : clock;
}
