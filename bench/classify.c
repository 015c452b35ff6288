/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classify -- measures, with BPF_PROG_TEST_RUN, the time that a classifier needs for a frame of one event. Prints one line for each hook,
 * with the times in ns of three programs: a hand-written C program for one rule, a generated program for the same rule, and a generated
 * program for ten rules. Each time is the shortest of several rounds. Each round runs all three programs.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "by_hand.skel.h"
#include "tests/filter/formats.h"
#include "tests/filter/loader.h"
#include "tests/filter/packets.h"

#define SCHEMA_ID UINT64_C(0x0123456789abcdef)
#define REPEAT    20000
#define ROUNDS    50
#define RULES     10

/* Ten rules that all test the frame's event; none of them matches. */
static const char *const ten_rules[RULES] = {
	"prev_pid == 1001", "prev_comm == ssh",     "next_comm ~ \"kworker/u*\"",
	"prev_prio < 50",   "next_prio in {1..99}", "pid == 1004",
	"cpu == 5",         "prev_state & 0x10",    "next_pid == 9 or next_pid == 10",
	"time > 3600",
};

enum { BY_HAND, ONE_RULE, TEN_RULES, PROGRAMS };

static void give_up(const char *what, const char *why)
{
	fprintf(stderr, "classify: %s: %s\n", what, why);
	exit(1);
}

static struct tw_bound *bind(const struct tw_schema *schema, const char *text)
{
	const struct tw_bind_options options = { .schema = schema };
	struct tw_bound *bound = NULL;
	struct tw_filter *filter;
	struct tw_error err;

	if (tw_filter__parse(text, &filter, &err) || tw_filter__bind(filter, &options, &bound, &err))
		give_up(text, err.text);
	tw_filter__free(filter);
	return bound;
}

static void build(const struct tw_schema *schema, uint8_t hook, unsigned int n, struct loaded *ret)
{
	const struct tw_bpf_options options = { .hook = hook };
	struct tw_rule rules[RULES];
	const struct tw_rules all = { .rules = rules, .n = n, .schema_id = SCHEMA_ID };
	struct tw_error err;

	for (unsigned int i = 0; i < n; i++)
		rules[i] = (struct tw_rule){ bind(schema, ten_rules[i]), TW_ACTION_DROP, 0 };
	if (loader__build(&all, &options, ret, &err))
		give_up("cannot make a program", err.text);
	for (unsigned int i = 0; i < n; i++)
		tw_bound__free(rules[i].bound);
}

static void make_packet(struct packet *packet)
{
	const struct tw_frame_info info = {
		.source = TW_SOURCE_FTRACE, .channel = 2, .cpu = 1, .stream_id = 77, .schema_id = SCHEMA_ID
	};

	packet__begin(packet, LINK_ETHERNET, &info);
	packet__add_switch(packet, "bash", 7, 120, "kworker/0:1", 55, 0);
	packet__end(packet);
}

/* Return: duration of one run, ns, measured by the kernel, because the system call itself needs milliseconds for XDP. */
static unsigned int measure(int program, const struct packet *packet)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet->bytes, .data_size_in = (uint32_t)packet->len,
		    .repeat = REPEAT);

	if (bpf_prog_test_run_opts(program, &opts))
		give_up("cannot run a program", strerror(errno));
	return opts.duration;
}

static void measure_hook(const struct tw_schema *schema, uint8_t hook, int by_hand)
{
	unsigned int best[PROGRAMS] = { UINT_MAX, UINT_MAX, UINT_MAX };
	static struct packet packet;
	struct loaded one, ten;

	build(schema, hook, 1, &one);
	build(schema, hook, RULES, &ten);
	make_packet(&packet);
	for (int round = 0; round < ROUNDS; round++) {
		const int programs[PROGRAMS] = { by_hand, one.program, ten.program };

		for (int i = 0; i < PROGRAMS; i++) {
			const unsigned int ns = measure(programs[i], &packet);

			best[i] = ns < best[i] ? ns : best[i];
		}
	}
	printf("%s %u %u %u\n", hook == TW_HOOK_XDP ? "xdp" : "tc", best[BY_HAND], best[ONE_RULE], best[TEN_RULES]);
	loader__unload(&one);
	loader__unload(&ten);
}

int main(void)
{
	struct by_hand *by_hand = by_hand__open_and_load();
	struct tw_schema *schema = formats__schema();

	if (!by_hand || !schema)
		give_up("cannot load the program written by hand", strerror(errno));
	measure_hook(schema, TW_HOOK_XDP, bpf_program__fd(by_hand->progs.by_hand_xdp));
	measure_hook(schema, TW_HOOK_TC, bpf_program__fd(by_hand->progs.by_hand_tc));
	by_hand__destroy(by_hand);
	tw_schema__free(schema);
	return 0;
}
