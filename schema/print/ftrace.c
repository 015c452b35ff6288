/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/bytes.h"
#include "base/printable.h"
#include "schema/print/program.h"

static bool number(const struct tw_field *field, const struct tw_record *record, uint64_t *ret)
{
	struct tw_value value;

	if (tw_field__read(field, record, &value) || value.kind >= TW_FIELD_STRING)
		return false;
	*ret = value.u;
	return true;
}

static void put_arguments(const struct tw_field *field, const struct tw_record *record, struct tw_line *line)
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

/*
 * The event `bprint`, of trace_printk(): the record has the address of the format, and the arguments as packed by the kernel's
 * vbin_printf(). Integers of 8 bytes are aligned to 4 bytes, other integers to their size. Texts are stored with their NUL.
 */
enum { IP, FMT, BUF };

struct arguments {
	const uint8_t *data;
	uint32_t len, at;
	bool big_endian;
	uint8_t long_size;
};

static bool take_number(struct arguments *args, uint8_t size, uint64_t *ret)
{
	const uint32_t align = size == 8 ? 4 : size, at = (args->at + align - 1) / align * align;

	if (at > args->len || args->len - at < size)
		return false;
	args->at = at + size;
	*ret = tw_load_uint(args->data + at, size, args->big_endian);
	return true;
}

/* A text without a NUL extends to the end of the record. */
static bool take_text(struct arguments *args, const char **ret, size_t *ret_len)
{
	const uint32_t left = args->len - args->at;
	const uint8_t *nul;

	if (!left)
		return false;
	*ret = (const char *)args->data + args->at;
	nul = memchr(*ret, '\0', left);
	*ret_len = nul ? (size_t)(nul - (args->data + args->at)) : left;
	args->at += nul ? (uint32_t)*ret_len + 1 : left;
	return true;
}

/* Takes a width or a precision from the arguments, if the format has a `*` in its place. */
static bool take_star(struct arguments *args, bool star, int32_t *ret)
{
	uint64_t value;

	if (!star)
		return true;
	if (!take_number(args, 4, &value))
		return false;
	*ret = (int32_t)(uint32_t)value;
	return true;
}

static bool put_text(struct arguments *args, const struct tw_put_spec *spec, struct tw_line *line)
{
	const char *text;
	size_t len;

	if (!take_text(args, &text, &len))
		return false;
	tw_put__string(line, spec, text, len);
	return true;
}

