/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/sync.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/time.h"
#include "clocks/distance.h"
#include "clocks/ptp4l.h"

#define READINGS      3        /* readings of a network card's clock, of which the most accurate is used */
#define PRECISE_NS    100      /* error bound if hardware reads both clocks simultaneously; PCIe PTM: some tens of ns */
#define OFFSETS       8        /* number of latest offsets of ptp4l, of which the largest is used */
#define MISSED        3        /* consecutive checks with a missing answer after which ptp4l's status is discarded */
#define KERNEL_MAX_US 16000000 /* maxerror and esterror if they were never set: NTP_PHASE_LIMIT of the kernel */
#define PHC_ERROR_NS  (20 * 1000)      /* a reading with a larger error would make the CLOCK sample too inaccurate */
#define PTP_MAX_NS    TW_NS_PER_SECOND /* a clock with a larger error bound is not synchronised yet */

struct tw_sync {
	struct tw_ptp4l ptp;
	struct tw_ptp4l_status status; /* latest complete status; all zero = unknown */
	uint64_t offsets[OFFSETS];     /* a ring of absolute values, ns */
	unsigned int n_offsets;
	unsigned int missed;             /* consecutive checks with a missing answer; a busy machine delays answers */
	int phc;                         /* descriptor of the network card's clock; -1 = not open */
	char phc_of[TW_PTP4L_INTERFACE]; /* interface of @phc */
	struct tw_sync_state state;
};

/* A reading of a network card's clock (PTP hardware clock). */
struct phc_reading {
	uint64_t phc;      /* ns since the epoch of the clock */
	uint64_t real;     /* CLOCK_REALTIME at the same instant, ns */
	uint64_t error_ns; /* error bound of @phc - @real, ns */
};

/* Return: a descriptor of the hardware clock of an interface; -1 if there is none, or it cannot be opened. */
static int find_phc(const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct ifreq req = { .ifr_data = (char *)&info };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char path[32];
	bool has_clock;

	if (fd < 0)
		return -1;
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%.*s", IFNAMSIZ - 1, ifname);
	has_clock = ioctl(fd, SIOCETHTOOL, &req) >= 0 && info.phc_index >= 0;
	close(fd);
	if (!has_clock)
		return -1;
	snprintf(path, sizeof(path), "/dev/ptp%d", info.phc_index);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static uint64_t ns_of(const struct ptp_clock_time *t)
{
	return (uint64_t)t->sec * TW_NS_PER_SECOND + t->nsec;
}

/* Each reading has REALTIME, the card's clock, and REALTIME again. The reading with the shortest time between both REALTIMEs is used. */
static bool read_extended(int fd, struct phc_reading *ret)
{
	struct ptp_sys_offset_extended e = { .n_samples = READINGS };
	struct phc_reading best = { .error_ns = UINT64_MAX };

	if (ioctl(fd, PTP_SYS_OFFSET_EXTENDED, &e) < 0)
		return false;
	for (int i = 0; i < READINGS; i++) {
		const uint64_t before = ns_of(&e.ts[i][0]), after = ns_of(&e.ts[i][2]);

		if (after < before || after - before >= best.error_ns)
			continue;
		best = (struct phc_reading){ ns_of(&e.ts[i][1]), before + (after - before) / 2, after - before };
	}
	if (best.error_ns == UINT64_MAX)
		return false;
	best.error_ns = best.error_ns / 2 + 1;
	*ret = best;
	return true;
}

/* Read both clocks simultaneously if the hardware can; otherwise get the most accurate of several readings. */
static bool read_phc(int fd, struct phc_reading *ret)
{
	struct ptp_sys_offset_precise p = { 0 };

	if (ioctl(fd, PTP_SYS_OFFSET_PRECISE, &p) < 0)
		return read_extended(fd, ret);
	*ret = (struct phc_reading){ ns_of(&p.device), ns_of(&p.sys_realtime), PRECISE_NS };
	return true;
}

struct tw_sync *tw_sync__new(void)
{
	struct tw_sync *sync = calloc(1, sizeof(*sync));

	if (!sync)
		return NULL;
	sync->phc = -1;
	tw_ptp4l__open(&sync->ptp);
	return sync;
}

static void close_phc(struct tw_sync *s)
{
	if (s->phc >= 0)
		close(s->phc);
	s->phc = -1;
	s->phc_of[0] = '\0';
}

void tw_sync__free(struct tw_sync *s)
{
	if (!s)
		return;
	tw_ptp4l__close(&s->ptp);
	close_phc(s);
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
	if (s->phc >= 0 && !strcmp(s->phc_of, s->status.interface))
		return true;
	close_phc(s);
	s->phc = find_phc(s->status.interface);
	snprintf(s->phc_of, sizeof(s->phc_of), "%s", s->status.interface);
	return s->phc >= 0;
}

/* Return: the largest possible distance of the system clock from the network card's clock, ns; UINT64_MAX = unknown. */
static uint64_t beside_phc(struct tw_sync *s)
{
	const int64_t tai = s->status.ptp_timescale ? s->status.utc_offset * (int64_t)TW_NS_PER_SECOND : 0;
	struct phc_reading r;

	if (!open_phc(s) || !read_phc(s->phc, &r))
		return UINT64_MAX;
	return tw_saturate__size((int64_t)(r.phc - r.real) - tai) + r.error_ns;
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
	struct phc_reading r;

	sample->sync_ns = s->state.ns;
	if (s->phc < 0 || !read_phc(s->phc, &r) || r.error_ns > PHC_ERROR_NS)
		return;
	sample->reading[TW_CLOCK_PHC] = r.phc + (sample->reading[TW_CLOCK_REAL] - r.real);
	sample->error_ns += (uint32_t)r.error_ns;
	sample->valid |= 1u << TW_CLOCK_PHC;
}
