/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/tx_stamps.h"

#include <linux/errqueue.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <string.h>

#include "base/time.h"
#include "vnet/socket.h"

/* OPT_TSONLY: the report does not contain the frame. OPT_ID: it contains the number of the frame. */
#define REPORT (SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY)

static int set_flags(int fd, int flags)
{
	return tw_socket__set(fd, SOL_SOCKET, SO_TIMESTAMPING, flags);
}

void tx_stamps__enable(struct tx_stamps *stamps, int fd)
{
	*stamps = (struct tx_stamps){ .fd = fd };
	stamps->on = set_flags(fd, REPORT) == 0;
}

void tx_stamps__request(const struct tx_stamps *stamps, struct msghdr *msg)
{
	const uint32_t flags = SOF_TIMESTAMPING_TX_SOFTWARE;
	struct cmsghdr *c = (struct cmsghdr *)((uint8_t *)msg->msg_control + msg->msg_controllen);

	if (!stamps->on)
		return;
	memset(c, 0, CMSG_SPACE(sizeof(flags)));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SO_TIMESTAMPING;
	c->cmsg_len = CMSG_LEN(sizeof(flags));
	memcpy(CMSG_DATA(c), &flags, sizeof(flags));
	msg->msg_controllen += CMSG_SPACE(sizeof(flags));
}

/*
 * Whether the kernel has counted a frame that could not be sent depends on the cause and on the kernel's version. Therefore the count
 * begins again at 0, which the kernel does when OPT_ID is set anew. A late stamp of an earlier frame may then be taken for that of a later
 * frame. It is too early, never too late.
 */
static void begin_again(struct tx_stamps *stamps)
{
	stamps->on = set_flags(stamps->fd, 0) == 0 && set_flags(stamps->fd, REPORT) == 0;
	stamps->next = 0;
}

void tx_stamps__requested(struct tx_stamps *stamps, uint32_t cookie, int err)
{
	if (!stamps->on)
		return;
	if (err)
		begin_again(stamps);
	else
		stamps->cookies[stamps->next++ % TX_STAMPS_MAX] = cookie;
}

static bool is_report(const struct cmsghdr *c)
{
	return (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) ||
	       (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR) ||
	       (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_TX_TIMESTAMP);
}

/* Stores the stamp of a frame, unless the frame is unknown or the ring is full. */
static void add(struct tx_stamps *stamps, uint32_t number, const struct timespec *time)
{
	struct tw_sent_stamp *stamp = &stamps->stamps[stamps->head % TX_STAMPS_MAX];

	if (stamps->next - number - 1 >= TX_STAMPS_MAX || stamps->head - stamps->tail >= TX_STAMPS_MAX)
		return;
	*stamp = (struct tw_sent_stamp){
		.cookie = stamps->cookies[number % TX_STAMPS_MAX],
		.by = TW_STAMP_SOFTWARE,
		.time = tw_time__ns(time),
	};
	stamps->head++;
}

bool tx_stamps__note(struct tx_stamps *stamps, struct msghdr *msg)
{
	struct sock_extended_err report = { .ee_origin = SO_EE_ORIGIN_NONE };
	struct scm_timestamping times = { 0 };

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING)
			memcpy(&times, CMSG_DATA(c), sizeof(times));
		else if (is_report(c))
			memcpy(&report, CMSG_DATA(c), sizeof(report));
	}
	if (report.ee_origin != SO_EE_ORIGIN_TIMESTAMPING)
		return false;
	if (report.ee_info == SCM_TSTAMP_SND && times.ts[0].tv_sec)
		add(stamps, report.ee_data, &times.ts[0]);
	return true;
}

void tx_stamps__read(struct tx_stamps *stamps)
{
	_Alignas(struct cmsghdr) uint8_t control[TX_STAMPS_REPORT];
	struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };

	while (recvmsg(stamps->fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0) {
		tx_stamps__note(stamps, &msg);
		msg.msg_controllen = sizeof(control);
	}
}

bool tx_stamps__take(struct tx_stamps *stamps, struct tw_sent_stamp *ret)
{
	if (stamps->head == stamps->tail)
		return false;
	*ret = stamps->stamps[stamps->tail++ % TX_STAMPS_MAX];
	return true;
}
