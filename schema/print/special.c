/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/print/special.h"

#include <string.h>

#include "base/printable.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

bool tw_special__number(const struct tw_field *field, const struct tw_record *record, uint64_t *ret)
{
	struct tw_value value;

	if (tw_field__read(field, record, &value) || value.kind >= TW_FIELD_STRING)
		return false;
	*ret = value.u;
	return true;
}

void tw_special__arguments(const struct tw_field *field, const struct tw_record *record, struct tw_line *line)
{
	struct tw_value args, arg;

	if (!field || tw_field__read(field, record, &args) || args.kind != TW_FIELD_ARRAY)
		return;
	for (uint32_t i = 0; !line->cut && !tw_value__element(field, &args, i, &arg); i++) {
		tw_line__str(line, i ? ", arg" : "arg");
		tw_line__u64(line, i + 1);
		tw_line__str(line, "=0x");
		tw_line__hex(line, arg.u);
	}
}

static bool has_elements(const struct tw_field *field, const struct tw_record *record)
{
	struct tw_value value;

	return field && !tw_field__read(field, record, &value) && value.kind == TW_FIELD_ARRAY &&
	       value.len >= field->elem_size;
}

/* ip, parent_ip, args */
static void put_function(const struct tw_special *special, const struct tw_record *record,
			 const struct tw_print_host *host, struct tw_line *line)
{
	uint64_t ip, parent;

	tw_line__char(line, ' ');
	if (!tw_special__number(special->fields[0], record, &ip))
		return;
	tw_put__symbol(line, ip, false, host);
	if (has_elements(special->fields[2], record)) {
		tw_line__char(line, '(');
		tw_special__arguments(special->fields[2], record, line);
		tw_line__char(line, ')');
	}
	tw_line__str(line, " <-- ");
	if (tw_special__number(special->fields[1], record, &parent))
		tw_put__symbol(line, parent, false, host);
}

/* The layout is that of the print fmt, which knows eight callers, neither more nor less. @end: a value that is none */
static void put_callers(const struct tw_field *field, const struct tw_record *record, uint64_t n, uint64_t end,
			const struct tw_print_host *host, struct tw_line *line)
{
	struct tw_value callers, caller;

	if (tw_field__read(field, record, &callers) || callers.kind != TW_FIELD_ARRAY)
		return;
	for (uint32_t i = 0; i < n && !line->cut && !tw_value__element(field, &callers, i, &caller); i++) {
		if (caller.u == end || (!caller.u && n == UINT64_MAX))
			break;
		tw_printable__layout(line, "\t=> ");
		tw_put__symbol(line, caller.u, false, host);
		tw_printable__layout(line, "\n");
	}
}

/* caller, size. Old kernels mark the end by a number of ones, new ones tell how many there are too. */
static void put_stack(const struct tw_special *special, const struct tw_record *record,
		      const struct tw_print_host *host, struct tw_line *line)
{
	const uint64_t ones = special->fields[0]->elem_size == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t n = 0;

	if (!special->fields[1] || !tw_special__number(special->fields[1], record, &n) || !n)
		n = UINT64_MAX;
	put_callers(special->fields[0], record, n, ones, host, line);
}

/* caller; behind the last one is 0 */
static void put_user_stack(const struct tw_special *special, const struct tw_record *record,
			   const struct tw_print_host *host, struct tw_line *line)
{
	put_callers(special->fields[0], record, UINT64_MAX, 0, host, line);
}

/* id, buf; as the kernel shows it: the print fmt tells the first byte only */
static void put_raw_data(const struct tw_special *special, const struct tw_record *record,
			 const struct tw_print_host *host, struct tw_line *line)
{
	struct tw_value bytes;
	uint64_t id;

	(void)host;
	if (!tw_special__number(special->fields[0], record, &id))
		return;
	tw_line__str(line, "# ");
	tw_line__hex(line, id);
	tw_line__str(line, " buf:");
	if (tw_field__read(special->fields[1], record, &bytes) || bytes.kind < TW_FIELD_STRING || !bytes.len)
		return;
	tw_line__char(line, ' ');
	tw_put__hex(line, &(struct tw_put_bytes){ bytes.data, bytes.len, record->big_endian }, ' ');
}

/* An event, its printer and the fields it needs; those with a `?` may be missing. */
static const struct {
	const char *event;
	tw_special_put put;
	const char *fields[TW_SPECIAL_FIELDS];
} events[] = {
	{ "function", put_function, { "ip", "parent_ip", "?args" } },
	{ "funcgraph_entry", tw_special__graph_entry, { "func", "depth", "?args" } },
	{ "funcgraph_exit", tw_special__graph_exit, { "func", "depth", "calltime", "rettime" } },
	{ "bprint", tw_special__bprint, { "ip", "fmt", "buf" } },
	{ "kernel_stack", put_stack, { "caller", "?size" } },
	{ "user_stack", put_user_stack, { "caller" } },
	{ "raw_data", put_raw_data, { "id", "buf" } },
};

bool tw_special__bind(const struct tw_format *format, struct tw_special *ret)
{
	*ret = (struct tw_special){ 0 };
	if (strcmp(format->system, "ftrace"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct tw_special special = { events[i].put, format, { NULL } };
		bool whole = !strcmp(format->name, events[i].event);

		for (size_t k = 0; whole && k < TW_SPECIAL_FIELDS && events[i].fields[k]; k++) {
			const char *name = events[i].fields[k];
			const bool may_miss = name[0] == '?';

			special.fields[k] = tw_format__find(format, name + may_miss);
			whole = special.fields[k] || may_miss;
		}
		if (whole) {
			*ret = special;
			return true;
		}
	}
	return false;
}

bool tw_special__is_address(const struct tw_format *format, const struct tw_field *field)
{
	static const char *const names[] = { "ip", "parent_ip", "func", "caller" };

	if (strcmp(format->system, "ftrace") || !strcmp(format->name, "user_stack") ||
	    field->elem_size != format->long_size ||
	    (field->elem_kind != TW_FIELD_UINT && field->elem_kind != TW_FIELD_POINTER))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(field->name, names[i]))
			return true;
	return false;
}
