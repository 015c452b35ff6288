/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * receive xdp|packet INTERFACE -- receives frames on an interface until SIGINT or SIGTERM, and checks only their numbers. At its end it
 * prints one line for each of: how=, frames=, events=, missing= (numbers without a frame), disordered= (frames), dropped=, untaken= (frames
 * that cannot be parsed), and ns= (CPU time for each frame).
 */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "vnet/rx_packet.h"
#include "vnet/rx_xdp.h"
#include "wire/decode.h"

#define CHANNELS 1024

static struct {
	uint64_t frames, events, missing, disordered, untaken;
	uint64_t next[CHANNELS]; /* next number of each channel; 0 = the channel is new */
} seen;

static volatile sig_atomic_t ending;

static void on_signal(int signal)
{
	(void)signal;
	ending = 1;
}

static void look_at(const struct tw_received_frame *frame)
{
	struct tw_frame_info info;
	struct tw_cursor tlvs;

	seen.frames++;
	if (tw_frame__parse(frame->data, frame->len, &info, &tlvs) != TW_FRAME_OK) {
		seen.untaken++;
		return;
	}
	if (info.channel >= CHANNELS)
		return; /* out-of-band frames have no numbers */
	if (seen.next[info.channel] && info.seq > seen.next[info.channel])
		seen.missing += info.seq - seen.next[info.channel];
	seen.disordered += info.seq < seen.next[info.channel];
	seen.next[info.channel] = info.seq + info.events;
	seen.events += info.channel != TW_CHANNEL_CONTROL ? info.events : 0;
}

static int open_rx(const char *kind, const char *ifname, struct tw_receiver **ret, struct tw_error *err)
{
	const struct tw_rx_xdp_options xdp = { .ifname = ifname };
	const struct tw_rx_packet_options packet = { .ifname = ifname, .ring = 64u << 20 };

	return strcmp(kind, "xdp") ? tw_rx_packet__open(&packet, ret, err) : tw_rx_xdp__open(&xdp, ret, err);
}

static int receive(struct tw_receiver *rx)
{
	struct tw_received_frame frame;
	int more = 0;

	while (more >= 0 && !(ending && !more)) {
		more = tw_receiver__next(rx, 100, &frame);
		if (more > 0)
			look_at(&frame);
	}
	return more;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct tw_receiver_stats stats = { 0 };
	struct tw_error err;
	struct tw_receiver *rx;
	uint64_t cpu;
	int end;

	if (argc < 3)
		return 2;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (open_rx(argv[1], argv[2], &rx, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	fprintf(stderr, "receiving: %s\n", rx->how);
	cpu = tw_time__now(CLOCK_PROCESS_CPUTIME_ID);
	end = receive(rx);
	cpu = tw_time__now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	tw_receiver__stats(rx, &stats);
	printf("how='%s'\nframes=%" PRIu64 "\nevents=%" PRIu64 "\nmissing=%" PRIu64 "\ndisordered=%" PRIu64
	       "\ndropped=%" PRIu64 "\nuntaken=%" PRIu64 "\nns=%" PRIu64 "\n",
	       rx->how, seen.frames, seen.events, seen.missing, seen.disordered, stats.dropped, seen.untaken,
	       seen.frames ? cpu / seen.frames : 0);
	tw_receiver__close(rx);
	return end < 0 ? -end : 0;
}
