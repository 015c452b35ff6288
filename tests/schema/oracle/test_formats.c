/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_formats DIFFERENCES SOURCE: compares how Tracewire and libtraceevent parse every field of every format of a source. It also compares
 * every value of records that it makes for each of these formats, as hosts of both byte orders would write them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "listed.h"
#include "oracle.h"

#define RECORDS 4 /* records made for each event and byte order */

struct counts {
	struct tep_handle *tep;
	struct value_counts values;
	unsigned long formats, fields, arrays, dynamic, memory;
};

static void count(struct counts *counts, const struct tw_format *format)
{
	counts->formats++;
	counts->fields += format->n_fields;
	counts->memory += format->memory;
	for (uint16_t i = 0; i < format->n_fields; i++) {
		counts->arrays += format->fields[i].kind >= TW_FIELD_STRING;
		counts->dynamic += format->fields[i].place != TW_PLACE_FIXED;
	}
}

static void compare_made_up(struct counts *counts, const struct tw_format *ours, struct tep_event *theirs)
{
	static uint8_t bytes[8 * 1024];
	struct tep_record record = { .data = bytes };

	for (int i = 0; i < 2 * RECORDS; i++) {
		const bool big_endian = i % 2;

		tep_set_file_bigendian(counts->tep, big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
		record.size = (int)make_record(ours, big_endian, bytes, sizeof(bytes));
		compare_record(ours, theirs, &record, &counts->values);
	}
}

static int visit_event(struct counts *counts, const char *system, const char *text, size_t len)
{
	struct tep_event *theirs;
	struct tw_format *ours;
	struct tw_error err;

	if (tw_format__parse(text, len, system, &ours, &err)) {
		printf("%s\n", err.text);
		return -EINVAL;
	}
	/* If libtraceevent cannot parse the print format, it returns an error, but the fields are valid. */
	tep_parse_event(counts->tep, text, len, system);
	theirs = tep_find_event_by_name(counts->tep, system, ours->name);
	if (theirs) {
		compare_format(ours, theirs);
		compare_made_up(counts, ours, theirs);
		count(counts, ours);
	} else {
		printf("%s:%s is not parsed by libtraceevent, nothing to compare with\n", system, ours->name);
	}
	tw_format__free(ours);
	return 0;
}

static int visit(void *context, enum tw_schema_kind kind, const char *system, const char *text, size_t len)
{
	struct counts *counts = context;
	struct tw_entry_layout entry;
	struct tw_error err = { "" };

	if (kind == TW_SCHEMA_EVENT)
		return visit_event(counts, system, text, len);
	if (kind == TW_SCHEMA_HEADER_PAGE)
		compare_page(counts->tep, text, len);
	else if (tw_entry_layout__parse(text, len, &entry, &err) || entry.type_len_bits != 5 ||
		 entry.time_delta_bits != 27 || entry.padding != 29 || entry.time_extend != 30 ||
		 entry.time_stamp != 31 || entry.data_max != 28)
		differ(&(struct place){ "", "header_event", "" }, "layout", "%s", err.text);
	return 0;
}

/* The source "tracefs" means the formats of this kernel. */
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

static void print_counts(const struct counts *c)
{
	printf("%lu formats, %lu fields, %lu of them no scalars, %lu not at a fixed place, %lu bytes of memory\n",
	       c->formats, c->fields, c->arrays, c->dynamic, c->memory);
	print_values(&c->values);
}

int main(int argc, char **argv)
{
	struct counts counts = { .tep = tep_alloc() };
	char source[4096];
	int err;

	if (argc != 3 || !counts.tep)
		return 1;
	err = find_source(argv[2], source, sizeof(source));
	if (err) {
		printf("SKIP: no formats to read from %s: %s\n", argv[2], strerror(-err));
		return SKIPPED;
	}
	listed__load(argv[1]);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(counts.tep, 8);
	err = walk_texts(source, visit, &counts);
	print_counts(&counts);
	if (err)
		printf("%s cannot be read to its end: %s\n", source, strerror(-err));
	tep_free(counts.tep);
	return err || differences() || counts.formats < 100 || !counts.dynamic;
}
