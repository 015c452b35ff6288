/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An untrusted print fmt, compiled and run on an untrusted record. The input: index of the format, flags and length of the record, one byte
 * each; the record; a text. Format 0 has fields of every kind, and the text is its print fmt. The other formats are events of the system
 * ftrace. For them, the text is a string of the host's printk_formats.
 *
 * The printed text never exceeds its line, and is the same in a second run. The compiled program never exceeds its memory limit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "schema/print.h"
#include "tests/schema/texts.h"
#include "tests/schema/touch.h"

/* Flags, the second byte of the input. */
#define BIG_ENDIAN_HOST 0x01
#define FROM_WIRE       0x02
#define KNOWN_HOST      0x04
#define SHORT_LINE      0x08

#define HEAD        3
#define TEXT_MAX    4096
#define LINE_MAX    2048
#define CANARY      16
#define CANARY_BYTE 0xa5

static const char made[] =
	"name: made\nID: 7\nformat:\n" COMMON_FIELDS FIELD("int i", 8, 4, 1) FIELD("unsigned int u", 12, 4, 0)
		FIELD("s8 small", 16, 1, 1) FIELD("u16 half", 18, 2, 0) FIELD("__data_loc char[] name", 20, 4, 0)
			FIELD("u64 wide", 24, 8, 0) FIELD("unsigned long ip", 32, 8, 0) FIELD("char comm[8]", 40, 8, 0)
				FIELD("u8 mac[6]", 48, 6, 0) FIELD("__rel_loc u16[] list", 56, 4, 0)
					FIELD("__data_loc cpumask_t mask", 60, 4, 0) "\nprint fmt: ";

static const struct {
	const char *name, *text;
} specials[] = {
	{ "bprint", EVENT_TEXT("bprint", 6,
			       FIELD("unsigned long ip", 8, 8, 0) FIELD("const char * fmt", 16, 8, 0)
				       FIELD("u32 buf[]", 24, 0, 0),
			       "print fmt: \"%s\", REC->fmt") },
	{ "function", EVENT_TEXT("function", 1,
				 FIELD("unsigned long ip", 8, 8, 0) FIELD("unsigned long parent_ip", 16, 8, 0)
					 FIELD("unsigned long args[]", 24, 0, 0),
				 "print fmt: \"%ps\", REC->ip") },
	{ "funcgraph_entry", EVENT_TEXT("funcgraph_entry", 11,
					FIELD("unsigned long func", 8, 8, 0) FIELD("unsigned int depth", 16, 4, 0)
						FIELD("unsigned long args[]", 24, 0, 0),
					"print fmt: \"%ps\", REC->func") },
	{ "funcgraph_exit",
	  EVENT_TEXT("funcgraph_exit", 10,
		     FIELD("unsigned long func", 8, 8, 0) FIELD("unsigned int depth", 16, 4, 0)
			     FIELD("unsigned int overrun", 20, 4, 0) FIELD("unsigned long long calltime", 24, 8, 0)
				     FIELD("unsigned long long rettime", 32, 8, 0),
		     "print fmt: \"%ps\", REC->func") },
	{ "kernel_stack",
	  EVENT_TEXT("kernel_stack", 4, FIELD("int size", 8, 4, 1) FIELD("unsigned long caller[8]", 16, 64, 0),
		     "print fmt: \"\"") },
	{ "raw_data", EVENT_TEXT("raw_data", 16, FIELD("unsigned int id", 8, 4, 0) FIELD("char buf[]", 12, 0, 0),
				 "print fmt: \"\"") },
};

#define N_FORMATS (1 + sizeof(specials) / sizeof(specials[0]))

static struct tw_symbols *symbols;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static struct tw_format *parse_made(const char *text, size_t len)
{
	static char whole[sizeof(made) + TEXT_MAX];
	struct tw_format *format;

	if (len > TEXT_MAX)
		len = TEXT_MAX;
	memcpy(whole, made, sizeof(made) - 1);
	memcpy(whole + sizeof(made) - 1, text, len);
	return tw_format__parse(whole, sizeof(made) - 1 + len, "toy", &format, NULL) ? NULL : format;
}

static struct tw_format *parse_special(size_t i)
{
	struct tw_format *format;

	require(!tw_format__parse(specials[i].text, strlen(specials[i].text), "ftrace", &format, NULL));
	return format;
}

/* The host's strings: @text at the address that the records of the seeds refer to. */
static struct tw_strings *make_strings(const char *text, size_t len)
{
	static const char head[] = "0xffffffff81000010 : \"";
	static char whole[sizeof(head) + TEXT_MAX + 2];
	struct tw_strings *strings = tw_strings__new();

	if (len > TEXT_MAX)
		len = TEXT_MAX;
	memcpy(whole, head, sizeof(head) - 1);
	memcpy(whole + sizeof(head) - 1, text, len);
	memcpy(whole + sizeof(head) - 1 + len, "\"\n", 2);
	if (strings)
		tw_strings__parse(strings, whole, sizeof(head) - 1 + len + 2);
	return strings;
}

