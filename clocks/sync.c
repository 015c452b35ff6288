/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/sync.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include "base/time.h"
#include "clocks/chrony.h"
#include "clocks/distance.h"
#include "clocks/phc.h"
#include "clocks/ptp4l.h"

#define OFFSETS       8        /* number of latest offsets of ptp4l, of which the largest is used */
#define MISSED        3        /* consecutive checks with a missing answer after which ptp4l's status is discarded */
#define KERNEL_MAX_US 16000000 /* maxerror and esterror if they were never set: NTP_PHASE_LIMIT of the kernel */
#define PTP_MAX_NS    TW_NS_PER_SECOND /* a clock with a larger error bound is not synchronised yet */

enum source {
	SOURCE_UNKNOWN,
	SOURCE_MASTER, /* ptp4l, as the grandmaster */
	SOURCE_PTP,    /* ptp4l */
	SOURCE_CHRONY,
	SOURCE_KERNEL,
	SOURCE_DENIED,   /* ptp4l may be the source, and may not be asked */
	SOURCE_UNSTATED, /* the clock is synchronised, and the kernel does not know how well */
	SOURCE_NONE,
};

struct tw_sync {
	struct tw_ptp4l ptp;
	struct tw_ptp4l_status status; /* latest complete status; all zero = unknown */
	uint64_t offsets[OFFSETS];     /* a ring of absolute values, ns */
	unsigned int n_offsets;
	unsigned int missed; /* consecutive checks with a missing answer; a busy machine delays answers */
	bool cards_in_use; /* ptp4l has used stamps of network cards; it may still do, even if it does not answer in time */
	struct tw_phc_device phc; /* clock of the network card that ptp4l uses; @phc.fd -1 = not open */
	struct tw_chrony chrony;
	struct tw_chrony_status tracking; /* latest answer of chronyd */
	unsigned int chrony_missed; /* consecutive checks without an answer of chronyd; MISSED = @tracking is invalid */
	size_t within;              /* index of the last bound in a text */
	enum source source;         /* of @state */
	struct tw_sync_state state;
};

struct tw_sync *tw_sync__new(void)
{
	struct tw_sync *sync = calloc(1, sizeof(*sync));

	if (!sync)
		return NULL;
	sync->phc.fd = -1;
	sync->chrony_missed = MISSED;
	tw_ptp4l__open(&sync->ptp);
	tw_chrony__open(&sync->chrony);
	return sync;
}

