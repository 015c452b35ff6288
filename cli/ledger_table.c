/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ledger as text: one line for each stream, one column for each place. */
#include "cli/ledger_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/printable.h"
#include "cli/messages.h"

#define NAME_MAX_WIDTH 28
#define GAP            2

enum {
	COLUMN_RECORDED,
	COLUMN_PLACES,
	COLUMN_DIFFERENCE = COLUMN_PLACES + TW_PLACE_COUNT,
	COLUMN_STATE,
	COLUMN_COUNT,
};

struct ledger_table {
	const struct ledger_row *rows;
	size_t n;
	struct ledger_row sum; /* the last line, if there are several rows */
	int name_width;
	int width[COLUMN_COUNT]; /* width of each column; 0 = column omitted */
	FILE *out;
};

static const char *const headings[COLUMN_COUNT] = {
#define X(key, name, kind, heading, what) [COLUMN_PLACES + TW_PLACE_##name] = heading,
	TW_LEDGER_PLACES(X)
#undef X
		[COLUMN_RECORDED] = "recorded",
	[COLUMN_DIFFERENCE] = "difference",
	[COLUMN_STATE] = "state",
};

/* Formats a number. Sums saturate at UINT64_MAX, which is formatted as ">" and UINT64_MAX - 1. */
static void cell_number(uint64_t number, char *ret, size_t size)
{
	if (number == UINT64_MAX)
		snprintf(ret, size, ">%" PRIu64, UINT64_MAX - 1);
	else
		snprintf(ret, size, "%" PRIu64, number);
}

static void cell(const struct tw_ledger *l, int column, char *ret, size_t size)
{
	if (column == COLUMN_RECORDED)
		cell_number(l->recorded, ret, size);
	else if (column == COLUMN_DIFFERENCE && !tw_ledger__is_known(l))
		snprintf(ret, size, "unknown");
	else if (column == COLUMN_DIFFERENCE)
		snprintf(ret, size, "%" PRId64, tw_ledger__difference(l));
	else if (column == COLUMN_STATE)
		snprintf(ret, size, "%s", tw_ledger_state__name(l->state));
	else
		cell_number(l->place[column - COLUMN_PLACES], ret, size);
}

static const struct ledger_row *row_of(const struct ledger_table *t, size_t i)
{
	return i < t->n ? &t->rows[i] : &t->sum;
}

static size_t n_lines(const struct ledger_table *t)
{
	return t->n + (t->n > 1);
}

static bool says_something(const struct ledger_table *t, int column)
{
	if (column < COLUMN_PLACES || column >= COLUMN_DIFFERENCE || column == COLUMN_PLACES + TW_PLACE_DELIVERED)
		return true;
	for (size_t i = 0; i < t->n; i++) {
		if (t->rows[i].ledger->place[column - COLUMN_PLACES])
			return true;
	}
	return false;
}

static int wider(int width, const char *text)
{
	const int len = (int)strlen(text);

	return len > width ? len : width;
}

static void measure(struct ledger_table *t)
{
	char text[32];

	for (size_t i = 0; i < n_lines(t); i++)
		t->name_width = wider(t->name_width, row_of(t, i)->name);
	if (t->name_width > NAME_MAX_WIDTH)
		t->name_width = NAME_MAX_WIDTH;
	for (int c = 0; c < COLUMN_COUNT; c++) {
		if (!says_something(t, c))
			continue;
		t->width[c] = wider(0, headings[c]);
		for (size_t i = 0; i < n_lines(t); i++) {
			cell(row_of(t, i)->ledger, c, text, sizeof(text));
			t->width[c] = wider(t->width[c], text);
		}
	}
}

/* Return: the first column after @from that does not fit into a line of @columns characters. Column @from counts as fitting */
static int fitting(const struct ledger_table *t, int from, unsigned int columns)
{
	int c, left = (int)columns - t->name_width;

	for (c = from; c < COLUMN_COUNT; c++) {
		if (!t->width[c])
			continue;
		left -= GAP + t->width[c];
		if (left < 0 && c > from)
			break;
	}
	return c;
}

static void print_line(const struct ledger_table *t, const struct ledger_row *row, int from, int to)
{
	char text[32], name[NAME_MAX_WIDTH + 1] = "";

	if (row)
		tw_printable__copy(name, sizeof(name), row->name, strlen(row->name));
	fprintf(t->out, "%-*s", t->name_width, name);
	for (int c = from; c < to; c++) {
		if (!t->width[c])
			continue;
		if (row)
			cell(row->ledger, c, text, sizeof(text));
		fprintf(t->out, "%*s", GAP + t->width[c], row ? text : headings[c]);
	}
	fputc('\n', t->out);
}

void ledger__print_table(const struct ledger_row *rows, size_t n, unsigned int columns, FILE *out)
{
	struct tw_ledger sum = { .state = TW_LEDGER_CLOSED };
	struct ledger_table t = { .rows = rows, .n = n, .sum = { "sum", &sum }, .out = out };

	for (size_t i = 0; i < n; i++)
		tw_ledger__add(&sum, rows[i].ledger);
	measure(&t);
	for (int from = 0, to; from < COLUMN_COUNT; from = to) {
		to = fitting(&t, from, columns);
		print_line(&t, NULL, from, to);
		for (size_t i = 0; i < n_lines(&t); i++)
			print_line(&t, row_of(&t, i), from, to);
	}
}

void ledger__print_facts(const struct tw_ledger *ledger, FILE *out)
{
	static const char *const facts[] = {
#define X(key, name, what) what,
		TW_LEDGER_FACTS(X)
#undef X
	};

	for (int i = 0; i < TW_FACT_COUNT; i++) {
		if (ledger->fact[i])
			fprintf(out, "%s: %" PRIu64 "\n", facts[i], ledger->fact[i]);
	}
	if (ledger->state == TW_LEDGER_OPEN)
		fputs(ledger->fact[TW_FACT_UNSURE_RINGS]
			      ? "open: the kernel's counters do not match the producer's, so the number of recorded "
				"events is a lower bound\n"
			      : "open: the end of the stream was not received, so the number of events recorded after the last "
				"received one is unknown\n",
		      out);
	if (ledger->state == TW_LEDGER_RUNNING)
		fputs("running: the capture had not ended when these numbers were written\n", out);
}

void ledger__print_difference(const struct tw_ledger *ledger, FILE *out)
{
	const int64_t difference = tw_ledger__difference(ledger);

	if (tw_ledger__is_too_large(ledger))
		fputs("too large: the numbers of events exceed 64 bits, so it is unknown whether the ledger balances\n",
		      out);
	else if (ledger->fact[TW_FACT_UNSURE_RINGS])
		fputs("the difference of the ledger is unknown: in some of the kernel's rings, the numbers of "
		      "recorded and lost events are unknown\n",
		      out);
	else if (!tw_ledger__is_known(ledger))
		fputs("the difference of the ledger is unknown: frames missing after the last received one had an "
		      "unknown number of events\n",
		      out);
	else if (difference > 0)
		say__count(
			out, (uint64_t)difference,
			"{event is|events are} unexplained: recorded, but not counted in any column of the ledger\n");
	else if (difference < 0)
		say__count(out, -(uint64_t)difference, "{event is|events are} counted more than once in the ledger\n");
}

void ledger__print_remarks(const struct tw_ledger *ledger, FILE *out)
{
	ledger__print_facts(ledger, out);
	ledger__print_difference(ledger, out);
}
