/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evaluate EXPRESSION... -- measures the CPU time that the evaluator needs for one event of sched_switch. Prints a line for each
 * expression: the time in ns, the share of events that match, and the expression.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "filter/evaluate.h"

#define RECORDS    4096 /* number of different records; they fit in the cache, like those of a sub-buffer */
#define RECORD_LEN 64
#define ROUNDS     400
#define BEST_OF    9

static const char sched_switch[] = "name: sched_switch\nID: 316\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
				   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
				   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				   "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
				   "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
				   "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
				   "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
				   "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

static uint8_t records[RECORDS][RECORD_LEN];
static struct tw_filter_event events[RECORDS];

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void make_events(void)
{
	static const char *const names[] = { "swapper/0", "bash", "kworker/0:1", "sshd", "rcu_preempt" };

	srand(1);
	for (int i = 0; i < RECORDS; i++) {
		strcpy((char *)records[i] + 8, names[rand() % 5]);
		strcpy((char *)records[i] + 40, names[rand() % 5]);
		put32(records[i] + 24, (uint32_t)(rand() % 3));
		put32(records[i] + 28, 120);
		put32(records[i] + 56, (uint32_t)(rand() % 1000));
		events[i] = (struct tw_filter_event){ .record = records[i], .len = RECORD_LEN, .id = 316 };
		events[i].cpu = (uint16_t)(rand() % 2);
		events[i].pid = rand() % 1000;
	}
}

static struct tw_bound *bind_text(const struct tw_schema *schema, const char *text)
{
	const struct tw_bind_options options = { .schema = schema };
	struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error err;
	int error = tw_filter__parse(text, &filter, &err);

	if (!error) {
		error = tw_filter__bind(filter, &options, &bound, &err);
		tw_filter__free(filter);
	}
	if (!error)
		error = tw_bound__prepare(bound, &err);
	if (error) {
		fprintf(stderr, "evaluate: %s: %s\n", text, err.text);
		exit(1);
	}
	return bound;
}

static unsigned long match_all(const struct tw_bound *bound)
{
	unsigned long matched = 0;

	for (int i = 0; i < RECORDS; i++)
		matched += tw_bound__matches(bound, &events[i]);
	return matched;
}

/* Prints the fastest of several runs, because disturbances only make a run slower. */
static void measure(const struct tw_schema *schema, const char *text)
{
	struct tw_bound *bound = bind_text(schema, text);
	double best = 1e9;
	unsigned long matched = 0;

	for (int i = 0; i < BEST_OF; i++) {
		const uint64_t start = tw_time__now(CLOCK_THREAD_CPUTIME_ID);
		double took;

		matched = 0;
		for (int round = 0; round < ROUNDS; round++)
			matched += match_all(bound);
		took = (double)(tw_time__now(CLOCK_THREAD_CPUTIME_ID) - start) / ROUNDS / RECORDS;
		best = took < best ? took : best;
	}
	printf("%.1f %.0f%% %s\n", best, 100.0 * (double)matched / ROUNDS / RECORDS, text);
	tw_bound__free(bound);
}

int main(int argc, char **argv)
{
	struct tw_schema *schema = tw_schema__new();
	struct tw_error err;

	if (!schema || tw_schema__add(schema, "sched", sched_switch, sizeof(sched_switch) - 1, NULL, &err))
		return 1;
	make_events();
	for (int i = 1; i < argc; i++)
		measure(schema, argv[i]);
	tw_schema__free(schema);
	return 0;
}
