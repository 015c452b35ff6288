/* SPDX-License-Identifier: GPL-2.0-or-later */
/* u32: keys are compared as in cls_u32, ((word ^ value) & mask) == 0 of big-endian words. */
#include "filter/u32.h"

#include "stages.h"

static struct tw_u32 compiled;

static bool begin(struct stage *stage, const struct question *question)
{
	struct tw_error err;
	const int error = tw_u32__compile(question->bound, question->e->pool->schema_id, &compiled, &err);

	return error ? stage__refused(stage, question, error, err.text) : true;
}

static bool match_holds(const struct tw_u32_match *match, const uint8_t *at, size_t len)
{
	for (unsigned int i = 0; i < match->n; i++) {
		const struct tw_u32_key *key = &match->keys[i];

		if (key->offset + 4 > len || ((tw_load_be32(at + key->offset) ^ key->value) & key->mask))
			return false;
	}
	return true;
}

/* Takes only whole records, because keys do not test the length of a record. */
static enum stage_answer ask(struct stage *stage, const struct made_frame *frame, bool matches)
{
	bool got = false;

	if (!frame->is_single || !frame->is_whole)
		return STAGE_NOTHING;
	for (unsigned int i = 0; i < compiled.n && !got; i++)
		got = match_holds(&compiled.matches[i], frame->data + FRAMES_ETH, frame->len - FRAMES_ETH);
	stage->counts.matched += got;
	return got == matches ? STAGE_AGREES : STAGE_DIFFERS;
}

static bool end(struct stage *stage)
{
	(void)stage;
	tw_u32__fini(&compiled);
	return true;
}

struct stage stage_u32 = { .counts.name = "u32", .begin = begin, .ask = ask, .end = end };
