/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `tracewire report` for tables: -T, -E, --csv, and the columns of -e. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/report.h"

int report_table__set_format(void *target, const char *name, struct tw_error *error)
{
	static const char *const names[] = {
		[REPORT_TEXT] = "text", [REPORT_JSON] = "json", [REPORT_FIELDS] = "fields"
	};
	enum report_format *format = target;

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i])) {
			*format = (enum report_format)i;
			return 0;
		}
	}
	return tw_error__set(error, -EINVAL, "-T '%s' is none of text, json and fields", name);
}

int report_table__set_json(void *target, const char *unused, struct tw_error *error)
{
	(void)unused;
	(void)error;
	*(enum report_format *)target = REPORT_JSON;
	return 0;
}

int report_table__set_csv(void *target, const char *unused, struct tw_error *error)
{
	(void)unused;
	(void)error;
	*(enum report_format *)target = REPORT_CSV;
	return 0;
}

/* Return: the separator that the text names, as in tshark; 0 if it names no valid separator */
static char separator_of(const char *text)
{
	if (!strcmp(text, "/t"))
		return '\t';
	if (!strcmp(text, "/s"))
		return ' ';
	return strlen(text) == 1 && *text != '"' && *text != '\'' && *text != '\n' && *text != '\r' ? *text : '\0';
}

/* Return: the value if @option is NAME=VALUE with this name; otherwise NULL */
static const char *value_of(const char *option, const char *name)
{
	const size_t len = strlen(name);

	return strncmp(option, name, len) || option[len] != '=' ? NULL : option + len + 1;
}

/* Whether @value is one of the characters of @allowed */
static bool is_one_of(const char *value, const char *allowed)
{
	return value && *value && !value[1] && strchr(allowed, *value);
}

int report_table__set_option(void *target, const char *option, struct tw_error *error)
{
	struct report_config *config = target;
	struct tw_report_table *table = &config->table;
	const char *separator = value_of(option, "separator"), *header = value_of(option, "header"),
		   *quote = value_of(option, "quote");

	config->has_table_options = true;
	if (separator && separator_of(separator)) {
		table->separator = separator_of(separator);
	} else if (is_one_of(header, "yn")) {
		table->header = *header == 'y';
		config->has_header = true;
	} else if (is_one_of(quote, "dsn")) {
		table->quote = *quote == 'd'   ? TW_REPORT_QUOTE_DOUBLE
			       : *quote == 's' ? TW_REPORT_QUOTE_SINGLE
					       : TW_REPORT_QUOTE_NONE;
		config->has_quote = true;
	} else {
		return tw_error__set(
			error, -EINVAL,
			"-E '%s' is none of separator=CHARACTER, header=y, header=n, quote=d, quote=s and quote=n",
			option);
	}
	return 0;
}

/* Adds the columns of one -e, which are separated by commas. @names: a copy of the argument; this function changes it. */
static int add_columns(struct report_config *config, char *names, struct tw_error *error)
{
	char *name;
	int err = 0;

	while (!err && (name = strsep(&names, ","))) {
		if (!*name)
			return tw_error__set(error, -EINVAL,
					     "-e has an empty column name: give a name before and after each comma");
		err = report_config__add_text(&config->columns, name, error);
	}
	return err;
}

/* Splits the arguments of all -e into columns. */
static int split_columns(struct report_config *config, struct tw_error *error)
{
	size_t size = 0, at = 0;
	int err = 0;

	for (size_t i = 0; i < config->columns_or_events.n; i++)
		size += strlen(config->columns_or_events.items[i]) + 1;
	config->names = malloc(size + 1);
	if (!config->names)
		return tw_error__set(error, -ENOMEM, "no memory for the columns");
	for (size_t i = 0; !err && i < config->columns_or_events.n; i++) {
		char *copy = strcpy(config->names + at, config->columns_or_events.items[i]);

		at += strlen(copy) + 1;
		err = add_columns(config, copy, error);
	}
	return err;
}

int report_table__finish(struct report_config *config, struct tw_error *error)
{
	static const char *const defaults[] = { "time", "host", "cpu", "pid", "comm", "system", "event", "text" };
	const bool csv = config->format == REPORT_CSV;
	struct tw_report_table *table = &config->table;
	const int err = split_columns(config, error);

	if (err)
		return err;
	if (config->columns.n > TW_REPORT_COLUMNS_MAX)
		return tw_error__set(error, -EINVAL, "%zu columns are too many: at most %d are possible",
				     config->columns.n, TW_REPORT_COLUMNS_MAX);
	table->columns = config->columns.n ? config->columns.items : defaults;
	table->n_columns = config->columns.n ? config->columns.n : sizeof(defaults) / sizeof(defaults[0]);
	if (!table->separator)
		table->separator = csv ? ',' : '\t';
	if (!config->has_header)
		table->header = csv;
	if (!config->has_quote)
		table->quote = csv ? TW_REPORT_QUOTE_NEEDED : TW_REPORT_QUOTE_NONE;
	return 0;
}
