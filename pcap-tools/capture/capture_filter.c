/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/capture_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "filter/arena.h"
#include "filter/evaluate.h"
#include "filter/tree.h"

#define WORK_MIN 256 /* fixed work of binding a schema, as a number of formats */

/* The filter, bound to the known formats of one schema. */
struct bound_filter {
	LIST_ENTRY(bound_filter) in_all;
	void **place;                /* where the pointer to this struct is: in the schema, or `formless` */
	struct tw_schema *formats;   /* a view: the stream state owns the formats */
	struct tw_bound *bound;      /* NULL = there was no memory, or it is too large */
	uint32_t n_events, revision; /* members of the schema, as they were when the filter was bound */
	size_t memory;               /* bytes */
};

/* What is known about a comparison of the filter from all schemas so far. */
struct comparison {
	bool has_meaning;    /* a schema has the name in the comparison */
	struct tw_error why; /* error for the first schema without this name; "" = no such schema */
};

struct tw_capture_filter {
	const struct tw_filter *filter;
	struct tw_streams *streams;
	unsigned int user;              /* index of the capture filter as a user of the table of streams */
	struct comparison *comparisons; /* one for each predicate of the filter */
	LIST_HEAD(, bound_filter) all;  /* all bound filters */
	void *formless;                 /* bound filter for events whose schema has no format yet */
	unsigned int n_bound;           /* number of bound filters */
	size_t memory;                  /* of all bound filters, bytes */
	uint64_t work, allowed;         /* units of work done and allowed so far */
	struct tw_capture_filter_stats stats;
};

/* Binds the filter to a schema with one invented format. This finds wrong values and operators for keys that all events have. */
int tw_capture_filter__check(const struct tw_filter *filter, struct tw_error *error)
{
	static const char text[] = "name: event\nID: 1\nformat:\n\tfield:int field;\toffset:8;\tsize:4;\tsigned:1;\n";
	struct tw_bind_options options = { .unknown_is_absent = true };
	struct tw_schema *schema = tw_schema__new();
	struct tw_bound *bound = NULL;
	int err;

	if (!schema)
		return tw_error__set(error, -ENOMEM, "no memory for a filter");
	options.schema = schema;
	err = tw_schema__add(schema, "system", text, sizeof(text) - 1, NULL, error);
	if (!err)
		err = tw_filter__bind(filter, &options, &bound, error);
	tw_bound__free(bound);
	tw_schema__free(schema);
	return err;
}

static void drop(struct tw_capture_filter *f, struct bound_filter *b)
{
	if (!b)
		return;
	LIST_REMOVE(b, in_all);
	f->n_bound--;
	f->memory -= b->memory;
	*b->place = NULL;
	tw_bound__free(b->bound);
	tw_schema__free(b->formats);
	free(b);
}

void tw_capture_filter__free(struct tw_capture_filter *f)
{
	if (!f)
		return;
	while (!LIST_EMPTY(&f->all))
		drop(f, LIST_FIRST(&f->all));
	tw_streams__remove_user(f->streams, f->user);
	free(f->comparisons);
	free(f);
}

/* Whether the work of binding @n_formats formats is allowed; if so, the work is counted. */
static bool take_work(struct tw_capture_filter *f, uint32_t n_formats)
{
	const uint64_t work = ((uint64_t)n_formats + WORK_MIN) * (tw_filter__predicates(f->filter) + 1);

	if (work > f->allowed - f->work)
		return false;
	f->work += work;
	return true;
}

static void note_meaning(struct tw_capture_filter *f, const struct tw_bound *bound)
{
	for (unsigned int i = 0; i < bound->n_predicates; i++) {
		struct comparison *comparison = &f->comparisons[i];

		comparison->has_meaning |= !bound->absent[i];
		if (comparison->has_meaning || *comparison->why.text)
			continue;
		tw_error__set(&comparison->why, 0, "%s", bound->absent[i]);
	}
}

static void bind(struct tw_capture_filter *f, struct bound_filter *b, bool big_endian)
{
	const struct tw_bind_options options = {
		.schema = b->formats,
		.big_endian = big_endian,
		.unknown_is_absent = true,
	};

	if (tw_filter__bind(f->filter, &options, &b->bound, NULL))
		return;
	if (tw_bound__prepare(b->bound, NULL)) {
		tw_bound__free(b->bound);
		b->bound = NULL;
		return;
	}
	b->memory += tw_arena__taken(b->bound->arena);
	if (b->n_events)
		note_meaning(f, b->bound);
}

static void make_room(struct tw_capture_filter *f, const struct bound_filter *keep)
{
	struct bound_filter *next;

	if (f->memory <= TW_CAPTURE_FILTER_MEMORY_MAX && f->n_bound <= TW_CAPTURE_FILTER_BOUND_MAX)
		return;
	for (struct bound_filter *b = LIST_FIRST(&f->all); b; b = next) {
		next = LIST_NEXT(b, in_all);
		if (b != keep)
			drop(f, b);
	}
}

static void link_bound(struct tw_capture_filter *f, struct bound_filter *b, void **place)
{
	b->place = place;
	*place = b;
	LIST_INSERT_HEAD(&f->all, b, in_all);
	f->n_bound++;
	f->memory += b->memory;
	make_room(f, b);
}

