/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/attach/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/messages.h"

#define ACTION_MAX 64

struct counted_rows {
	struct tw_counted what;
	struct tw_counter rows[TW_ROWS_MAX];
};

/* All counters of a classifier. */
struct counted {
	unsigned int n_rows;
	struct counted_rows *all;
	size_t n;
	int err; /* 0 or -ENOMEM */
	struct tw_counter sum[TW_ROWS_MAX];
};

/* Names of the rows that do not belong to a rule, as text and as JSON keys; the index is an enum tw_count. */
static const struct {
	const char *text, *key;
} special[TW_COUNT_MORE] = {
	[TW_COUNT_CONTROL] = { "frames without events: passed", "control" },
	[TW_COUNT_PART] = { "pieces of large events: passed", "part" },
	[TW_COUNT_OTHER_SCHEMA] = { "frames of another schema: passed", "other_schema" },
	[TW_COUNT_UNREADABLE] = { "frames that cannot be read or changed: passed", "unreadable" },
	[TW_COUNT_DROPPED] = { "dropped", "dropped" },
	[TW_COUNT_FILTERED] = { "events replaced by FILTERED in packed frames", "filtered" },
};

static void add(uint64_t *sum, uint64_t value)
{
	if (value == TW_NOT_COUNTED || *sum == TW_NOT_COUNTED)
		*sum = TW_NOT_COUNTED;
	else
		*sum += value;
}

static int compare(const void *a, const void *b)
{
	const struct tw_counted *first = &((const struct counted_rows *)a)->what;
	const struct tw_counted *second = &((const struct counted_rows *)b)->what;

	if (first->stream_id != second->stream_id)
		return first->stream_id < second->stream_id ? -1 : 1;
	return first->channel - second->channel;
}

static void keep(const struct tw_counted *what, const struct tw_counter *rows, void *ctx)
{
	struct counted *counted = ctx;
	struct counted_rows *all = realloc(counted->all, (counted->n + 1) * sizeof(*all));

	if (!all) {
		counted->err = -ENOMEM;
		return;
	}
	counted->all = all;
	all[counted->n].what = *what;
	memcpy(all[counted->n].rows, rows, counted->n_rows * sizeof(*rows));
	counted->n++;
	for (unsigned int i = 0; i < counted->n_rows; i++) {
		add(&counted->sum[i].frames, rows[i].frames);
		add(&counted->sum[i].events, rows[i].events);
	}
}

static int collect(const struct tw_attached *attached, struct counted *ret, struct tw_error *error)
{
	int err;

	*ret = (struct counted){ .n_rows = attached->n + 1 + TW_COUNT_MORE };
	err = tw_attached__count(attached, keep, ret, error);
	if (!err && ret->err)
		err = tw_error__set(error, ret->err, "no memory for the counters");
	if (ret->n)
		qsort(ret->all, ret->n, sizeof(*ret->all), compare);
	return err;
}

static void not_counted(struct counted *counted)
{
	for (unsigned int i = 0; i < counted->n_rows; i++)
		counted->sum[i] = (struct tw_counter){ TW_NOT_COUNTED, TW_NOT_COUNTED };
}

static void format_action(uint8_t action, uint32_t arg, char text[ACTION_MAX])
{
	char name[IFNAMSIZ];

	if (action == TW_ACTION_MARK)
		snprintf(text, ACTION_MAX, "mark:%" PRIu32, arg);
	else if (action != TW_ACTION_REDIRECT)
		snprintf(text, ACTION_MAX, "%s", action == TW_ACTION_DROP ? "drop" : "pass");
	else if (if_indextoname(arg, name))
		snprintf(text, ACTION_MAX, "redirect:%s", name);
	else
		snprintf(text, ACTION_MAX, "redirect to interface %" PRIu32 ", which does not exist", arg);
}

static void print_number(uint64_t value)
{
	if (value == TW_NOT_COUNTED)
		printf(" %12s", "-");
	else
		printf(" %12" PRIu64, value);
}

static void print_row(const struct tw_counter *row, const char *what, const char *action)
{
	print_number(row->frames);
	print_number(row->events);
	say(stdout, "  %s%s%s\n", what, *action ? " -> " : "", action);
}

static void print_rows(const struct tw_attached *attached, const struct tw_counter *rows)
{
	char action[ACTION_MAX];

	for (unsigned int i = 0; i < attached->n; i++) {
		format_action(attached->rules[i].action, attached->rules[i].arg, action);
		print_row(&rows[i], attached->rules[i].expression, action);
	}
	format_action(attached->default_action, attached->default_arg, action);
	print_row(&rows[attached->n], "all other events", action);
	for (unsigned int i = 0; i < TW_COUNT_MORE; i++)
		if (rows[attached->n + 1 + i].frames && rows[attached->n + 1 + i].frames != TW_NOT_COUNTED)
			print_row(&rows[attached->n + 1 + i], special[i].text, "");
}

static void print_streams(const struct tw_attached *attached, const struct counted *counted)
{
	for (size_t i = 0; i < counted->n; i++) {
		const struct tw_counted *what = &counted->all[i].what;

		if (what->total)
			continue;
		if (what->overflow)
			printf("  all channels beyond the first %u\n", TW_COUNTED_MAX);
		else
			printf("  stream %016" PRIx64 " channel %u\n", what->stream_id, what->channel);
		print_rows(attached, counted->all[i].rows);
	}
}

