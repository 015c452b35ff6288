/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_out_of_band.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/time.h"
#include "vnet/socket.h"
#include "wire/tracewire.h"

#define CONTROL_ROOM 256 /* bytes, for ancillary data of a frame */

/* If a receiver leaves a frame of a stream to the kernel, the frame arrives here too. So the filter rejects all but out-of-band frames. */
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

	return tw_socket__set_filter(fd, code, sizeof(code) / sizeof(code[0]));
}

static int set_up(int fd, int ifindex)
{
	int err = set_filter(fd);

	if (!err)
		err = tw_socket__set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	if (!err)
		err = tw_socket__set(fd, SOL_PACKET, PACKET_AUXDATA, 1);
	if (!err)
		err = tw_socket__set(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
	/* A socket for only one EtherType would receive the frames without their VLAN tags. */
	return err ? err : tw_socket__bind_packet(fd, ETH_P_ALL, ifindex);
}

int rx_out_of_band__open(int ifindex, int *ret_fd)
{
	*ret_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	return *ret_fd < 0 ? -errno : set_up(*ret_fd, ifindex);
}

/* Reads the ancillary data of a frame. */
static void read_control(struct msghdr *msg, struct timespec *time, struct tw_card_stamp *card,
			 struct tpacket_auxdata *aux)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
			memcpy(time, CMSG_DATA(c), sizeof(*time));
		else if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA)
			memcpy(aux, CMSG_DATA(c), sizeof(*aux));
		else
			tx_stamps__of_card(c, card);
	}
}

int rx_out_of_band__take(const struct rx_link *link, int fd, uint8_t *buffer, struct tw_peer *peer,
			 struct tw_received_frame *ret)
{
	_Alignas(struct cmsghdr) uint8_t control[CONTROL_ROOM];
	struct iovec iov = { .iov_base = buffer, .iov_len = RX_OUT_OF_BAND_MAX };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct tpacket_auxdata aux = { 0 };
	struct tw_card_stamp card = { 0 };
	struct timespec time = { 0 };
	uint8_t tag[RX_LINK_TAG];
	const ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (n < ETH_HLEN)
		return 0;
	read_control(&msg, &time, &card, &aux);
	rx_link__peer(link, buffer, rx_link__tag(aux.tp_status, aux.tp_vlan_tpid, aux.tp_vlan_tci, tag), peer);
	*ret = (struct tw_received_frame){
		.data = buffer + ETH_HLEN,
		.len = (size_t)n - ETH_HLEN,
		.time = tw_time__ns(&time),
		.time_by = TW_STAMP_SOFTWARE,
		.card = card,
		.from = peer,
	};
	return 1;
}
