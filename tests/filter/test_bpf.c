/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated classifiers, run by the kernel on packets of every kind, against what rules.h says: verdict, bytes, counters. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka wants those before it */
#include <cmocka.h>

#include "filter/evaluate.h"
#include "tests/filter/bpf_frames.h"
#include "tests/filter/formats.h"
#include "tests/filter/loader.h"
#include "tests/filter/reference.h"

#define SKIPPED    77
#define TC_LONGEST 3500 /* bytes that a test run takes in tc */

static struct tw_schema *schema;

/* Classifiers. */

#define RULES_MAX 4

static const struct classifier {
	struct {
		const char *text;
		uint8_t action;
		uint32_t arg;
	} rules[RULES_MAX];
	uint8_t default_action;
	uint32_t default_arg;
	bool any_schema;
} classifiers[] = {
	{ .rules = { { "prev_pid == 1001", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "prev_pid == 1001", TW_ACTION_PASS, 0 } }, .default_action = TW_ACTION_DROP, 0 },
	{ .rules = { { "pid >= -1", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "prev_comm == bash", TW_ACTION_DROP, 0 }, { "vec in {3, 7..9}", TW_ACTION_REDIRECT, 4242 } } },
	{ .rules = { { "vec > 5", TW_ACTION_REDIRECT, 4243 }, { "next_comm ~ \"kworker/*\"", TW_ACTION_DROP, 0 },
		     { "time >= 12.000000005", TW_ACTION_PASS, 0 } },
	  .default_action = TW_ACTION_REDIRECT, .default_arg = 4242 },
	{ .rules = { { "!(prev_pid > 5) && (prev_prio & 1 || next_comm != swapper)", TW_ACTION_DROP, 0 },
		     { "cpu == 1 and flags & hardirq", TW_ACTION_PASS, 0 }, { "prev_state == 2", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "event == sched_switch", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "irq_handler_entry.name == eth0", TW_ACTION_DROP, 0 },
		     { "irq_handler_entry.name ~ \"xe*\"", TW_ACTION_REDIRECT, 4242 },
		     { "irq_handler_entry.name == \"\"", TW_ACTION_REDIRECT, 4243 },
		     { "irq_handler_entry.name != eth1 && irq == 17", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "event == sched_switch", TW_ACTION_DROP, 0 } }, .any_schema = true },
	{ .default_action = TW_ACTION_DROP, 0 },
	{ .default_action = TW_ACTION_PASS, 0 },
}, classifiers_with_mark[] = {
	{ .rules = { { "prev_pid in {0..9}", TW_ACTION_MARK, 7 }, { "vec == 2 or vec == 5", TW_ACTION_DROP, 0 },
		     { "prev_pid < 15", TW_ACTION_REDIRECT, 4242 } }, .default_action = TW_ACTION_MARK, .default_arg = 0x80000001 },
};

struct under_test {
	const struct classifier *classifier;
	struct tw_rule rule[RULES_MAX];
	struct tw_rules rules;
	struct tw_bpf_options options;
	struct loaded loaded;
};

static struct tw_bound *bind(const char *text)
{
	const struct tw_bind_options options = { .schema = schema };
	struct tw_filter *filter;
	struct tw_bound *bound = NULL;
	struct tw_error err;

	if (tw_filter__parse(text, &filter, &err) || tw_filter__bind(filter, &options, &bound, &err) ||
	    tw_bound__prepare(bound, &err))
		fail_msg("%s: %s", text, err.text);
	tw_filter__free(filter);
	return bound;
}

static void set_up(struct under_test *t, const struct classifier *classifier, uint8_t hook)
{
	struct tw_error err = { "" };

	*t = (struct under_test){ .classifier = classifier, .options = { .hook = hook, .udp_port = TW_UDP_PORT } };
	while (t->rules.n < RULES_MAX && classifier->rules[t->rules.n].text) {
		t->rule[t->rules.n].bound = bind(classifier->rules[t->rules.n].text);
		t->rule[t->rules.n].action = classifier->rules[t->rules.n].action;
		t->rule[t->rules.n].arg = classifier->rules[t->rules.n].arg;
		t->rules.n++;
	}
	t->rules.rules = t->rule;
	t->rules.default_action = classifier->default_action;
	t->rules.default_arg = classifier->default_arg;
	t->rules.schema_id = classifier->any_schema ? 0 : BPF_FRAMES_SCHEMA;
	if (loader__build(&t->rules, &t->options, &t->loaded, &err))
		fail_msg("%s", err.text);
}

static void tear_down(struct under_test *t)
{
	loader__unload(&t->loaded);
	for (unsigned int i = 0; i < t->rules.n; i++)
		tw_bound__free(t->rule[i].bound);
}

