/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs -- measures the cost of `latency --in-kernel syscalls` for a system call: the time in the programs at its entry and its exit, by the
 * kernel's statistics of BPF programs, which add about 35 ns to each run. Prints two lines, for the times of all calls and for groups by the
 * number of the call: ns in the programs written by hand in C, and in the generated ones. All programs run for each call. Each figure is the
 * best of several rounds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "pairs_by_hand.skel.h"
#include "producer/kernel_pairs/impl.h"
#include "producer/tracing_dir.h"

#define ROUNDS  40
#define SECONDS 0.02 /* of a round */
#define BATCH   500

/* The programs of one way to measure. */
struct variant {
	int fds[2];      /* at the entry and at the exit of a system call */
	double runs, ns; /* of both, at the beginning of the round */
	double best;
};

enum { BY_HAND, GENERATED, BY_HAND_BY_ID, GENERATED_BY_ID, VARIANTS };

static const char text[] =
	"pair all\n begin raw_syscalls:sys_enter common_pid\n end raw_syscalls:sys_exit common_pid\n unit us\n"
	"pair by-id\n begin raw_syscalls:sys_enter common_pid\n end raw_syscalls:sys_exit common_pid\n by id\n unit us\n";

static void give_up(const char *what, const char *why)
{
	fprintf(stderr, "pairs: %s: %s\n", what, why);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void load(void)
{
	const double end = now() + SECONDS;

	while (now() < end)
		for (int i = 0; i < BATCH; i++)
			syscall(SYS_getppid);
}

static void read_statistics(const struct variant *variant, double *ret_ns, double *ret_runs)
{
	*ret_ns = *ret_runs = 0;
	for (int i = 0; i < 2; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (bpf_obj_get_info_by_fd(variant->fds[i], &info, &len))
			give_up("no statistics of a program", strerror(errno));
		*ret_ns += (double)info.run_time_ns;
		*ret_runs += (double)info.run_cnt;
	}
}

static void run_round(struct variant *variants)
{
	for (int i = 0; i < VARIANTS; i++)
		read_statistics(&variants[i], &variants[i].ns, &variants[i].runs);
	load();
	for (int i = 0; i < VARIANTS; i++) {
		struct variant *variant = &variants[i];
		double ns, runs;

		read_statistics(variant, &ns, &runs);
		ns = 2 * (ns - variant->ns) / (runs - variant->runs);
		if (variant->best <= 0 || ns < variant->best)
			variant->best = ns;
	}
}

static struct bpf_link *attach_by_hand(struct bpf_program *program, int *ret_fd)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		give_up("cannot attach", strerror(errno));
	*ret_fd = bpf_program__fd(program);
	return link;
}

static struct tw_kernel_pairs *attach_generated(const struct tw_pair *pair, struct variant *ret)
{
	struct tw_kernel_pairs_options options = {
		.pairs = &pair, .n_pairs = 1, .memory = 16 << 20, .include_self = true
	};
	struct tw_kernel_pairs *kernel;
	struct tw_error error;

	if (tw_tracing_dir__find(&options.tracing_dir, &error) || tw_kernel_pairs__new(&options, &kernel, &error) ||
	    tw_kernel_pairs__start(kernel, &error))
		give_up("cannot measure in the kernel", error.text);
	for (int i = 0; i < 2; i++)
		ret->fds[i] = kernel->programs[i].fd;
	return kernel;
}

int main(void)
{
	struct variant variants[VARIANTS] = { 0 };
	struct tw_pair_table *table = tw_pair_table__new();
	struct pairs_by_hand *hand = pairs_by_hand__open_and_load();
	struct tw_kernel_pairs *generated[2];

	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0 || !hand) /* until this process ends */
		give_up("cannot load the programs written by hand", strerror(errno));
	if (!table || tw_pair_table__parse(table, text, strlen(text), "pairs", NULL))
		give_up("cannot define a pair", strerror(errno));
	hand->links.enter = attach_by_hand(hand->progs.enter, &variants[BY_HAND].fds[0]);
	hand->links.leave = attach_by_hand(hand->progs.leave, &variants[BY_HAND].fds[1]);
	hand->links.enter_by_id = attach_by_hand(hand->progs.enter_by_id, &variants[BY_HAND_BY_ID].fds[0]);
	hand->links.leave_by_id = attach_by_hand(hand->progs.leave_by_id, &variants[BY_HAND_BY_ID].fds[1]);
	generated[0] = attach_generated(tw_pair_table__at(table, 0), &variants[GENERATED]);
	generated[1] = attach_generated(tw_pair_table__at(table, 1), &variants[GENERATED_BY_ID]);
	for (int round = 0; round < ROUNDS; round++)
		run_round(variants);
	for (int i = 0; i < VARIANTS; i += 2)
		printf("%s %.1f %.1f\n", i ? "by-id" : "all", variants[i].best, variants[i + 1].best);
	for (int i = 0; i < 2; i++)
		tw_kernel_pairs__free(generated[i]);
	pairs_by_hand__destroy(hand);
	tw_pair_table__free(table);
	return 0;
}
