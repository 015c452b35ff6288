/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_print DIFFERENCES SOURCE: the text of records made up for every format of a source, as we and as libtraceevent without
 * plugins print it. Any difference that the list has no reason for fails, and so do too many refusals of ours.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "base/bytes.h"
#include "oracle.h"
#include "schema/print.h"

#define RECORDS     24 /* of each format */
#define SIZE        8192
#define LISTED_MAX  256
#define SHOWN_MAX   200
#define FUNCTIONS   8
#define TEXT_LENGTH 24 /* of a made-up string at most, bytes */

/* A line of the list: a pattern of SYSTEM:EVENT; with ! before it if libtraceevent must not be asked. */
struct listed {
	char pattern[128];
	unsigned long seen;
};

struct counts {
	struct tep_handle *tep;
	struct tw_symbols *symbols;
	const char *differences;
	unsigned long formats, refused, unparsed, identical, listed, different, records;
};

static struct listed list[LISTED_MAX];
static size_t n_list;

static void load_list(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[1024];

	if (!f) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof(line), f)) {
		char *tab = strchr(line, '\t');

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (!tab || n_list == LISTED_MAX || tab - line >= (long)sizeof(list->pattern)) {
			fprintf(stderr, "%s: cannot use the line: %s", path, line);
			exit(1);
		}
		memcpy(list[n_list++].pattern, line, (size_t)(tab - line));
	}
	fclose(f);
}

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < n_list; i++) {
		if (fnmatch(list[i].pattern, name, 0))
			continue;
		list[i].seen++;
		return true;
	}
	return false;
}

