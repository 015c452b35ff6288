/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/card_stamps.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "clocks/distance.h"

/* A reading also serves for stamps that are at most this old at the reading, ns: the drift then adds 50 ns to the bound. */
#define NEAR_NS 100000

/* Return: the index of the clock /dev/ptp@index in cards->clocks, which is opened if necessary; TW_PHC_MAX if it cannot be used */
static unsigned int clock_at(struct tw_card_stamps *cards, unsigned int index)
{
	struct tw_card_clock *clock = &cards->clocks[cards->n_clocks];
	struct tw_error unused;

	for (unsigned int i = 0; i < cards->n_clocks; i++)
		if (cards->clocks[i].phc.index == index)
			return i;
	if (cards->n_clocks == TW_PHC_MAX)
		return TW_PHC_MAX;
	*clock = (struct tw_card_clock){ .readings.wander = TW_WANDER };
	if (tw_phc__at(index, &clock->phc, &unused))
		return TW_PHC_MAX;
	return cards->n_clocks++;
}

/* Makes a request about an interface. Return: whether it succeeded */
static bool ask(const char *ifname, unsigned long request, struct ifreq *req)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool done;

	snprintf(req->ifr_name, sizeof(req->ifr_name), "%.*s", IFNAMSIZ - 1, ifname);
	done = fd >= 0 && ioctl(fd, request, req) >= 0;
	if (fd >= 0)
		close(fd);
	return done;
}

/* Whether the interface is a bond, which may use another card later */
static bool is_bond(const char *ifname)
{
	struct ifreq req = { 0 };

	return ask(ifname, SIOCGIFFLAGS, &req) && req.ifr_flags & IFF_MASTER;
}

/* Whether an interface's driver takes the time of completion as the stamp of a sent frame, for all or some frames */
static bool stamps_late(const char *ifname)
{
	static const char *const drivers[] = { "mlx4_en", "mlx5_core" };
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq req = { .ifr_data = (char *)&info };

	for (size_t i = 0; ask(ifname, SIOCETHTOOL, &req) && i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strncmp(info.driver, drivers[i], sizeof(info.driver)))
			return true;
	return false;
}

/* Adds an interface, if it has a clock that can be opened. */
static void add(struct tw_card_stamps *cards, uint32_t interface, const char *name)
{
	struct ethtool_ts_info info;
	unsigned int clock;

	if (tw_phc__ts_info(name, &info) || info.phc_index < 0 || is_bond(name))
		return;
	clock = clock_at(cards, (unsigned int)info.phc_index);
	if (clock == TW_PHC_MAX)
		return;
	cards->clocks[clock].stamps_late |= stamps_late(name);
	cards->interfaces[cards->n_interfaces].index = interface;
	cards->interfaces[cards->n_interfaces++].clock = clock;
}

void tw_card_stamps__open(struct tw_card_stamps *cards)
{
	struct if_nameindex *all = if_nameindex();

	*cards = (struct tw_card_stamps){ .read = tw_phc__read };
	for (const struct if_nameindex *at = all; at && at->if_index && cards->n_interfaces < TW_CARD_INTERFACES; at++)
		add(cards, at->if_index, at->if_name);
	if (all)
		if_freenameindex(all);
}

void tw_card_stamps__close(struct tw_card_stamps *cards)
{
	for (unsigned int i = 0; i < cards->n_clocks; i++)
		tw_phc__close(&cards->clocks[i].phc);
	cards->n_clocks = cards->n_interfaces = 0;
}

/* Return: the clock of an interface's card; NULL if it is unknown or gone */
static struct tw_card_clock *clock_of(struct tw_card_stamps *cards, uint32_t interface)
{
	for (unsigned int i = 0; i < cards->n_interfaces; i++) {
		struct tw_card_clock *clock = &cards->clocks[cards->interfaces[i].clock];

		if (cards->interfaces[i].index == interface)
			return clock->phc.fd >= 0 ? clock : NULL;
	}
	return NULL;
}

