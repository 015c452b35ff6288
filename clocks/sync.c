/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/sync.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include "base/time.h"
#include "clocks/distance.h"
#include "clocks/phc.h"
#include "clocks/ptp4l.h"

#define OFFSETS       8        /* number of latest offsets of ptp4l, of which the largest is used */
#define MISSED        3        /* consecutive checks with a missing answer after which ptp4l's status is discarded */
#define KERNEL_MAX_US 16000000 /* maxerror and esterror if they were never set: NTP_PHASE_LIMIT of the kernel */
#define PTP_MAX_NS    TW_NS_PER_SECOND /* a clock with a larger error bound is not synchronised yet */

struct tw_sync {
	struct tw_ptp4l ptp;
	struct tw_ptp4l_status status; /* latest complete status; all zero = unknown */
	uint64_t offsets[OFFSETS];     /* a ring of absolute values, ns */
	unsigned int n_offsets;
	unsigned int missed;      /* consecutive checks with a missing answer; a busy machine delays answers */
	struct tw_phc_device phc; /* clock of the network card that ptp4l adjusts; @phc.fd -1 = not open */
	struct tw_sync_state state;
};

struct tw_sync *tw_sync__new(void)
{
	struct tw_sync *sync = calloc(1, sizeof(*sync));

	if (!sync)
		return NULL;
	sync->phc.fd = -1;
	tw_ptp4l__open(&sync->ptp);
	return sync;
}

void tw_sync__free(struct tw_sync *s)
{
	if (!s)
		return;
	tw_ptp4l__close(&s->ptp);
	tw_phc__close(&s->phc);
	free(s);
}

/* Get the state from the kernel. The error bound is used only if a daemon maintains it (clocks/sync.h). */
static struct tw_sync_state ask_kernel(void)
{
	struct tw_sync_state ret = { 0 };
	struct timex tx = { 0 };

	if (adjtimex(&tx) == TIME_ERROR || tx.status & STA_UNSYNC)
		return ret;
	if (tx.esterror > 0 && tx.esterror <= tx.maxerror && tx.maxerror < KERNEL_MAX_US) {
		const uint64_t ns = (uint64_t)tx.maxerror * 1000;

		ret.ns = ns > UINT32_MAX ? 0 : (uint32_t)ns;
	}
	snprintf(ret.how, sizeof(ret.how), "%s",
		 ret.ns ? "NTP, as the kernel reports" : "a source whose error bound the kernel does not know");
	return ret;
}

static uint64_t worst_offset(struct tw_sync *s)
{
	const unsigned int n = s->n_offsets < OFFSETS ? s->n_offsets : OFFSETS;
	uint64_t worst = 0;

	for (unsigned int i = 0; i < n; i++)
		worst = s->offsets[i] > worst ? s->offsets[i] : worst;
	return worst;
}

static bool open_phc(struct tw_sync *s)
{
	struct tw_error unused;

	if (s->phc.fd >= 0 && !strcmp(s->phc.interface, s->status.interface))
		return true;
	tw_phc__close(&s->phc);
	return !tw_phc__of_interface(s->status.interface, &s->phc, &unused);
}

/* Return: CLOCK_REALTIME at the instant of a reading, ns. @error_ns: grows by the duration of the conversion */
static uint64_t real_of(const struct tw_phc_reading *r, uint64_t *error_ns)
{
	const uint64_t before = tw_time__now(r->base), real = tw_time__now(CLOCK_REALTIME);

	if (r->base == CLOCK_REALTIME)
		return r->system;
	*error_ns += tw_time__now(r->base) - before;
	return real - (before - r->system);
}

