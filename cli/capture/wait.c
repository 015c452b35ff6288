/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the main thread does while others receive and write. */
#include <poll.h>

#include "base/time.h"
#include "cli/capture/capture.h"
#include "cli/service.h"
#include "cli/standard_files.h"
#include "cli/stop.h"

/* What is due at times while others do the work. */
struct clockwork {
	uint64_t end, status, look, clock; /* CLOCK_MONOTONIC, ns; UINT64_MAX = never */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t earliest(const struct clockwork *due)
{
	return least(least(due->end, due->status), least(due->look, due->clock));
}

/* How good our own clock is, for times that both hosts' word bounds. */
static void tell_own_clock(struct capture *capture)
{
	struct tw_own_clock own;
	struct tw_sync_state state;

	if (!capture->sync)
		return;
	tw_sync__look(capture->sync, &state);
	tw_capture_clock__at(&capture->clock, tw_time__now(CLOCK_REALTIME));
	own = (struct tw_own_clock){ .sync_ns = state.ns, .stepped = tw_capture_clock__stepped(&capture->clock) };
	tw_recorder__own_clock(receiver__recorder(capture->receiver), &own);
}

/* Return: whether the end has come. */
static bool do_what_is_due(struct capture *capture, struct clockwork *due, uint64_t now)
{
	if (now >= due->look) {
		rejected__look(capture->rejected);
		capture__tell_first_refused(capture);
		service__alive(tw_recorder__progress(receiver__recorder(capture->receiver)));
		due->look = now + REJECTED_LOOK_MS * TW_NS_PER_MS;
	}
	if (now >= due->clock) {
		tell_own_clock(capture);
		due->clock = now + TW_NS_PER_SECOND;
	}
	if (now >= due->status) {
		capture__tell_status(capture);
		due->status += capture->status;
	}
	return now >= due->end;
}

void capture__wait(struct capture *capture)
{
	uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	struct clockwork due = {
		.end = capture->output.stop_ns ? now + capture->output.stop_ns : UINT64_MAX,
		.status = capture->status ? now + capture->status : UINT64_MAX,
		.look = now,
		.clock = now,
	};

	while (!do_what_is_due(capture, &due, now)) {
		const uint64_t wait = earliest(&due) > now ? earliest(&due) - now : 0;
		const struct timespec timeout = { .tv_sec = (time_t)(wait / TW_NS_PER_SECOND),
						  .tv_nsec = (long)(wait % TW_NS_PER_SECOND) };
		struct pollfd fds[] = {
			{ .fd = stop__fd(), .events = POLLIN },
			{ .fd = standard_files__behind(), .events = POLLOUT },
		};

		ppoll(fds, 2, &timeout, NULL);
		if (fds[0].revents)
			return;
		now = tw_time__now(CLOCK_MONOTONIC);
	}
}