/* Reads a clock. If the reading is outside of the bounds that the earlier ones permit, the clock was set since the last one. */
static bool look(struct tw_card_stamps *cards, struct tw_card_clock *clock)
{
	struct tw_phc_reading r;
	const int err = cards->read(&clock->phc, CLOCK_BOOTTIME, &r);
	const bool is_first = !tw_readings__newest(&clock->readings);

	if (err == -ENODEV)
		tw_phc__close(&clock->phc);
	if (err)
		return false;
	if (tw_readings__take(&clock->readings, r.system, (int64_t)(r.phc - r.system), r.error_ns) || is_first)
		clock->steady_since = r.system + r.error_ns;
	clock->last = r;
	return true;
}

/* Whether a time of a clock is shortly before its last reading */
static bool is_near(const struct tw_card_clock *clock, uint64_t time)
{
	return tw_readings__newest(&clock->readings) && clock->last.phc - time <= NEAR_NS;
}

bool tw_card_stamps__convert(struct tw_card_stamps *cards, const struct tw_card_stamp *stamp,
			     struct tw_stamp_bounds *ret)
{
	struct tw_card_clock *clock = stamp->time ? clock_of(cards, stamp->interface) : NULL;
	struct tw_stamp_bounds bounds;
	uint64_t age, error;

	if (!clock || (!is_near(clock, stamp->time) && !look(cards, clock)))
		return false;
	age = clock->last.phc - stamp->time; /* huge if the stamp is in the future */
	if (age > TW_NS_PER_SECOND)
		return false;
	error = clock->last.error_ns + age / (TW_NS_PER_SECOND / TW_DRIFT_MAX) + 1 + TW_CARD_STAMP_ERROR;
	bounds.min = clock->last.system - age - error;
	bounds.max = clock->last.system - age + error;
	if (bounds.min <= clock->steady_since)
		return false;
	*ret = bounds;
	return true;
}

/* The kernel stamps a received frame after the card. */
struct tw_stamped_time tw_frame__arrived(struct tw_stamps *kernel, struct tw_card_stamps *cards,
					 const struct tw_received_frame *frame)
{
	struct tw_stamped_time ret = { .by = TW_STAMP_READING };
	struct tw_stamp_bounds bounds;

	if (tw_stamps__convert(kernel, frame->time, &bounds))
		ret = (struct tw_stamped_time){ bounds.max, frame->time_by };
	else
		ret.time = tw_time__now(CLOCK_BOOTTIME);
	if (cards && tw_card_stamps__convert(cards, &frame->card, &bounds) && bounds.max < ret.time &&
	    ret.time - bounds.max <= TW_CARD_APART)
		ret = (struct tw_stamped_time){ bounds.max, TW_STAMP_HARDWARE };
	return ret;
}

static bool convert_sent(struct tw_stamps *kernel, struct tw_card_stamps *cards, const struct tw_sent_stamp *stamp,
			 uint64_t since, struct tw_stamp_bounds *ret)
{
	const struct tw_card_clock *clock;

	if (stamp->by == TW_STAMP_SOFTWARE)
		return tw_stamps__convert_sent(kernel, stamp->time, since, ret);
	clock = stamp->by == TW_STAMP_HARDWARE && cards ? clock_of(cards, stamp->card.interface) : NULL;
	return clock && !clock->stamps_late && tw_card_stamps__convert(cards, &stamp->card, ret) &&
	       ret->min <= tw_time__now(CLOCK_BOOTTIME);
}

struct tw_stamped_time tw_frame__sent(struct tw_stamps *kernel, struct tw_card_stamps *cards,
				      const struct tw_sent_stamp *stamp, uint64_t since)
{
	struct tw_stamp_bounds bounds;

	if (!convert_sent(kernel, cards, stamp, since, &bounds) || bounds.min < since)
		return (struct tw_stamped_time){ since, TW_STAMP_READING };
	return (struct tw_stamped_time){ bounds.min, stamp->by };
}