static uint64_t any(void)
{
	return (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
}

/* Values as kernels have them: small, of a table, addresses, all bits, large. Negative ones come by @negative only. */
static uint64_t any_value(const struct tw_field *field, const struct tw_print *print, int round)
{
	struct tw_print_names names;

	if (field->kind == TW_FIELD_BOOL)
		return (uint64_t)rand() % 2;
	if (round % 3 == 0 && tw_print__names(print, field, &names))
		return names.names[(uint32_t)rand() % names.n].value;
	switch (round % 6) {
	case 0:
		return (uint64_t)rand() % 4;
	case 1:
		return (uint64_t)rand() % 100;
	case 2:
		return field->size >= 8 ? 0xffffffff81000000 + (uint64_t)rand() % (FUNCTIONS << 12) : any() & 0x7f;
	case 3:
		return any() >> (1 + 8 * (8 - (field->size ? field->size : 1)));
	case 4:
		return field->is_signed ? 1 : UINT64_MAX;
	default:
		return any() & 0x7fff;
	}
}

static void store(uint8_t *p, uint64_t value, uint32_t size)
{
	memcpy(p, &value, size); /* the test runs where records are little-endian */
}

static void make_text(uint8_t *p, uint32_t size)
{
	const uint32_t len = size ? (uint32_t)rand() % size : 0;

	for (uint32_t i = 0; i < size; i++)
		p[i] = i < len ? (uint8_t)("abcxyz019_-/."[rand() % 13]) : 0;
}

static uint32_t make_dynamic(const struct tw_field *field, uint8_t *record, uint32_t len)
{
	const uint32_t unit = field->elem_size && field->elem_size <= 8 ? field->elem_size : 1;
	const uint32_t size = field->kind == TW_FIELD_STRING ? TEXT_LENGTH : 8 * unit * ((uint32_t)rand() % 4);
	const uint32_t offset = field->place == TW_PLACE_REL_LOC ? len - field->offset - 4 : len;

	store(record + field->offset, size << 16 | offset, 4);
	for (uint32_t i = 0; i < size; i++)
		record[len + i] = (uint8_t)rand();
	if (field->kind == TW_FIELD_STRING)
		make_text(record + len, size);
	return len + size;
}

static uint32_t make(const struct tw_format *format, const struct tw_print *print, int round, uint8_t *record)
{
	uint32_t len = 8;

	memset(record, 0, SIZE);
	for (uint16_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *f = &format->fields[i];

		if (f->offset + f->size > len)
			len = f->offset + f->size;
	}
	len = (len + 7) / 8 * 8;
	for (uint16_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *f = &format->fields[i];

		if (f->place == TW_PLACE_REST) {
			make_text(record + f->offset, TEXT_LENGTH);
			len = f->offset + TEXT_LENGTH;
		} else if (f->place != TW_PLACE_FIXED) {
			len = make_dynamic(f, record, len);
		} else if (f->kind == TW_FIELD_STRING) {
			make_text(record + f->offset, f->size);
		} else if (f->kind >= TW_FIELD_STRING) {
			for (uint32_t k = 0; k < f->size; k++)
				record[f->offset + k] = (uint8_t)(round % 2 ? rand() : rand() % 4);
		} else {
			store(record + f->offset, any_value(f, print, round), f->size);
		}
	}
	store(record, format->id, 2);
	return len;
}

static bool same(const struct counts *c, const struct tw_format *format, const struct tw_print *print,
		 struct tep_event *event, const char *name, int round)
{
	static uint8_t bytes[SIZE];
	static char ours[TW_PRINT_LINE_MAX + 1];
	const struct tw_print_host host = { .symbols = c->symbols };
	struct tw_record record = { .data = bytes };
	struct tw_line line = tw_line__on(ours, TW_PRINT_LINE_MAX);
	struct tep_record theirs = { .data = bytes };
	struct trace_seq seq;
	bool equal;

	record.len = make(format, print, round, bytes);
	theirs.size = (int)record.len;
	trace_seq_init(&seq);
	tep_print_event(event->tep, &seq, &theirs, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	tw_print__run(print, &record, &host, &line);
	*line.at = '\0';
	equal = !strcmp(ours, seq.buffer);
	if (!equal && !is_listed(name) && c->different < SHOWN_MAX)
		printf("%s: round %d\n  ours   %s\n  theirs %s\n", name, round, ours, seq.buffer);
	trace_seq_destroy(&seq);
	return equal;
}

static void compare(struct counts *c, const struct tw_format *format, const struct tw_print *print,
		    struct tep_event *event)
{
	char name[256];
	bool equal = true;

	snprintf(name, sizeof(name), "%s:%s", format->system, format->name);
	for (int i = 0; i < RECORDS && equal; i++) {
		equal = same(c, format, print, event, name, i);
		c->records++;
	}
	if (equal)
		c->identical++;
	else if (is_listed(name))
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
	char dangerous[512];
	struct tw_error err;
	int failed;

	if (kind != TW_SCHEMA_EVENT || !strcmp(system, "ftrace"))
		return 0;
	if (tw_format__parse(text, len, system, &format, &err))
		return -EINVAL;
	print = tw_print__new(format);
	if (!print)
		return -ENOMEM;
	c->formats++;
	snprintf(dangerous, sizeof(dangerous), "!%s:%s", system, format->name);
	failed = is_listed(dangerous) || tep_parse_event(c->tep, text, len, system);
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
	for (uint64_t i = 0; i < FUNCTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "function_%lu", i);
		tep_register_function(c->tep, name, 0xffffffff81000000 + (i << 12), NULL);
		tw_symbols__add(c->symbols, 0xffffffff81000000 + (i << 12), 0, name, strlen(name), NULL, 0);
	}
}

static int report(const struct counts *c)
{
	int unused = 0;

	for (size_t i = 0; i < n_list; i++)
		unused += !list[i].seen;
	printf("%lu formats, %lu records: %lu identical, %lu listed, %lu different, %lu refused, %lu that libtraceevent "
	       "cannot parse; %d lines of the list unused\n",
	       c->formats, c->records, c->identical, c->listed, c->different, c->refused, c->unparsed, unused);
	return c->different || c->formats < 100 || c->refused * 100 > c->formats;
}

int main(int argc, char **argv)
{
	struct counts c = { .tep = tep_alloc(), .symbols = tw_symbols__new() };
	char source[4096];
	int err, failed;

	if (argc != 3 || !c.tep || !c.symbols)
		return 1;
	err = find_source(argv[2], source, sizeof(source));
	if (err) {
		printf("SKIP: no formats to read from %s: %s\n", argv[2], strerror(-err));
		return SKIPPED;
	}
	load_list(argv[1]);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(c.tep, 8);
	tep_set_file_bigendian(c.tep, TEP_LITTLE_ENDIAN);
	register_functions(&c);
	err = walk_texts(source, visit, &c);
	if (err)
		printf("%s cannot be read to its end: %s\n", source, strerror(-err));
	failed = report(&c);
	tep_free(c.tep);
	tw_symbols__free(c.symbols);
	return err || failed;
}
