/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forged streams for a capture host, for flood.sh and bench/run: `flood PORT KIND SECONDS [PACE [FRAMES]]`. It ends after SECONDS or
 * after FRAMES frames. KIND is what each new stream sends:
 *   hosts    one frame, a HOST
 *   pairs    two frames with consecutive numbers: a HOST and a WATERMARK
 *   schemas  a HOST, and 1000 frames of formats with consecutive numbers
 *   events   a HOST, and 1000 full frames of events with consecutive numbers
 *   mixed    the four kinds above in turn, a second each
 *   bundles  one frame, a HOST; the kernel passes 64 such frames together to the capture host (UDP GSO and GRO)
 * PACE is the number of frames a second; 0 = as fast as this program can send; wait (the default) = as fast as the capture host reads.
 * At its end it prints the number of frames and the elapsed seconds.
 */
#include <errno.h>
#include <inttypes.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/integration/made/made.h"

#define BATCH       64        /* frames in one system call */
#define BETWEEN     256       /* frames sent before the capture host's queue is checked */
#define FRAME_BYTES 1400      /* upper limit */
#define LONG        1000      /* frames with consecutive numbers in a stream */
#define BEHIND_NS   (20 * MS) /* after a longer delay, the schedule restarts instead of catching up */

static struct made_wire wire;
static uint8_t frames[BATCH][FRAME_BYTES + TW_COPY_STEP];
static struct iovec iov[BATCH];
static struct mmsghdr messages[BATCH];
static unsigned int n_waiting;
static uint64_t n_sent, seed = 1;
static bool pauses, bundles;
static uint64_t pace, due; /* frames a second; time at which the next frames are due */

