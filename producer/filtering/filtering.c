/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/filtering.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "filter/capability.h"
#include "filter/evaluate.h"
#include "filter/tracefs.h"
#include "producer/sockets/conditions.h"

/*
 * The parts of an event's filter for the three stages. A part is TRUE if the stage has nothing to evaluate. An event passes if all three
 * parts are true.
 */
struct filter_stages {
	const struct tw_node *kernel, *producer, *later;
};

/* The state of one pass over all events. The pass decides which part of the filter each stage evaluates. */
struct filter_pass {
	struct tw_filtering *filtering;
	const struct tw_instance *instance; /* the instance whose filter files are written */
	struct tw_bound *bound; /* the filter; its trees are reduced to the parts for the readers; NULL = no filter */
	bool first;             /* no event is enabled yet, so the filter files are empty */
	bool later;             /* predicates that the producer cannot decide go to the receiver; false = error */
	bool readers;           /* the readers have to evaluate a part */
	size_t able;            /* number of events that can match */
	struct tw_filter_places places;
	struct tw_error *error;
};

static const struct tw_node all = { .kind = TW_NODE_TRUE }, none = { .kind = TW_NODE_FALSE };

/* Splits an event's tree into the parts for the stages. If @with_kernel is false, the kernel's part is TRUE. Return: 0 or -ENOMEM */
static int split(const struct tw_node *root, bool with_kernel, struct tw_arena *arena, struct filter_stages *ret)
{
	struct filter_stages stages = { .kernel = &all };
	const struct tw_node *rest = root;

	if (with_kernel) {
		stages.kernel = tw_node__weaken(root, TW_BACK_END_TRACEFS, arena, NULL);
		rest = tw_node__rest(root, TW_BACK_END_TRACEFS, arena);
	}
	if (!stages.kernel || !rest)
		return -ENOMEM;
	stages.producer = tw_node__weaken(rest, TW_BACK_END_PRODUCER, arena, NULL);
	stages.later = tw_node__rest(rest, TW_BACK_END_PRODUCER, arena);
	if (!stages.producer || !stages.later)
		return -ENOMEM;
	*ret = stages;
	return 0;
}

static int no_memory(struct tw_error *error)
{
	return tw_error__set(error, -ENOMEM, "no memory for the filter of these events");
}

/*
 * Whether the kernel refused a filter text. If parentheses or quotes do not match, the kernel returns -1, -2 or -3, which are not meant as
 * errnos.
 */
static bool is_refusal(int err)
{
	return err == -EINVAL || err == -EPERM || err == -ENOENT || err == -ESRCH;
}

/*
 * Fills @error from the kernel's message in the filter file. A caret in the message shows the column of the mistake. Return: -EINVAL or
 * @err
 */
static int explain_refusal(const struct tw_instance *instance, const char *file, const char *filter, int err,
			   struct tw_error *error)
{
	char *text = NULL, *complaint;

	if (tw_instance__read(instance, file, &text, NULL) || !(complaint = strstr(text, "parse_error: "))) {
		free(text);
		if (err != -EINVAL)
			return err;
		return tw_error__set(
			error, -EINVAL,
			"the kernel refuses the filter '%s' for %s: `tracewire list -v` shows the event's fields",
			filter, file);
	}
	complaint += strlen("parse_error: ");
	tw_error__set(error, -EINVAL, "the kernel refuses the filter '%s' at column %d (%s): %.*s", filter,
		      (int)strspn(strchr(text, '\n') ? strchr(text, '\n') + 1 : text, " ") + 1, file,
		      (int)strcspn(complaint, "\n"), complaint);
	free(text);
	return -EINVAL;
}

/* Whether the kernel records the event in a trace ring, and has files for it; a BPF program makes the other events */
static bool is_traced(const struct tw_event_name *event)
{
	return tw_event_name__socket_event(event) == TW_SOCKTS_EVENTS;
}

