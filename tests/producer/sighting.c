/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sighting.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "filter/evaluate.h"
#include "schema/print.h"

#define PIDS         (4u << 20) /* PID_MAX_LIMIT of 64-bit kernels */
#define NEED_RESCHED 0x26       /* flags that may differ between the two instances */
#define SHOWN        5

struct look {
	const struct receiver *got;
	struct tw_schema *schema;
	struct tw_bound *bound;
	bool *ours; /* by pid: the task is a thread of this process, or of another tracewire */
	struct utsname host;
};

/* Finds the pids of the readers. The readers have ended by now, but the stream has their names. */
static void find_ours(struct look *look, const struct receiver *got)
{
	for (size_t i = 0; i < got->n_names; i++)
		if ((!strncmp(got->names[i].name, "tracewire-", 10) || got->names[i].tgid == (uint32_t)getpid()) &&
		    got->names[i].pid < PIDS)
			look->ours[got->names[i].pid] = true;
}

static bool is_ours(const struct look *look, int64_t pid)
{
	return pid >= 0 && pid < PIDS && look->ours[pid];
}

static struct tw_record record_of(const struct got_event *event)
{
	return (struct tw_record){
		.data = event->record, .len = event->len, .big_endian = TW_HOST_BE, .from_wire = true
	};
}

static bool ends_in_pid(const char *name)
{
	const size_t len = strlen(name);

	return len >= 3 && !strcmp(name + len - 3, "pid");
}

/* A thread of another tracewire on this machine: one instance may have its name, and the other not yet. */
static bool names_tracewire(const struct tw_field *field, const struct tw_value *value)
{
	static const char start[] = "tracewire-";
	const size_t len = strlen(field->name), n = strlen(start);

	return len >= 4 && !strcmp(field->name + len - 4, "comm") && value->kind == TW_FIELD_STRING &&
	       value->len >= n && !memcmp(value->data, start, n);
}

static bool is_pid_of_ours(const struct look *look, const struct tw_field *field, const struct tw_value *value)
{
	return ends_in_pid(field->name) && value->kind == TW_FIELD_INT && is_ours(look, value->i);
}

static bool has_to_do_with_us(const struct look *look, const struct got_event *event, const struct tw_format *format)
{
	const struct tw_record record = record_of(event);
	struct tw_value value;

	if (is_ours(look, event->pid))
		return true;
	for (size_t i = format->n_common; i < format->n_fields; i++)
		if (!tw_field__read(&format->fields[i], &record, &value) &&
		    (is_pid_of_ours(look, &format->fields[i], &value) || names_tracewire(&format->fields[i], &value)))
			return true;
	return false;
}

static bool matches(const struct look *look, const struct got_event *event)
{
	const struct got_name *name = receiver__name_of(look->got, event->pid, event->time);
	struct tw_filter_event view = {
		.record = event->record,
		.len = event->len,
		.id = event->id,
		.flags = event->record[2],
		.preempt = event->record[3],
		.pid = (int32_t)event->pid,
		.cpu = (uint16_t)(event->channel - 1),
		.time = event->time,
		.host = look->host.nodename,
		.host_len = strlen(look->host.nodename),
		.comm = name ? name->name : NULL,
		.comm_len = name ? strlen(name->name) : 0,
	};

	if (!event->pid) {
		view.comm = "<idle>";
		view.comm_len = strlen(view.comm);
	}
	return !look->bound || tw_bound__matches(look->bound, &view);
}

static void forget(char *key, const char *field)
{
	char *at = strstr(key, field), *end;

	if (!at)
		return;
	end = at + strlen(field) + strspn(at + strlen(field), "0123456789");
	memmove(at, end, strlen(end) + 1);
}

/* Removes values that may differ between two instances: jiffies, and the state of an exiting task, which changes in the meantime. */
static void forget_what_passes(char *key, const struct tw_format *format)
{
	forget(key, " prev_state=");
	if (!strcmp(format->name, "timer_start") || !strcmp(format->name, "timer_expire_entry"))
		forget(key, " now=");
}

