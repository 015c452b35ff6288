/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_aside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/time.h"
#include "wire/tracewire.h"

static int set_on(int fd, int level, int name)
{
	const int one = 1;

	return setsockopt(fd, level, name, &one, sizeof(one)) < 0 ? -errno : 0;
}

/* Frames of a stream come by, too, where no AF_XDP socket takes them. */
static int set_filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 2 * ETH_ALEN),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_ETHERTYPE, 0, 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, ETH_HLEN + offsetof(struct tw_frame_hdr, source)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_SOURCE_OUT_OF_BAND, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno : 0;
}

static int set_up(int fd, int ifindex)
{
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL), /* who asks for one EtherType gets no VLAN tags */
		.sll_ifindex = ifindex,
	};
	int error = set_filter(fd);

	if (!error)
		error = set_on(fd, SOL_SOCKET, SO_TIMESTAMPNS);
	if (!error)
		error = set_on(fd, SOL_PACKET, PACKET_AUXDATA);
	if (!error)
		error = set_on(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING);
	if (!error && bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		error = -errno;
	return error;
}

int rx_aside__open(const struct rx_link *link)
{
	const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	error = set_up(fd, link->ifindex);
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* The kernel takes the first tag out of the frame. Return: it as it was, or NULL */
static const uint8_t *tag_of(const struct tpacket_auxdata *aux, uint8_t tag[RX_LINK_TAG])
{
	if (!(aux->tp_status & TP_STATUS_VLAN_VALID))
		return NULL;
	tw_store_be16(tag, aux->tp_status & TP_STATUS_VLAN_TPID_VALID ? aux->tp_vlan_tpid : ETH_P_8021Q);
	tw_store_be16(tag + sizeof(uint16_t), aux->tp_vlan_tci);
	return tag;
}

/* What the kernel tells beside a frame. */
static void read_control(struct msghdr *msg, struct timespec *time, struct tpacket_auxdata *aux)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
			memcpy(time, CMSG_DATA(c), sizeof(*time));
		else if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA)
			memcpy(aux, CMSG_DATA(c), sizeof(*aux));
	}
}

int rx_aside__receive(int fd, struct rx_link *link, uint8_t *room, struct tw_peer *peer, struct tw_received_frame *ret)
{
	_Alignas(struct cmsghdr)
		uint8_t control[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct iovec iov = { .iov_base = room, .iov_len = RX_ASIDE_ROOM };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	const ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT);
	struct tpacket_auxdata aux = { 0 };
	struct timespec time = { 0 };
	uint8_t tag[RX_LINK_TAG];

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : rx_link__failed(link, errno);
	if (n < ETH_HLEN)
		return 0;
	read_control(&msg, &time, &aux);
	rx_link__peer(link, room, tag_of(&aux, tag), peer);
	ret->data = room + ETH_HLEN;
	ret->len = (size_t)n - ETH_HLEN;
	ret->time = (uint64_t)time.tv_sec * TW_NS_PER_SECOND + (uint64_t)time.tv_nsec;
	ret->from = peer;
	return 1;
}