/* Writes an event's filter file; NULL @filter = no filter. Return: 0; -EINVAL if the kernel refuses the text; another -errno */
static int write_filter(const struct tw_instance *instance, const struct tw_event_name *event, const char *filter,
			struct tw_error *error)
{
	char file[512];
	int err;

	snprintf(file, sizeof(file), "events/%s/%s/filter", event->system, event->name);
	err = tw_instance__write(instance, file, filter ? filter : "0", error);
	return is_refusal(err) ? explain_refusal(instance, file, filter ? filter : "0", err, error) : err;
}

/* Whether the content of the event's filter file is @filter; NULL = no filter */
static bool has_filter(const struct tw_instance *instance, const struct tw_event_name *event, const char *filter)
{
	const char *wanted = filter ? filter : "none";
	char file[512], *text;
	bool same;

	snprintf(file, sizeof(file), "events/%s/%s/filter", event->system, event->name);
	if (tw_instance__read(instance, file, &text, NULL))
		return false;
	same = strlen(text) == strlen(wanted) + 1 && !strncmp(text, wanted, strlen(wanted));
	free(text);
	return same;
}

/* Joins two filters by &&; @first may be NULL. Return: NULL if there is no memory */
static char *join_texts(const char *first, const struct tw_line *second)
{
	const int len = (int)tw_line__len(second);
	char *text = NULL;

	if (!first)
		return strndup(second->text, (size_t)len);
	return asprintf(&text, "(%s) && (%.*s)", first, len, second->text) < 0 ? NULL : text;
}

/*
 * Joins an event's filter and the filter that leaves out the run's own events. Return: NULL if the second filter is not needed or too long,
 * or without memory
 */
static char *without_own(const struct tw_filtering *f, const struct tw_event_name *name, const char *text)
{
	char buf[TW_TRACEFS_FILTER_MAX];
	struct tw_line line = tw_line__on(buf, sizeof(buf));

	tw_own_events__filter(&f->own, name->system, name->name, &line);
	return tw_line__len(&line) && !line.cut ? join_texts(text, &line) : NULL;
}

static int write_if_needed(const struct filter_pass *p, const struct tw_event_name *name, const char *text,
			   struct tw_error *error)
{
	if (!is_traced(name) || (p->first ? !text : has_filter(p->instance, name, text)))
		return 0;
	return write_filter(p->instance, name, text, error);
}

/* Makes @text the filter of the event, takes it over, and writes the filter file. NULL = no filter */
static int set_file(struct filter_pass *p, size_t i, char *text, struct tw_error *error)
{
	const struct tw_event_name *name = &p->filtering->selection->events.names[i];
	struct tw_filtered *event = &p->filtering->events[i];
	char *file = without_own(p->filtering, name, text);
	int err = 0;

	if (file && write_if_needed(p, name, file, NULL)) {
		free(file);
		file = NULL;
	}
	if (!file)
		err = write_if_needed(p, name, text, error);
	if (!file && text && !err)
		file = strdup(text);
	if (err || (text && !file)) {
		free(text);
		return err ? err : no_memory(error);
	}
	free(event->text);
	free(event->file);
	event->text = text;
	event->file = file;
	return 0;
}

/* Sets the filter file to the filter of the event's request. */
static int set_own_filter(struct filter_pass *p, size_t i)
{
	const char *own = tw_selection__filter(p->filtering->selection, i);
	char *copy = own ? strdup(own) : NULL;

	return own && !copy ? no_memory(p->error) : set_file(p, i, copy, p->error);
}

