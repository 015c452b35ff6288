/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/reference.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>

#include "base/time.h"

/* Growth of the distance while a PHC cannot be read, ns per s: nobody compares the clocks. */
static const struct tw_bounds any_rate = { -TW_DRIFT_MAX, TW_DRIFT_MAX };

/* Return: the kernel's TAI - UTC, ns; 0 if no program has set it */
static int64_t kernel_tai(void)
{
	struct timex tx = { 0 };

	adjtimex(&tx);
	return tx.tai * (int64_t)TW_NS_PER_SECOND;
}

/* A measurement of a clock minus the capture clock. */
struct measured {
	uint64_t time; /* capture clock, ns */
	int64_t distance;
	uint64_t error_ns; /* error bound of @distance */
};

/* Measure CLOCK_REALTIME or CLOCK_TAI; the shortest of several measurements is used. */
static struct measured measure(const struct tw_capture_clock *clock, clockid_t id)
{
	struct measured ret = { .error_ns = UINT64_MAX };

	for (int i = 0; i < TW_STAMPS_TRIES; i++) {
		const uint64_t before = tw_capture_clock__now(clock);
		const uint64_t now = tw_time__now(id);
		const uint64_t half = (tw_capture_clock__now(clock) - before) / 2;

		if (half < ret.error_ns)
			ret = (struct measured){ before + half, (int64_t)(now - before - half), half + 1 };
	}
	return ret;
}

/* Read REALTIME or TAI. A distance that the errors of this and of earlier measurements cannot explain is a step. */
static void look_at_system(struct tw_reference *r, const struct tw_capture_clock *clock)
{
	const struct measured m = measure(clock, r->state.kind == TW_REFERENCE_TAI ? CLOCK_TAI : CLOCK_REALTIME);
	const int64_t distance = m.distance - r->tai_ns, error = (int64_t)m.error_ns;
	const struct tw_bounds bounds = { distance - error, distance + error };
	struct tw_reference_state *s = &r->state;

	if (s->time) {
		/* The bounds of both measurements are not intersected, because a step may be smaller than the errors. */
		const struct tw_bounds both = tw_bounds__meet(s->bounds, bounds);

		if (both.low > both.high)
			s->stepped += tw_bounds__middle(bounds) - tw_bounds__middle(s->bounds);
	}
	s->time = m.time;
	s->bounds = bounds;
}

/* Return: the number of whole seconds, in ns, that brings @ns nearest to 0 if it is subtracted */
static int64_t whole_seconds(int64_t ns)
{
	const int64_t second = (int64_t)TW_NS_PER_SECOND;

	return (ns + (ns < 0 ? -second / 2 : second / 2)) / second * second;
}

/* Read the PHC. Return: false if it cannot be read */
static bool read_phc(struct tw_reference *r, const struct tw_capture_clock *clock, struct measured *ret)
{
	struct tw_phc_reading reading;
	uint64_t time;

	if (tw_phc__read(&r->phc, CLOCK_BOOTTIME, &reading))
		return false;
	time = reading.system + (uint64_t)clock->begun;
	*ret = (struct measured){ time, (int64_t)(reading.phc - time), reading.error_ns };
	return true;
}

static bool is_of_ptp4l(const struct tw_reference *r, const struct tw_sync_state *sync)
{
	return sync->phc.any && sync->phc.index == r->phc.index;
}

/*
 * Add a reading to the state. A reading outside of the expected bounds is a step if drift cannot explain it; otherwise the rate has changed
 * more than expected.
 */
static void take_phc(struct tw_reference *r, const struct measured *m)
{
	const struct tw_distance_mark *newest = tw_readings__newest(&r->readings);
	struct tw_bounds possible = { INT64_MIN, INT64_MAX };
	struct tw_reference_state *s = &r->state;

	if (newest)
		possible = tw_bounds__grown(newest->bounds, tw_time__apart(newest->time, m->time));
	tw_readings__take(&r->readings, m->time, m->distance, m->error_ns);
	newest = tw_readings__newest(&r->readings);
	if (newest->bounds.low > possible.high || newest->bounds.high < possible.low)
		s->stepped += m->distance - tw_bounds__middle(possible);
	s->time = newest->time;
	s->bounds = (struct tw_bounds){ tw_saturate__minus(newest->bounds.low, s->utc_ns),
					tw_saturate__minus(newest->bounds.high, s->utc_ns) };
	s->rates = tw_readings__rates(&r->readings);
}

/* Whether ptp4l reports the distance of the PHC from UTC. */
static bool has_utc(const struct tw_reference *r, const struct tw_sync_state *sync)
{
	return is_of_ptp4l(r, sync) && sync->phc.is_tai;
}

/*
 * Use the distance from UTC that ptp4l reports, if ptp4l began after the capture. If it is not the assumed one, the reference moves. Later
 * changes are leap seconds, which the reference does not follow.
 */
static void take_utc(struct tw_reference *r, const struct tw_sync_state *sync)
{
	struct tw_reference_state *s = &r->state;

	if (r->utc_is_known || !has_utc(r, sync))
		return;
	r->utc_is_known = true;
	s->stepped += s->utc_ns - sync->phc.utc_ns;
	s->utc_ns = sync->phc.utc_ns;
}

