/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metadata of a stream: format texts, and when they are sent; marks of any size; clocks. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe.h"
#include "run.h"
#include "schema/field.h"
#include "schema/schema.h"

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* Return: the text in tracefs that corresponds to the text of a SCHEMA; the caller frees it */
static char *text_of_tracefs(const struct got_text *text)
{
	char name[128], file[200], path[256];

	if (text->kind == TW_SCHEMA_HEADER_PAGE)
		return read_file(run__file(NULL, "events/header_page", path));
	if (text->kind == TW_SCHEMA_HEADER_EVENT)
		return read_file(run__file(NULL, "events/header_event", path));
	if (text->kind == TW_SCHEMA_PRINTK)
		return read_file(run__file(NULL, "printk_formats", path));
	assert_int_equal(sscanf(text->text, "name: %127s", name), 1);
	snprintf(file, sizeof(file), "events/%.60s/%.100s/format", text->system, name);
	return read_file(run__file(NULL, file, path));
}

/* Checks that the texts equal those of tracefs, and that every frame has their hash. */
static void expect_texts(const char *spec, size_t least, bool printk)
{
	struct tw_schema_hash hash;
	struct run run;
	bool any = false;

	run__init(&run, spec, NULL);
	run__start(&run);
	pause_ms(50);
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_true(run.got.n_texts >= least);
	tw_schema_hash__init(&hash, TW_HOST_BE, sizeof(long));
	for (size_t i = 0; i < run.got.n_texts; i++) {
		const struct got_text *text = &run.got.texts[i];
		char *original = text_of_tracefs(text);

		assert_int_equal(text->index, i);
		assert_int_equal(text->total, run.got.n_texts);
		assert_non_null(original);
		assert_string_equal(text->text, original);
		any |= text->kind == TW_SCHEMA_PRINTK;
		tw_schema_hash__text(&hash, text->system, text->text, strlen(text->text));
		free(original);
	}
	assert_int_equal(tw_schema_hash__fini(&hash), run.got.texts[0].schema_id);
	assert_true(run.got.n_events > 0);
	for (size_t i = 0; i < run.got.n_events; i++)
		assert_int_equal(run.got.events[i].schema_id, run.got.texts[0].schema_id);
	assert_int_equal(any, printk);
	run__fini(&run);
}

/* printk_formats is sent only with events that print texts from it, such as rcu's, but not for file names of system calls. */
static void test_texts(void **state)
{
	(void)state;
	expect_texts("sched,irq,net*:*", 30, false);
	expect_texts("syscalls:sys_enter_chdir,raw_syscalls", 5, false);
	expect_texts("rcu,raw_syscalls", 6, true);
}

/* Return: the format text of an event in the schema of its frame. Checks that the whole schema arrived before the event. */
static const struct got_text *text_for(const struct receiver *got, const struct got_event *ev)
{
	const struct got_text *found = NULL;
	uint32_t before = 0, total = 0;

	for (size_t i = 0; i < got->n_texts; i++) {
		const struct got_text *text = &got->texts[i];

		if (text->schema_id != ev->schema_id || text->frame >= ev->frame)
			continue;
		before++;
		total = text->total;
		if (text->kind == TW_SCHEMA_EVENT && text->id == ev->id)
			found = text;
	}
	assert_true(total && before >= total);
	assert_non_null(found);
	return found;
}

static bool is_repeated(const struct receiver *got)
{
	return got->n_hosts >= 9;
}

static void test_repeated(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "sched", NULL);
	run.options.repeat_ms = 50;
	run__start(&run);
	run__await(&run, is_repeated);
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(run.got.n_ends, 5);
	assert_true(run.got.n_hosts <= (size_t)(run.counters.seconds * 20) + 2);
	assert_int_equal(run.got.n_texts, run.got.n_hosts * run.got.texts[0].total);
	assert_true(run.got.n_clocks >= run.got.n_hosts);
	assert_true(run.got.n_names >= run.got.n_hosts * 3);
	run__fini(&run);
	run__init(&run, "sched", NULL);
	run__start(&run);
	pause_ms(200);
	run__stop(&run);
	assert_int_equal(run.got.n_hosts, 1); /* no repetition is requested */
	run__fini(&run);
}

static bool joined(void *ctx)
{
	static int asked;

	(void)ctx;
	return ++asked == 3;
}

/* HOST at the start, when the receiver joined, and at least once more; on a busy machine, repetitions coincide. */
static bool is_reported_again(const struct receiver *got)
{
	return got->n_hosts >= 3;
}

/* A receiver that joins gets all metadata at once, and again later, whatever the regular interval is. */
static void test_joined(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "sched:sched_process_hang", NULL);
	run.options.repeat_ms = 60000;
	run.options.joined = joined;
	run__start(&run);
	run__await(&run, is_reported_again);
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_true(run.got.n_hosts <= 10);
	run__fini(&run);
}

/* Checks the mark that a user wrote to trace_marker, as schema/ prints it. */
static void expect_marker(const struct receiver *got, const char *said)
{
	const struct got_event *ev = &got->events[0];
	const struct got_text *text = text_for(got, ev);
	const struct tw_format *format;
	struct tw_schema *schema = tw_schema__new();
	struct tw_value value;
	uint8_t *copy = malloc(ev->len);

	assert_int_equal(got->n_events, 1);
	assert_string_equal(text->system, "ftrace");
	assert_int_equal(tw_schema__add(schema, "ftrace", text->text, strlen(text->text), &format, NULL), 0);
	assert_non_null(copy);
	memcpy(copy, ev->record, ev->len);
	assert_int_equal(tw_field__read(tw_format__find(format, "buf"),
					&(struct tw_record){ .data = copy, .len = ev->len, .big_endian = TW_HOST_BE },
					&value),
			 0);
	assert_true(value.len >= strlen(said));
	assert_memory_equal(value.data, said, strlen(said));
	free(copy);
	tw_schema__free(schema);
}

