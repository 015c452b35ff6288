/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result as text, in 80 columns: each flow and program has lines with its counters and with the times of its stages. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/messages.h"
#include "cli/sockets/sockets.h"
#include "cli/terminal.h"
#include "cli/times.h"

#define ROWS_MAX  10 /* flows, and programs, if the height of the terminal is unknown */
#define COLUMNS   80
#define ROW_LINES 7 /* of a flow or a program */
#define N_COLUMNS \
	TW_SOCKET_STAGE_PROGRAM /* stages with a column; the program's own time has a line, because there is no room */
#define OTHER_LINES 8           /* headings, and notes below the table */
#define NS_PER_US   1000
#define NUMBER_MAX  24

/* The lines with the times of stages; 1000 = the maximum. */
static const struct {
	const char *name;
	unsigned int per_mille;
} figures[] = { { "p50", 500 }, { "p99", 990 }, { "max", 1000 } };

/* The number of flows, and of programs, that are shown. */
static size_t count_rows(const struct sockets_config *config)
{
	const unsigned int lines = terminal__rows(STDOUT_FILENO);

	if (config->rows)
		return (size_t)config->rows;
	if (!lines)
		return ROWS_MAX;
	return lines < OTHER_LINES + 2 * ROW_LINES ? 1 : (lines - OTHER_LINES) / (2 * ROW_LINES);
}

/* A duration without a blank, so that the columns are narrow: "1.53us". */
static const char *duration(uint64_t ns, char buf[TIMES_TEXT_MAX])
{
	char *blank = strchr(times__duration(ns, buf, TIMES_TEXT_MAX), ' ');

	if (blank)
		memmove(blank, blank + 1, strlen(blank));
	return buf;
}

static void print_stage_names(void)
{
	printf("%-3s", "");
	for (size_t i = 0; i < N_COLUMNS; i++)
		printf("%7s", tw_socket_stage__name((enum tw_socket_stage)i));
	puts("");
}

static uint64_t value_of(const struct tw_histogram *h, unsigned int per_mille)
{
	return per_mille == 1000 ? h->max : tw_histogram__quantile(h, per_mille);
}

static void print_stages(const struct tw_socket_figures *f, const char *name, unsigned int per_mille)
{
	char text[TIMES_TEXT_MAX];

	printf("%-3s", name);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		const struct tw_histogram *h = f->stages[i];

		if (h)
			duration(value_of(h, per_mille), text);
		printf(" %6s", h ? text : "-");
	}
	puts("");
}

/* The time that the program took between reading and sending. */
static void print_program(const struct tw_socket_figures *f)
{
	const struct tw_histogram *h = f->stages[TW_SOCKET_STAGE_PROGRAM];
	const char *before = "  program";
	char text[TIMES_TEXT_MAX];

	for (size_t i = 0; h && i < sizeof(figures) / sizeof(figures[0]); i++) {
		printf("%s %s %s", before, figures[i].name, duration(value_of(h, figures[i].per_mille), text));
		before = ",";
	}
	if (h)
		puts("");
}

static bool has_stages(const struct tw_socket_figures *f)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (f->stages[i])
			return true;
	return false;
}

/* A number, or "-" if it is unknown. */
static const char *number(uint64_t n, char buf[NUMBER_MAX])
{
	if (n == UINT64_MAX)
		snprintf(buf, NUMBER_MAX, "-");
	else
		snprintf(buf, NUMBER_MAX, "%" PRIu64, n);
	return buf;
}

static uint64_t known(bool is_known, uint64_t n)
{
	return is_known ? n : UINT64_MAX;
}

static void print_counters(const struct sockets_row *row, const struct tw_socket_times_result *result)
{
	const struct tw_socket_figures *f = row->figures;
	const bool has_resets = f->resets_received || sockets_row__resets_sent(row, result) != UINT64_MAX;
	char sent[NUMBER_MAX], received[NUMBER_MAX], retransmits[NUMBER_MAX], resets[NUMBER_MAX], drops[NUMBER_MAX];
	char limited[TIMES_TEXT_MAX] = "-";

	if (f->stats)
		duration((f->rwnd_limited_us + f->sndbuf_limited_us) * NS_PER_US, limited);
	printf("  sent %s, read %s, limited %s, retransmits %s, resets %s, drops %s\n",
	       number(sockets_row__sent(row, result), sent), number(sockets_row__read(row, result), received), limited,
	       number(known(f->stats, f->retransmits), retransmits),
	       number(known(has_resets, f->resets_sent + f->resets_received), resets),
	       number(sockets_row__drops(row, result), drops));
}

/* Why sent data waited: the reasons with their times, in lines of at most 80 columns. */
static void print_held(const struct tw_socket_figures *f)
{
	const char *before = "  held";
	char time[TIMES_TEXT_MAX], text[TIMES_TEXT_MAX + NUMBER_MAX];
	size_t column = 0;

	for (size_t i = 0; i < TW_SOCKTS_HELD_END; i++) {
		if (!f->held[i].n)
			continue;
		snprintf(text, sizeof(text), " %s %s", sockets__reason(i), duration(f->held[i].ns, time));
		if (column + 1 + strlen(text) > COLUMNS) {
			before = ",\n      ";
			column = 0;
		}
		column += (size_t)printf("%s%s", before, text);
		before = ",";
	}
	if (column)
		puts("");
}

