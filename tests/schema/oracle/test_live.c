/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_live DIFFERENCES: records a mixed load on this kernel in a separate tracefs instance, and compares every value of every field of
 * every record, as Tracewire and libtraceevent read it.
 */
#include <stdio.h>
#include <string.h>

#include "listed.h"
#include "live.h"
#include "oracle.h"

struct recording {
	struct tw_schema *schema;
	struct value_counts counts;
	unsigned long seen[65536];
	struct tep_handle *tep;
};

static int visit(struct tep_event *event, struct tep_record *record, int cpu, void *context)
{
	struct recording *r = context;
	const struct tw_format *format = live__format(r->schema, event);

	(void)cpu;
	if (!format || format->id != event->id)
		return -1;
	compare_record(format, event, record, &r->counts);
	r->seen[format->id]++;
	return 0;
}

static bool was_seen(const struct recording *r, const char *system, const char *event)
{
	for (size_t i = 0; i < tw_schema__count(r->schema); i++) {
		const struct tw_format *format = tw_schema__at(r->schema, i);

		if (r->seen[format->id] && !strcmp(format->system, system) && (!event || !strcmp(format->name, event)))
			return true;
	}
	return false;
}

static int check_seen(const struct recording *r)
{
	static const char *const of_ftrace[] = { "print", "raw_data", "kernel_stack" };
	int missing = 0;

	for (size_t i = 0; live__systems[i]; i++) {
		if (!was_seen(r, live__systems[i], NULL)) {
			printf("no event of system %s was recorded\n", live__systems[i]);
			missing++;
		}
	}
	for (size_t i = 0; i < sizeof(of_ftrace) / sizeof(of_ftrace[0]); i++) {
		if (!was_seen(r, "ftrace", of_ftrace[i])) {
			printf("no ftrace:%s was recorded\n", of_ftrace[i]);
			missing++;
		}
	}
	return missing;
}

static int test(struct tracefs_instance *instance)
{
	static struct recording r;
	int err, missing;

	r.schema = tw_schema__new();
	tep_set_loglevel(TEP_LOG_NONE);
	r.tep = tracefs_local_events(NULL);
	if (!r.schema || !r.tep || live__record(instance))
		return 1;
	err = tracefs_iterate_raw_events(r.tep, instance, NULL, 0, visit, &r);
	print_values(&r.counts);
	missing = check_seen(&r);
	if (err)
		printf("libtracefs ended with %d\n", err);
	if (r.counts.records < LIVE_EVENTS_MIN)
		printf("that is too few to tell: %d are wanted\n", LIVE_EVENTS_MIN);
	tep_free(r.tep);
	err = err || missing || differences() || r.counts.records < LIVE_EVENTS_MIN || !r.counts.dynamic ||
	      !r.counts.elements;
	tw_schema__free(r.schema);
	return err;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	listed__load(argv[1]);
	return live__run(test);
}
