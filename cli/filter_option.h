/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option `--filter` of `live`, `record`, `stream`, `capture` and `report`, and its part of the summary. */
#ifndef CLI_FILTER_OPTION_H
#define CLI_FILTER_OPTION_H

#include "base/json.h"
#include "pcap-tools/capture/capture_filter.h"

/**
 * filter_option__parse() - parse the argument of --filter
 * @filter: points to a struct tw_filter *, which is NULL before the first --filter. The caller frees the filter with tw_filter__free().
 * Return: 0 or -errno with @error filled; -EINVAL also if --filter was given before
 */
int filter_option__parse(void *filter, const char *text, struct tw_error *error);

/** filter_option__summarize() - print the lines of the summary that concern the filter; nothing if @filter is NULL */
void filter_option__summarize(const struct tw_filter *filter, const struct tw_capture_filter_stats *filtered);

/** filter_option__json() - write the filter's counters as an object with the key "filter" */
void filter_option__json(const struct tw_capture_filter_stats *filtered, struct tw_json *json);

/** filter_option__note() - print @note, a sentence from tw_filter__ambiguous_key(), on standard error, unless it is empty */
void filter_option__note(const struct tw_filter *filter, const struct tw_error *note);

/** filter_option__warn() - print on standard error, even with --quiet, the comparisons that apply to no event of the capture */
void filter_option__warn(const struct tw_undecided_predicates *undecided);

#endif
