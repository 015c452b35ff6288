/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockets [unselected] -- measures the BPF programs of socket events: ns for each call, by the kernel's statistics of BPF programs. A
 * connection over the loopback interface sends and receives messages meanwhile. Prints a line for each hook: a short name, ns in a program
 * that returns at once, in the program written by hand in C, in Tracewire's, and what the hook is. All of them run for each call. Each
 * figure is the best of several rounds. With `unselected`, Tracewire has a filter that the connection does not pass.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "producer/bpf_kernel.h"
#include "producer/sockets/sockets.h"
#include "sockets_by_hand.skel.h"

#define ROUNDS   40
#define MESSAGES 500 /* of a round; the events of a round fit the rings */
#define RING     (16 << 20)

static const struct {
	const char *name;
	const char *programs[3]; /* one that returns at once, one written by hand, Tracewire's */
	const char *what;
} hooks[] = {
	{ "tx", { "empty_tx", "hand_tx", "egress_tcp" }, "a callback of sockops for sent data" },
	{ "rx", { "empty_rx", "hand_rx", "ingress_rx" }, "netif_receive_skb" },
	{ "l4", { "empty_l4", "hand_l4", "ingress_l4" }, "the ingress of a cgroup" },
	{ "socket", { "empty_socket", "hand_socket", "ingress_socket" }, "sk_data_ready" },
	{ "read", { "empty_read", "hand_read", "ingress_tcp_read" }, "tcp_rcv_space_adjust" },
};

#define HOOKS (sizeof(hooks) / sizeof(hooks[0]))
#define ALL   (3 * HOOKS)

struct measured {
	int fd;
	double ns, runs; /* at the beginning of the round */
	double best;
};

static void give_up(const char *what, const char *why)
{
	fprintf(stderr, "sockets: %s: %s\n", what, why);
	exit(1);
}

/* Return: descriptor of the newest loaded program of this name */
static int find_program(const char *name)
{
	uint32_t id = 0;
	int found = -1;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);
		const int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) &&
		    !strncmp(info.name, name, sizeof(info.name) - 1)) {
			if (found >= 0)
				close(found);
			found = fd;
		} else if (fd >= 0)
			close(fd);
	}
	if (found < 0)
		give_up("no such program", name);
	return found;
}

static void read_statistics(const struct measured *m, double *ret_ns, double *ret_runs)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(m->fd, &info, &len))
		give_up("no statistics of a program", strerror(errno));
	*ret_ns = (double)info.run_time_ns;
	*ret_runs = (double)info.run_cnt;
}

/* Makes a connection over the loopback interface. */
static void connect_pair(int ret[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);

	ret[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&at, len) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at, &len) || connect(ret[0], (struct sockaddr *)&at, len))
		give_up("cannot connect", strerror(errno));
	ret[1] = accept(listener, NULL, NULL);
	close(listener);
}

static void send_messages(const int pair[2])
{
	char message[100] = { 0 };

	for (int i = 0; i < MESSAGES; i++)
		if (write(pair[0], message, sizeof(message)) < 0 || read(pair[1], message, sizeof(message)) < 0)
			give_up("cannot send", strerror(errno));
}

static int ignore(void *ctx, void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return 0;
}

static struct ring_buffer *open_rings(const struct tw_sockets *sockets, int of_hand)
{
	struct ring_buffer *rings = ring_buffer__new(of_hand, ignore, NULL, NULL);

	for (unsigned int cpu = 0; rings && cpu < tw_sockets__cpus(sockets); cpu++)
		ring_buffer__add(rings, tw_sockets__ring(sockets, cpu), ignore, NULL);
	if (!rings)
		give_up("cannot read the rings", strerror(errno));
	return rings;
}