static void make_symbols(void)
{
	symbols = tw_symbols__new();
	require(symbols);
	require(!tw_symbols__add(symbols, 0xffffffff81000000, 64, "start", 5, NULL, 0));
	require(!tw_symbols__add(symbols, 0xffffffffc0000000, 0, "module_init", 11, "toy", 3));
}

static size_t run(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		  char *buf, size_t room)
{
	struct tw_line line = tw_line__on(buf, room);

	memset(buf + room, CANARY_BYTE, CANARY);
	tw_print__run(print, record, host, &line);
	require(line.at >= buf && line.at <= buf + room);
	for (size_t i = 0; i < CANARY; i++)
		require((uint8_t)buf[room + i] == CANARY_BYTE);
	return tw_line__len(&line);
}

/* Prints to a line for people, which must need no escapes. Only TW_LINE_TEXT may have line breaks and tabs, as layout. */
static void run_shown(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		      char *buf, size_t room, enum tw_line_kind kind)
{
	struct tw_line line = tw_line__of(buf, room, kind);

	memset(buf + room, CANARY_BYTE, CANARY);
	tw_print__run(print, record, host, &line);
	require(line.at >= buf && line.at <= buf + room);
	for (size_t i = 0; i < CANARY; i++)
		require((uint8_t)buf[room + i] == CANARY_BYTE);
	for (size_t i = 0, n; i < tw_line__len(&line); i += n) {
		n = tw_printable__plain(buf + i, tw_line__len(&line) - i);
		require(n || (kind == TW_LINE_TEXT && (buf[i] == '\n' || buf[i] == '\t')));
		n += !n;
	}
}

static void check_word(const struct tw_print *print, const struct tw_field *field, const struct tw_record *record)
{
	char buf[64];
	struct tw_line line = tw_line__of(buf, sizeof(buf), TW_LINE_FLAT);

	if (tw_print__word(print, field, record, &line))
		require(tw_print__has_word(print, field) && line.at > buf);
	require(line.at >= buf && line.at <= buf + sizeof(buf));
}

static void check_names(const struct tw_print *print, const struct tw_format *format, const struct tw_record *record)
{
	struct tw_print_names names;
	size_t n;
	const struct tw_field *const *addresses = tw_print__addresses(print, &n);

	for (size_t i = 0; i < n; i++)
		require(addresses[i] >= format->fields && addresses[i] < format->fields + format->n_fields);
	for (uint16_t i = 0; i < format->n_fields; i++) {
		check_word(print, &format->fields[i], record);
		if (!tw_print__names(print, &format->fields[i], &names))
			continue;
		for (uint32_t k = 0; k < names.n; k++)
			touch__bytes(names.names[k].name, strlen(names.names[k].name));
	}
}

static void use_print(const struct tw_format *format, const struct tw_record *record, const struct tw_print_host *host,
		      size_t room)
{
	static char first[LINE_MAX + CANARY], second[LINE_MAX + CANARY];
	struct tw_print *print = tw_print__new(format);
	size_t len;

	if (!print)
		return;
	require(tw_print__memory(print) <= TW_PRINT_MEMORY_MAX);
	if (tw_print__refusal(print))
		require(strlen(tw_print__refusal(print)));
	len = run(print, record, host, first, room);
	require(run(print, record, host, second, room) == len && !memcmp(first, second, len));
	run_shown(print, record, host, first, room, TW_LINE_TEXT);
	run_shown(print, record, host, second, room, TW_LINE_FLAT);
	check_names(print, format, record);
	tw_print__free(print);
}

static void print_record(const uint8_t *data, const struct tw_record *record, const char *text, size_t len)
{
	const size_t which = data[0] % N_FORMATS;
	struct tw_format *format = which ? parse_special(which - 1) : parse_made(text, len);
	struct tw_strings *strings = which && data[1] & KNOWN_HOST ? make_strings(text, len) : NULL;
	const struct tw_print_host host = { .symbols = symbols, .strings = strings };

	if (format)
		use_print(format, record, data[1] & KNOWN_HOST ? &host : NULL, data[1] & SHORT_LINE ? 16 : LINE_MAX);
	tw_strings__free(strings);
	tw_format__free(format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_record record = { 0 };
	uint8_t *bytes;

	if (size < HEAD)
		return 0;
	if (!symbols)
		make_symbols();
	record.len = data[2] < size - HEAD ? data[2] : (uint32_t)(size - HEAD);
	record.big_endian = data[1] & BIG_ENDIAN_HOST;
	record.from_wire = data[1] & FROM_WIRE;
	bytes = malloc(record.len ? record.len : 1); /* in separate memory, so that a read beyond its end is found */
	if (!bytes)
		return 0;
	memcpy(bytes, data + HEAD, record.len);
	record.data = bytes;
	print_record(data, &record, (const char *)data + HEAD + record.len, size - HEAD - record.len);
	free(bytes);
	return 0;
}
