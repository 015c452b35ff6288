/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event_pattern.h"
#include "pcap-tools/report/columns.h"

static bool search_schema(const struct tw_stream_schema *schema, tw_report_take_format *take, void *ctx)
{
	for (uint32_t id = 0; id <= UINT16_MAX; id++) {
		const struct tw_stream_event *event = tw_stream_schema__event(schema, (uint16_t)id);

		if (event && !take(ctx, event->format))
			return false;
		if (!schema->events[id >> 8])
			id |= 0xff;
	}
	return true;
}

void tw_report_names__search(const struct tw_report *report, tw_report_take_format *take, void *ctx)
{
	for (const struct tw_stream *s = tw_streams__first(report->streams); s; s = s->next)
		for (const struct tw_stream_schema *schema = s->schemas; schema; schema = schema->next)
			if (!search_schema(schema, take, ctx))
				return;
}

/* The search for the events that a pattern selects. */
struct event_search {
	const char *pattern;
	size_t len;
	bool found, any; /* a format matches; there are formats */
	struct tw_event_suggestion suggestion;
};

static bool look_at(void *ctx, const struct tw_format *format)
{
	struct event_search *search = ctx;

	search->any = true;
	search->found = tw_event_pattern__matches(search->pattern, search->len, format->system, format->name);
	tw_event_suggestion__offer(&search->suggestion, format->system, format->name);
	return !search->found;
}

static int refuse(struct tw_report *report, const struct event_search *search)
{
	const char *best = search->suggestion.best;

	return tw_error__set(&report->refusal, -EINVAL, "no event '%.*s' in %s%s%s%s", (int)search->len,
			     search->pattern, report->name,
			     !search->any ? ", which has no formats of events"
			     : *best      ? "; did you mean "
					  : "; `tracewire info --events` shows the events of a capture",
			     search->any ? best : "", search->any && *best ? "?" : "");
}

static int check_pattern(struct tw_report *report, const char *pattern, size_t len)
{
	struct event_search search = { .pattern = pattern, .len = len };

	tw_event_suggestion__init(&search.suggestion, pattern, len);
	tw_report_names__search(report, look_at, &search);
	return search.found ? 0 : refuse(report, &search);
}

static int check_events(struct tw_report *report)
{
	const char *const *lists = report->options->events;
	const char *pattern;
	size_t len;
	int err = 0;

	for (; lists && *lists && !err; lists++) {
		const char *rest = *lists;

		while (!err && (pattern = tw_event_patterns__next(&rest, &len)))
			err = check_pattern(report, pattern, len);
	}
	return err;
}

/* Sets the error for a comparison that applies to no event. Its text begins with the column of the comparison in the filter. */
static int check_filter(struct tw_report *report)
{
	struct tw_undecided_predicates undecided;

	if (!report->capture_filter)
		return 0;
	tw_capture_filter__undecided_predicates(report->capture_filter, &undecided);
	return undecided.n ? tw_error__set(&report->refusal, -EINVAL, "%s", undecided.text[0].text) : 0;
}

static int check_all(struct tw_report *report)
{
	int err = check_events(report);

	if (!err)
		err = tw_report_columns__check(report);
	return err ? err : check_filter(report);
}

/*
 * Reads the whole file a second time: formats may follow the first event, for example those of another machine. A pipe cannot be read
 * twice, and is checked at its end. Return: 0, or -EINVAL with report->refusal filled.
 */
static int check_ahead(struct tw_report *report)
{
	struct tw_report_counts counts = { .n_streams = 0 };
	const struct tw_report_options options = { .events = report->options->events,
						   .table = report->options->table,
						   .filter = report->options->filter,
						   .counts = &counts };
	struct tw_report_stats stats;
	struct stat st;
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", report->in);
	*report->refusal.text = '\0';
	if (fstat(report->in, &st) || !S_ISREG(st.st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	err = tw_report__run(fd, report->name, -1, &options, &stats, &report->refusal);
	tw_report_counts__fini(&counts);
	close(fd);
	if (err != -EINVAL)
		*report->refusal.text = '\0';
	return err == -EINVAL ? err : 0;
}

int tw_report_names__check(struct tw_report *report, bool at_end)
{
	int err;

	if (report->checked_names && !at_end)
		return 0;
	report->checked_names = true;
	err = check_all(report);
	return err && !at_end ? check_ahead(report) : err;
}