/* Tries to make the kernel evaluate @tree, together with the request's filter. Return: whether the kernel evaluates it */
static bool push_down(struct filter_pass *p, size_t i, const struct tw_node *tree)
{
	struct tw_filtered *event = &p->filtering->events[i];
	char buf[TW_TRACEFS_FILTER_MAX], *text, *copy;
	struct tw_line line = tw_line__on(buf, sizeof(buf));

	if (tw_tracefs__emit(p->bound, tree, &line, NULL))
		return false;
	text = join_texts(tw_selection__filter(p->filtering->selection, i), &line);
	copy = text ? strdup(text) : NULL;
	if (!copy || (event->refused && !strcmp(event->refused, text))) {
		free(text);
		free(copy);
		return false;
	}
	if (!set_file(p, i, copy, NULL)) {
		free(text);
		return true;
	}
	/* the text is not tried again, because a refused write leaves the event without a filter for a moment */
	free(event->refused);
	event->refused = text;
	write_filter(p->instance, &p->filtering->selection->events.names[i], NULL, NULL);
	return false;
}

/*
 * Counts an event if a part of its filter is left to the receiver. If @p->later is not set, such a part is an error, and the message names
 * a predicate in it.
 */
static int check_later(struct filter_pass *p, const struct tw_node *later)
{
	const struct tw_filter *filter = p->filtering->options->filter;
	const char *why = "", *text;
	const struct tw_test *test;
	size_t len;

	if (later->kind == TW_NODE_TRUE)
		return 0;
	p->places.later++;
	if (p->later)
		return 0;
	test = tw_node__refused(later, TW_BACK_END_PRODUCER, &why);
	text = tw_filter__predicate(filter, test->predicate, &len);
	return tw_error__set(
		p->error, -EINVAL,
		"column %zu: '%.*s' cannot be decided before the events are sent, because %s. Compare the task "
		"name with ==, !=, ~ or contains, and do not join this comparison by 'or' with one that the kernel "
		"does not support; or filter in the capture instead",
		(size_t)(text - tw_filter__text(filter)) + 1, (int)len, text, why);
}

/*
 * Makes the conditions of the programs that make a socket event. The readers evaluate the whole filter nevertheless, because a program may
 * know less of an event than its record has.
 */
static int push_to_programs(struct filter_pass *p, enum tw_sockts_event event, const struct tw_node *root)
{
	const struct tw_node *pushed =
		tw_sockts_conditions__make(event, root, p->bound->arena, &p->filtering->conditions[event]);

	if (!pushed)
		return -ENOMEM;
	p->places.kernel += pushed->kind != TW_NODE_TRUE;
	return 0;
}

/* Divides an event's filter among the stages. The tree of the filter is neither TRUE nor FALSE. */
static int divide(struct filter_pass *p, size_t i, struct tw_bound_event *bound)
{
	struct tw_filter_places *places = &p->places;
	const struct tw_event_name *name = &p->filtering->selection->events.names[i];
	struct filter_stages stages;
	bool pushed = false;
	int err = split(bound->root, is_traced(name), p->bound->arena, &stages);

	if (!err && !is_traced(name))
		err = push_to_programs(p, tw_event_name__socket_event(name), bound->root);

	if (!err && stages.kernel->kind != TW_NODE_TRUE && p->first && tw_selection__filter(p->filtering->selection, i))
		/* the request's filter is written alone first: unbalanced parentheses in it could match those of join_texts() */
		err = set_own_filter(p, i);
	if (!err && stages.kernel->kind != TW_NODE_TRUE) {
		pushed = push_down(p, i, stages.kernel);
		places->kernel += pushed;
		places->refused += !pushed;
		if (!pushed)
			err = split(bound->root, false, p->bound->arena, &stages);
	}
	if (err)
		return err == -ENOMEM ? no_memory(p->error) : err;
	err = pushed ? 0 : set_own_filter(p, i);
	if (!err)
		err = check_later(p, stages.later);
	places->producer += stages.producer->kind != TW_NODE_TRUE;
	p->readers |= stages.producer->kind != TW_NODE_TRUE;
	bound->root = stages.producer;
	return err;
}

/*
 * Divides the filter for one event of the selection: sets the event's filter file, and leaves the other parts to the readers and the
 * receiver.
 * Return: 0; -EINVAL if the kernel refuses the request's filter, or if there is a part that no stage can evaluate; -ENOMEM
 */