void tw_sync__free(struct tw_sync *s)
{
	if (!s)
		return;
	tw_ptp4l__close(&s->ptp);
	tw_chrony__close(&s->chrony);
	tw_phc__close(&s->phc);
	free(s);
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

/* Return: the largest possible distance of the system clock from the network card's clock, ns; UINT64_MAX = unknown. */
static uint64_t beside_phc(struct tw_sync *s)
{
	const int64_t tai = s->status.ptp_timescale ? s->status.utc_offset * (int64_t)TW_NS_PER_SECOND : 0;
	struct tw_phc_reading r;
	int err;

	if (!open_phc(s))
		return UINT64_MAX;
	err = tw_phc__read(&s->phc, CLOCK_REALTIME, &r);
	if (err == -ENODEV) /* its driver may be loaded again: the next call opens it then */
		tw_phc__close(&s->phc);
	if (err)
		return UINT64_MAX;
	return tw_saturate__size((int64_t)(r.phc - r.system) - tai) + r.error_ns;
}

/*
 * Return: @ns as text, rounded up to a power of ten. The text does not change with each measurement: it becomes smaller only if half of the
 * smaller number suffices.
 */
static const char *within(struct tw_sync *s, uint64_t ns)
{
	static const struct {
		uint64_t most;
		const char *text;
	} steps[] = { { 100, "100 ns" },
		      { 1000, "1 us" },
		      { 10000, "10 us" },
		      { 100000, "100 us" },
		      { 1000000, "1 ms" },
		      { 10000000, "10 ms" },
		      { 100000000, "100 ms" },
		      { TW_NS_PER_SECOND, "1 s" },
		      { UINT64_MAX, "more than 1 s" } };
	size_t i = 0;

	while (ns > steps[i].most)
		i++;
	if (i > s->within || i + 1 < s->within || ns <= steps[i].most / 2)
		s->within = i;
	return steps[s->within].text;
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

/* Get the state from the kernel. The error bound is used only if a daemon maintains it (clocks/sync.h). */
static enum source ask_kernel(struct tw_sync *s, struct tw_sync_state *ret)
{
	struct timex tx = { 0 };

	if (adjtimex(&tx) == TIME_ERROR || tx.status & STA_UNSYNC) {
		snprintf(ret->how, sizeof(ret->how), "free running");
		return SOURCE_NONE;
	}
	if (tx.esterror > 0 && tx.esterror <= tx.maxerror && tx.maxerror < KERNEL_MAX_US) {
		const uint64_t ns = (uint64_t)tx.maxerror * 1000;

		ret->ns = ns > UINT32_MAX ? 0 : (uint32_t)ns;
	}
	if (!ret->ns) {
		snprintf(ret->how, sizeof(ret->how), "a source whose error bound the kernel does not know");
		return SOURCE_UNSTATED;
	}
	snprintf(ret->how, sizeof(ret->how), "NTP, as the kernel reports, within %s", within(s, ret->ns));
	ret->root.is_utc = true;
	return SOURCE_KERNEL;
}

/* Whether a reference clock of chronyd is a PTP hardware clock, by the names that chronyd and timemaster give such clocks. */
static bool is_phc(const char *refclock)
{
	return !strncmp(refclock, "PHC", 3) || !strncmp(refclock, "PTP", 3);
}

/* Get the state from chronyd. Return: SOURCE_UNKNOWN if it does not answer, or if its clock is not synchronised to a source */
static enum source ask_chrony(struct tw_sync *s, struct tw_sync_state *ret)
{
	const struct tw_chrony_status *t = &s->tracking;
	const char *const kind = *t->refclock ? "reference clock " : "NTP stratum ";
	char stratum[8];

	if (s->chrony_missed >= MISSED || !t->synchronised || t->is_local)
		return SOURCE_UNKNOWN;
	ret->ns = t->error_ns > UINT32_MAX ? 0 : (uint32_t)t->error_ns;
	snprintf(stratum, sizeof(stratum), "%u", t->stratum);
	snprintf(ret->how, sizeof(ret->how), "chrony, %s%s, within %s", kind, *t->refclock ? t->refclock : stratum,
		 within(s, t->error_ns));
	ret->root.is_utc = !is_phc(t->refclock);
	return SOURCE_CHRONY;
}

/* Describe the network card's clock that ptp4l uses, with the bound @ns, and add its distance from the system clock to ret->ns. */
static void add_phc(struct tw_sync *s, uint64_t ns, struct tw_sync_state *ret)
{
	const uint64_t beside = beside_phc(s);

	ret->ns = beside < PTP_MAX_NS ? (uint32_t)(ns + beside) : 0;
	if (s->phc.fd < 0)
		return;
	ret->phc = (struct tw_sync_phc){
		.any = true,
		.index = s->phc.index,
		.ns = (uint32_t)ns,
		.is_tai = s->status.ptp_timescale,
		.utc_ns = s->status.utc_offset * (int64_t)TW_NS_PER_SECOND,
	};
}

/* Get the state from ptp4l. Return: SOURCE_UNKNOWN if it follows no master and is none, or if its error bound is above PTP_MAX_NS */
static enum source ask_ptp4l(struct tw_sync *s, struct tw_sync_state *ret)
{
	const char *const by = s->status.time_stamps ? "hardware" : "software";
	const uint8_t *const id = s->status.grandmaster;
	const bool is_master = leads(&s->status);
	uint64_t ns = 1; /* a master has no error by definition, but 0 would mean unknown */

	if (!is_master && !follows(&s->status))
		return SOURCE_UNKNOWN;
	if (!is_master) {
		s->offsets[s->n_offsets++ % OFFSETS] = tw_saturate__size(s->status.offset);
		ns = worst_offset(s) + tw_saturate__size(s->status.path_delay);
	}
	if (ns > PTP_MAX_NS)
		return SOURCE_UNKNOWN;
	if (is_master)
		snprintf(ret->how, sizeof(ret->how), "ptp4l as the master, %s time stamps", by);
	else
		snprintf(ret->how, sizeof(ret->how), "ptp4l, %s time stamps, within %s of its master", by,
			 within(s, ns));
	snprintf(ret->root.grandmaster, sizeof(ret->root.grandmaster), "%02x%02x%02x.%02x%02x.%02x%02x%02x", id[0],
		 id[1], id[2], id[3], id[4], id[5], id[6], id[7]);
	ret->root.is_utc = tw_ptp4l__utc(&s->status, &ret->root.utc_ns);
	ret->ns = (uint32_t)ns;
	if (s->status.time_stamps)
		add_phc(s, ns, ret);
	return is_master ? SOURCE_MASTER : SOURCE_PTP;
}

/* If no source reports a bound, and ptp4l may not be asked, it may be the source. Return: the source */
static enum source consider_denied(const struct tw_sync *s, enum source source, struct tw_sync_state *ret)
{
	if (!s->ptp.is_denied || ret->ns)
		return source;
	ret->is_denied = true;
	snprintf(ret->how, sizeof(ret->how), "unknown, because only root may ask ptp4l");
	return SOURCE_DENIED;
}

void tw_sync__look(struct tw_sync *s, struct tw_sync_state *ret)
{
	struct tw_sync_state state = { .since = s->state.since };
	enum source source;

	if (tw_ptp4l__look(&s->ptp, &s->status)) {
		s->missed = 0;
	} else if (++s->missed >= MISSED) {
		s->status = (struct tw_ptp4l_status){ 0 };
		s->n_offsets = 0;
	}
	if (tw_chrony__look(&s->chrony, &s->tracking))
		s->chrony_missed = 0;
	else if (s->chrony_missed < MISSED)
		s->chrony_missed++;
	s->cards_in_use |= s->status.time_stamps;
	state.card_stamps = !s->ptp.is_denied && !s->cards_in_use && (!s->missed || s->missed >= MISSED);
	source = ask_ptp4l(s, &state);
	if (!source)
		source = ask_chrony(s, &state);
	if (!source)
		source = ask_kernel(s, &state);
	source = consider_denied(s, source, &state);
	if (source != s->source || strcmp(state.root.grandmaster, s->state.root.grandmaster))
		state.since = tw_time__now(CLOCK_REALTIME);
	s->source = source;
	s->state = state;
	*ret = state;
}