static const char *describe(const struct under_test *t, const struct packet *p, const struct bpf_frame_part *content,
			    const struct bpf_frame_part *twist)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s, rule %s: %s behind %s, %s", t->options.hook == TW_HOOK_XDP ? "XDP" : "tc",
		 t->classifier->rules[0].text ? t->classifier->rules[0].text : "none", content->name,
		 packet_links[p->link], twist->name);
	return text;
}

static void compare_counters(const struct under_test *t, const struct reference_result *expected, const char *what)
{
	struct tw_counter rows[REFERENCE_ROWS];
	const int err = loader__rows(&t->loaded, &expected->key, rows);

	if (!expected->is_counted) {
		if (err != -ENOENT)
			fail_msg("%s: counted, and is not ours", what);
		return;
	}
	if (err)
		fail_msg("%s: not counted", what);
	for (unsigned int i = 0; i < tw_rules__rows(&t->rules); i++)
		if (rows[i].frames != expected->rows[i].frames || rows[i].events != expected->rows[i].events)
			fail_msg("%s: row %u counts %lu, %lu and not %lu, %lu", what, i, rows[i].frames, rows[i].events,
				 expected->rows[i].frames, expected->rows[i].events);
	loader__forget(&t->loaded, &expected->key);
}

static void compare(const struct under_test *t, const struct packet *original, const char *what)
{
	static struct packet expected, actual;
	struct reference_result result;
	struct loader_run run;

	expected = actual = *original;
	reference__classify(&t->rules, &t->options, expected.bytes, expected.len, &result);
	/* The first run makes the counters' entry, the second finds it. */
	for (int i = 0; i < 2; i++) {
		actual = *original;
		if (loader__run(&t->loaded, actual.bytes, actual.len, sizeof(actual.bytes), 1, &run))
			fail_msg("%s: cannot be run", what);
		if (i == 0 && result.is_counted)
			compare_counters(t, &result, what);
	}
	if (run.retval != reference__retval(t->options.hook, result.action))
		fail_msg("%s: returns %u and not %u", what, run.retval,
			 reference__retval(t->options.hook, result.action));
	if (t->options.hook == TW_HOOK_TC && run.mark != (result.action == TW_ACTION_MARK ? result.arg : 0))
		fail_msg("%s: mark %u", what, run.mark);
	compare_counters(t, &result, what);
	if (result.action == TW_ACTION_DROP)
		return;
	if (run.len != expected.len)
		fail_msg("%s: %u bytes came out of %zu", what, run.len, expected.len);
	for (size_t i = 0; i < expected.len; i++)
		if (actual.bytes[i] != expected.bytes[i])
			fail_msg("%s: byte %zu is %02x and not %02x", what, i, actual.bytes[i], expected.bytes[i]);
}

static bool can_run(const struct under_test *t, const struct packet *p)
{
	return p->len >= 14 && (t->options.hook == TW_HOOK_XDP || p->len <= TC_LONGEST);
}

static void run_all(const struct classifier *classifier, uint8_t hook)
{
	static struct packet packet;
	struct under_test t;
	unsigned int runs = 0;

	set_up(&t, classifier, hook);
	for (size_t c = 0; c < bpf_n_contents; c++)
		for (unsigned int link = 0; link < LINKS; link++)
			for (size_t w = 0; w < bpf_n_twists; w++) {
				packet__begin(&packet, link, &bpf_frames_info);
				bpf_contents[c].apply(&packet);
				packet__end(&packet);
				bpf_twists[w].apply(&packet);
				if (!can_run(&t, &packet))
					continue;
				compare(&t, &packet, describe(&t, &packet, &bpf_contents[c], &bpf_twists[w]));
				runs++;
			}
	tear_down(&t);
	assert_true(runs > 1000);
}

static void xdp_does_what_the_rules_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(classifiers) / sizeof(classifiers[0]); i++)
		run_all(&classifiers[i], TW_HOOK_XDP);
}

static void tc_does_what_the_rules_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(classifiers) / sizeof(classifiers[0]); i++)
		run_all(&classifiers[i], TW_HOOK_TC);
	for (size_t i = 0; i < sizeof(classifiers_with_mark) / sizeof(classifiers_with_mark[0]); i++)
		run_all(&classifiers_with_mark[i], TW_HOOK_TC);
}

static int make_schema(void **state)
{
	(void)state;
	schema = formats__schema();
	return schema ? 0 : -1;
}

static int free_schema(void **state)
{
	(void)state;
	tw_schema__free(schema);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xdp_does_what_the_rules_say),
		cmocka_unit_test(tc_does_what_the_rules_say),
	};

	if (geteuid() != 0) {
		printf("skipped: loading a BPF program needs root\n");
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, make_schema, free_schema);
}
