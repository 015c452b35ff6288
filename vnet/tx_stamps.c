/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/tx_stamps.h"

#include <linux/errqueue.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <string.h>

#include "base/time.h"
#include "vnet/socket.h"

/* OPT_PKTINFO: a received frame has the interface whose card stamped it. */
#define OF_CARD (SOF_TIMESTAMPING_RAW_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_OPT_PKTINFO)

/* OPT_ID: a report contains the number of the frame. OPT_TX_SWHW: if the card makes a stamp, the kernel makes one, too. */
#define REPORT (OF_CARD | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TX_SWHW)

/*
 * OPT_TSONLY: a report does not contain the frame. The kernel finds the interface of a report (OPT_CMSG) by the frame, so the frame is part
 * of it, except on a packet socket, whose interface is known.
 */
static int switch_on(const struct tx_stamps *stamps)
{
	const int flags = REPORT | (stamps->interface ? SOF_TIMESTAMPING_OPT_TSONLY : SOF_TIMESTAMPING_OPT_CMSG);

	return tw_socket__set(stamps->fd, SOL_SOCKET, SO_TIMESTAMPING, flags);
}

void tx_stamps__enable(struct tx_stamps *stamps, int fd, int interface, const bool *card)
{
	*stamps = (struct tx_stamps){ .fd = fd, .card = card, .interface = (uint32_t)interface };
	stamps->on = switch_on(stamps) == 0;
}

void tx_stamps__receive(int fd)
{
	tw_socket__set(fd, SOL_SOCKET, SO_TIMESTAMPING, OF_CARD);
}

void tx_stamps__request(const struct tx_stamps *stamps, struct msghdr *msg)
{
	struct cmsghdr *c = (struct cmsghdr *)((uint8_t *)msg->msg_control + msg->msg_controllen);
	uint32_t flags = SOF_TIMESTAMPING_TX_SOFTWARE;

	if (!stamps->on)
		return;
	if (*stamps->card)
		flags |= SOF_TIMESTAMPING_TX_HARDWARE;
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
	stamps->on = tw_socket__set(stamps->fd, SOL_SOCKET, SO_TIMESTAMPING, 0) == 0 && switch_on(stamps) == 0;
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
static void add(struct tx_stamps *stamps, uint32_t number, struct tw_sent_stamp *stamp)
{
	if (stamps->next - number - 1 >= TX_STAMPS_MAX || stamps->head - stamps->tail >= TX_STAMPS_WAITING)
		return;
	stamp->cookie = stamps->cookies[number % TX_STAMPS_MAX];
	stamps->stamps[stamps->head++ % TX_STAMPS_WAITING] = *stamp;
}

bool tx_stamps__of_card(const struct cmsghdr *c, struct tw_card_stamp *ret)
{
	struct scm_timestamping times;
	struct scm_ts_pktinfo info;

	if (c->cmsg_level != SOL_SOCKET)
		return false;
	switch (c->cmsg_type) {
	case SCM_TIMESTAMPING:
		memcpy(&times, CMSG_DATA(c), sizeof(times));
		ret->time = tw_time__ns(&times.ts[2]);
		return true;
	case SCM_TIMESTAMPING_PKTINFO:
		memcpy(&info, CMSG_DATA(c), sizeof(info));
		ret->interface = info.if_index;
		return true;
	default:
		return false;
	}
}

/* Gets the interface that sent a frame, from a report of a socket of IP. */
static void note_interface(const struct cmsghdr *c, uint32_t *ret)
{
	struct in6_pktinfo info6;
	struct in_pktinfo info;

	if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
		memcpy(&info, CMSG_DATA(c), sizeof(info));
		*ret = (uint32_t)info.ipi_ifindex;
	} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
		memcpy(&info6, CMSG_DATA(c), sizeof(info6));
		*ret = info6.ipi6_ifindex;
	}
}

/*
 * Makes a stamp from a report. If it has a stamp of the card, its other time is not a stamp: the kernel puts the current time there, if the
 * socket also wants stamps of received frames. Return: false if the report has no stamp
 */
static bool make_stamp(const struct scm_timestamping *times, uint32_t interface, struct tw_sent_stamp *ret)
{
	*ret = (struct tw_sent_stamp){
		.by = TW_STAMP_HARDWARE,
		.card = { tw_time__ns(&times->ts[2]), interface },
	};
	if (ret->card.time)
		return true;
	*ret = (struct tw_sent_stamp){ .by = TW_STAMP_SOFTWARE, .time = tw_time__ns(&times->ts[0]) };
	return ret->time != 0;
}

bool tx_stamps__note(struct tx_stamps *stamps, struct msghdr *msg)
{
	struct sock_extended_err report = { .ee_origin = SO_EE_ORIGIN_NONE };
	struct scm_timestamping times = { 0 };
	uint32_t interface = stamps->interface;
	struct tw_sent_stamp stamp;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING)
			memcpy(&times, CMSG_DATA(c), sizeof(times));
		else if (is_report(c))
			memcpy(&report, CMSG_DATA(c), sizeof(report));
		else
			note_interface(c, &interface);
	}
	if (report.ee_origin != SO_EE_ORIGIN_TIMESTAMPING)
		return false;
	if (report.ee_info == SCM_TSTAMP_SND && make_stamp(&times, interface, &stamp))
		add(stamps, report.ee_data, &stamp);
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
	*ret = stamps->stamps[stamps->tail++ % TX_STAMPS_WAITING];
	return true;
}
