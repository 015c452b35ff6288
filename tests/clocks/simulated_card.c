/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulated_card.h"

#include <assert.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/time.h"

#define AHEAD   (1000 * TW_NS_PER_SECOND)
#define EARLY   3000 /* ns by which the kernel's transmit stamps are too early */
#define PENDING 512

atomic_bool simulated_card;

/* A report of the card's transmit stamp, which follows the kernel's report; each thread of a test reads one error queue. */
static _Thread_local struct {
	int fd;
	size_t len; /* 0 = there is none */
	uint8_t bytes[PENDING];
} pending;

uint64_t simulated_card__time(uint64_t boot)
{
	return boot + AHEAD;
}

static int read_clock(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret)
{
	const uint64_t now = tw_time__now(on);

	(void)phc;
	*ret = (struct tw_phc_reading){ .phc = simulated_card__time(now), .system = now, .error_ns = 1 };
	return 0;
}

void simulated_card__init(struct tw_card_stamps *ret)
{
	*ret = (struct tw_card_stamps){ .n_clocks = 1, .n_interfaces = 1, .read = read_clock };
	ret->clocks[0].phc.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ret->clocks[0].readings.wander = TW_WANDER;
	ret->interfaces[0].index = SIMULATED_CARD_INTERFACE;
}

/*
 * Convert a stamp of the kernel to the card's clock. If the thread is preempted between the readings of the clocks, a transmit stamp is too
 * early and a receive stamp too late, so that the bounds that follow from them are valid.
 */
static struct timespec by_card(const struct timespec *realtime, bool is_sent)
{
	const uint64_t before = tw_time__now(CLOCK_BOOTTIME);
	const uint64_t age = tw_time__now(CLOCK_REALTIME) - tw_time__ns(realtime);
	const uint64_t after = tw_time__now(CLOCK_BOOTTIME);

	return tw_time__timespec(simulated_card__time((is_sent ? before : after) - age));
}

static struct cmsghdr *find(struct msghdr *msg, int type)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == type)
			return c;
	return NULL;
}

static void append_interface(struct msghdr *msg, size_t room)
{
	const struct scm_ts_pktinfo info = { .if_index = SIMULATED_CARD_INTERFACE };
	struct cmsghdr *c = (struct cmsghdr *)((uint8_t *)msg->msg_control + CMSG_ALIGN(msg->msg_controllen));

	msg->msg_controllen = CMSG_ALIGN(msg->msg_controllen) + CMSG_SPACE(sizeof(info));
	assert(msg->msg_controllen <= room);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_TIMESTAMPING_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(c), &info, sizeof(info));
}

/* Adds the card's stamp to a received message. @room: of its ancillary data */
static void add_to_received(struct msghdr *msg, size_t room)
{
	struct cmsghdr *kernel = find(msg, SCM_TIMESTAMPNS), *both = find(msg, SCM_TIMESTAMPING);
	const struct timespec now = tw_time__timespec(tw_time__now(CLOCK_REALTIME));
	struct scm_timestamping times;

	if (!kernel || !both)
		return;
	memcpy(&times, CMSG_DATA(both), sizeof(times));
	times.ts[2] = by_card(&times.ts[0], false);
	memcpy(CMSG_DATA(both), &times, sizeof(times));
	memcpy(CMSG_DATA(kernel), &now, sizeof(now));
	append_interface(msg, room);
}

/* Prepares the report of the card's transmit stamp. As the kernel does, it has the current time in place of the kernel's stamp. */
static void add_to_report(int fd, struct msghdr *msg)
{
	struct cmsghdr *c = find(msg, SCM_TIMESTAMPING);
	struct scm_timestamping times;
	struct timespec kernel;

	if (!c)
		return;
	memcpy(&times, CMSG_DATA(c), sizeof(times));
	kernel = times.ts[0];
	times.ts[2] = by_card(&kernel, true);
	times.ts[0] = tw_time__timespec(tw_time__now(CLOCK_REALTIME));
	memcpy(CMSG_DATA(c), &times, sizeof(times));
	assert(msg->msg_controllen <= PENDING);
	memcpy(pending.bytes, msg->msg_control, msg->msg_controllen);
	pending.len = msg->msg_controllen;
	pending.fd = fd;
	times = (struct scm_timestamping){ .ts = { tw_time__timespec(tw_time__ns(&kernel) - EARLY) } };
	memcpy(CMSG_DATA(c), &times, sizeof(times));
}

ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
int __real_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags, struct timespec *timeout);
int __wrap_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags, struct timespec *timeout);

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	const size_t room = msg->msg_controllen;
	ssize_t ret;

	if (flags & MSG_ERRQUEUE && pending.len && pending.fd == fd) {
		memcpy(msg->msg_control, pending.bytes, pending.len);
		msg->msg_controllen = pending.len;
		pending.len = 0;
		return 0;
	}
	ret = __real_recvmsg(fd, msg, flags);
	if (ret < 0 || !atomic_load(&simulated_card))
		return ret;
	if (flags & MSG_ERRQUEUE)
		add_to_report(fd, msg);
	else
		add_to_received(msg, room);
	return ret;
}

int __wrap_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags, struct timespec *timeout)
{
	const size_t room = msgs[0].msg_hdr.msg_controllen;
	const int ret = __real_recvmmsg(fd, msgs, n, flags, timeout);

	for (int i = 0; i < ret && atomic_load(&simulated_card); i++)
		add_to_received(&msgs[i].msg_hdr, room);
	return ret;
}