/* splitmix64 generator: random numbers are the same for the same seed */
static uint64_t next_random(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void keep_pace(void)
{
	const uint64_t now = made_now();
	const struct timespec rest = { .tv_nsec = due > now ? (long)(due - now) : 0 };

	if (!pace)
		return;
	if (rest.tv_nsec)
		nanosleep(&rest, NULL);
	due = now > due + BEHIND_NS ? now : due;
	due += n_waiting * TW_NS_PER_SECOND / pace;
}

/* Send the waiting messages from @first on. Return: number of messages sent, or -1 */
static int send_from(unsigned int first)
{
	const struct msghdr bundle = { .msg_iov = iov, .msg_iovlen = n_waiting };

	if (!bundles)
		return sendmmsg(wire.fd, messages + first, n_waiting - first, 0);
	return sendmsg(wire.fd, &bundle, 0) < 0 ? -1 : (int)n_waiting;
}

static void flush(void)
{
	unsigned int done = 0;

	keep_pace();
	while (done < n_waiting) {
		const int n = send_from(done);

		if (n < 0 && errno != ENOBUFS && errno != EINTR && errno != ECONNREFUSED) {
			perror("remote_flood");
			exit(1);
		}
		done += n > 0 ? (unsigned int)n : 0;
	}
	n_sent += n_waiting;
	n_waiting = 0;
	if (pauses && n_sent % BETWEEN == 0)
		made_wire__let_catch_up(&wire);
}

static struct tw_frame frame;

static void begin(uint64_t id, uint16_t channel, uint64_t seq)
{
	const struct tw_frame_info info = {
		.stream_id = id,
		.channel = channel,
		.source = channel ? TW_SOURCE_FTRACE : TW_SOURCE_CONTROL,
		.seq = seq,
		.base_time = MADE_EPOCH + made_now(),
	};

	tw_frame__begin(&frame, frames[n_waiting], FRAME_BYTES, &info);
	frame.info.events = !channel;
}

static void end(void)
{
	iov[n_waiting] = (struct iovec){ .iov_base = frames[n_waiting], .iov_len = tw_frame__end(&frame) };
	messages[n_waiting].msg_hdr = (struct msghdr){ .msg_iov = &iov[n_waiting], .msg_iovlen = 1 };
	if (++n_waiting == BATCH)
		flush();
}

static bool add_event(void)
{
	uint8_t record[24 + TW_COPY_STEP] = { 1 };

	return tw_frame__add_event(&frame, record, 24, frame.info.base_time);
}

static void send_host(uint64_t id)
{
	const struct tw_attr_view attrs[] = {
		{ .attr = TW_HOST_NAME, .value = (const uint8_t *)"stranger", .len = 8 },
		{ .attr = TW_HOST_INSTANCE, .value = (const uint8_t *)"flood", .len = 5 },
	};

	begin(id, TW_CHANNEL_CONTROL, 0);
	tw_host__emit(&frame, attrs, sizeof(attrs) / sizeof(attrs[0]));
	end();
}

static void send_one(void)
{
	send_host(next_random());
}

static void send_pair(void)
{
	const uint64_t id = next_random();

	send_host(id);
	begin(id, TW_CHANNEL_CONTROL, 1);
	tw_watermark__emit(&frame, frame.info.base_time, &(uint16_t){ 1 }, &(uint64_t){ 1 }, 1);
	end();
}

static void send_schema(uint64_t id, uint32_t n)
{
	static char text[1200] = "sched\0name: made\nID: 1\nformat:\n";
	const struct tw_schema_view schema = { .raw_length = sizeof(text),
					       .event_id = (uint16_t)n,
					       .index = n,
					       .total = UINT32_MAX,
					       .data = (const uint8_t *)text,
					       .len = sizeof(text) };

	begin(id, TW_CHANNEL_CONTROL, 1 + n);
	frame.info.schema_id = id;
	memcpy(text + 100, &id, sizeof(id)); /* makes all texts different */
	memcpy(text + 110, &n, sizeof(n));
	tw_schema_tlv__emit(&frame, &schema);
	end();
}

static void send_schemas(void)
{
	const uint64_t id = next_random();

	send_host(id);
	for (uint32_t n = 0; n < LONG; n++)
		send_schema(id, n);
}

static void send_events(void)
{
	const uint64_t id = next_random();
	uint64_t seq = 0;

	send_host(id);
	for (unsigned int n = 0; n < LONG; n++) {
		begin(id, 1, seq);
		while (add_event())
			;
		seq += frame.info.events;
		end();
	}
}

/* Queue a HOST frame. The first call also tells the kernel to split each batch into frames of this length (UDP GSO). */
static void send_bundled(void)
{
	send_host(next_random());
	if (bundles)
		return;
	bundles = !setsockopt(wire.fd, IPPROTO_UDP, UDP_SEGMENT, &(int){ (int)iov[0].iov_len }, sizeof(int));
	if (!bundles) {
		perror("remote_flood: UDP_SEGMENT");
		exit(1);
	}
}

static const struct {
	const char *name;
	void (*send)(void);
} kinds[] = { { "hosts", send_one },
	      { "pairs", send_pair },
	      { "schemas", send_schemas },
	      { "events", send_events },
	      { "bundles", send_bundled } };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define MIXED 4 /* "mixed" uses the first MIXED kinds */

/* Return: index of the kind; KINDS if @name is no kind of the table, for example "mixed" */
static size_t find_kind(const char *name)
{
	size_t kind = 0;

	while (kind < KINDS && strcmp(kinds[kind].name, name))
		kind++;
	return kind;
}

int main(int argc, char **argv)
{
	const uint64_t until = argc > 3 ? strtoull(argv[3], NULL, 10) * TW_NS_PER_SECOND : 0;
	const uint64_t most = argc > 5 ? strtoull(argv[5], NULL, 10) : UINT64_MAX;
	const size_t kind = argc > 3 ? find_kind(argv[2]) : 0;

	if (!until || (kind == KINDS && strcmp(argv[2], "mixed"))) {
		fprintf(stderr,
			"usage: %s PORT hosts|pairs|schemas|events|mixed|bundles SECONDS [PACE|wait [FRAMES]]\n",
			argv[0]);
		return 2;
	}
	pauses = argc < 5 || !strcmp(argv[4], "wait");
	pace = pauses ? 0 : strtoull(argv[4], NULL, 10);
	seed = tw_time__now(CLOCK_REALTIME);
	made_wire__udp(&wire, (uint16_t)atoi(argv[1]));
	while (made_now() < until && n_sent + n_waiting < most)
		kinds[kind == KINDS ? made_now() / TW_NS_PER_SECOND % MIXED : kind].send();
	flush();
	if (pauses) /* without pauses the capture host's queue may overflow and drop frames */
		made_wire__arrive();
	printf("%" PRIu64 " %.3f\n", n_sent, (double)made_now() / TW_NS_PER_SECOND);
	return 0;
}