/* Set what is known about the distance of the PHC from the grandmaster. */
static void take_sync(struct tw_reference *r, const struct tw_sync_state *sync)
{
	struct tw_reference_state *s = &r->state;

	s->sync_ns = !r->lost && is_of_ptp4l(r, sync) ? sync->phc.ns : 0;
	snprintf(s->grandmaster, sizeof(s->grandmaster), "%s", s->sync_ns ? sync->root.grandmaster : "");
}

static void look_at_phc(struct tw_reference *r, const struct tw_sync_state *sync, const struct tw_capture_clock *clock)
{
	struct measured m;

	/* ptp4l corrects an offset in about a second, which changes the PHC's rate as much; the system's clock may be corrected, too. */
	if (is_of_ptp4l(r, sync))
		r->readings.wander =
			TW_WANDER + (uint32_t)tw_time__earlier((uint64_t)sync->phc.ns + sync->ns, TW_DRIFT_MAX);
	r->lost = !read_phc(r, clock, &m);
	if (r->lost) {
		r->state.rates = any_rate;
	} else {
		take_utc(r, sync);
		take_phc(r, &m);
	}
	take_sync(r, sync);
}

void tw_reference__look(struct tw_reference *r, const struct tw_sync_state *sync, const struct tw_capture_clock *clock)
{
	if (r->state.kind == TW_REFERENCE_PHC)
		look_at_phc(r, sync, clock);
	else if (r->state.kind != TW_REFERENCE_HOST)
		look_at_system(r, clock);
}

static int open_phc(struct tw_reference *r, const char *name, const struct tw_sync_state *sync,
		    const struct tw_capture_clock *clock, struct tw_error *error)
{
	struct measured m;
	int err = tw_phc__open(name, &r->phc, error);

	if (err)
		return err;
	if (!read_phc(r, clock, &m)) {
		tw_phc__close(&r->phc);
		return tw_error__set(error, -EIO, "the PTP hardware clock /dev/ptp%u cannot be read", r->phc.index);
	}
	r->utc_is_known = has_utc(r, sync);
	r->state.utc_ns = r->utc_is_known ? sync->phc.utc_ns : whole_seconds(m.distance);
	take_phc(r, &m);
	take_sync(r, sync);
	return 0;
}

int tw_reference__open(struct tw_reference *r, enum tw_reference_kind kind, const char *phc,
		       const struct tw_sync_state *sync, const struct tw_capture_clock *clock, struct tw_error *error)
{
	int err = 0;

	*r = (struct tw_reference){ .phc.fd = -1, .readings.wander = TW_WANDER };
	if (kind == TW_REFERENCE_PHC)
		err = open_phc(r, phc, sync, clock, error);
	if (err)
		return err;
	r->state.kind = kind;
	if (kind == TW_REFERENCE_TAI)
		r->tai_ns = kernel_tai();
	if (kind != TW_REFERENCE_PHC)
		tw_reference__look(r, sync, clock);
	return 0;
}

static int64_t seconds_of(int64_t ns)
{
	return ns / (int64_t)TW_NS_PER_SECOND;
}

static void describe_phc(const struct tw_reference *r, char *ret, size_t size)
{
	const struct tw_reference_state *s = &r->state;
	char near[96] = "its distance from a grandmaster is unknown, because ptp4l does not report it";

	if (s->sync_ns)
		snprintf(near, sizeof(near), "within %" PRIu32 " ns of grandmaster %s", s->sync_ns, s->grandmaster);
	snprintf(ret, size, "the PTP hardware clock /dev/ptp%u%s%s minus %" PRId64 " s (%s); %s", r->phc.index,
		 *r->phc.interface ? " of " : "", r->phc.interface, seconds_of(s->utc_ns),
		 r->utc_is_known ? "as ptp4l reports" : "which brings it nearest to the wall clock", near);
}

void tw_reference__describe(const struct tw_reference *r, char *ret, size_t size)
{
	switch (r->state.kind) {
	case TW_REFERENCE_HOST:
		snprintf(ret, size, "the capture host's wall clock at the start, continued without steps");
		break;
	case TW_REFERENCE_REALTIME:
		snprintf(ret, size, "the capture host's CLOCK_REALTIME, with its steps");
		break;
	case TW_REFERENCE_TAI:
		snprintf(ret, size, "the capture host's CLOCK_TAI minus %" PRId64 " s%s", seconds_of(r->tai_ns),
			 r->tai_ns ? "" : ", because no program has set the kernel's TAI offset");
		break;
	case TW_REFERENCE_PHC:
		describe_phc(r, ret, size);
		break;
	}
}

void tw_reference__close(struct tw_reference *r)
{
	if (r->state.kind == TW_REFERENCE_PHC)
		tw_phc__close(&r->phc);
}

struct tw_bounds tw_reference_state__at(const struct tw_reference_state *s, uint64_t time)
{
	if (s->kind != TW_REFERENCE_PHC)
		return s->bounds;
	return tw_bounds__moved(s->bounds, s->rates, (int64_t)(time - s->time));
}