static void print_head(const struct tw_attached *attached)
{
	say(stdout, "%s: %s, %s", attached->ifname, tw_attach_place__name(attached->place),
	    tw_mode__text(attached->mode));
	if (attached->schema_id)
		printf(", schema %016" PRIx64, attached->schema_id);
	else
		printf(": waits for the formats of a stream");
	if (attached->pid && kill(attached->pid, 0) && errno == ESRCH)
		printf(", left behind by process %d: `tracewire cleanup` removes it\n", (int)attached->pid);
	else if (attached->pid)
		printf(", held by process %d\n", (int)attached->pid);
	else
		printf(", stays\n");
}

static void print_text(const struct tw_attached *attached, const struct counted *counted, bool streams)
{
	print_head(attached);
	printf(" %12s %12s\n", "frames", "events");
	print_rows(attached, counted->sum);
	if (streams)
		print_streams(attached, counted);
}

/* JSON */

static const char *const modes[] = {
	[TW_MODE_NONE] = "none",
	[TW_MODE_NATIVE] = "native",
	[TW_MODE_GENERIC] = "generic",
	[TW_MODE_DISPATCHER] = "native",
	[TW_MODE_GENERIC_DISPATCHER] = "generic",
	[TW_MODE_SOFTWARE] = "software",
	[TW_MODE_HARDWARE] = "hardware",
};

/* Writes a row as an object. @key: the object's key; NULL in an array. @expression, @action: NULL = the row has none */
static void put_row(struct tw_json *json, const char *key, const char *expression, const char *action,
		    const struct tw_counter *row)
{
	tw_json__open(json, key, '{');
	if (expression)
		tw_json__str(json, "expression", expression);
	if (action)
		tw_json__str(json, "action", action);
	tw_json__u64_or_null(json, "frames", row->frames);
	tw_json__u64_or_null(json, "events", row->events);
	tw_json__close(json);
}

static void put_rows(struct tw_json *json, const struct tw_attached *attached, const struct tw_counter *rows)
{
	char action[ACTION_MAX];

	tw_json__open(json, "rules", '[');
	for (unsigned int i = 0; i < attached->n; i++) {
		format_action(attached->rules[i].action, attached->rules[i].arg, action);
		put_row(json, NULL, attached->rules[i].expression, action, &rows[i]);
	}
	tw_json__close(json);
	format_action(attached->default_action, attached->default_arg, action);
	put_row(json, "default", NULL, action, &rows[attached->n]);
	for (unsigned int i = 0; i < TW_COUNT_MORE; i++)
		put_row(json, special[i].key, NULL, NULL, &rows[attached->n + 1 + i]);
}

static void put_streams(struct tw_json *json, const struct tw_attached *attached, const struct counted *counted)
{
	tw_json__open(json, "streams", '[');
	for (size_t i = 0; i < counted->n; i++) {
		const struct tw_counted *what = &counted->all[i].what;

		if (what->total)
			continue;
		tw_json__open(json, NULL, '{');
		if (what->overflow) {
			tw_json__null(json, "stream");
			tw_json__null(json, "channel");
		} else {
			tw_json__id(json, "stream", what->stream_id);
			tw_json__u64(json, "channel", what->channel);
		}
		put_rows(json, attached, counted->all[i].rows);
		tw_json__close(json);
	}
	tw_json__close(json);
}

static void print_json(struct tw_json *json, const struct tw_attached *attached, const struct counted *counted)
{
	tw_json__open(json, NULL, '{');
	tw_json__str(json, "interface", attached->ifname);
	tw_json__str(json, "hook", tw_attach_place__name(attached->place));
	tw_json__str(json, "mode", modes[attached->mode]);
	tw_json__bool(json, "dispatcher",
		      attached->mode == TW_MODE_DISPATCHER || attached->mode == TW_MODE_GENERIC_DISPATCHER);
	tw_json__bool(json, "in_hw", attached->mode == TW_MODE_HARDWARE);
	tw_json__bool(json, "persist", attached->persist);
	tw_json__i64(json, "pid", attached->pid);
	tw_json__u64(json, "program", attached->program);
	if (attached->schema_id)
		tw_json__id(json, "schema", attached->schema_id);
	else
		tw_json__null(json, "schema");
	put_rows(json, attached, counted->sum);
	put_streams(json, attached, counted);
	tw_json__close(json);
}

int counters__print(const struct tw_attached *attached, void *ctx, struct tw_error *error)
{
	struct counters_print *print = ctx;
	struct counted counted;
	struct tw_error why;
	int err = collect(attached, &counted, &why);

	/* -ENOENT means that another program has removed the classifier and its counters meanwhile. */
	if (err == -ENOENT)
		not_counted(&counted);
	else if (err) {
		free(counted.all);
		return tw_error__set(error, err, "%s", why.text);
	}
	if (print->json)
		print_json(print->json, attached, &counted);
	else
		print_text(attached, &counted, print->streams);
	print->n++;
	free(counted.all);
	return 0;
}