/* Return: the largest possible distance of the system clock from the network card's clock, ns; UINT64_MAX = unknown. */
static uint64_t beside_phc(struct tw_sync *s)
{
	const int64_t tai = s->status.ptp_timescale ? s->status.utc_offset * (int64_t)TW_NS_PER_SECOND : 0;
	struct tw_phc_reading r;
	uint64_t real;

	if (!open_phc(s) || !tw_phc__read(&s->phc, &r))
		return UINT64_MAX;
	real = real_of(&r, &r.error_ns);
	return tw_saturate__size((int64_t)(r.phc - real) - tai) + r.error_ns;
}

/* Return: @ns as text, rounded up to a power of ten, so that the text does not change with each measurement. */
static const char *within(uint64_t ns)
{
	static const struct {
		uint64_t most;
		const char *text;
	} steps[] = { { 100, "100 ns" },   { 1000, "1 us" },      { 10000, "10 us" },     { 100000, "100 us" },
		      { 1000000, "1 ms" }, { 10000000, "10 ms" }, { 100000000, "100 ms" } };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (ns <= steps[i].most)
			return steps[i].text;
	return "1 s";
}

/* Whether ptp4l follows a master and has measured an offset or a path delay: both are 0 before the first measurement. */
static bool follows(const struct tw_ptp4l_status *status)
{
	return status->has_master && (status->offset || status->path_delay) &&
	       (status->state == TW_PTP_SLAVE || status->state == TW_PTP_UNCALIBRATED);
}

static bool leads(const struct tw_ptp4l_status *status)
{
	return !status->has_master && (status->state == TW_PTP_MASTER || status->state == TW_PTP_GRAND_MASTER);
}

/*
 * Get the state from the status of ptp4l. Return: false if ptp4l neither follows a master nor is the master, or if its error bound is above
 * PTP_MAX_NS.
 */
static bool ask_ptp4l(struct tw_sync *s, struct tw_sync_state *ret)
{
	const char *const by = s->status.time_stamps ? "hardware" : "software";
	const bool is_master = leads(&s->status);
	uint64_t ns = 1; /* a master has no error by definition, but 0 would mean unknown */

	if (!is_master && !follows(&s->status))
		return false;
	if (!is_master) {
		s->offsets[s->n_offsets++ % OFFSETS] = tw_saturate__size(s->status.offset);
		ns = worst_offset(s) + tw_saturate__size(s->status.path_delay);
	}
	if (ns > PTP_MAX_NS)
		return false;
	if (is_master)
		snprintf(ret->how, sizeof(ret->how), "ptp4l as the master, %s time stamps", by);
	else
		snprintf(ret->how, sizeof(ret->how), "ptp4l, %s time stamps, within %s of its master", by, within(ns));
	if (s->status.time_stamps) {
		const uint64_t beside = beside_phc(s);

		ns = beside < PTP_MAX_NS ? ns + beside : 0;
	}
	ret->ns = (uint32_t)ns;
	return true;
}

void tw_sync__look(struct tw_sync *s, struct tw_sync_state *ret)
{
	struct tw_sync_state state = { 0 };

	if (tw_ptp4l__look(&s->ptp, &s->status)) {
		s->missed = 0;
	} else if (++s->missed >= MISSED) {
		s->status = (struct tw_ptp4l_status){ 0 };
		s->n_offsets = 0;
	}
	if (!ask_ptp4l(s, &state))
		state = ask_kernel();
	s->state = state;
	*ret = state;
}

void tw_sync__complete(struct tw_sync *s, struct tw_clock_view *sample)
{
	struct tw_phc_reading r;
	uint64_t real;

	sample->sync_ns = s->state.ns;
	if (s->phc.fd < 0 || !tw_phc__read(&s->phc, &r))
		return;
	real = real_of(&r, &r.error_ns);
	sample->phcs[sample->n_phcs++] = (struct tw_phc_view){
		.index = s->phc.index,
		.method = r.method,
		.error_ns = (uint32_t)tw_time__earlier(r.error_ns + sample->error_ns, UINT32_MAX),
		.phc = r.phc,
		.trace = sample->reading[TW_CLOCK_TRACE] + (real - sample->reading[TW_CLOCK_REAL]),
	};
}
