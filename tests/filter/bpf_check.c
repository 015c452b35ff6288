/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/filter/bpf_check.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/evaluate.h"
#include "tests/filter/bound.h"

static struct tw_bound *bind(const struct tw_schema *schema, const char *text)
{
	const struct tw_bind_options options = { .schema = schema };
	struct tw_bound *bound = NULL;
	struct tw_error err;

	if (bound__make_ready(text, &options, &bound, &err))
		fail_msg("%s: %s", text, err.text);
	return bound;
}

void bpf_check__bind(struct under_test *t, const struct tw_schema *schema, const struct classifier *classifier)
{
	*t = (struct under_test){ .classifier = classifier };
	while (t->rules.n < BPF_CHECK_RULES && classifier->rules[t->rules.n].text) {
		t->rule[t->rules.n].bound = bind(schema, classifier->rules[t->rules.n].text);
		t->rule[t->rules.n].action = classifier->rules[t->rules.n].action;
		t->rule[t->rules.n].arg = classifier->rules[t->rules.n].arg;
		t->rules.n++;
	}
	t->rules.rules = t->rule;
	t->rules.default_action = classifier->default_action;
	t->rules.default_arg = classifier->default_arg;
	t->rules.schema_id = classifier->any_schema ? 0 : BPF_FRAMES_SCHEMA;
}

void bpf_check__set_up(struct under_test *t, const struct tw_schema *schema, const struct classifier *classifier,
		       const struct tw_bpf_options *options)
{
	struct tw_error err = { "" };

	bpf_check__bind(t, schema, classifier);
	t->options = *options;
	if (loader__build(&t->rules, &t->options, &t->loaded, &err))
		fail_msg("%s", err.text);
}

void bpf_check__tear_down(struct under_test *t)
{
	loader__unload(&t->loaded);
	for (unsigned int i = 0; i < t->rules.n; i++)
		tw_bound__free(t->rule[i].bound);
}

static void compare_rows(const struct under_test *t, const struct tw_counter_key *key,
			 const struct tw_counter *expected, const char *what)
{
	struct tw_counter rows[REFERENCE_ROWS];

	if (loader__rows(&t->loaded, key, rows))
		fail_msg("%s: not counted", what);
	for (unsigned int i = 0; i < tw_rules__rows(&t->rules); i++)
		if (rows[i].frames != expected[i].frames || rows[i].events != expected[i].events)
			fail_msg("%s: row %u counts %lu, %lu and not %lu, %lu", what, i, rows[i].frames, rows[i].events,
				 expected[i].frames, expected[i].events);
}

void bpf_check__counters(const struct under_test *t, const struct reference_result *expected, const char *what)
{
	compare_rows(t, &expected->key, expected->rows, what);
}

static void compare_verdict(const struct under_test *t, const struct reference_result *expected,
			    const struct loader_run *run, const char *what)
{
	const uint32_t retval = reference__retval(t->options.hook, expected->action);

	if (run->retval != retval)
		fail_msg("%s: returns %u and not %u", what, run->retval, retval);
	if (t->options.hook == TW_HOOK_TC && run->mark != (expected->action == TW_ACTION_MARK ? expected->arg : 0))
		fail_msg("%s: mark %u", what, run->mark);
}

static void compare_bytes(const struct packet *expected, const struct packet *actual, uint32_t len, const char *what)
{
	if (len != expected->len)
		fail_msg("%s: %u bytes came out of %zu", what, len, expected->len);
	for (size_t i = 0; i < expected->len; i++)
		if (actual->bytes[i] != expected->bytes[i])
			fail_msg("%s: byte %zu is %02x and not %02x", what, i, actual->bytes[i], expected->bytes[i]);
}

/* Return: false if the kernel refuses to run the program on the packet: in tc, it refuses truncated IP headers. */
static bool run_once(const struct under_test *t, const struct packet *original, const struct packet *expected,
		     const struct reference_result *result, const char *what)
{
	static struct packet actual;
	struct loader_run run;
	int err;

	actual = *original;
	err = loader__run(&t->loaded, actual.bytes, actual.len, sizeof(actual.bytes), 1, &run);
	if (err == -EINVAL && t->options.hook == TW_HOOK_TC)
		return false;
	if (err)
		fail_msg("%s: cannot be run: %s", what, strerror(-err));
	compare_verdict(t, result, &run, what);
	if (result->action != TW_ACTION_DROP)
		compare_bytes(expected, &actual, run.len, what);
	return true;
}

/*
 * Runs the program twice. In the first run, the counters have no entry for the packet, so the program takes the slow path. Before the
 * second run, an entry is set even for packets that are not counted, so that the program takes the fast path.
 */
void bpf_check__packet(const struct under_test *t, const struct packet *packet, const char *what)
{
	static struct packet expected;
	struct reference_result result;
	struct tw_counter_key key;

	expected = *packet;
	reference__classify(&t->rules, &t->options, expected.bytes, expected.len, &result);
	key = result.key;
	if (!run_once(t, packet, &expected, &result, what))
		return;
	if (result.is_counted)
		compare_rows(t, &key, result.rows, what);
	else if (!loader__is_blank(&t->loaded))
		fail_msg("%s: counted, and is not ours", what);
	else
		key = (struct tw_counter_key){ bpf_frames_info.stream_id, bpf_frames_info.channel, { 0 } };
	assert_int_equal(loader__zero(&t->loaded, &key), 0);
	run_once(t, packet, &expected, &result, what);
	compare_rows(t, &key, result.rows, what);
	loader__forget(&t->loaded, &key);
	if (!loader__is_blank(&t->loaded))
		fail_msg("%s: counted for another stream or channel", what);
}
