/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's cls_u32, set up with tc's command lines. Frames are sent from a to b. Matching frames are redirected to c and arrive at d.
 * This stage takes few expressions, because each needs several runs of tc.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "filter/u32.h"
#include "stages.h"

#define EXPRESSIONS_MAX 80
#define FRAMES_MAX      128
#define LINE_MAX        65536
#define MARKER          0x88b6 /* an EtherType that no rule matches */
#define WAIT_MS         5000

static struct {
	int a, b, c, d; /* packet sockets; b receives only markers */
	struct {
		bool expected, got;
	} frames[FRAMES_MAX];
	uint16_t n;
} wire;

static void fail(const char *what)
{
	fprintf(stderr, "proof: cls_u32: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Runs @tool with the commands @lines on its standard input. */
static void run_batch(const char *tool, const char *lines)
{
	char command[64];
	FILE *f;

	snprintf(command, sizeof(command), "%s -batch -", tool);
	f = popen(command, "w");
	if (!f || fputs(lines, f) < 0 || pclose(f)) {
		errno = EINVAL; /* the tool has printed the reason */
		fail(lines);
	}
}

static int open_socket(const char *name, uint16_t protocol)
{
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = (int)if_nametoindex(name),
	};
	const int room = 8 << 20, fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		fail(name);
	return fd;
}

/* Stays on one CPU, so that frames arrive in the order in which they were sent. */
static void stay_on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("CPU");
}

static void set_up(void)
{
	if (unshare(CLONE_NEWNET))
		fail("a network namespace");
	stay_on_one_cpu();
	run_batch("ip", "link add name a mtu 9000 type veth peer name b mtu 9000\n"
			"link add name c mtu 9000 type veth peer name d mtu 9000\n"
			"link set dev a up\nlink set dev b up\nlink set dev c up\nlink set dev d up\n");
	run_batch("tc", "qdisc add dev b clsact\n");
	wire.a = open_socket("a", MARKER); /* sends; receives nothing */
	wire.b = open_socket("b", MARKER);
	wire.c = open_socket("c", MARKER);
	wire.d = open_socket("d", 0x0003 /* ETH_P_ALL */);
}

static void add_filters(const struct tw_u32 *u32)
{
	static char text[LINE_MAX + 1];
	struct tw_line line = tw_line__on(text, LINE_MAX);

	for (unsigned int i = 0; i < u32->n; i++) {
		tw_line__str(&line, "filter add dev b ingress prio 1 protocol 0x88b5 u32 ");
		tw_u32_match__emit(&u32->matches[i], &line);
		tw_line__str(&line, " action mirred egress redirect dev c\n");
	}
	if (line.cut)
		fail("filters longer than the test has room for");
	*line.at = '\0';
	run_batch("tc", text);
}

static bool begin(struct stage *stage, const struct question *question)
{
	struct tw_u32 u32;
	struct tw_error err;
	int error;

	if (stage->counts.expressions >= EXPRESSIONS_MAX)
		return false;
	error = tw_u32__compile(question->bound, question->e->pool->schema_id, &u32, &err);
	if (error)
		return stage__refused(stage, question, error, err.text);
	if (!wire.a)
		set_up();
	add_filters(&u32);
	tw_u32__fini(&u32);
	wire.n = 0;
	return true;
}

static void send_frame(int fd, const uint8_t *data, size_t len)
{
	if (send(fd, data, len, 0) != (ssize_t)len)
		fail("send");
}

/*
 * The sender's address identifies the packet, because rules do not test the bytes before the frame. Verdicts are compared at the end.
 */
static enum stage_answer ask(struct stage *stage, const struct made_frame *frame, bool matches)
{
	struct made_frame copy = *frame;

	if (!frame->is_single || !frame->is_whole || wire.n == FRAMES_MAX)
		return STAGE_NOTHING;
	stage->counts.matched += matches;
	tw_store_be16(copy.data + 6, 0x0200);
	tw_store_be16(copy.data + 10, wire.n);
	wire.frames[wire.n].expected = matches;
	wire.frames[wire.n++].got = false;
	send_frame(wire.a, copy.data, copy.len);
	return STAGE_AGREES;
}

/* Receives a frame. Return: its EtherType. If no frame arrives, the program ends. */
static uint16_t receive(int fd, uint8_t *data, size_t room)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	if (poll(&pollfd, 1, WAIT_MS) != 1 || recv(fd, data, room, 0) < FRAMES_ETH) {
		errno = ETIMEDOUT;
		fail("frames do not arrive");
	}
	return tw_load_be16(data + 12);
}

static void collect(void)
{
	static const uint8_t marker[60] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, MARKER >> 8, MARKER & 0xff };
	uint8_t data[FRAMES_LEN_MAX];
	uint16_t type;

	send_frame(wire.a, marker, sizeof(marker));
	while (receive(wire.b, data, sizeof(data)) != MARKER)
		;
	send_frame(wire.c, marker, sizeof(marker));
	while ((type = receive(wire.d, data, sizeof(data))) != MARKER)
		if (type == TW_ETHERTYPE && tw_load_be16(data + 10) < wire.n)
			wire.frames[tw_load_be16(data + 10)].got = true;
}

static bool end(struct stage *stage)
{
	bool ok = true;

	collect();
	for (uint16_t i = 0; i < wire.n; i++) {
		if (wire.frames[i].got == wire.frames[i].expected)
			continue;
		fprintf(stderr, "%s: of frame %u the evaluator says %d\n", stage->counts.name, i,
			wire.frames[i].expected);
		ok = false;
	}
	run_batch("tc", "filter del dev b ingress\n");
	return ok;
}

struct stage stage_cls_u32 = { .counts.name = "cls_u32", .begin = begin, .ask = ask, .end = end };
