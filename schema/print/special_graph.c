/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The function graph, in the columns of `trace-cmd report`: a mark, how long it took, and the function, indented. */
#include "schema/print/special.h"

#define INDENT          2 /* columns a level */
#define DURATION_WIDTH  7 /* of the number before its unit is followed by blanks no more */
#define NSEC_PER_USEC   1000
#define FRACTION_DIGITS 7 /* a number of so many digits is told without its nanoseconds */

enum { FUNC, DEPTH, ARGS, CALLTIME = ARGS, RETTIME };

/* How long is long. */
static char mark(uint64_t ns)
{
	return ns > 1000000000 ? '$' : ns > 1000000 ? '#' : ns > 100000 ? '!' : ns > 10000 ? '+' : ' ';
}

static void put_duration(struct tw_line *line, uint64_t ns)
{
	size_t start, len;

	tw_line__char(line, mark(ns));
	tw_line__char(line, ' ');
	start = tw_line__len(line);
	tw_line__u64(line, ns / NSEC_PER_USEC);
	if (tw_line__len(line) - start < FRACTION_DIGITS) {
		tw_line__char(line, '.');
		tw_line__digits(line, ns % NSEC_PER_USEC, 3, '0');
	}
	len = tw_line__len(line) - start;
	tw_line__str(line, " us ");
	if (len < DURATION_WIDTH)
		tw_line__fill(line, ' ', DURATION_WIDTH - len);
	tw_line__str(line, "|  ");
}

/* A depth is an int, whatever the format says; below 0 there is no column. */
static void put_indent(struct tw_line *line, uint64_t depth)
{
	const int32_t levels = (int32_t)(uint32_t)depth;

	if (levels > 0)
		tw_line__fill(line, ' ', (size_t)levels * INDENT);
}

/* A function without a name is a bare number here. */
static void put_call(const struct tw_special *special, const struct tw_record *record, const struct tw_print_host *host,
		     struct tw_line *line)
{
	struct tw_symbol symbol;
	uint64_t func, depth;

	if (!tw_special__number(special->fields[FUNC], record, &func) ||
	    !tw_special__number(special->fields[DEPTH], record, &depth))
		return;
	put_indent(line, depth);
	if (host && host->symbols && tw_symbols__find(host->symbols, func, &symbol))
		tw_line__str(line, symbol.name);
	else
		tw_line__hex(line, func);
	tw_line__char(line, '(');
	tw_special__arguments(special->fields[ARGS], record, line);
	tw_line__char(line, ')');
}

void tw_special__graph_entry(const struct tw_special *special, const struct tw_record *record,
			     const struct tw_print_host *host, struct tw_line *line)
{
	tw_line__str(line, "             |  ");
	put_call(special, record, host, line);
	tw_line__str(line, " {");
}

static bool duration(const struct tw_special *special, const struct tw_record *record, uint64_t *ret)
{
	uint64_t call, back;

	if (!tw_special__number(special->fields[CALLTIME], record, &call) ||
	    !tw_special__number(special->fields[RETTIME], record, &back))
		return false;
	*ret = back - call;
	return true;
}

void tw_special__graph_exit(const struct tw_special *special, const struct tw_record *record,
			    const struct tw_print_host *host, struct tw_line *line)
{
	uint64_t ns, depth;

	(void)host;
	if (!duration(special, record, &ns) || !tw_special__number(special->fields[DEPTH], record, &depth))
		return;
	put_duration(line, ns);
	put_indent(line, depth);
	tw_line__char(line, '}');
}

static bool same(const struct tw_field *a, const struct tw_record *a_record, const struct tw_field *b,
		 const struct tw_record *b_record)
{
	uint64_t x, y;

	return a && b && tw_special__number(a, a_record, &x) && tw_special__number(b, b_record, &y) && x == y;
}

bool tw_special__graph_leaf(const struct tw_special *entry, const struct tw_record *entry_record,
			    const struct tw_special *leave, const struct tw_record *leave_record,
			    const struct tw_print_host *host, struct tw_line *line)
{
	uint64_t ns;

	if (entry->put != tw_special__graph_entry || leave->put != tw_special__graph_exit)
		return false;
	if (!same(entry->fields[FUNC], entry_record, leave->fields[FUNC], leave_record) ||
	    !same(tw_format__find(entry->format, "common_pid"), entry_record,
		  tw_format__find(leave->format, "common_pid"), leave_record) ||
	    !duration(leave, leave_record, &ns))
		return false;
	put_duration(line, ns);
	put_call(entry, entry_record, host, line);
	tw_line__char(line, ';');
	return true;
}
