/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/attach/counters_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/json.h"

static const char *const special[TW_COUNT_MORE] = {
	[TW_COUNT_CONTROL] = "control",       [TW_COUNT_PART] = "part",       [TW_COUNT_OTHER_SCHEMA] = "other_schema",
	[TW_COUNT_UNREADABLE] = "unreadable", [TW_COUNT_DROPPED] = "dropped", [TW_COUNT_FILTERED] = "filtered",
};

static const char *const modes[] = {
	[TW_MODE_NONE] = "none",
	[TW_MODE_NATIVE] = "native",
	[TW_MODE_GENERIC] = "generic",
	[TW_MODE_DISPATCHER] = "native",
	[TW_MODE_GENERIC_DISPATCHER] = "generic",
	[TW_MODE_SOFTWARE] = "software",
	[TW_MODE_HARDWARE] = "hardware",
};

static const char *yes(bool value)
{
	return value ? "true" : "false";
}

/* What is not counted is null, not 0. */
static void put_number(const char *key, uint64_t value)
{
	if (value == TW_NOT_COUNTED)
		printf("\"%s\": null", key);
	else
		printf("\"%s\": %" PRIu64, key, value);
}

static void put_counter(const struct tw_counter *row)
{
	put_number("frames", row->frames);
	printf(", ");
	put_number("events", row->events);
	printf("}");
}

static void put_rows(const struct tw_attached *attached, const struct tw_counter *rows)
{
	char action[COUNTERS_ACTION_MAX];

	printf("\"rules\": [");
	for (unsigned int i = 0; i < attached->n; i++) {
		printf("%s{\"expression\": ", i ? ", " : "");
		cli_json__text(attached->rules[i].expression);
		counters__action(attached->rules[i].action, attached->rules[i].arg, action);
		printf(", \"action\": \"%s\", ", action);
		put_counter(&rows[i]);
	}
	counters__action(attached->default_action, attached->default_arg, action);
	printf("], \"default\": {\"action\": \"%s\", ", action);
	put_counter(&rows[attached->n]);
	for (unsigned int i = 0; i < TW_COUNT_MORE; i++) {
		printf(", \"%s\": {", special[i]);
		put_counter(&rows[attached->n + 1 + i]);
	}
}

static void put_streams(const struct tw_attached *attached, const struct counted *counted)
{
	bool first = true;

	printf(", \"streams\": [");
	for (size_t i = 0; i < counted->n; i++) {
		const struct tw_counted *what = &counted->all[i].what;

		if (what->total)
			continue;
		if (what->overflow)
			printf("%s{\"stream\": null, \"channel\": null, ", first ? "" : ", ");
		else
			printf("%s{\"stream\": \"%016" PRIx64 "\", \"channel\": %u, ", first ? "" : ", ",
			       what->stream_id, what->channel);
		put_rows(attached, counted->all[i].rows);
		printf("}");
		first = false;
	}
	printf("]");
}

void counters__print_json(const struct tw_attached *attached, const struct counted *counted,
			  const struct counters_print *print)
{
	printf("%s\n  {\"interface\": ", print->n ? "," : "[");
	cli_json__text(attached->ifname);
	printf(", \"hook\": \"%s\", \"mode\": \"%s\", \"dispatcher\": %s, \"in_hw\": %s, \"persist\": %s, ",
	       tw_place__name(attached->place), modes[attached->mode],
	       yes(attached->mode == TW_MODE_DISPATCHER || attached->mode == TW_MODE_GENERIC_DISPATCHER),
	       yes(attached->mode == TW_MODE_HARDWARE), yes(attached->persist));
	printf("\"pid\": %d, \"program\": %" PRIu32 ", \"schema\": ", (int)attached->pid, attached->program);
	if (attached->schema_id)
		printf("\"%016" PRIx64 "\", ", attached->schema_id);
	else
		printf("null, ");
	put_rows(attached, counted->sum);
	put_streams(attached, counted);
	printf("}");
}
