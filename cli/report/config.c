/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The config of `tracewire report`: sets it from the arguments of options, and checks which options exclude each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "cli/report/report.h"
#include "cli/time_option.h"

void report_config__discard(void *data)
{
	struct report_config *config = data;

	free(config->events.items);
	free(config->comms.items);
	free(config->columns_or_events.items);
	free(config->columns.items);
	free(config->names);
	free(config->pids);
	free(config->cpus);
	tw_filter__free(config->filter);
}

int report_config__add_text(void *target, const char *text, struct tw_error *error)
{
	struct report_texts *texts = target;
	const char **items = reallocarray(texts->items, texts->n + 2, sizeof(*items));

	if (!items)
		return tw_error__set(error, -ENOMEM, "no memory for '%s'", text);
	items[texts->n++] = text;
	items[texts->n] = NULL;
	texts->items = items;
	return 0;
}

static int add_pid(struct report_config *config, uint32_t pid, struct tw_error *error)
{
	uint32_t *pids = reallocarray(config->pids, config->n_pids + 1, sizeof(*pids));

	if (!pids)
		return tw_error__set(error, -ENOMEM, "no memory for --pid");
	pids[config->n_pids++] = pid;
	config->pids = pids;
	return 0;
}

int report_config__add_pids(void *target, const char *list, struct tw_error *error)
{
	struct report_config *config = target;
	const char *at = list;
	uint64_t pid;
	int err;

	do {
		if (!tw_number__digits(&at, &pid) || pid > INT32_MAX || (*at && *at != ','))
			return tw_error__set(
				error, -EINVAL,
				"--pid '%s' is not a list of pids: numbers separated by commas, for example "
				"0,4711",
				list);
		err = add_pid(config, (uint32_t)pid, error);
		if (err)
			return err;
	} while (*at++);
	return 0;
}

/* Adds one CPU or a range of CPUs to @cpus. Return: the text after it; NULL if @text does not begin with a valid CPU or range. */
static const char *add_cpu_range(uint8_t *cpus, const char *text)
{
	uint64_t first, last;

	if (!tw_number__digits(&text, &first))
		return NULL;
	last = first;
	if (*text == '-') {
		text++;
		if (!tw_number__digits(&text, &last))
			return NULL;
	}
	if (last >= TW_REPORT_CPUS_MAX || first > last)
		return NULL;
	memset(cpus + first, 1, last - first + 1);
	return text;
}

int report_config__add_cpus(void *target, const char *list, struct tw_error *error)
{
	uint8_t **cpus = target;
	const char *at = list;

	if (!*cpus)
		*cpus = calloc(TW_REPORT_CPUS_MAX, 1);
	if (!*cpus)
		return tw_error__set(error, -ENOMEM, "no memory for --cpu");
	while ((at = add_cpu_range(*cpus, at)) && *at == ',')
		at++;
	if (at && !*at)
		return 0;
	return tw_error__set(error, -EINVAL,
			     "--cpu '%s' is not a list of CPUs: numbers below %u and ranges, for example 0,2,4-7", list,
			     TW_REPORT_CPUS_MAX);
}

int report_config__set_since(void *target, const char *text, struct tw_error *error)
{
	return time_option__parse("since", text, tw_time__now(CLOCK_REALTIME), target, error);
}

int report_config__set_until(void *target, const char *text, struct tw_error *error)
{
	return time_option__parse("until", text, tw_time__now(CLOCK_REALTIME), target, error);
}

/* Return: a given option that changes only lines of text; NULL = none is given. Such options are refused with JSON and tables. */
static const char *layout_option(const struct report_config *config)
{
	return config->latency ? "--latency" : config->delta ? "--delta" : config->raw ? "--raw" : NULL;
}

/* Return: the option that selects the format; NULL for lines of text, the default */
static const char *form_option(const struct report_config *config)
{
	static const char *const options[] = {
		[REPORT_JSON] = "--json", [REPORT_FIELDS] = "-T fields", [REPORT_CSV] = "--csv"
	};

	return options[config->format];
}

static int check(const struct report_config *config, struct tw_error *error)
{
	const char *layout = layout_option(config), *form = form_option(config);
	const bool has_table = report_config__has_table(config);

	if (config->relative && config->wall)
		return tw_error__set(error, -EINVAL, "--relative and --wall exclude each other");
	if (config->format == REPORT_JSON && config->raw)
		return tw_error__set(error, -EINVAL, "--json and --raw exclude each other: JSON is always UTF-8");
	if (layout && form)
		return tw_error__set(error, -EINVAL, "%s and %s exclude each other: %s applies only to text lines",
				     form, layout, layout);
	if (config->summary && (has_table || layout))
		return tw_error__set(error, -EINVAL, "--summary and %s exclude each other: --summary prints no events",
				     has_table ? form : layout);
	if (config->has_table_options && !has_table)
		return tw_error__set(error, -EINVAL, "-E is for tables: also give -T fields or --csv");
	if (config->since.kind == config->until.kind && config->since.ns > config->until.ns)
		return tw_error__set(error, -EINVAL, "--since is later than --until, so no event is between them");
	return 0;
}

int report_config__finish(struct report_config *config, struct tw_error *error)
{
	int err;

	err = check(config, error);
	if (!err && report_config__has_table(config))
		return report_table__finish(config, error);
	for (size_t i = 0; !err && i < config->columns_or_events.n; i++)
		err = report_config__add_text(&config->events, config->columns_or_events.items[i], error);
	return err;
}

struct tw_report_options report_config__options(const struct report_config *config, struct tw_report_counts *counts)
{
	return (struct tw_report_options){
		.events = config->events.items,
		.cpus = config->cpus,
		.pids = config->pids,
		.n_pids = config->n_pids,
		.comms = config->comms.items,
		.since = config->since,
		.until = config->until,
		.filter = config->filter,
		.time = config->relative ? TW_REPORT_RELATIVE
			: config->wall   ? TW_REPORT_WALL
					 : TW_REPORT_CLOCK,
		.delta = config->delta,
		.full_time = config->full_time,
		.latency = config->latency,
		.fields = config->fields,
		.json = config->format == REPORT_JSON,
		.counts = config->summary ? counts : NULL,
		.table = report_config__has_table(config) ? &config->table : NULL,
		.raw = config->raw,
	};
}
