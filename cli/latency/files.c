/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that `latency` writes: folded stacks for flame graphs, and a picture of the histograms. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/latency/latency.h"
#include "cli/standard_files.h"
#include "cli/svg.h"

/* The layout of the picture, pixels. */
#define WIDTH  760
#define LEFT   190 /* where the bars begin */
#define LENGTH 440 /* of the longest bar */
#define LINE   18
#define MARGIN 16

#define NAMES_MAX 20 /* names of values */

/* Writes a line "STACK NS" for each stack; with several pairs, the name of the pair is the outermost function. */
static void put_stacks(FILE *out, const void *data)
{
	const struct tw_latency_result *result = data;

	for (size_t i = 0; i < result->n_pairs; i++) {
		const struct tw_latency_stacks *stacks = result->pairs[i].stacks;

		for (uint32_t k = 0; k < stacks->n; k++) {
			if (!stacks->items[k].n)
				continue;
			if (result->n_pairs > 1)
				fprintf(out, "%s;", result->pairs[i].figures.pair->name);
			fprintf(out, "%s %" PRIu64 "\n", stacks->items[k].text, stacks->items[k].ns);
		}
	}
}

static struct tw_histogram_row rows[TW_HISTOGRAM_BUCKETS + 1];

static void put_bar(FILE *out, int y, const char *label, uint64_t n, uint64_t most)
{
	const int length = (int)((double)n / (double)most * LENGTH + 0.5);
	char number[32];

	svg__text(out, LEFT - 10, y, " text-anchor=\"end\"", label);
	svg__rect(out, LEFT, y - LINE + 6, length, LINE - 4, "");
	snprintf(number, sizeof(number), "%" PRIu64, n);
	svg__text(out, LEFT + length + 6, y, "", number);
}

static void put_row(FILE *out, int y, const struct tw_pair_figures *pair, const struct tw_histogram_row *row,
		    uint64_t most)
{
	char text[80], above[32], bound[32];

	latency__figure(pair, row->above, above, sizeof(above));
	if (row->bound == UINT64_MAX)
		snprintf(bound, sizeof(bound), "...");
	else
		latency__figure(pair, row->bound, bound, sizeof(bound));
	snprintf(text, sizeof(text), "%s%s, %s]", row->above ? "(" : "[", above, bound);
	put_bar(out, y, text, row->n, most);
}

static void put_figures(FILE *out, int y, const struct tw_pair_figures *pair)
{
	const struct tw_histogram *h = &pair->all;
	static const struct {
		const char *name;
		unsigned int per_mille;
	} quantiles[] = { { "p50", 500 }, { "p90", 900 }, { "p99", 990 } };
	char text[256], time[32];
	int len = snprintf(text, sizeof(text), "count %" PRIu64 ", min %s", h->n,
			   latency__figure(pair, h->min, time, sizeof(time)));

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, ", %s %s", quantiles[i].name,
				latency__figure(pair, tw_histogram__quantile(h, quantiles[i].per_mille), time,
						sizeof(time)));
	snprintf(text + len, sizeof(text) - (size_t)len, ", max %s", latency__figure(pair, h->max, time, sizeof(time)));
	svg__text(out, MARGIN, y, "", text);
}

/* Number of rows of the picture: of the histogram, or of the names of values. */
static size_t count_rows(const struct tw_pair_figures *pair)
{
	if (!pair->is_named)
		return tw_histogram__rows(&pair->all, rows);
	return pair->n_groups < NAMES_MAX ? pair->n_groups : NAMES_MAX;
}

/* Writes the rows of a histogram below @y. Return: the lower end of the last */
static int put_rows(FILE *out, int y, const struct tw_pair_figures *pair)
{
	const size_t n = tw_histogram__rows(&pair->all, rows);
	uint64_t most = 1;

	for (size_t i = 0; i < n; i++)
		most = rows[i].n > most ? rows[i].n : most;
	for (size_t i = 0; i < n; i++)
		put_row(out, y += LINE, pair, &rows[i], most);
	if (n)
		put_figures(out, y += LINE + 4, pair);
	return y;
}

/* Writes the names of values, each with its number, below @y. Return: the lower end of the last */
static int put_names(FILE *out, int y, const struct tw_pair_figures *pair, const struct tw_pair_names *names)
{
	for (size_t i = 0; i < count_rows(pair); i++) {
		const struct tw_pair_group *group = pair->groups[i];
		char label[256] = "";
		size_t len = 0;

		for (size_t k = 0; k < pair->n_by + 1 && len < sizeof(label); k++)
			len += (size_t)snprintf(label + len, sizeof(label) - len, "%s%s", k ? ", " : "",
						tw_pair_names__text(names, group->names[k]));
		put_bar(out, y += LINE, label, group->histogram.n, pair->groups[0]->histogram.n);
	}
	if (pair->n_groups > NAMES_MAX) {
		char more[64];

		snprintf(more, sizeof(more), "and %zu more", pair->n_groups - NAMES_MAX);
		svg__text(out, LEFT, y += LINE, "", more);
	}
	return y;
}

/* Writes a pair below @y. Return: its lower end */
static int put_pair(FILE *out, int y, const struct tw_pair_figures *pair, const struct tw_pair_names *names)
{
	char title[512];

	snprintf(title, sizeof(title), "%s%s%s", pair->pair->name, *pair->pair->text ? ": " : "", pair->pair->text);
	svg__text(out, MARGIN, y += LINE, " font-weight=\"bold\"", title);
	y = pair->is_named ? put_names(out, y, pair, names) : put_rows(out, y, pair);
	return y + LINE;
}

static int height_of(const struct tw_latency_result *result)
{
	int height = 2 * MARGIN;

	for (size_t i = 0; i < result->n_pairs; i++)
		height += LINE * (4 + (int)count_rows(&result->pairs[i].figures)) + 4;
	return height;
}

static void put_svg(FILE *out, const void *data)
{
	const struct tw_latency_result *result = data;
	int y = MARGIN;

	svg__begin(out, WIDTH, height_of(result));
	for (size_t i = 0; i < result->n_pairs; i++)
		y = put_pair(out, y, &result->pairs[i].figures, result->names);
	svg__end(out);
}

int latency_files__open(struct latency_files *files, const struct latency_config *config, const char *capture,
			struct tw_error *error)
{
	struct stat st;
	const struct stat *input = capture && !stat(capture, &st) ? &st : NULL;
	int err = 0;

	*files = (struct latency_files){ .stacks_path = config->stacks, .svg_path = config->svg };
	if (output_file__is_standard(config->stacks) && output_file__is_standard(config->svg))
		return tw_error__set(error, -EINVAL,
				     "--stacks and --svg cannot both be standard output: give one of them a file name");
	if (config->stacks)
		err = output_file__open(&files->stacks, config->stacks, input, error);
	if (!err && config->svg)
		err = output_file__open(&files->svg, config->svg, input, error);
	return err;
}

int latency_files__write(struct latency_files *files, const struct tw_latency_result *result, struct tw_error *error)
{
	int err = 0;

	if (files->stacks_path)
		err = output_file__print(&files->stacks, files->stacks_path, put_stacks, result, error);
	if (!err && files->svg_path)
		err = output_file__print(&files->svg, files->svg_path, put_svg, result, error);
	return err;
}

void latency_files__close(struct latency_files *files)
{
	output_file__close(&files->stacks);
	output_file__close(&files->svg);
}
