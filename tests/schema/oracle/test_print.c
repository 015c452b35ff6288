/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_print DIFFERENCES SOURCE: makes records for every format of a source, and compares the texts that Tracewire and libtraceevent
 * (without plugins) print. The test fails if a difference is not on the list, or if Tracewire refuses too many formats.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "base/bytes.h"
#include "listed.h"
#include "oracle.h"
#include "print_record.h"

#define RECORDS   24 /* for each format */
#define SHOWN_MAX 200

struct counts {
	struct tep_handle *tep;
	struct tw_symbols *symbols;
	struct tw_strings *strings;
	unsigned long formats, refused, unparsed, identical, listed, different, records, words;
};

/* Return: whether libtraceevent's text contains all words that Tracewire has for the values of single fields */
static bool has_words(struct counts *c, const struct tw_format *format, const struct tw_print *print,
		      const struct tw_record *record, const char *text)
{
	char word[TW_PRINT_LINE_MAX + 1];
	bool all = true;

	for (uint16_t i = 0; i < format->n_fields; i++) {
		struct tw_line line = tw_line__on(word, TW_PRINT_LINE_MAX);

		if (!tw_print__word(print, &format->fields[i], record, &line))
			continue;
		*line.at = '\0';
		c->words++;
		if (strstr(text, word))
			continue;
		printf("%s:%s: %s is %s, which is not in %s\n", format->system, format->name, format->fields[i].name,
		       word, text);
		all = false;
	}
	return all;
}

static bool same(struct counts *c, const struct tw_format *format, const struct tw_print *print,
		 struct tep_event *event, int round)
{
	static uint8_t bytes[PRINT_RECORD_SIZE];
	static char ours[TW_PRINT_LINE_MAX + 1];
	const struct tw_print_host host = { .symbols = c->symbols, .strings = c->strings };
	struct tw_record record = { .data = bytes };
	struct tw_line line = tw_line__on(ours, TW_PRINT_LINE_MAX);
	struct tep_record theirs = { .data = bytes };
	struct trace_seq seq;
	bool equal;

	record.len = print_record__make(format, print, round, bytes);
	theirs.size = (int)record.len;
	trace_seq_init(&seq);
	tep_print_event(event->tep, &seq, &theirs, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	tw_print__run(print, &record, &host, &line);
	*line.at = '\0';
	equal = !strcmp(ours, seq.buffer);
	if (equal)
		equal = has_words(c, format, print, &record, seq.buffer);
	else if (!listed__has("%s:%s", format->system, format->name) && c->different < SHOWN_MAX)
		printf("%s:%s: round %d\n  ours   %s\n  theirs %s\n", format->system, format->name, round, ours,
		       seq.buffer);
	trace_seq_destroy(&seq);
	return equal;
}

static void compare(struct counts *c, const struct tw_format *format, const struct tw_print *print,
		    struct tep_event *event)
{
	bool equal = true;

	for (int i = 0; i < RECORDS && equal; i++) {
		equal = same(c, format, print, event, i);
		c->records++;
	}
	if (equal)
		c->identical++;
	else if (listed__has("%s:%s", format->system, format->name))
		c->listed++;
	else
		c->different++;
}

static int visit(void *context, enum tw_schema_kind kind, const char *system, const char *text, size_t len)
{
	struct counts *c = context;
	struct tep_event *event;
	struct tw_format *format;
	struct tw_print *print;
	struct tw_error err;
	int failed;

	if (kind != TW_SCHEMA_EVENT)
		return 0;
	if (tw_format__parse(text, len, system, &format, &err))
		return -EINVAL;
	print = tw_print__new(format);
	if (!print)
		return -ENOMEM;
	c->formats++;
	failed = listed__has("!%s:%s", system, format->name) || tep_parse_event(c->tep, text, len, system);
	event = tep_find_event_by_name(c->tep, system, format->name);
	if (tw_print__refusal(print)) {
		c->refused++;
		printf("%s:%s is refused: %s\n", system, format->name, tw_print__refusal(print));
	} else if (failed || !event || ((unsigned int)event->flags & TEP_EVENT_FL_FAILED)) {
		c->unparsed++;
		printf("%s:%s is not parsed by libtraceevent\n", system, format->name);
	} else {
		compare(c, format, print, event);
	}
	tw_print__free(print);
	tw_format__free(format);
	return 0;
}

static int find_source(const char *source, char *ret_path, size_t size)
{
	const char *tracefs;

	if (strcmp(source, "tracefs")) {
		snprintf(ret_path, size, "%s", source);
		return access(source, R_OK) ? -errno : 0;
	}
	if (geteuid())
		return -EPERM;
	tracefs = tracefs_tracing_dir();
	if (!tracefs)
		return -ENOENT;
	snprintf(ret_path, size, "%s/events", tracefs);
	return 0;
}

static void register_functions(struct counts *c)
{
	for (uint64_t i = 0; i < PRINT_RECORD_FUNCTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "function_%lu", i);
		tep_register_function(c->tep, name, PRINT_RECORD_KERNEL + (i << 12), NULL);
		tw_symbols__add(c->symbols, PRINT_RECORD_KERNEL + (i << 12), 0, name, strlen(name), NULL, 0);
	}
}

/* Gives Tracewire and libtraceevent the same strings of printk_formats. */
static int register_strings(struct counts *c)
{
	char text[4096] = "", quoted[256];
	uint64_t address;
	const char *string;

	for (size_t i = 0; (string = print_record__printk(i, &address)); i++) {
		const size_t len = strlen(text);

		snprintf(quoted, sizeof(quoted), "\"%s\"", string);
		snprintf(text + len, sizeof(text) - len, "0x%lx : %s\n", address, quoted);
		tep_register_print_string(c->tep, quoted, address);
	}
	return tw_strings__parse(c->strings, text, strlen(text));
}

static int report(const struct counts *c)
{
	printf("%lu formats, %lu records, %lu words: %lu identical, %lu listed, %lu different, %lu refused, %lu that "
	       "libtraceevent cannot parse; %u lines of the list unused\n",
	       c->formats, c->records, c->words, c->identical, c->listed, c->different, c->refused, c->unparsed,
	       listed__unused());
	return c->different || c->formats < 100 || c->words < 100 || c->refused * 100 > c->formats;
}

int main(int argc, char **argv)
{
	struct counts c = { .tep = tep_alloc(), .symbols = tw_symbols__new(), .strings = tw_strings__new() };
	char source[4096];
	int err, failed;

	if (argc != 3 || !c.tep || !c.symbols || !c.strings)
		return 1;
	err = find_source(argv[2], source, sizeof(source));
	if (err) {
		printf("SKIP: no formats to read from %s: %s\n", argv[2], strerror(-err));
		return SKIPPED;
	}
	listed__load(argv[1]);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(c.tep, 8);
	tep_set_file_bigendian(c.tep, TEP_LITTLE_ENDIAN);
	register_functions(&c);
	if (register_strings(&c))
		return 1;
	err = walk_texts(source, visit, &c);
	if (err)
		printf("%s cannot be read to its end: %s\n", source, strerror(-err));
	failed = report(&c);
	tep_free(c.tep);
	tw_symbols__free(c.symbols);
	tw_strings__free(c.strings);
	return err || failed;
}
