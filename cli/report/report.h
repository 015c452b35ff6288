/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of `tracewire report`. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "pcap-tools/report/report.h"

/* A list of texts, borrowed from the command line. */
struct report_texts {
	const char **items; /* NULL-terminated; NULL = empty list */
	size_t n;
};

enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_FIELDS, /* a table, as in tshark */
	REPORT_CSV,    /* a table, quoted as in RFC 4180, with lines that end with LF */
};

struct report_config {
	struct report_texts events, comms; /* patterns of --event and --comm */
	struct report_texts
		columns_or_events; /* arguments of -e, --column: columns of a table, or further patterns of events */
	uint32_t *pids;
	size_t n_pids;
	uint8_t *cpus;
	struct tw_report_bound since, until;
	struct tw_filter *filter;
	bool relative, wall, delta, full_time, latency, fields, raw, quiet, verbose;
	const char *output;        /* name of a file; NULL or "-" = standard output */
	bool summary;              /* print counts instead of events */
	enum report_format format; /* from the last of the options -T, --json and --csv */
	bool has_table_options;    /* -E was given */
	struct report_texts columns;
	struct tw_report_table
		table; /* separator: 0 unless -E set it; header: valid if has_header; quote: valid if has_quote */
	bool has_header, has_quote;
	char *names; /* memory of @columns: the arguments of -e, with NULs in place of commas */
};

/* Apply functions of options (struct cli_option). The first parameter is the target: the whole config or a member of it. */
int report_config__add_text(void *texts, const char *text, struct tw_error *error);
int report_config__add_pids(void *config, const char *list, struct tw_error *error);
int report_config__add_cpus(void *cpus, const char *list, struct tw_error *error);
int report_config__set_since(void *since, const char *text, struct tw_error *error);
int report_config__set_until(void *until, const char *text, struct tw_error *error);

/** report_config__finish() - check which options exclude each other, and complete the config. Return: 0, or -errno with @error filled */
int report_config__finish(struct report_config *config, struct tw_error *error);

/* In table.c: apply functions of -T, --json and --csv (target: the format) and of -E; report_table__finish() completes the table. */
int report_table__set_format(void *format, const char *name, struct tw_error *error);
int report_table__set_json(void *format, const char *unused, struct tw_error *error);
int report_table__set_csv(void *format, const char *unused, struct tw_error *error);
int report_table__set_option(void *config, const char *option, struct tw_error *error);
int report_table__finish(struct report_config *config, struct tw_error *error);

/** report_config__has_table() - whether the format is a table */
static inline bool report_config__has_table(const struct report_config *config)
{
	return config->format == REPORT_FIELDS || config->format == REPORT_CSV;
}

/** report_config__options() - Return: the options for tw_report__run(), which borrow from @config; @counts is used with --summary */
struct tw_report_options report_config__options(const struct report_config *config, struct tw_report_counts *counts);

/** report_config__discard() - free what the apply functions allocated */
void report_config__discard(void *config);

/** report__print_counts() - print the tables of --summary to @out. Return: 0 or -errno with @error filled */
int report__print_counts(const struct report_config *config, const struct tw_report_counts *counts, int out,
			 struct tw_error *error);

/** report__summarize() - print the short summary on standard error, with --verbose also the details. @file: the argument */
void report__summarize(const struct report_config *config, const char *file, const struct tw_report_stats *stats);

#endif
