/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockets [unselected] -- measures the BPF programs of socket events: ns for each call, by the kernel's statistics of BPF programs. A
 * connection over the loopback interface sends and receives messages meanwhile. Prints a line for each hook: a short name, ns in a program
 * that returns at once, in the program written by hand in C, in Tracewire's, and what the hook is. The three kinds are attached in turn,
 * because the processor completes what one program stores while the next one runs. Each figure is the best of several rounds. With
 * `unselected`, Tracewire has a filter that the connection does not pass.
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
#include "producer/sockets/bpf_ring.h"
#include "producer/sockets/sockets.h"
#include "sockets_by_hand.skel.h"

#define ROUNDS   40
#define MESSAGES 500 /* of a round; the events of a round fit the rings */
#define RING     (16 << 20)

enum kind { AT_ONCE, BY_HAND, TRACEWIRE, KINDS };

static const struct {
	const char *name;
	const char *programs[KINDS];
	const char *what;
} hooks[] = {
	{ "tx", { "empty_tx", "hand_tx", "egress_tcp" }, "a callback of sockops for sent data" },
	{ "rx", { "empty_rx", "hand_rx", "ingress_rx" }, "netif_receive_skb" },
	{ "l4", { "empty_l4", "hand_l4", "ingress_l4" }, "the ingress of a cgroup" },
	{ "socket", { "empty_socket", "hand_socket", "ingress_socket" }, "sk_data_ready" },
	{ "read", { "empty_read", "hand_read", "ingress_tcp_read" }, "tcp_rcv_space_adjust" },
};

#define HOOKS (sizeof(hooks) / sizeof(hooks[0]))

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

/* The rings of both kinds of programs. They are emptied, so that no event is lost. */
struct rings {
	struct ring_buffer *of_hand;
	struct tw_bpf_ring *of_cpus[TW_SOCKTS_CPUS_MAX];
	unsigned int n_cpus;
};

static struct rings open_rings(const struct tw_sockets *sockets, int of_hand)
{
	struct rings rings = { .of_hand = ring_buffer__new(of_hand, ignore, NULL, NULL),
			       .n_cpus = tw_sockets__cpus(sockets) };
	struct tw_error error;

	if (!rings.of_hand)
		give_up("cannot read the ring of the programs written by hand", strerror(errno));
	for (unsigned int cpu = 0; cpu < rings.n_cpus; cpu++)
		if (tw_bpf_ring__open(sockets, cpu, CLOCK_MONOTONIC, &rings.of_cpus[cpu], &error))
			give_up("cannot read the rings", error.text);
	return rings;
}

static void empty_rings(const struct rings *rings)
{
	static uint8_t page[65536];

	ring_buffer__consume(rings->of_hand);
	for (unsigned int cpu = 0; cpu < rings->n_cpus; cpu++)
		while (tw_bpf_ring__read(rings->of_cpus[cpu], page, sizeof(page)))
			;
}

static void close_rings(const struct rings *rings)
{
	ring_buffer__free(rings->of_hand);
	for (unsigned int cpu = 0; cpu < rings->n_cpus; cpu++)
		tw_bpf_ring__close(rings->of_cpus[cpu]);
}

/* The programs written by hand, and those that return at once. */
struct others {
	struct sockets_by_hand *skeleton;
	int cgroup;
	struct bpf_link *links[2 * HOOKS];
	size_t n_links;
};

static struct others load_others(void)
{
	struct others others = { .skeleton = sockets_by_hand__open_and_load(), .cgroup = tw_cgroup__open_root(NULL) };

	if (!others.skeleton || others.cgroup < 0)
		give_up("cannot load the programs written by hand", strerror(errno));
	return others;
}

/* Attaches the programs of one kind. @prefix: with which their names begin */
static void attach_others(struct others *others, const char *prefix)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, others->skeleton->obj)
	{
		const enum bpf_prog_type type = bpf_program__type(program);
		const bool of_cgroup = type == BPF_PROG_TYPE_SOCK_OPS || type == BPF_PROG_TYPE_CGROUP_SKB;
		struct bpf_link *link;

		if (strncmp(bpf_program__name(program), prefix, strlen(prefix)) != 0)
			continue;
		link = of_cgroup ? bpf_program__attach_cgroup(program, others->cgroup) : bpf_program__attach(program);
		if (!link)
			give_up("cannot attach the programs written by hand", strerror(errno));
		others->links[others->n_links++] = link;
	}
}

static void detach_others(struct others *others)
{
	while (others->n_links)
		bpf_link__destroy(others->links[--others->n_links]);
}

/* Measures the programs of one kind, which are attached. @of_hooks: HOOKS elements */
static void measure(struct measured *of_hooks)
{
	int pair[2];

	connect_pair(pair);
	for (size_t i = 0; i < HOOKS; i++)
		read_statistics(&of_hooks[i], &of_hooks[i].ns, &of_hooks[i].runs);
	send_messages(pair);
	for (size_t i = 0; i < HOOKS; i++) {
		struct measured *const m = &of_hooks[i];
		double ns, runs;

		read_statistics(m, &ns, &runs);
		if (runs == m->runs) /* a socket that the filter excludes has no callbacks */
			continue;
		ns = (ns - m->ns) / (runs - m->runs);
		if (m->best <= 0 || ns < m->best)
			m->best = ns;
	}
	close(pair[0]);
	close(pair[1]);
}

static void run_round(struct measured all[KINDS][HOOKS], struct others *others, struct tw_sockets *sockets,
		      const struct tw_sockets_options *options)
{
	struct tw_error error;

	attach_others(others, "empty_");
	measure(all[AT_ONCE]);
	detach_others(others);
	attach_others(others, "hand_");
	measure(all[BY_HAND]);
	detach_others(others);
	if (tw_sockets__attach(sockets, options->events, &error))
		give_up("no socket events", error.text);
	measure(all[TRACEWIRE]);
	tw_sockets__detach(sockets);
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

static void print_hook(size_t i, struct measured all[KINDS][HOOKS])
{
	printf("%s", hooks[i].name);
	for (enum kind kind = 0; kind < KINDS; kind++)
		printf(all[kind][i].best > 0 ? " %.1f" : " -", all[kind][i].best);
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
	struct measured all[KINDS][HOOKS] = { 0 };
	struct others others;
	struct tw_sockets *sockets;
	struct tw_error error;
	struct rings rings;

	if (argc > 1 && !strcmp(argv[1], "unselected")) {
		exclude(&conditions[TW_SOCKTS_egress_ts]);
		exclude(&conditions[TW_SOCKTS_ingress_ts]);
	}
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) /* until this process ends */
		give_up("cannot measure", strerror(errno));
	others = load_others();
	if (tw_sockets__new(&options, &sockets, &error))
		give_up("no socket events", error.text);
	for (size_t i = 0; i < HOOKS; i++)
		for (enum kind kind = 0; kind < KINDS; kind++)
			all[kind][i].fd = find_program(hooks[i].programs[kind]);
	rings = open_rings(sockets, bpf_map__fd(others.skeleton->maps.ring));
	for (int round = 0; round < ROUNDS; round++) {
		run_round(all, &others, sockets, &options);
		empty_rings(&rings);
	}
	for (size_t i = 0; i < HOOKS; i++)
		print_hook(i, all);
	close_rings(&rings);
	tw_sockets__free(sockets);
	close(others.cgroup);
	sockets_by_hand__destroy(others.skeleton);
	return 0;
}
