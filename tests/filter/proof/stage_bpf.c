/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XDP and tc: the kernel loads and runs the generated program; verdict, packet and counters equal the reference's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages.h"
#include "tests/filter/loader.h"
#include "tests/filter/reference.h"

#define CHANNELS (RECORDS_CPUS + 1)

struct bpf {
	struct tw_bpf_options options;
	const struct question *question;
	struct loaded loaded;
	struct tw_counter rows[CHANNELS][REFERENCE_ROWS]; /* expected counters, by channel */
};

static struct bpf xdp = { .options.hook = TW_HOOK_XDP }, tc = { .options.hook = TW_HOOK_TC };

static bool begin(struct stage *stage, const struct question *question)
{
	struct bpf *bpf = stage->own;
	struct tw_error err = { "" };
	const int error = loader__build(&question->rules, &bpf->options, &bpf->loaded, &err);

	if (error)
		return stage__refused(stage, question, error, err.text);
	bpf->question = question;
	memset(bpf->rows, 0, sizeof(bpf->rows));
	return true;
}

static void count(struct bpf *bpf, const struct reference_result *result)
{
	struct tw_counter *rows = bpf->rows[result->key.channel];

	for (unsigned int i = 0; i < tw_rules__rows(&bpf->question->rules); i++) {
		rows[i].frames += result->rows[i].frames;
		rows[i].events += result->rows[i].events;
	}
}

static enum stage_answer ask(struct stage *stage, const struct made_frame *frame, bool matches)
{
	struct bpf *bpf = stage->own;
	struct made_frame wanted = *frame, got = *frame;
	struct reference_result result;
	struct loader_run run;
	bool is_same;

	(void)matches;
	reference__classify(&bpf->question->rules, &bpf->options, wanted.data, wanted.len, &result);
	if (loader__run(&bpf->loaded, got.data, got.len, sizeof(got.data), 1, &run)) {
		fprintf(stderr, "proof: %s: the kernel did not run the program\n", stage->counts.name);
		exit(1);
	}
	count(bpf, &result);
	stage->counts.matched += result.rows[0].frames != 0;
	/* The content of a dropped packet does not matter. */
	is_same = result.action == TW_ACTION_DROP ||
		  (run.len == wanted.len && !memcmp(got.data, wanted.data, wanted.len));
	if (run.retval == reference__retval(bpf->options.hook, result.action) && is_same)
		return STAGE_AGREES;
	fprintf(stderr, "%s returned %u, not %u; the packet %s\n", stage->counts.name, run.retval,
		reference__retval(bpf->options.hook, result.action), is_same ? "is as it should be" : "differs");
	return STAGE_DIFFERS;
}

static bool is_counted(const struct bpf *bpf, uint16_t channel)
{
	const unsigned int n = tw_rules__rows(&bpf->question->rules);
	const struct tw_counter_key key = { .stream_id = FRAMES_STREAM, .channel = channel };
	struct tw_counter rows[REFERENCE_ROWS] = { { 0, 0 } };

	loader__rows(&bpf->loaded, &key, rows);
	return !memcmp(rows, bpf->rows[channel], n * sizeof(rows[0]));
}

static bool end(struct stage *stage)
{
	struct bpf *bpf = stage->own;
	bool ok = true;

	for (uint16_t channel = 0; channel < CHANNELS; channel++)
		ok &= is_counted(bpf, channel);
	if (!ok)
		fprintf(stderr, "%s counted something else\n", stage->counts.name);
	loader__unload(&bpf->loaded);
	return ok;
}

struct stage stage_xdp = { .counts.name = "XDP", .begin = begin, .ask = ask, .end = end, .own = &xdp };
struct stage stage_tc = { .counts.name = "tc", .begin = begin, .ask = ask, .end = end, .own = &tc };
