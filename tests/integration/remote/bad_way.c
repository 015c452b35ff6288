/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bad path from several interfaces to interface TO: bad_way TO DROPPED DOUBLED MOVED INTERFACE... The rates DROPPED, DOUBLED and MOVED
 * are in millionths of all frames. The program runs until SIGINT or SIGTERM. Then it prints a line for each stream: its id, and
 * NAME_frames= NAME_control= NAME_events= NAME_first= NAME_last= for each NAME of all, dropped, doubled, moved. Frames that are held at the
 * end also count as dropped.
 */
#include <endian.h>
#include <inttypes.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bad_way.h"
#include "bad_way.skel.h"
#include "wire/tracewire.h"

static int attach(const struct bad_way *way, const char *interface)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)if_nametoindex(interface), .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = bpf_program__fd(way->progs.bad_way), .handle = 1, .priority = 1,
		    .flags = BPF_TC_F_REPLACE);

	if (!hook.ifindex) {
		fprintf(stderr, "no interface %s\n", interface);
		return -1;
	}
	bpf_tc_hook_create(&hook); /* the hook may already exist */
	return bpf_tc_attach(&hook, &opts);
}

/* Detach the BPF program, which would otherwise have an effect until the interface is removed with its namespace. */
static void detach(const char *interface)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)if_nametoindex(interface), .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = 1);

	bpf_tc_detach(&hook, &opts);
}

static void count_held(struct bad_way *way, __u64 stream_id, struct bad_way_count *dropped)
{
	struct bad_way_slot slot;

	for (__u32 i = 0; i < BAD_WAY_SLOTS; i++) {
		if (bpf_map__lookup_elem(way->maps.slots, &i, sizeof(i), &slot, sizeof(slot), 0))
			continue;
		if (slot.state == SLOT_FREE || slot.stream_id != stream_id)
			continue;
		dropped->frames++;
		dropped->first += slot.is_first;
		dropped->last += slot.is_last;
		if (slot.channel == TW_CHANNEL_CONTROL)
			dropped->control++;
		else if (slot.channel != TW_CHANNEL_OUT_OF_BAND)
			dropped->events += slot.events;
	}
}

static void print_count(const char *name, const struct bad_way_count *count)
{
	printf(" %s_frames=%llu %s_control=%llu %s_events=%llu %s_first=%llu %s_last=%llu", name, count->frames, name,
	       count->control, name, count->events, name, count->first, name, count->last);
}

static void print(struct bad_way *way)
{
	__u64 *before = NULL, stream_id;
	struct bad_way_counts counts;

	while (!bpf_map__get_next_key(way->maps.streams, before, &stream_id, sizeof(stream_id))) {
		before = &stream_id;
		if (bpf_map__lookup_elem(way->maps.streams, &stream_id, sizeof(stream_id), &counts, sizeof(counts), 0))
			continue;
		count_held(way, stream_id, &counts.dropped);
		printf("stream=%016" PRIx64, (uint64_t)be64toh(stream_id));
		print_count("all", &counts.all);
		print_count("dropped", &counts.dropped);
		print_count("doubled", &counts.doubled);
		print_count("moved", &counts.moved);
		printf("\n");
	}
	printf("too_large=%llu\n", way->bss->too_large);
}

static int run(struct bad_way *way, char **interfaces)
{
	sigset_t ending;
	int signal;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, NULL);
	if (bad_way__load(way))
		return 1;
	for (char **interface = interfaces; *interface; interface++)
		if (attach(way, *interface))
			return 1;
	fprintf(stderr, "the way is bad\n");
	sigwait(&ending, &signal);
	for (char **interface = interfaces; *interface; interface++)
		detach(*interface);
	print(way);
	return 0;
}

int main(int argc, char **argv)
{
	struct bad_way *way;
	int status;

	if (argc < 6) {
		fprintf(stderr, "usage: bad_way TO DROPPED DOUBLED MOVED INTERFACE...\n");
		return 2;
	}
	way = bad_way__open();
	if (!way)
		return 1;
	way->rodata->to = if_nametoindex(argv[1]);
	way->rodata->dropped = (__u32)atoi(argv[2]);
	way->rodata->doubled = (__u32)atoi(argv[3]);
	way->rodata->moved = (__u32)atoi(argv[4]);
	status = run(way, argv + 5);
	bad_way__destroy(way);
	return status;
}
