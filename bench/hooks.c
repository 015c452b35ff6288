/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks -- compares ways to attach BPF programs: what one call of getpgid() takes longer when a program is attached to it, or one call of a
 * function of this program for uprobe. Prints a line for each way: its name, ns with a program that returns at once, ns with one that makes
 * a record, or - if the kernel does not have the way. Rounds with and without the program alternate; each figure is the best one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "hooks.skel.h"

#define ROUNDS 30
#define CALLS  500 /* of a round; short rounds are seldom interrupted */

static const char *const ways[] = { "tp", "raw_tp", "tp_btf", "kprobe", "kretprobe", "fentry", "uprobe" };

static __attribute__((noinline)) void probed(void)
{
	__asm__ volatile("");
}

/* Measures a round. @best: ns of a call in the best round so far; 0 = none */
static void measure(int of_function, double *best)
{
	const pid_t pid = getpid();
	struct timespec from, until;
	double ns;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < CALLS; i++)
		if (of_function)
			probed();
		else
			syscall(SYS_getpgid, pid);
	clock_gettime(CLOCK_MONOTONIC, &until);
	ns = ((double)(until.tv_sec - from.tv_sec) * 1e9 + (double)(until.tv_nsec - from.tv_nsec)) / CALLS;
	if (*best <= 0 || ns < *best)
		*best = ns;
}

static struct bpf_link *attach(struct bpf_program *program, int is_uprobe)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .func_name = "probed");

	return is_uprobe ? bpf_program__attach_uprobe_opts(program, getpid(), "/proc/self/exe", 0, &options)
			 : bpf_program__attach(program);
}

static int ignore(void *ctx, void *data, size_t size)
{
	(void)ctx, (void)data, (void)size;
	return 0;
}

/* Prints what a program adds to a call. */
static void print_cost(const char *kind, const char *way)
{
	const int is_uprobe = !strcmp(way, "uprobe");
	double without = 0, with = 0;
	struct bpf_program *program, *wanted;
	struct ring_buffer *ring = NULL;
	struct bpf_link *link = NULL;
	struct hooks *hooks = hooks__open();
	char name[32];

	snprintf(name, sizeof(name), "%s_%s", kind, way);
	wanted = hooks ? bpf_object__find_program_by_name(hooks->obj, name) : NULL;
	if (wanted) {
		bpf_object__for_each_program(program, hooks->obj)
		{
			bpf_program__set_autoload(program, program == wanted);
		}
	}
	for (int round = 0; wanted && round < ROUNDS && (!round || link); round++) {
		measure(is_uprobe, &without);
		if (!round && hooks__load(hooks))
			break;
		if (!ring)
			ring = ring_buffer__new(bpf_map__fd(hooks->maps.ring), ignore, NULL, NULL);
		link = attach(wanted, is_uprobe);
		if (link)
			measure(is_uprobe, &with);
		bpf_link__destroy(link);
		if (!ring || ring_buffer__consume(ring) < 0)
			break;
	}
	printf(with > 0 ? " %.1f" : " -", with - without);
	ring_buffer__free(ring);
	hooks__destroy(hooks);
}

int main(void)
{
	libbpf_set_print(NULL);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		printf("%s", ways[i]);
		print_cost("empty", ways[i]);
		print_cost("record", ways[i]);
		printf("\n");
	}
	return 0;
}