static int place_event(struct filter_pass *p, size_t i)
{
	const struct tw_event_name *name = &p->filtering->selection->events.names[i];
	const struct tw_format *format = tw_schema__by_name(p->bound->options.schema, name->system, name->name);
	struct tw_bound_event *bound = format ? tw_bound__event(p->bound, format->id) : NULL;
	const struct tw_node *root = bound ? bound->root : p->bound->unknown;

	if (root->kind == TW_NODE_FALSE) {
		p->filtering->events[i].off = true;
		p->places.off++;
		/* the event stays off; the request's filter is set, so that the kernel reports an error in it */
		return set_own_filter(p, i);
	}
	p->able++;
	if (bound && root->kind != TW_NODE_TRUE)
		return divide(p, i, bound);
	/* the filter is TRUE, or the event's format cannot be read and only the common fields are compared */
	p->readers |= root->kind != TW_NODE_TRUE;
	return set_own_filter(p, i);
}

/* Whether records of this format are stack traces, which the kernel records after events */
static bool is_stack(const struct tw_format *format)
{
	return !strcmp(format->system, "ftrace") &&
	       (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack"));
}

/*
 * Leaves the whole filter for marks (ftrace:print) to the readers, because the kernel cannot filter marks. If a part would have to be left
 * to the receiver, no mark passes. If no mark can pass, makes the kernel not record marks, unless the run uses the top level.
 */
static void place_marks(struct filter_pass *p, struct tw_bound_event *bound, const struct filter_stages *stages)
{
	bound->root = stages->later->kind == TW_NODE_TRUE ? stages->producer : &none;
	if (bound->root->kind == TW_NODE_TRUE)
		return;
	if (bound->root->kind == TW_NODE_FALSE && !tw_instance__is_top_level(p->filtering->instance) &&
	    !tw_instance__write(p->instance, "options/markers", "0", NULL))
		return;
	p->readers = true;
}

static int place_tracer_record(struct filter_pass *p, struct tw_bound_event *bound, const struct filter_stages *stages)
{
	const bool able = bound->root->kind != TW_NODE_FALSE;
	const int err = check_later(p, stages->later);

	p->able += able;
	p->places.producer += able && stages->producer->kind != TW_NODE_TRUE;
	p->readers |= stages->producer->kind != TW_NODE_TRUE;
	bound->root = stages->producer;
	return err;
}

/* Divides the filter for the records of tracers and trace_marker. Return: as place_event() */
static int place_others(struct filter_pass *p)
{
	int err = 0;

	for (size_t i = 0; i < p->bound->n_events && !err; i++) {
		struct tw_bound_event *bound = &p->bound->events[i];
		struct filter_stages stages;

		if (strcmp(bound->format->system, "ftrace") != 0 || is_stack(bound->format))
			continue;
		if (split(bound->root, false, p->bound->arena, &stages))
			return no_memory(p->error);
		if (!strcmp(bound->format->name, "print"))
			place_marks(p, bound, &stages);
		else if (p->filtering->options->tracing.tracer)
			err = place_tracer_record(p, bound, &stages);
	}
	return err;
}

/* Divides the filter for each event of the selection, and continues if one event fails. Return: 0 or the first failure */
static int place_all(struct filter_pass *p)
{
	struct tw_error *const error = p->error;
	int first = 0;

	p->places = (struct tw_filter_places){ 0 };
	for (size_t i = 0; i < p->filtering->selection->events.n; i++) {
		struct tw_filtered *event = &p->filtering->events[i];
		int err;

		event->off = false;
		err = p->bound ? place_event(p, i) : set_own_filter(p, i);
		event->off |= err != 0;
		p->places.left_out += err != 0;
		first = first ? first : err;
		p->error = first ? NULL : error;
	}
	if (!first && p->bound)
		first = place_others(p);
	p->error = error;
	return first;
}

static void set_verdicts(struct tw_event_filter *filter)
{
	const struct tw_bound *bound = filter->bound;
	uint8_t noted = 0;

	for (size_t i = 0; i < bound->n_events; i++)
		if (is_stack(bound->events[i].format))
			noted = TW_VERDICT_NOTED;
	for (uint32_t id = 0; id < TW_EVENT_FILTER_IDS; id++) {
		const int certain = tw_bound__is_certain(bound, (uint16_t)id);

		filter->verdicts[id] = (certain < 0 ? TW_VERDICT_EVALUATE
					: certain   ? TW_VERDICT_PASS
						    : TW_VERDICT_REJECT) |
				       noted;
	}
	for (size_t i = 0; i < bound->n_events; i++)
		if (is_stack(bound->events[i].format))
			filter->verdicts[bound->events[i].format->id] = TW_VERDICT_STACK;
}

/* Makes the event filter of the readers, or removes it if the readers have nothing to evaluate. Takes over p->bound and @schema. */
static int replace_event_filter(struct filter_pass *p, struct tw_schema *schema)
{
	struct tw_filtering *f = p->filtering;
	struct tw_event_filter *filter = calloc(1, sizeof(*filter));
	int err;

	if (!filter) {
		tw_bound__free(p->bound);
		tw_schema__free(schema);
		return tw_error__set(p->error, -ENOMEM, "no memory for the producer's part of the filter");
	}
	filter->bound = p->bound;
	filter->schema = schema;
	filter->host = f->host;
	filter->host_len = strlen(f->host);
	err = p->readers ? tw_bound__prepare(p->bound, p->error) : 0;
	if (err || !p->readers) {
		tw_event_filter__free(filter);
		filter = NULL;
	}
	if (filter)
		set_verdicts(filter);
	if (!err)
		tw_event_filters__replace(&f->event_filters, filter);
	return err;
}

static int bind(struct filter_pass *p, const struct tw_schema *schema)
{
	const struct tw_bind_options options = {
		.schema = schema,
		.big_endian = TW_HOST_BE,
		.unknown_is_absent = !p->first,
	};
	const struct tw_filter *filter = p->filtering->options->filter;
	const int err = tw_filter__bind(filter, &options, &p->bound, p->error);

	if (p->first)
		tw_filter__ambiguous_key(filter, schema, &p->filtering->note);

	return err == -E2BIG ? -EINVAL : err; /* the user's filter is too large */
}

/* Binds the filter, divides it for all events, sets the filter files and replaces the readers' event filter. Takes @schema over. */
static int place_filter(struct filter_pass *p, struct tw_schema *schema)
{
	struct filter_stages unknown;
	int err = bind(p, schema);

	if (!err) {
		err = place_all(p);
		err = p->first ? err : 0;
	}
	if (!err && p->first && !p->able)
		err = tw_error__set(
			p->error, -EINVAL,
			"none of the selected events can match the filter '%s': they do not have these fields or values",
			tw_filter__text(p->filtering->options->filter));
	/* records with an event id that has no format are not expected; for them, only comparisons that need no format are evaluated */
	if (!err && split(p->bound->unknown, false, p->bound->arena, &unknown))
		err = no_memory(p->error);
	if (!err) {
		p->bound->unknown = unknown.producer;
		return replace_event_filter(p, schema);
	}
	tw_bound__free(p->bound);
	tw_schema__free(schema);
	return err;
}

/*
 * If the run uses the top level, filter texts are first tried in the filter files of the instance, because in those of the top level they
 * would stay after a killed run.
 */
static int place(struct filter_pass *p, struct tw_schema *schema)
{
	p->instance = tw_instance__own_files(p->filtering->instance);
	return p->filtering->options->filter ? place_filter(p, schema) : place_all(p);
}

static int make_room(struct tw_filtering *f, size_t n, struct tw_error *error)
{
	struct tw_filtered *events = n > f->n ? reallocarray(f->events, n, sizeof(*events)) : f->events;

	if (n > f->n && !events)
		return tw_error__set(error, -ENOMEM, "no memory for the filters of the events");
	f->events = events;
	while (f->n < n)
		events[f->n++] = (struct tw_filtered){ .off = true };
	return 0;
}

/* Publishes the numbers of a complete pass. So tw_filtering__places() never returns the numbers of a pass that has not ended. */
static void publish(struct tw_filtering *f, const struct tw_filter_places *places)
{
	pthread_mutex_lock(&f->places_lock);
	f->places = *places;
	pthread_mutex_unlock(&f->places_lock);
}

void tw_filtering__init(struct tw_filtering *f, const struct tw_producer_options *options)
{
	struct utsname uts;

	*f = (struct tw_filtering){ .options = options };
	pthread_mutex_init(&f->places_lock, NULL);
	if (!uname(&uts))
		snprintf(f->host, sizeof(f->host), "%s", uts.nodename);
}

int tw_filtering__begin(struct tw_filtering *f, const struct tw_selection *selection,
			const struct tw_instance *instance, struct tw_schema *schema, struct tw_error *error)
{
	struct filter_pass pass = { .filtering = f, .first = true, .later = f->options->later_stage, .error = error };
	int err;

	f->selection = selection;
	f->instance = instance;
	err = make_room(f, selection->events.n, error);
	if (err) {
		tw_schema__free(schema);
		return err;
	}
	err = place(&pass, schema);
	f->later = pass.places.later;
	publish(f, &pass.places);
	return err;
}

void tw_filtering__leave_out_own(struct tw_filtering *f)
{
	struct filter_pass pass = { .filtering = f, .instance = tw_instance__own_files(f->instance) };

	for (size_t i = 0; i < f->n; i++) {
		const char *text = f->events[i].text;
		char *copy = text ? strdup(text) : NULL;

		if (copy || !text)
			set_file(&pass, i, copy, NULL);
	}
}

void tw_filtering__renew(struct tw_filtering *f, struct tw_schema *schema)
{
	struct filter_pass pass = { .filtering = f, .later = f->later };
	const size_t before = f->n;

	if (make_room(f, f->selection->events.n, NULL)) {
		tw_schema__free(schema);
		return;
	}
	if (place(&pass, schema) && f->options->filter) {
		/* the readers still use the old event filter, which does not know the new events */
		pass.places.left_out = f->n - before;
		for (size_t i = before; i < f->n; i++)
			f->events[i].off = true;
	}
	publish(f, &pass.places);
}

void tw_filtering__places(struct tw_filtering *f, struct tw_filter_places *ret)
{
	pthread_mutex_lock(&f->places_lock);
	*ret = f->places;
	pthread_mutex_unlock(&f->places_lock);
}

static int enable_one(const struct tw_filtering *f, size_t i, struct tw_error *error)
{
	const struct tw_event_name *name = &f->selection->events.names[i];
	const char *filter = f->events[i].file;
	char file[512];
	int err = 0;

	if (!is_traced(name))
		return 0;
	if (tw_instance__is_top_level(f->instance) && filter && !has_filter(f->instance, name, filter))
		err = write_filter(f->instance, name, filter, error);
	if (err)
		return err;
	snprintf(file, sizeof(file), "events/%s/%s/enable", name->system, name->name);
	return tw_instance__write(f->instance, file, "1", error);
}

int tw_filtering__enable(const struct tw_filtering *f, struct tw_error *error)
{
	int first = 0;

	for (size_t i = 0; i < f->selection->events.n && i < f->n; i++) {
		const int err = f->events[i].off ? 0 : enable_one(f, i, first ? NULL : error);

		first = first ? first : err;
	}
	return first;
}

void tw_filtering__fini(struct tw_filtering *f)
{
	tw_event_filters__fini(&f->event_filters);
	for (size_t i = 0; i < f->n; i++) {
		free(f->events[i].text);
		free(f->events[i].file);
		free(f->events[i].refused);
	}
	free(f->events);
	pthread_mutex_destroy(&f->places_lock);
	*f = (struct tw_filtering){ 0 };
}