static void run_round(struct measured *all, const int pair[2])
{
	for (size_t i = 0; i < ALL; i++)
		read_statistics(&all[i], &all[i].ns, &all[i].runs);
	send_messages(pair);
	for (size_t i = 0; i < ALL; i++) {
		double ns, runs;

		read_statistics(&all[i], &ns, &runs);
		if (runs == all[i].runs) /* a socket without flag has no callbacks */
			continue;
		ns = (ns - all[i].ns) / (runs - all[i].runs);
		if (all[i].best <= 0 || ns < all[i].best)
			all[i].best = ns;
	}
}

/* Attaches the programs written by hand, until this process ends. */
static struct sockets_by_hand *attach_by_hand(void)
{
	struct sockets_by_hand *hand = sockets_by_hand__open_and_load();
	const int cgroup = tw_cgroup__open_root(NULL);
	struct bpf_program *program;

	if (!hand || cgroup < 0)
		give_up("cannot load the programs written by hand", strerror(errno));
	bpf_object__for_each_program(program, hand->obj)
	{
		const enum bpf_prog_type type = bpf_program__type(program);
		const bool of_cgroup = type == BPF_PROG_TYPE_SOCK_OPS || type == BPF_PROG_TYPE_CGROUP_SKB;

		if (!(of_cgroup ? bpf_program__attach_cgroup(program, cgroup) : bpf_program__attach(program)))
			give_up("cannot attach the programs written by hand", strerror(errno));
	}
	close(cgroup);
	return hand;
}

/* Sets a condition that the connection does not pass: the port of the other side. */
static void exclude(struct tw_sockts_conditions *ret)
{
	ret->event = (struct tw_sockts_condition){
		.n = 1,
		.facts = 1u << TW_SOCKTS_FACT_dport,
		.tests = { {
			.is_of_socket = 1,
			.offset = offsetof(struct tw_sockts_socket, dport),
			.size = sizeof(uint16_t),
			.holds = TW_SOCKTS_PASSES,
			.fails = TW_SOCKTS_FAILS,
			.mask = { UINT16_MAX },
			.value = { 1 },
		} },
	};
	ret->socket = ret->event;
}

static void print_hook(size_t i, const struct measured of_hook[3])
{
	printf("%s", hooks[i].name);
	for (size_t program = 0; program < 3; program++)
		printf(of_hook[program].best > 0 ? " %.1f" : " -", of_hook[program].best);
	printf(" %s\n", hooks[i].what);
}

int main(int argc, char **argv)
{
	struct tw_sockts_conditions conditions[TW_SOCKTS_EVENTS] = { 0 };
	const struct tw_sockets_options options = {
		.events = 1u << TW_SOCKTS_egress_ts | 1u << TW_SOCKTS_ingress_ts,
		.clock = TW_SOCKTS_CLOCK_MONO,
		.ring_size = RING,
		.conditions = conditions,
	};
	struct measured all[ALL] = { 0 };
	struct sockets_by_hand *hand;
	struct tw_sockets *sockets;
	struct ring_buffer *rings;
	struct tw_error error;
	int pair[2];

	if (argc > 1 && !strcmp(argv[1], "unselected")) {
		exclude(&conditions[TW_SOCKTS_egress_ts]);
		exclude(&conditions[TW_SOCKTS_ingress_ts]);
	}
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) /* until this process ends */
		give_up("cannot measure", strerror(errno));
	hand = attach_by_hand();
	if (tw_sockets__new(&options, &sockets, &error) || tw_sockets__attach(sockets, options.events, &error))
		give_up("no socket events", error.text);
	for (size_t i = 0; i < ALL; i++)
		all[i].fd = find_program(hooks[i / 3].programs[i % 3]);
	rings = open_rings(sockets, bpf_map__fd(hand->maps.ring));
	connect_pair(pair);
	for (int round = 0; round < ROUNDS; round++) {
		run_round(all, pair);
		ring_buffer__consume(rings);
	}
	for (size_t i = 0; i < HOOKS; i++)
		print_hook(i, &all[3 * i]);
	ring_buffer__free(rings);
	tw_sockets__free(sockets);
	sockets_by_hand__destroy(hand);
	return 0;
}