/* The characters that the kernel considers part of a pointer conversion. */
static bool is_letter(char c)
{
	return tw_text__is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* @letters: the format after `%p`. Return: true if the record has the pointer's value; false if it has the text to print instead */
static bool is_by_value(struct tw_text letters)
{
	if (!letters.len || !is_letter(*letters.at))
		return true;
	if (*letters.at == 'f' || *letters.at == 'F')
		return letters.len < 2 || letters.at[1] != 'w';
	return memchr("SsxKe", *letters.at, 5);
}

/* @letters: the format after `%p`. @format: the format after the parsed letters; advanced past other letters of the conversion */
static bool put_pointer(struct arguments *args, const struct tw_conversion *conversion, struct tw_text letters,
			struct tw_text *format, const struct tw_print_host *host, struct tw_line *line)
{
	uint64_t address;

	if (is_by_value(letters)) {
		if (!take_number(args, args->long_size, &address))
			return false;
		tw_put__address(line, &conversion->pointer, address, host);
		return true;
	}
	while (format->len && is_letter(*format->at))
		tw_text__cut(format, 1);
	return put_text(args, &conversion->spec, line);
}

static bool put_number(struct arguments *args, struct tw_put_spec *spec, struct tw_line *line)
{
	uint64_t value;

	if (spec->letter == 'c')
		spec->size = 1;
	if (!take_number(args, spec->size, &value))
		return false;
	tw_put__number(line, spec, value);
	return true;
}

/* @format is at the %, and is advanced past the conversion. Return: false if nothing more can be printed */
static bool put_conversion(struct arguments *args, struct tw_text *format, const struct tw_print_host *host,
			   struct tw_line *line)
{
	struct tw_conversion conversion;
	struct tw_text letters = *format;

	if (tw_text__skip(format, "%%")) {
		tw_line__char(line, '%');
		return true;
	}
	if (!tw_conversion__parse(format, args->long_size, &conversion) ||
	    !take_star(args, conversion.star_width, &conversion.spec.width) ||
	    !take_star(args, conversion.star_precision, &conversion.spec.precision))
		return false;
	if (conversion.spec.letter == 's')
		return put_text(args, &conversion.spec, line);
	if (conversion.spec.letter != 'p')
		return put_number(args, &conversion.spec, line);
	tw_text__cut(&letters, (size_t)((const char *)memchr(letters.at, 'p', letters.len) - letters.at) + 1);
	return put_pointer(args, &conversion, letters, format, host, line);
}

static void put_format(struct tw_text format, struct arguments *args, const struct tw_print_host *host,
		       struct tw_line *line)
{
	/* A newline at the end belongs to the log, not to the event. */
	if (format.len && format.at[format.len - 1] == '\n')
		format.len--;
	while (format.len && !line->cut) {
		const char *percent = memchr(format.at, '%', format.len);
		const size_t len = percent ? (size_t)(percent - format.at) : format.len;

		tw_line__bytes(line, format.at, len);
		tw_text__cut(&format, len);
		if (format.len && !put_conversion(args, &format, host, line))
			return;
	}
}

static void put_bprint(const struct tw_ftrace_event *event, const struct tw_record *record,
		       const struct tw_print_host *host, struct tw_line *line)
{
	struct arguments args = { .big_endian = record->big_endian, .long_size = event->format->long_size };
	const uint32_t start = event->fields[BUF]->offset;
	const char *format = NULL;
	uint64_t ip, address;

	if (!number(event->fields[IP], record, &ip) || !number(event->fields[FMT], record, &address))
		return;
	tw_put__symbol(line, ip, false, host);
	tw_line__str(line, ": ");
	if (host && host->strings)
		format = tw_strings__find(host->strings, address);
	if (!format) {
		tw_line__str(line, "(NO FORMAT FOUND at ");
		tw_line__hex(line, address);
		tw_line__str(line, ")\n");
		return;
	}
	if (start < record->len) {
		args.data = record->data + start;
		args.len = record->len - start;
	}
	put_format((struct tw_text){ format, strlen(format) }, &args, host, line);
}

/* The function graph, in the columns of `trace-cmd report`: a mark, the duration, and the indented function. */
#define INDENT          2 /* columns for each level */
#define DURATION_WIDTH  7 /* after a shorter number, blanks fill the column up to this width */
#define NSEC_PER_USEC   1000
#define FRACTION_DIGITS 7 /* a duration with at least this number of digits of us is printed without a fraction */

enum { FUNC, DEPTH, ARGS, CALLTIME = ARGS, RETTIME };

/* Return: the mark before a duration; a blank if the duration is short. */
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

/* A depth is an int, whatever the format says; a negative one gets no indentation. */
static void put_indent(struct tw_line *line, uint64_t depth)
{
	const int32_t levels = (int32_t)(uint32_t)depth;

	if (levels > 0)
		tw_line__fill(line, ' ', (size_t)levels * INDENT);
}

/* As in trace-cmd, a function without a name is printed as a number without 0x. */
static void put_call(const struct tw_ftrace_event *event, const struct tw_record *record,
		     const struct tw_print_host *host, struct tw_line *line)
{
	struct tw_symbol symbol;
	uint64_t func, depth;

	if (!number(event->fields[FUNC], record, &func) || !number(event->fields[DEPTH], record, &depth))
		return;
	put_indent(line, depth);
	if (host && host->symbols && tw_symbols__find(host->symbols, func, &symbol))
		tw_line__str(line, symbol.name);
	else
		tw_line__hex(line, func);
	tw_line__char(line, '(');
	put_arguments(event->fields[ARGS], record, line);
	tw_line__char(line, ')');
}

static void put_graph_entry(const struct tw_ftrace_event *event, const struct tw_record *record,
			    const struct tw_print_host *host, struct tw_line *line)
{
	tw_line__str(line, "             |  ");
	put_call(event, record, host, line);
	tw_line__str(line, " {");
}

static bool duration(const struct tw_ftrace_event *event, const struct tw_record *record, uint64_t *ret)
{
	uint64_t call, back;

	if (!number(event->fields[CALLTIME], record, &call) || !number(event->fields[RETTIME], record, &back))
		return false;
	*ret = back - call;
	return true;
}

static void put_graph_exit(const struct tw_ftrace_event *event, const struct tw_record *record,
			   const struct tw_print_host *host, struct tw_line *line)
{
	uint64_t ns, depth;

	(void)host;
	if (!duration(event, record, &ns) || !number(event->fields[DEPTH], record, &depth))
		return;
	put_duration(line, ns);
	put_indent(line, depth);
	tw_line__char(line, '}');
}

/* Fields: ip, parent_ip, args. */
static void put_function(const struct tw_ftrace_event *event, const struct tw_record *record,
			 const struct tw_print_host *host, struct tw_line *line)
{
	uint64_t ip, parent;

	tw_line__char(line, ' ');
	if (!number(event->fields[0], record, &ip))
		return;
	tw_put__symbol(line, ip, false, host);
	if (has_elements(event->fields[2], record)) {
		tw_line__char(line, '(');
		put_arguments(event->fields[2], record, line);
		tw_line__char(line, ')');
	}
	tw_line__str(line, " <-- ");
	if (number(event->fields[1], record, &parent))
		tw_put__symbol(line, parent, false, host);
}

/*
 * Prints all callers that the record has. The print fmt, in contrast, always prints eight callers.
 * @n: number of callers; UINT64_MAX = unknown: then a caller with the value 0 ends the stack, too
 * @end: the value that ends the stack
 */
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

/*
 * Fields: caller, size. Old kernels mark the end of the stack by a value with all bits set. Newer kernels also store the number of callers.
 */
static void put_stack(const struct tw_ftrace_event *event, const struct tw_record *record,
		      const struct tw_print_host *host, struct tw_line *line)
{
	const uint64_t ones = event->fields[0]->elem_size == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t n = 0;

	if (!event->fields[1] || !number(event->fields[1], record, &n) || !n)
		n = UINT64_MAX;
	put_callers(event->fields[0], record, n, ones, host, line);
}

/* Field: caller, the addresses of the callers; 0 follows the last one. */
static void put_user_stack(const struct tw_ftrace_event *event, const struct tw_record *record,
			   const struct tw_print_host *host, struct tw_line *line)
{
	put_callers(event->fields[0], record, UINT64_MAX, 0, host, line);
}

/* Fields: id, buf. Prints all bytes of buf, as the kernel does; the print fmt prints only the first byte. */
static void put_raw_data(const struct tw_ftrace_event *event, const struct tw_record *record,
			 const struct tw_print_host *host, struct tw_line *line)
{
	struct tw_value bytes;
	uint64_t id;

	(void)host;
	if (!number(event->fields[0], record, &id))
		return;
	tw_line__str(line, "# ");
	tw_line__hex(line, id);
	tw_line__str(line, " buf:");
	if (tw_field__read(event->fields[1], record, &bytes) || bytes.kind < TW_FIELD_STRING || !bytes.len)
		return;
	tw_line__char(line, ' ');
	tw_put__hex(line, &(struct tw_put_bytes){ bytes.data, bytes.len, record->big_endian }, ' ');
}

/* An event, its printer, and the fields that the printer needs; fields with a `?` are optional. */
static const struct {
	const char *event;
	tw_ftrace_put put;
	const char *fields[TW_FTRACE_FIELDS];
} events[] = {
	{ "function", put_function, { "ip", "parent_ip", "?args" } },
	{ "funcgraph_entry", put_graph_entry, { "func", "depth", "?args" } },
	{ "funcgraph_exit", put_graph_exit, { "func", "depth", "calltime", "rettime" } },
	{ "bprint", put_bprint, { "ip", "fmt", "buf" } },
	{ "kernel_stack", put_stack, { "caller", "?size" } },
	{ "user_stack", put_user_stack, { "caller" } },
	{ "raw_data", put_raw_data, { "id", "buf" } },
};

bool tw_ftrace__bind(const struct tw_format *format, struct tw_ftrace_event *ret)
{
	*ret = (struct tw_ftrace_event){ 0 };
	if (strcmp(format->system, "ftrace"))
		return false;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct tw_ftrace_event event = { events[i].put, format, { NULL } };
		bool whole = !strcmp(format->name, events[i].event);

		for (size_t k = 0; whole && k < TW_FTRACE_FIELDS && events[i].fields[k]; k++) {
			const char *name = events[i].fields[k];
			const bool may_miss = name[0] == '?';

			event.fields[k] = tw_format__find(format, name + may_miss);
			whole = event.fields[k] || may_miss;
		}
		if (whole) {
			*ret = event;
			return true;
		}
	}
	return false;
}

