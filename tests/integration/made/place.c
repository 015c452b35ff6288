/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two streams from one address, for place.sh: `remote_place PORT`. The second stream replaces the first one within frames that arrive
 * together: one GRO batch has the END of the first stream and the frame that makes the capture host accept the second one.
 */
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/integration/made/made.h"

#define FRAME_BYTES 512

static struct made_wire wire;
static struct tw_frame frame;
static uint8_t buf[2 * FRAME_BYTES + TW_COPY_STEP];

static void begin(uint8_t *to, uint64_t id, uint64_t seq)
{
	const struct tw_frame_info info = { .stream_id = id,
					    .channel = TW_CHANNEL_CONTROL,
					    .source = TW_SOURCE_CONTROL,
					    .seq = seq,
					    .base_time = MADE_EPOCH + seq };

	tw_frame__begin(&frame, to, FRAME_BYTES, &info);
	frame.info.events = 1;
}

static void send_host(uint64_t id, uint64_t seq, const char *name)
{
	const struct tw_attr_view attr = { .attr = TW_HOST_NAME,
					   .value = (const uint8_t *)name,
					   .len = (uint16_t)strlen(name) };

	begin(buf, id, seq);
	tw_host__emit(&frame, &attr, 1);
	made_wire__send(&wire, buf, tw_frame__end(&frame));
}

static size_t put_end(uint8_t *to, uint64_t id, uint64_t seq)
{
	begin(to, id, seq);
	tw_end__emit(&frame);
	return tw_frame__end(&frame);
}

int main(int argc, char **argv)
{
	size_t len;

	if (argc != 2) {
		fprintf(stderr, "usage: %s PORT\n", argv[0]);
		return 2;
	}
	made_wire__udp(&wire, (uint16_t)atoi(argv[1]));
	send_host(1, 0, "first");
	send_host(1, 1, "first");
	send_host(2, 0, "second");
	len = put_end(buf, 1, 2);
	put_end(buf + len, 2, 1);
	if (setsockopt(wire.fd, IPPROTO_UDP, UDP_SEGMENT, &(int){ (int)len }, sizeof(int))) {
		perror("remote_place: UDP_SEGMENT");
		return 1;
	}
	made_wire__send(&wire, buf, 2 * len);
	made_wire__arrive();
	return 0;
}