/* The name of a flow and its program. Long addresses of IPv6 have two lines. */
static void print_flow_name(const struct tw_socket_flow *flow)
{
	const unsigned int columns = terminal__columns(STDOUT_FILENO);
	char name[SOCKETS_NAME_MAX];
	char *middle = strchr(sockets_flow__name(&flow->id, name), '>');
	const char *comm = flow->comm[0] ? flow->comm : "-";

	if (strlen(name) + 2 + strnlen(comm, TW_SOCKTS_COMM_LEN) <= (columns ? columns : COLUMNS)) {
		say(stdout, "%s  %.16s\n", name, comm);
		return;
	}
	printf("%.*s\n", (int)(middle - name - 1), name);
	say(stdout, "    %s  %.16s\n", middle, comm);
}

static void print_row(const struct sockets_row *row, const struct tw_socket_times_result *result)
{
	if (row->flow)
		print_flow_name(row->flow);
	else if (row->program)
		say(stdout, "%.16s\n", row->program->comm);
	print_counters(row, result);
	print_held(row->figures);
	print_program(row->figures);
	for (size_t i = 0; has_stages(row->figures) && i < sizeof(figures) / sizeof(figures[0]); i++)
		print_stages(row->figures, figures[i].name, figures[i].per_mille);
}

static void print_rows(const struct sockets_config *config, const struct sockets_row *rows, size_t n,
		       const struct tw_socket_times_result *result)
{
	const size_t shown = count_rows(config);

	for (size_t i = 0; i < n && i < shown; i++)
		print_row(&rows[i], result);
	if (n > shown)
		printf("and %zu more: --rows N shows more\n", n - shown);
}

/* The figures for which a table had no room. */
static void print_others(const char *what, const struct tw_socket_figures *f,
			 const struct tw_socket_times_result *result)
{
	const struct sockets_row row = { .figures = f };

	if (!f->events && !f->sent && !f->received)
		return;
	puts(what);
	print_row(&row, result);
}

static void print_head(const struct sockets_subject *subject, const struct tw_socket_times_result *result)
{
	const time_t now = (time_t)(subject->end / TW_NS_PER_SECOND);
	struct tm local;
	char text[16] = "?";

	if (subject->end && localtime_r(&now, &local)) {
		strftime(text, sizeof(text), "%H:%M:%S", &local);
		printf("%s, %.1f s: ", text, (double)subject->ns / TW_NS_PER_SECOND);
	}
	say__count(stdout, result->n_flows, "{flow|flows}, ");
	say__count(stdout, result->n_programs, "{program|programs}\n");
}

static void print_sample(const struct tw_socket_times_result *result)
{
	if (result->sample_max < 2)
		return;
	printf("1 in %" PRIu64, result->sample_min);
	if (result->sample_max != result->sample_min)
		printf(" to 1 in %" PRIu64, result->sample_max);
	puts(" messages of each socket: the others are not counted (--sample, --max-cpu)");
}

/* What the tables lack. These counters are those of the whole run. */
static void print_left_out(const struct sockets_subject *subject, const struct tw_socket_times_result *result)
{
	if (subject->end && (result->forgotten || result->n_other_flows || result->backwards || result->stray_drops ||
			     result->unreadable))
		puts("since the run began:");
	if (result->forgotten)
		say__count(stdout, result->forgotten,
			   "{message was|messages were} not followed to the end, for lack of room\n");
	if (result->n_other_flows)
		say__count(stdout, result->n_other_flows,
			   "{flow|flows} made room for others: {its|their} figures are those of 'other flows'\n");
	if (result->backwards)
		say__count(stdout, result->backwards,
			   "{time is|times are} left out, because the stage would end before it begins\n");
	if (result->stray_drops)
		say__count(stdout, result->stray_drops, "dropped {packet belongs|packets belong} to no flow above\n");
	if (result->unreadable)
		say__count(stdout, result->unreadable, "socket {event|events} could not be read\n");
}

void sockets_table__print(const struct sockets_config *config, const struct sockets_subject *subject,
			  const struct tw_socket_times_result *result)
{
	struct sockets_row *flows = sockets_rows__of_flows(result, config->column);
	struct sockets_row *programs = sockets_rows__of_programs(result, config->column);

	if (subject->end && terminal__has_control(STDOUT_FILENO))
		fputs("\033[H\033[J", stdout); /* the cursor to the top left, and clear the screen */
	print_head(subject, result);
	print_sample(result);
	if (flows && programs && result->n_flows) {
		print_stage_names();
		print_rows(config, flows, result->n_flows, result);
		print_others("other flows", result->other_flows, result);
		puts("\nprograms");
		print_rows(config, programs, result->n_programs, result);
		print_others("other programs", result->other_programs, result);
	}
	print_left_out(subject, result);
	puts("");
	free(flows);
	free(programs);
}
