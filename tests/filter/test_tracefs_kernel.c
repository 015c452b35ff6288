/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel accepts the filters generated for each of its events. Filters of texts have the same meaning for the kernel: this is
 * shown with task:task_rename events, for names that this process gives itself. The test uses a separate trace instance.
 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/arena.h"
#include "filter/capability.h"
#include "filter/compare.h"
#include "filter/tracefs.h"
#include "tests/filter/bound.h"
#include "tests/filter/emitted.h"

#define TRACING "/sys/kernel/tracing"

static char instance[128];
static struct tw_schema *schema;

static void add_format(const char *system, const char *event)
{
	static char text[TW_FORMAT_TEXT_MAX];
	char path[768];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", instance, system, event);
	file = fopen(path, "r");
	if (!file)
		return;
	len = fread(text, 1, sizeof(text), file);
	fclose(file);
	tw_schema__add(schema, system, text, len, NULL, NULL);
}

static void each_entry(const char *folder, const char *system, void (*cb)(const char *system, const char *name))
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			cb(system ? system : entry->d_name, entry->d_name);
	if (dir)
		closedir(dir);
}

static void add_system(const char *system, const char *name)
{
	char folder[768];

	(void)name;
	snprintf(folder, sizeof(folder), "%s/events/%s", instance, system);
	each_entry(folder, system, add_format);
}

static int make_instance(void **state)
{
	char folder[768];

	(void)state;
	snprintf(instance, sizeof(instance), TRACING "/instances/tracewire-test-%d", getpid());
	if (mkdir(instance, 0700))
		return -1;
	schema = tw_schema__new();
	snprintf(folder, sizeof(folder), "%s/events", instance);
	each_entry(folder, NULL, add_system);
	return 0;
}

static int remove_instance(void **state)
{
	(void)state;
	tw_schema__free(schema);
	return rmdir(instance);
}

static bool write_file(const char *path, const char *text, size_t len)
{
	const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	const bool done = fd >= 0 && write(fd, text, len) == (ssize_t)len;

	if (fd >= 0)
		close(fd);
	return done;
}

static bool set_filter(const struct tw_format *format, const struct tw_line *filter)
{
	char path[768];

	snprintf(path, sizeof(path), "%s/events/%s/%s/filter", instance, format->system, format->name);
	return write_file(path, filter->text, tw_line__len(filter));
}

/* Return: whether there was a filter to set. */
static bool try_event(const struct tw_bound *bound, const struct tw_bound_event *event, struct tw_arena *arena)
{
	const struct tw_node *root = tw_node__weaken(event->root, TW_BACK_END_TRACEFS, arena, NULL);
	char buf[TW_TRACEFS_FILTER_MAX];
	struct tw_line line = tw_line__on(buf, sizeof(buf));
	char path[768];
	struct tw_error err;

	snprintf(path, sizeof(path), "%s/events/%s/%s/filter", instance, event->format->system, event->format->name);
	if (root->kind == TW_NODE_TRUE || root->kind == TW_NODE_FALSE || access(path, W_OK))
		return false;
	if (tw_tracefs__emit(bound, root, &line, &err))
		fail_msg("%s", err.text);
	if (!set_filter(event->format, &line)) {
		if (access(path, F_OK)) /* another test has just removed the event */
			return false;
		fail_msg("%s:%s does not take %.*s", event->format->system, event->format->name,
			 (int)tw_line__len(&line), buf);
	}
	return true;
}

static unsigned int try_expression(const char *text)
{
	struct tw_bound *bound = bind_to(schema, text, false);
	unsigned int n = 0;

	for (size_t i = 0; i < bound->n_events; i++) {
		struct tw_arena *arena = tw_arena__new(1 << 20);

		n += try_event(bound, &bound->events[i], arena);
		tw_arena__free(arena);
	}
	tw_bound__free(bound);
	return n;
}

/* Sets filters on each field of an event. Return: number of filters */
static unsigned int try_fields(const struct tw_format *format)
{
	static const char *const values[] = { "!= 1",      "> 0",      "& 1 == 1",       "in {0..100}",   "== true",
					      "~ \"*a*\"", "!= \"a\"", "contains \"b\"", "== 01:02:03:04" };
	unsigned int n = 0;

	for (uint16_t i = format->n_common; i < format->n_fields; i++) {
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			const struct tw_bind_options options = { .schema = schema };
			char text[512];
			struct tw_arena *arena;
			struct tw_bound *bound;

			snprintf(text, sizeof(text), "%s.%s.%s %s", format->system, format->name,
				 format->fields[i].name, values[v]);
			if (bound__make(text, &options, &bound, NULL))
				continue;
			arena = tw_arena__new(1 << 20);
			for (size_t e = 0; e < bound->n_events; e++)
				if (bound->events[e].format == format)
					n += try_event(bound, &bound->events[e], arena);
			tw_arena__free(arena);
			tw_bound__free(bound);
		}
	}
	return n;
}

static void test_accepted(void **state)
{
	static const char *const texts[] = {
		"pid == 0 && cpu == 1",
		"comm == \"bash\" || comm ~ \"*worker*\" || comm == \"<idle>\"",
		"!(flags & 1) && common_preempt_count in {0, 2..5}",
		"prev_comm ~ \"*as*\" && !(next_pid == 0) || pid != -1",
		"any.name contains \"a'*\" || any.dev & 3 == 1 || any.saddr == 10.0.0.0/12",
	};
	unsigned int n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		n += try_expression(texts[i]);
	print_message("%u filters on %zu events taken\n", n, tw_schema__count(schema));
	assert_true(n > 4 * tw_schema__count(schema) / 2);
}

