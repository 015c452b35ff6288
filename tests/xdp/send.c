/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send [-c] INTERFACE CAPTURE [SCHEMA [STREAM]]: sends the frames of a capture on an interface, in order and unchanged. With -c, it sends
 * only control frames. SCHEMA and STREAM, in hexadecimal, replace the ids in every frame.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "pcap-tools/capture/capture_file.h"
#include "wire/tracewire.h"

#define PACKET_MAX 65600

static uint64_t schema, stream;
static bool control_only;

static int open_socket(const char *ifname)
{
	const struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(ifname) };
	const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		fprintf(stderr, "cannot send on %s: %s\n", ifname, strerror(errno));
		return -1;
	}
	return fd;
}

/* Return: 1 if the packet was sent, 0 if it was skipped, -1 after an error */
static int send_packet(int fd, const struct tw_packet *packet)
{
	static uint8_t copy[PACKET_MAX];
	uint8_t *frame = copy + ETH_HLEN;

	if (packet->len > sizeof(copy) || packet->len < ETH_HLEN + sizeof(struct tw_frame_hdr))
		return 0;
	memcpy(copy, packet->data, packet->len);
	if (control_only && tw_load_be16(frame + offsetof(struct tw_frame_hdr, channel)) != TW_CHANNEL_CONTROL)
		return 0;
	if (schema)
		tw_store_be64(frame + offsetof(struct tw_frame_hdr, schema_id), schema);
	if (stream)
		tw_store_be64(frame + offsetof(struct tw_frame_hdr, stream_id), stream);
	if (send(fd, copy, packet->len, 0) >= 0)
		return 1;
	fprintf(stderr, "cannot send: %s\n", strerror(errno));
	return -1;
}

static int send_all(int fd, struct tw_capture_file *file, unsigned int *ret_sent)
{
	struct tw_packet packet;
	struct tw_error err;
	int more;

	while ((more = tw_capture_file__next(file, &packet, &err)) > 0) {
		const int sent = send_packet(fd, &packet);

		if (sent < 0)
			return -1;
		*ret_sent += (unsigned int)sent;
	}
	return more;
}

int main(int argc, char **argv)
{
	struct tw_capture_file *file;
	struct tw_error err;
	unsigned int sent = 0;
	int fd, socket_fd, status;

	control_only = argc > 1 && !strcmp(argv[1], "-c");
	argc -= control_only;
	argv += control_only;
	if (argc < 3)
		return 2;
	schema = argc > 3 ? strtoull(argv[3], NULL, 16) : 0;
	stream = argc > 4 ? strtoull(argv[4], NULL, 16) : 0;
	fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	socket_fd = open_socket(argv[1]);
	if (fd < 0 || socket_fd < 0 || tw_capture_file__open(fd, argv[2], &file, &err))
		return 1;
	status = send_all(socket_fd, file, &sent);
	tw_capture_file__close(file);
	printf("%u\n", sent);
	return status ? 1 : 0;
}