/* Binds the filter to a schema; NULL = no formats. Return: NULL without memory, or if the limit of work is reached */
static struct bound_filter *bind_schema(struct tw_capture_filter *f, void **place,
					const struct tw_stream_schema *schema, bool big_endian)
{
	struct bound_filter *b;

	if (!take_work(f, schema ? schema->n_events : 0))
		return NULL;
	drop(f, *place);
	b = calloc(1, sizeof(*b));
	if (b)
		b->formats = schema ? tw_stream_schema__formats(schema) : tw_schema__new_view();
	if (!b || !b->formats) {
		free(b);
		return NULL;
	}
	b->n_events = schema ? schema->n_events : 0;
	b->revision = schema ? schema->revision : 0;
	b->memory = sizeof(*b) + tw_schema__memory(b->formats);
	bind(f, b, big_endian);
	link_bound(f, b, place);
	return b;
}

static bool has_all(const struct bound_filter *b, const struct tw_stream_schema *schema)
{
	return b->n_events == schema->n_events && b->revision == schema->revision;
}

/* Whether @b can decide an event with id @id. If formats arrived after binding, it can unless one of them is the format of the event. */
static bool is_current(const struct bound_filter *b, const struct tw_stream_schema *schema, uint16_t id)
{
	if (!schema || has_all(b, schema))
		return true;
	return b->revision == schema->revision &&
	       (tw_schema__by_id(b->formats, id) || !tw_stream_schema__event(schema, id));
}

static const struct bound_filter *bound_for(struct tw_capture_filter *f, struct tw_stream_schema *schema,
					    bool big_endian, uint16_t id)
{
	void **place = schema ? &schema->user[big_endian] : &f->formless;
	const struct bound_filter *b = *place;

	if (b && is_current(b, schema, id))
		return b;
	return bind_schema(f, place, schema, big_endian);
}

/*
 * Binds the filter to those schemas of a stream for which no event arrived, or which got formats since the filter was bound to them. Then
 * f->comparisons takes the names in all formats into account.
 */
static void bind_rest(struct tw_capture_filter *f, const struct tw_stream *stream)
{
	for (struct tw_stream_schema *schema = stream->schemas; schema; schema = schema->next) {
		const struct bound_filter *b = schema->user[0] ? schema->user[0] : schema->user[1];

		if (!b || !has_all(b, schema))
			bind_schema(f, &schema->user[0], schema, false);
	}
}

static int let_go(void *ctx, struct tw_stream *stream)
{
	struct tw_capture_filter *f = ctx;

	bind_rest(f, stream);
	for (struct tw_stream_schema *schema = stream->schemas; schema; schema = schema->next) {
		drop(f, schema->user[0]);
		drop(f, schema->user[1]);
	}
	return 0;
}

int tw_capture_filter__new(const struct tw_filter *filter, struct tw_streams *streams, struct tw_capture_filter **ret,
			   struct tw_error *error)
{
	struct tw_capture_filter *f;
	const int err = tw_capture_filter__check(filter, error);

	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	if (f)
		f->comparisons = calloc(tw_filter__predicates(filter) + 1, sizeof(*f->comparisons));
	if (!f || !f->comparisons) {
		free(f);
		return tw_error__set(error, -ENOMEM, "no memory for a filter");
	}
	f->filter = filter;
	f->streams = streams;
	f->user = tw_streams__add_user(streams, &(struct tw_stream_user){ .leaves = let_go, .ctx = f });
	f->allowed = TW_CAPTURE_FILTER_WORK_FREE;
	*ret = f;
	return 0;
}

static bool matches(const struct tw_bound *bound, const struct tw_stream *stream, uint16_t cpu,
		    const struct tw_event_view *view)
{
	struct tw_filter_event event = tw_filter_event__of_view(view, cpu);

	event.time = tw_identity__ns(&stream->identity, view->time);
	if (bound->needs_comm && !view->pid) {
		event.comm = "<idle>";
		event.comm_len = 6;
	} else if (bound->needs_comm) {
		event.comm = tw_stream__task(stream, view->pid, view->time, &event.comm_len);
	}
	if (bound->needs_host && stream->identity.host_len) {
		event.host = (const char *)stream->identity.host_bytes;
		event.host_len = stream->identity.host_len;
	}
	return tw_bound__matches(bound, &event);
}

bool tw_capture_filter__wants(struct tw_capture_filter *f, struct tw_stream *stream, const struct tw_frame_info *frame,
			      const struct tw_event_view *event)
{
	struct tw_stream_schema *schema = tw_stream__schema(stream, frame->schema_id);
	const struct bound_filter *b = bound_for(f, schema, frame->flags & TW_FLAG_BODY_BE, event->id);
	const uint64_t given_up = tw_filter__given_up();
	bool wanted;
	int certain;

	f->allowed += TW_CAPTURE_FILTER_WORK_EVENT;
	if (!b || !b->bound) {
		f->stats.undecided++;
		return true;
	}
	certain = tw_bound__is_certain(b->bound, event->id);
	wanted = certain < 0 ? matches(b->bound, stream, frame->cpu, event) : certain;
	f->stats.given_up += tw_filter__given_up() != given_up;
	if (wanted)
		return true;
	f->stats.rejected++;
	f->stats.unknown += !schema || !tw_stream_schema__event(schema, event->id);
	return false;
}

void tw_capture_filter__stats(const struct tw_capture_filter *f, struct tw_capture_filter_stats *ret)
{
	*ret = f->stats;
}

void tw_capture_filter__undecided_predicates(struct tw_capture_filter *f, struct tw_undecided_predicates *ret)
{
	for (struct tw_stream *stream = tw_streams__first(f->streams); stream; stream = stream->next)
		bind_rest(f, stream);
	ret->n = 0;
	for (unsigned int i = 0; i < tw_filter__predicates(f->filter); i++) {
		const struct comparison *comparison = &f->comparisons[i];

		if (!comparison->has_meaning && *comparison->why.text && ret->n++ < TW_UNDECIDED_PREDICATES_MAX)
			ret->text[ret->n - 1] = comparison->why;
	}
}
