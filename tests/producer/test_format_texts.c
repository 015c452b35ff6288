/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format texts of a stream. The test makes a tracing directory, because the formats of a kernel can all be parsed. */
#include "producer/schema_texts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/tracewire-test-XXXXXX";

static const char *const folders[] = { "events", "events/t", "events/t/odd", "events/t/plain" };

static const struct {
	const char *name, *text;
} files[] = {
	{ "events/header_page", "header page\n" },
	{ "events/header_event", "header event\n" },
	{ "events/t/odd/format", "name: odd\nID: 7\nformat:\n\tfield:int number;\tat:4;\n" },
	{ "events/t/plain/format", "name: plain\nID: 8\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
				   "\tfield:int number;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				   "print fmt: \"%d\", REC->number\n" },
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < N(folders); i++)
		assert_return_code(mkdir(path_of(folders[i]), 0700), errno);
	for (size_t i = 0; i < N(files); i++) {
		FILE *file = fopen(path_of(files[i].name), "w");

		assert_non_null(file);
		fputs(files[i].text, file);
		fclose(file);
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(files); i++)
		unlink(path_of(files[i].name));
	for (size_t i = N(folders); i-- > 0;)
		rmdir(path_of(folders[i]));
	return rmdir(dir);
}

/* A format that cannot be parsed is sent as it is, and the events after it have their formats. */
static void test_unknown_format(void **state)
{
	struct tw_event_name names[] = { { .system = (char[]){ "t" }, .name = (char[]){ "odd" } },
					 { .system = (char[]){ "t" }, .name = (char[]){ "plain" } } };
	const struct tw_event_list events = { names, N(names) };
	const struct tw_schema_texts_request request = { dir, &events, .schema = tw_schema__new() };
	struct tw_schema_texts texts;
	struct tw_error error = { "" };

	(void)state;
	if (tw_schema_texts__load(&request, &texts, &error))
		fail_msg("%s", error.text);
	assert_int_equal(texts.records.items[0].total, N(files));
	assert_null(tw_schema__by_name(request.schema, "t", "odd"));
	assert_non_null(tw_schema__by_name(request.schema, "t", "plain"));
	tw_schema_texts__fini(&texts);
	tw_schema__free(request.schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_unknown_format) };

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
