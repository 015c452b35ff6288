/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/pattern.h"

#include <stdlib.h>
#include <threads.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "filter/evaluate.h"

/* Uses the PCRE2 options that Wireshark uses: patterns of bytes, not of UTF-8 characters; case is ignored. */
void *tw_pattern__new(const struct tw_literal *literal, size_t *ret_at, char *why)
{
	pcre2_code *code;
	int err;

	code = pcre2_compile((PCRE2_SPTR)literal->text, literal->len, PCRE2_CASELESS | PCRE2_NEVER_UTF, &err, ret_at,
			     NULL);
	if (!code)
		pcre2_get_error_message(err, (PCRE2_UCHAR *)why, 256);
	return code;
}

void tw_pattern__free(void *pattern)
{
	pcre2_code_free(pattern);
}

/* Memory for searches. Each thread has its own memory, because PCRE2 writes to it during a search. */
struct scratch {
	pcre2_match_data *found;
	pcre2_match_context *limits;
};

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static bool has_key;

static void scratch__free(void *ctx)
{
	struct scratch *s = ctx;

	pcre2_match_data_free(s->found);
	pcre2_match_context_free(s->limits);
	free(s);
}

static struct scratch *scratch__new(void)
{
	struct scratch *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->found = pcre2_match_data_create(1, NULL);
	s->limits = pcre2_match_context_create(NULL);
	if (!s->found || !s->limits || tss_set(key, s) != thrd_success) {
		scratch__free(s);
		return NULL;
	}
	pcre2_set_match_limit(s->limits, TW_PATTERN_STEPS_MAX);
	pcre2_set_heap_limit(s->limits, TW_PATTERN_HEAP_MAX);
	return s;
}

static void make_key(void)
{
	has_key = tss_create(&key, scratch__free) == thrd_success;
}

static struct scratch *of_this_thread(void)
{
	struct scratch *s;

	call_once(&once, make_key);
	if (!has_key)
		return NULL;
	s = tss_get(key);
	return s ? s : scratch__new();
}

static _Thread_local uint64_t given_up;

bool tw_pattern__finds(const void *pattern, const uint8_t *text, size_t len)
{
	const struct scratch *s = of_this_thread();
	const int found = s ? pcre2_match(pattern, text, len, 0, 0, s->found, s->limits) : PCRE2_ERROR_NOMEMORY;

	given_up += found < 0 && found != PCRE2_ERROR_NOMATCH;
	return found >= 0;
}

uint64_t tw_filter__given_up(void)
{
	return given_up;
}
