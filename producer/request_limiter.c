/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/request_limiter.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"

#define CLOCK_NS    (TW_NS_PER_SECOND / 20)
#define CLOCK_BURST 8
#define ALL_NS      (TW_NS_PER_SECOND / 2)
#define ALL_BURST   2
#define ALL_BYTES   (256u << 10) /* larger metadata is sent less often, in proportion to its size */

#define BIT(what) (1u << (what))

/* A token bucket: allows @burst sends in a row, then one every @each ns. */
struct send_budget {
	uint64_t each, burst;
	uint64_t paid; /* the time at which the intervals (@each) of all previous sends are over, CLOCK_MONOTONIC */
};

struct tw_request_limiter {
	int fd;
	_Atomic unsigned int requests; /* BIT()s of pending requests */
	struct send_budget clock, all; /* used only by the thread that takes requests */
};

struct tw_request_limiter *tw_request_limiter__new(void)
{
	struct tw_request_limiter *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->clock = (struct send_budget){ .each = CLOCK_NS, .burst = CLOCK_BURST };
	w->all = (struct send_budget){ .each = ALL_NS, .burst = ALL_BURST };
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd >= 0)
		return w;
	free(w); /* keeps errno */
	return NULL;
}

void tw_request_limiter__free(struct tw_request_limiter *w)
{
	if (!w)
		return;
	close(w->fd);
	free(w);
}

/*
 * A request for all metadata is also a request for HOST and CLOCK. If the limits do not permit all metadata yet, HOST and CLOCK are sent
 * first. The eventfd is written only for a new request: a pending request has already woken the sender, which answers as soon as the limits
 * permit.
 */
void tw_request_limiter__add(struct tw_request_limiter *w, uint16_t what)
{
	const unsigned int requests = what >= TW_METADATA_REQUEST_ALL
					      ? BIT(TW_METADATA_REQUEST_ALL) | BIT(TW_METADATA_REQUEST_CLOCK)
					      : BIT(what);

	if (requests & ~atomic_fetch_or(&w->requests, requests))
		eventfd_write(w->fd, 1);
}

int tw_request_limiter__fd(const struct tw_request_limiter *w)
{
	return w->fd;
}

static uint64_t paid_after(const struct send_budget *b, uint64_t now)
{
	return (b->paid > now ? b->paid : now) + b->each;
}

/* Return: time until one more send is allowed, ns */
static uint64_t pause_of(const struct send_budget *b, uint64_t now)
{
	const uint64_t paid = paid_after(b, now), max = now + b->burst * b->each;

	return paid > max ? paid - max : 0;
}

static bool spend(struct send_budget *b, uint64_t now)
{
	if (pause_of(b, now))
		return false;
	b->paid = paid_after(b, now);
	return true;
}

uint16_t tw_request_limiter__take(struct tw_request_limiter *w, uint64_t now)
{
	const unsigned int requests = atomic_load(&w->requests);

	if (requests & BIT(TW_METADATA_REQUEST_ALL) && spend(&w->all, now)) {
		atomic_fetch_and(&w->requests, ~(BIT(TW_METADATA_REQUEST_ALL) | BIT(TW_METADATA_REQUEST_CLOCK)));
		return TW_METADATA_REQUEST_ALL;
	}
	if (requests & BIT(TW_METADATA_REQUEST_CLOCK) && spend(&w->clock, now)) {
		atomic_fetch_and(&w->requests, ~BIT(TW_METADATA_REQUEST_CLOCK));
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
	const unsigned int requests = atomic_load(&w->requests);
	const uint64_t all = requests & BIT(TW_METADATA_REQUEST_ALL) ? pause_of(&w->all, now) : UINT64_MAX;
	const uint64_t clock = requests & BIT(TW_METADATA_REQUEST_CLOCK) ? pause_of(&w->clock, now) : UINT64_MAX;

	return all < clock ? all : clock;
}