static void test_every_field(void **state)
{
	/* The events of some systems only: when a filter is set, the kernel waits for all of its CPUs. */
	static const char *const systems[] = { "sched", "irq", "kmem", "sock",   "block",
					       "net",   "skb", "task", "signal", "tcp" };
	unsigned int n = 0;

	(void)state;
	for (size_t i = 0; i < tw_schema__count(schema); i++) {
		const struct tw_format *format = tw_schema__at(schema, i);

		for (size_t s = 0; s < sizeof(systems) / sizeof(systems[0]); s++)
			if (!strcmp(format->system, systems[s]))
				n += try_fields(format);
	}
	print_message("%u filters on single fields taken\n", n);
	assert_true(n > 500);
}

static const char *const names[] = {
	"",
	"a",
	"b",
	"foo",
	"afoo",
	"foob",
	"barfoobaz",
	"aaaaaaaaaaaafoo",
	"fo",
	"!foo",
	"1",
	"12",
	"1*",
	"a*b",
	"ab",
	"a[b",
	"a]",
	"a-b",
	"ac",
	"acd",
	"a\\b",
	"swapper/0",
	"xx<idle>",
	"x y",
	"\xc3\xa9t\xc3\xa9",
	"aXbXc",
	"bXa",
	"fofoofo",
	"abcabcabd",
};

static const char *const patterns[] = {
	"",      "*",     "**",     "foo",   "*foo",  "foo*",   "*foo*",  "!foo",   "!*",     "1*",
	"12",    "*1*",   "a*b",    "a?",    "a[!b]", "a[!b]*", "[a-c]*", "*[a-c]", "a[b",    "a[]]",
	"a[b-]", "a\\*b", "\\!foo", "f*o*o", "*a*b*", "?",      "??",     "???*",   "*?o",    "a\\\\b",
	"*\xa9", "*X*c",  "[!-b]*", "[c-a]", "a[",    "*[",     "**a**",  "*abd",   "*foofo",
};

/* Writes an x to @ret at the index of each name that is in the trace. */
static void read_trace(char *ret)
{
	static char trace[1 << 20];
	char path[256];
	FILE *file;
	size_t len;
	char *at = trace;

	snprintf(path, sizeof(path), "%s/trace", instance);
	file = fopen(path, "r");
	assert_non_null(file);
	len = fread(trace, 1, sizeof(trace) - 1, file);
	fclose(file);
	trace[len] = 0;
	while ((at = strstr(at, "oom_score_adj="))) {
		const char *begin;

		*at = 0;
		begin = strrchr(trace, '\n');
		begin = strstr(begin ? begin : trace, "newcomm=");
		for (size_t i = 0; begin && i < sizeof(names) / sizeof(names[0]); i++)
			if ((size_t)(at - 1 - (begin + 8)) == strlen(names[i]) &&
			    !memcmp(begin + 8, names[i], strlen(names[i])))
				ret[i] = 'x';
		memset(trace, ' ', (size_t)(at - trace) + 1);
		at++;
	}
}

static void compare(const struct tw_format *format, const char *op, const char *pattern)
{
	char text[256], path[256], seen[sizeof(names) / sizeof(names[0]) + 1] = "", buf[TW_TRACEFS_FILTER_MAX];
	struct tw_line expression = tw_line__on(text, sizeof(text) - 1), line = tw_line__on(buf, sizeof(buf));
	struct tw_bound *bound;
	const struct tw_node *root;

	tw_line__str(&expression, "task_rename.newcomm ");
	tw_line__str(&expression, op);
	tw_line__str(&expression, " r\"");
	tw_line__str(&expression, pattern);
	tw_line__char(&expression, '"');
	*expression.at = 0;
	bound = bind_to(schema, text, false);
	root = tw_bound__root(bound, format->id);
	if (tw_tracefs__emit(bound, root, &line, NULL)) {
		tw_bound__free(bound);
		return;
	}
	assert_true(set_filter(format, &line));
	snprintf(path, sizeof(path), "%s/trace", instance);
	assert_true(write_file(path, "", 0));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		prctl(PR_SET_NAME, names[i]);
	memset(seen, '.', sizeof(seen) - 1);
	read_trace(seen);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const bool wanted = tw_test__bytes(root->test, (const uint8_t *)names[i], strlen(names[i]));

		if ((seen[i] == 'x') != wanted)
			fail_msg("%s: '%s' %s to the kernel, given %.*s", text, names[i],
				 wanted ? "does not match" : "matches", (int)tw_line__len(&line), buf);
	}
	tw_bound__free(bound);
}

static void test_texts(void **state)
{
	const struct tw_format *format = tw_schema__by_name(schema, "task", "task_rename");
	char path[256];

	(void)state;
	assert_non_null(format);
	snprintf(path, sizeof(path), "%s/events/task/task_rename/enable", instance);
	assert_true(write_file(path, "1", 1));
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		compare(format, "~", patterns[i]);
		compare(format, "contains", patterns[i]);
		compare(format, "==", patterns[i]);
		compare(format, "!=", patterns[i]);
	}
	assert_true(write_file(path, "0", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_every_field),
		cmocka_unit_test(test_texts),
	};

	if (geteuid() || access(TRACING "/instances", W_OK)) {
		puts("skipped: needs root and a writable tracefs");
		return 77;
	}
	return cmocka_run_group_tests(tests, make_instance, remove_instance);
}
