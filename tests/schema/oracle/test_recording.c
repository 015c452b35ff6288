/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_recording DIFFERENCES FILE SOURCE: compares every value of every record of FILE, a trace.dat, as Tracewire and libtracecmd read it.
 * The format texts are from SOURCE, because libtracecmd does not return those of FILE.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <trace-cmd.h>

#include "listed.h"
#include "oracle.h"

struct recording {
	struct tw_schema *schema;
	struct value_counts counts;
	unsigned long unknown;
};

static int add_text(void *context, enum tw_schema_kind kind, const char *system, const char *text, size_t len)
{
	struct recording *r = context;
	struct tw_error err;
	int error;

	if (kind != TW_SCHEMA_EVENT)
		return 0;
	error = tw_schema__add(r->schema, system, text, len, NULL, &err);
	if (error)
		printf("%s\n", err.text);
	return error;
}

static int visit(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *context)
{
	struct recording *r = context;
	struct tep_event *event = tep_find_event_by_record(tracecmd_get_tep(handle), record);
	const struct tw_format *format = event ? tw_schema__by_id(r->schema, (uint16_t)event->id) : NULL;

	(void)cpu;
	if (!format || strcmp(format->name, event->name) || strcmp(format->system, event->system)) {
		r->unknown++;
		return 0;
	}
	compare_record(format, event, record, &r->counts);
	return 0;
}

int main(int argc, char **argv)
{
	struct recording r = { .schema = tw_schema__new() };
	struct tracecmd_input *handle;
	int err;

	if (argc != 4 || !r.schema)
		return 1;
	if (access(argv[2], R_OK)) {
		printf("SKIP: no recording to read: %s\n", argv[2]);
		return SKIPPED;
	}
	listed__load(argv[1]);
	tep_set_loglevel(TEP_LOG_NONE);
	tracecmd_set_loglevel(TEP_LOG_NONE);
	err = walk_texts(argv[3], add_text, &r);
	if (err) {
		printf("%s: the format texts cannot be read: %s\n", argv[3], strerror(-err));
		return 1;
	}
	handle = tracecmd_open(argv[2], TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!handle) {
		printf("%s: libtracecmd cannot read it\n", argv[2]);
		return 1;
	}
	err = tracecmd_iterate_events(handle, NULL, 0, visit, &r);
	print_values(&r.counts);
	printf("%lu records of unknown events\n", r.unknown);
	tracecmd_close(handle);
	tw_schema__free(r.schema);
	return err || differences() || r.unknown || !r.counts.records || !r.counts.strings;
}