bool tw_ftrace__is_address(const struct tw_format *format, const struct tw_field *field)
{
	static const char *const names[] = { "ip", "parent_ip", "func", "caller" };

	if (strcmp(format->system, "ftrace") || !strcmp(format->name, "user_stack") ||
	    field->elem_size != format->long_size ||
	    (field->elem_kind != TW_FIELD_UINT && field->elem_kind != TW_FIELD_POINTER))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(field->name, names[i]))
			return true;
	return false;
}

static bool same(const struct tw_field *a, const struct tw_record *a_record, const struct tw_field *b,
		 const struct tw_record *b_record)
{
	uint64_t x, y;

	return a && b && number(a, a_record, &x) && number(b, b_record, &y) && x == y;
}

static bool is_leaf(const struct tw_ftrace_event *entry, const struct tw_record *entry_record,
		    const struct tw_ftrace_event *leave, const struct tw_record *leave_record)
{
	return entry->put == put_graph_entry && leave->put == put_graph_exit &&
	       same(entry->fields[FUNC], entry_record, leave->fields[FUNC], leave_record) &&
	       same(tw_format__find(entry->format, "common_pid"), entry_record,
		    tw_format__find(leave->format, "common_pid"), leave_record);
}

bool tw_print__is_graph_entry(const struct tw_print *print)
{
	return print->ftrace.put == put_graph_entry;
}

bool tw_print__is_graph_exit(const struct tw_print *print)
{
	return print->ftrace.put == put_graph_exit;
}

bool tw_print__graph_leaf(const struct tw_print *entry, const struct tw_record *entry_record,
			  const struct tw_print *leave, const struct tw_record *leave_record,
			  const struct tw_print_host *host, struct tw_line *line)
{
	uint64_t ns;

	if (!is_leaf(&entry->ftrace, entry_record, &leave->ftrace, leave_record) ||
	    !duration(&leave->ftrace, leave_record, &ns))
		return false;
	put_duration(line, ns);
	put_call(&entry->ftrace, entry_record, host, line);
	tw_line__char(line, ';');
	tw_printable__end(line);
	return true;
}