static char *key_of(const struct got_event *event, const struct tw_format *format)
{
	const struct tw_record record = record_of(event);
	char buf[4096];
	struct tw_line line = tw_line__on(buf, sizeof(buf) - 1);
	char head[256], *key;

	snprintf(head, sizeof(head), "%s: cpu=%u pid=%u flags=%02x preempt=%u", format->name, event->channel - 1U,
		 event->pid, event->record[2] & ~NEED_RESCHED, event->record[3]);
	tw_line__str(&line, head);
	tw_print__fields(format, &record, &line);
	*line.at = '\0';
	forget_what_passes(buf, format);
	key = strdup(buf);
	assert_non_null(key);
	return key;
}

static int by_key(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;
	const int keys = strcmp(x->key, y->key);

	return keys ? keys : (x->time > y->time) - (x->time < y->time);
}

static void look_at(struct look *look, const struct run *beside, const struct tw_filter *filter)
{
	const struct tw_bind_options options = { .schema = look->schema, .big_endian = TW_HOST_BE };
	struct tw_error error = { "" };

	uname(&look->host);
	look->ours = calloc(PIDS, sizeof(*look->ours));
	assert_non_null(look->ours);
	look->ours[getpid()] = true;
	find_ours(look, look->got);
	find_ours(look, &beside->got);
	if (!filter)
		return;
	if (tw_filter__bind(filter, &options, &look->bound, &error) || tw_bound__prepare(look->bound, &error))
		fail_msg("%s: %s", tw_filter__text(filter), error.text);
}

void sightings__of(const struct run *run, const struct run *beside, const struct tw_filter *filter,
		   struct sightings *ret)
{
	struct look look = { .got = &run->got, .schema = receiver__schema(&run->got) };

	look_at(&look, beside, filter);
	*ret = (struct sightings){ .items = calloc(run->got.n_events + 1, sizeof(*ret->items)) };
	assert_non_null(ret->items);
	for (size_t i = 0; i < run->got.n_events; i++) {
		const struct got_event *event = &run->got.events[i];
		const struct tw_format *format = tw_schema__by_id(look.schema, event->id);

		if (!format)
			fail_msg("an event has id %u, whose format was not sent", event->id);
		if (has_to_do_with_us(&look, event, format) || !matches(&look, event))
			continue;
		ret->items[ret->n++] = (struct sighting){ key_of(event, format), event->time };
	}
	qsort(ret->items, ret->n, sizeof(*ret->items), by_key);
	tw_bound__free(look.bound);
	tw_schema__free(look.schema);
	free(look.ours);
}

static bool is_within(uint64_t time, const struct stretch *stretch, uint64_t slack)
{
	return time >= stretch->from - slack && time < stretch->to + slack;
}

size_t sightings__within(const struct sightings *s, const struct stretch *stretch)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += is_within(s->items[i].time, stretch, 0);
	return n;
}

/* Return: number of events with the key @key within the stretch of time; advances @at past them */
static size_t count(const struct sightings *s, size_t *at, const char *key, const struct stretch *stretch,
		    uint64_t slack)
{
	size_t n = 0;

	while (*at < s->n && strcmp(s->items[*at].key, key) < 0)
		++*at;
	for (; *at < s->n && !strcmp(s->items[*at].key, key); ++*at)
		n += is_within(s->items[*at].time, stretch, slack);
	return n;
}

size_t sightings__missing(const struct sightings *mine, const struct sightings *other, const struct stretch *stretch,
			  const char *what)
{
	size_t missing = 0, at = 0, shown = 0;

	for (size_t i = 0; i < mine->n;) {
		const char *key = mine->items[i].key;
		const size_t had = count(mine, &i, key, stretch, 0);
		const size_t found = count(other, &at, key, stretch, stretch->slack);

		if (had <= found)
			continue;
		missing += had - found;
		if (shown++ < SHOWN)
			print_message("%s: %zu times, not %zu: %s\n", what, had, found, key);
	}
	return missing;
}

void sightings__fini(struct sightings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].key);
	free(s->items);
	*s = (struct sightings){ 0 };
}