static void write_marker(const char *said, size_t frame_max, bool parts)
{
	char path[256];
	struct run run;

	run__init(&run, "sched:sched_process_hang", NULL); /* an event that never happens */
	memory_sink__fini(&run.memory);
	memory_sink__init(&run.memory, frame_max);
	run__start(&run);
	assert_int_equal(write_file(run__file(&run, "trace_marker", path), 0, said), 0);
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(!!run.got.n_parts, parts);
	expect_marker(&run.got, said);
	run__fini(&run);
}

static void test_marker(void **state)
{
	char large[1001];

	(void)state;
	write_marker("a word to the kernel", 9000, false);
	for (size_t i = 0; i < sizeof(large) - 1; i++)
		large[i] = (char)('a' + i % 23);
	large[sizeof(large) - 1] = '\0';
	write_marker(large, 600, true);
}

static uint32_t best_error(const struct receiver *got)
{
	uint32_t best = UINT32_MAX;

	for (size_t i = 0; i < got->n_clocks; i++)
		best = got->clocks[i].view.error_ns < best ? got->clocks[i].view.error_ns : best;
	return best;
}

/* Whether there are enough good clock samples. A busy machine delays samples, and may stop the producer between two readings. */
static bool has_clocks(const struct receiver *got)
{
	return got->n_clocks >= 10 && best_error(got) < 100000;
}

static void test_clock(void **state)
{
	static const char *const names[] = { "mono", "boot", "local", "perf" };
	struct run run;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		run__init(&run, "sched", NULL);
		run.options.repeat_ms = 20;
		run.options.clock = names[i];
		run__start(&run);
		run__await(&run, has_clocks);
		run__stop(&run);
		receiver__assert_sound(&run.got, 0);
		assert_true(run.counters.balanced);
		for (size_t k = 0; k < run.got.n_clocks; k++) {
			const struct tw_clock_view *now = &run.got.clocks[k].view;

			assert_int_equal(now->valid, 0x3f);
			for (int c = TW_CLOCK_TRACE; k && c <= TW_CLOCK_TAI; c++)
				assert_true(now->reading[c] > run.got.clocks[k - 1].view.reading[c]);
		}
		/* the times of the events are in the stream's clock */
		for (size_t k = 0; k < run.got.n_events; k++) {
			assert_true(run.got.events[k].time >= run.got.clocks[0].view.reading[TW_CLOCK_TRACE]);
			assert_true(run.got.events[k].time <=
				    run.got.clocks[run.got.n_clocks - 1].view.reading[TW_CLOCK_TRACE]);
		}
		run__fini(&run);
	}
}

/* If a glob selects an event that is added during the run, its format is sent, then its events; even if it reuses an id. */
static void appear(unsigned int threads)
{
	static const char *const names[] = { "one", "two", "three" };
	char spec[64], doomed[64], two[64], three[64], path[256], file[128];
	size_t seen[3] = { 0 };
	struct run run;

	if (probe__define("one", ""))
		skip(); /* printed in main() */
	assert_int_equal(probe__define("doomed", ""), 0);
	snprintf(spec, sizeof(spec), "twtest%d:*", getpid());
	snprintf(doomed, sizeof(doomed), "twtest%d:doomed", getpid());
	snprintf(two, sizeof(two), "twtest%d/two", getpid());
	snprintf(three, sizeof(three), "twtest%d/three", getpid());
	run__init(&run, doomed,
		  NULL); /* the event of the first request is removed later; the second request still selects events */
	run.requests[run.options.n_events++].spec = spec;
	run.options.threads = threads;
	run__start(&run);
	probe__target(0);
	assert_int_equal(probe__define("two", "number=+0(%sp):u64"), 0);
	run__await_enabled(&run, two);
	probe__target(0);
	/* an event can be removed only while it is not enabled */
	snprintf(file, sizeof(file), "events/twtest%d/doomed/enable", getpid());
	assert_int_equal(write_file(run__file(&run, file, path), 0, "0"), 0);
	assert_int_equal(probe__define("-doomed", ""), 0);
	assert_int_equal(probe__define("three", "other=%sp:x64"), 0);
	run__await_enabled(&run, three);
	probe__target(0);
	run.cleared = true; /* when an event is removed, the kernel clears the rings that had it */
	run__stop(&run);
	assert_int_equal(probe__define("-one", "") | probe__define("-two", "") | probe__define("-three", ""), 0);
	receiver__assert_sound(&run.got, 0);
	assert_in_range(run.counters.schemas, 3,
			4); /* the producer may have checked for new events between removal and definition */
	for (size_t i = 0; i < run.got.n_events; i++) {
		const struct got_text *text = text_for(&run.got, &run.got.events[i]);
		char name[32];

		assert_int_equal(sscanf(text->text, "name: %31s", name), 1);
		for (int k = 0; k < 3; k++)
			seen[k] += !strcmp(name, names[k]);
	}
	assert_int_equal(seen[2], 1);
	assert_true(seen[1] >= 1 && seen[0] >= 1);
	run__fini(&run);
}

static void test_appear(void **state)
{
	(void)state;
	appear(1);
	appear(2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),  cmocka_unit_test(test_repeated), cmocka_unit_test(test_joined),
		cmocka_unit_test(test_marker), cmocka_unit_test(test_clock),    cmocka_unit_test(test_appear),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
