/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proof FORMATS.tar.xz [EXPRESSIONS [SEED]] -- random pairs of an expression and a frame, made from a real kernel's formats, have the
 * same verdict in every back end that can express the expression. The evaluator is compared with XDP, tc, u32 and libpcap.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter/evaluate.h"
#include "stages.h"
#include "tests/filter/bound.h"

#define SEED              20260101
#define EXPRESSIONS       2400
#define EXPRESSIONS_POOL  40 /* for each set of events */
#define FRAMES            72 /* for each expression */
#define DISAGREEMENTS_MAX 20
#define SKIPPED           77

/* Minimum results of a run with the default number of expressions. */
struct least {
	struct stage *stage;
	unsigned long pairs;
};

static const struct least stages[] = {
	{ &stage_pushdown, 100000 }, { &stage_xdp, 100000 }, { &stage_tc, 100000 },
	{ &stage_pcap, 50000 },      { &stage_u32, 20000 },  { &stage_cls_u32, 2000 },
};
#define N_STAGES (sizeof(stages) / sizeof(stages[0]))

static unsigned long disagreements, evaluated, matched;

bool stage__refused(struct stage *stage, const struct question *question, int error, const char *why)
{
	if (error == -EOPNOTSUPP)
		stage->counts.refused++;
	else if (error == -E2BIG)
		stage->counts.too_large++;
	else {
		fprintf(stderr, "proof: %s: %s: %s (%s)\n", stage->counts.name, question->e->text, why,
			strerror(-error));
		exit(1);
	}
	return false;
}

static void show(const struct expression *e, const struct made_frame *frame)
{
	fprintf(stderr, "  %s\n  %s:%s, id %u, bodies %s-endian\n ", e->text, e->format->system, e->format->name,
		e->format->id, e->pool->big_endian ? "big" : "little");
	for (size_t i = 0; frame && i < frame->len; i++)
		fprintf(stderr, "%s%02x", (i - FRAMES_ETH) % 16 ? "" : "\n    ", frame->data[i]);
	fputc('\n', stderr);
	if (++disagreements >= DISAGREEMENTS_MAX) {
		fprintf(stderr, "proof: enough\n");
		exit(1);
	}
}

static struct tw_bound *bind_expression(const struct expression *e)
{
	const struct tw_bind_options options = { .schema = e->pool->schema, .big_endian = e->pool->big_endian };
	struct tw_bound *bound;
	struct tw_error err;

	if (!bound__make_ready(e->text, &options, &bound, &err))
		return bound;
	fprintf(stderr, "proof: %s\n", err.text);
	show(e, NULL);
	return NULL;
}

/* The evaluator's result for the first event in a frame. */
static bool evaluate(const struct tw_bound *bound, const struct made_frame *frame)
{
	const struct tw_filter_event event = frame__event(frame);

	evaluated++;
	return tw_bound__matches(bound, &event);
}

static void ask_stage(struct stage *stage, const struct expression *e, const struct made_frame *frame, bool matches)
{
	const enum stage_answer answer = stage->ask(stage, frame, matches);

	stage->counts.pairs += answer != STAGE_NOTHING;
	if (answer != STAGE_DIFFERS)
		return;
	fprintf(stderr, "%s disagrees; the evaluator says %d of %s\n", stage->counts.name, matches,
		frame->is_single ? "the event" : "the first event");
	show(e, frame);
}

static void prove(const struct expression *e, struct chance *chance)
{
	static const struct frame_options options = { .percent_packed = 25 };
	struct question q = { .e = e, .bound = bind_expression(e) };
	bool asked[N_STAGES];
	struct made_frame frame;

	if (!q.bound)
		return;
	q.rule = (struct tw_rule){ .bound = q.bound, .action = TW_ACTION_DROP };
	q.rules = (struct tw_rules){
		.rules = &q.rule, .n = 1, .schema_id = e->pool->schema_id, .big_endian = e->pool->big_endian
	};
	for (size_t i = 0; i < N_STAGES; i++) {
		asked[i] = stages[i].stage->begin(stages[i].stage, &q);
		stages[i].stage->counts.expressions += asked[i];
	}
	for (int n = 0; n < FRAMES; n++) {
		bool matches;

		frame__make(&frame, e, &options, chance);
		matches = evaluate(q.bound, &frame);
		matched += matches;
		for (size_t i = 0; i < N_STAGES; i++)
			if (asked[i])
				ask_stage(stages[i].stage, e, &frame, matches);
	}
	for (size_t i = 0; i < N_STAGES; i++)
		if (asked[i] && !stages[i].stage->end(stages[i].stage))
			show(e, NULL);
	tw_bound__free(q.bound);
}

/* Return: whether each stage compared enough pairs */
static bool report(bool is_whole)
{
	bool ok = true;

	printf("evaluator: %lu pairs, %lu match\n", evaluated, matched);
	for (size_t i = 0; i < N_STAGES; i++) {
		const struct stage_counts *c = &stages[i].stage->counts;

		printf("%s: %lu pairs of %lu expressions, %lu match; it cannot express %lu, %lu are too large\n",
		       c->name, c->pairs, c->expressions, c->matched, c->refused, c->too_large);
		if (is_whole && (c->pairs < stages[i].pairs || c->matched < stages[i].pairs / 10)) {
			fprintf(stderr, "proof: %s took part too seldom, or hardly anything matched\n", c->name);
			ok = false;
		}
	}
	return ok;
}

int main(int argc, char **argv)
{
	const unsigned long expressions = argc > 2 ? strtoul(argv[2], NULL, 0) : EXPRESSIONS;
	struct chance chance = { argc > 3 ? strtoull(argv[3], NULL, 0) : SEED };
	static const struct expression_options options = { .in_frames = true };
	struct expression *e = malloc(sizeof(*e));
	struct archive archive;
	struct pool pool;

	if (argc < 2 || !e) {
		fprintf(stderr, "usage: proof FORMATS.tar.xz [EXPRESSIONS [SEED]]\n");
		return 2;
	}
	if (geteuid()) {
		printf("skipped: loading BPF programs needs root\n");
		return SKIPPED;
	}
	printf("seed %llu\n", (unsigned long long)chance.state);
	archive__load(&archive, argv[1]);
	for (unsigned long i = 0; i < expressions; i++) {
		if (i % EXPRESSIONS_POOL == 0)
			pool__init(&pool, &archive, &chance, true);
		expression__make(e, &pool, &options, &chance);
		prove(e, &chance);
		if (i % EXPRESSIONS_POOL == EXPRESSIONS_POOL - 1 || i + 1 == expressions)
			pool__fini(&pool);
	}
	archive__fini(&archive);
	free(e);
	return report(expressions >= EXPRESSIONS) && !disagreements ? 0 : 1;
}
