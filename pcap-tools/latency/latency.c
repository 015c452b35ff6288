/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "filter/arena.h"
#include "filter/evaluate.h"
#include "filter/tree.h"
#include "pairs/binding.h"

/* Flag in tw_stream_event.chosen: the roles of the event type were looked up. */
#define LOOKED_UP 1

/* Limits for event types with roles, and for the memory of their conditions: an event has a type in each schema of each stream. */
#define TYPES_MAX     4096
#define CONDITION_MAX ((size_t)64 << 20)

/* The names of a group; those that the beginning does not have come from the end. */
struct group_key {
	uint64_t names[TW_PAIR_KEYS_MAX];
};

/* A pair while its events are read. */
struct pair {
	struct tw_latency_pair *result;
	struct tw_pairing *pairing;
	struct tw_hash_table groups;                      /* struct group_key -> struct tw_latency_group * */
	struct tw_filter *conditions[TW_PAIR_EVENTS_MAX]; /* of its events; NULL = none */
	bool has_by[TW_PAIR_KEYS_MAX]; /* an event of the pair has the value by which the group is named */
};

/* What the events of one type do to a pair. */
struct role {
	struct pair *pair;
	struct tw_pair_binding binding;
	struct tw_bound *condition; /* NULL = none */
};

/* What the events of one type do, in the order in which it is done. */
struct roles {
	struct roles *next;        /* all roles */
	struct tw_schema *formats; /* a view of the event type's format, for the conditions */
	size_t n;
	struct role roles[];
};

struct latency {
	const struct tw_latency_options *options;
	struct tw_latency_result *result;
	struct tw_event_reader *reader;
	struct pair *pairs; /* as in the options */
	struct roles *roles;
	unsigned int n_types;    /* number of event types with roles */
	size_t memory;           /* of all bound conditions, bytes */
	struct tw_error refusal; /* why an event ends the reading; "" = no memory */
};

/* Binds the condition of a role to the format of its event. */
static int bind_condition(struct latency *l, struct role *role, const struct tw_filter *condition,
			  const struct tw_schema *formats, bool big_endian)
{
	const struct tw_bind_options options = { .schema = formats, .big_endian = big_endian };
	const struct tw_pair *pair = role->pair->result->pair;
	struct tw_error why;
	int err;

	if (!condition)
		return 0;
	err = tw_filter__bind(condition, &options, &role->condition, &why);
	if (!err)
		err = tw_bound__prepare(role->condition, &why);
	if (!err) {
		l->memory += tw_arena__taken(role->condition->arena);
		if (l->memory > CONDITION_MAX)
			err = tw_error__set(&why, -E2BIG, "the capture has too many formats of its event");
	}
	if (err)
		tw_error__set(&l->refusal, err, "%s:%u:%u: the condition of pair %s: %s", pair->source,
			      role->binding.event->line, role->binding.event->condition_column, pair->name, why.text);
	return err;
}

static int bind_role(struct latency *l, struct pair *pair, size_t index, const struct tw_format *format,
		     struct roles *roles, bool big_endian)
{
	const struct tw_latency_pair *result = pair->result;
	struct role *role = &roles->roles[roles->n++];
	int err;

	role->pair = pair;
	err = tw_pair_binding__make(result->pair, &result->pair->events[index], format, result->by, result->n_by,
				    &role->binding, &l->refusal);
	for (size_t i = 0; i < result->n_by; i++)
		pair->has_by[i] |= role->binding.by[i].kind != TW_PAIR_NO_VALUE;
	return err ? err : bind_condition(l, role, pair->conditions[index], roles->formats, big_endian);
}

/* Adds the roles of one kind, of all pairs. */
static int bind_kind(struct latency *l, enum tw_pair_role kind, const struct tw_format *format, struct roles *roles,
		     bool big_endian)
{
	int err = 0;

	for (size_t p = 0; p < l->options->n_pairs && !err; p++) {
		const struct tw_pair *pair = l->pairs[p].result->pair;

		for (size_t i = 0; i < pair->n_events && !err; i++) {
			if (pair->events[i].role == kind && tw_pair_binding__is_of(&pair->events[i], format))
				err = bind_role(l, &l->pairs[p], i, format, roles, big_endian);
		}
	}
	return err;
}

static void free_roles(struct roles *roles)
{
	for (size_t i = 0; i < roles->n; i++)
		tw_bound__free(roles->roles[i].condition);
	tw_schema__free(roles->formats);
	free(roles);
}

/* Number of the events of pairs that are events of this format. */
static size_t count_roles(const struct latency *l, const struct tw_format *format)
{
	size_t n = 0;

	for (size_t p = 0; p < l->options->n_pairs; p++) {
		const struct tw_pair *pair = l->options->pairs[p];

		for (size_t i = 0; i < pair->n_events; i++)
			n += tw_pair_binding__is_of(&pair->events[i], format);
	}
	return n;
}

/* Makes the roles of an event type, at its first event. */
static int make_roles(struct latency *l, struct tw_stream_event *known, bool big_endian)
{
	const size_t n = count_roles(l, known->format);
	struct roles *roles;
	int err;

	known->chosen |= LOOKED_UP;
	if (!n)
		return 0;
	if (l->n_types++ == TYPES_MAX)
		return tw_error__set(&l->refusal, -EINVAL,
				     "the capture has more than %d formats of events of the pairs", TYPES_MAX);
	roles = calloc(1, sizeof(*roles) + n * sizeof(roles->roles[0]));
	if (!roles)
		return -ENOMEM;
	roles->next = l->roles;
	l->roles = roles;
	roles->formats = tw_schema__new_view();
	err = roles->formats ? tw_schema__lend(roles->formats, known->format, NULL) : -ENOMEM;
	for (enum tw_pair_role kind = TW_PAIR_END; kind <= TW_PAIR_BEGIN && !err; kind++)
		err = bind_kind(l, kind, known->format, roles, big_endian);
	known->user = roles;
	return err;
}

/* Adds a group. Return: NULL without memory */
static struct tw_latency_group *add_group(struct pair *pair, const struct group_key *key)
{
	struct tw_latency_pair *result = pair->result;
	struct tw_latency_group *group = calloc(1, sizeof(*group)), **larger;

	larger = group ? reallocarray(result->groups, result->n_groups + 1, sizeof(struct tw_latency_group *)) : NULL;
	if (!larger) {
		free(group);
		return NULL;
	}
	result->groups = larger;
	result->groups[result->n_groups++] = group;
	memcpy(group->names, key, sizeof(group->names));
	tw_histogram__init(&group->histogram, &result->all.scale);
	return group;
}

/* Return: the group of a sample; NULL without memory */
static struct tw_latency_group *find_group(struct pair *pair, const struct group_key *key)
{
	static const struct group_key others = { { TW_PAIR_OTHER, TW_PAIR_OTHER, TW_PAIR_OTHER, TW_PAIR_OTHER } };
	struct tw_latency_group **known = tw_hash_table__find(&pair->groups, key), *group;
	void *value;

	if (!known && pair->groups.n >= TW_LATENCY_GROUPS_MAX) {
		key = &others;
		known = tw_hash_table__find(&pair->groups, key);
	}
	if (known)
		return *known;
	group = add_group(pair, key);
	if (!group || tw_hash_table__put(&pair->groups, key, &value) < 0)
		return NULL; /* the result owns the group */
	*(struct tw_latency_group **)value = group;
	return group;
}

static int add_sample(struct pair *pair, uint64_t ns, const struct group_key *key)
{
	struct tw_latency_group *group;

	tw_histogram__add(&pair->result->all, ns);
	if (!pair->result->n_by)
		return 0;
	group = find_group(pair, key);
	if (!group)
		return -ENOMEM;
	tw_histogram__add(&group->histogram, ns);
	return 0;
}

/* Names that neither the beginning nor the end has get the name "". */
static void complete(struct tw_pair_names *names, size_t n_by, struct group_key *key)
{
	for (size_t i = 0; i < n_by; i++) {
		if (key->names[i] == TW_PAIR_NO_NAME)
			key->names[i] = tw_pair_names__add(names, "", 0);
	}
}

static int end_pair(struct latency *l, const struct role *role, const struct tw_pair_input *input,
		    const struct tw_pairing_key *key, const struct tw_pairing_moment *end)
{
	struct pair *pair = role->pair;
	const size_t n_by = pair->result->n_by;
	struct tw_pairing_moment begin;
	struct group_key of_begin, group = { { 0 } };

	if (!tw_pairing__end(pair->pairing, key, end, &begin, &of_begin))
		return 0;
	if (!tw_pair_binding__group(&role->binding, input, n_by, l->result->names, group.names))
		return -ENOMEM;
	for (size_t i = 0; i < n_by; i++) {
		if (of_begin.names[i] != TW_PAIR_NO_NAME)
			group.names[i] = of_begin.names[i];
	}
	complete(l->result->names, n_by, &group);
	return add_sample(pair, end->time - begin.time, &group);
}

static int begin_pair(struct latency *l, const struct role *role, const struct tw_pair_input *input,
		      const struct tw_pairing_key *key, const struct tw_pairing_moment *begin)
{
	struct group_key group = { { 0 } };

	if (!tw_pair_binding__group(&role->binding, input, role->pair->result->n_by, l->result->names, group.names))
		return -ENOMEM;
	tw_pairing__begin(role->pair->pairing, key, begin, &group);
	return 0;
}

static int play(struct latency *l, const struct role *role, const struct tw_pair_input *input,
		const struct tw_pairing_moment *moment)
{
	struct tw_pairing_key key;

	if (!tw_pair_binding__key(&role->binding, input, l->result->names, &key)) {
		role->pair->result->unreadable++;
		return 0;
	}
	switch (role->binding.event->role) {
	case TW_PAIR_END:
		return end_pair(l, role, input, &key, moment);
	case TW_PAIR_BEGIN:
		return begin_pair(l, role, input, &key, moment);
	case TW_PAIR_CANCEL:
		tw_pairing__cancel(role->pair->pairing, &key);
		break;
	}
	return 0;
}

/* Whether the event matches the condition of a role. */
static bool applies(const struct role *role, const struct tw_read_event *read, const struct tw_pair_input *input)
{
	const uint64_t given_up = tw_filter__given_up();
	const struct tw_identity *id = &read->stream->identity;
	struct tw_filter_event event;
	bool matches;

	if (!role->condition)
		return true;
	event = tw_filter_event__of_view(&read->view, read->frame->cpu);
	event.time = tw_identity__ns(id, read->view.time);
	event.comm = input->comm;
	event.comm_len = input->comm_len;
	if (id->host_len) {
		event.host = (const char *)id->host_bytes;
		event.host_len = id->host_len;
	}
	matches = tw_bound__matches(role->condition, &event);
	role->pair->result->unclear += tw_filter__given_up() != given_up;
	return matches;
}

static void put_comm(const struct tw_read_event *event, struct tw_pair_input *input)
{
	if (event->view.pid) {
		input->comm = tw_stream__task(event->stream, event->view.pid, event->view.time, &input->comm_len);
	} else {
		input->comm = "<idle>";
		input->comm_len = strlen(input->comm);
	}
}

static int take_event(void *ctx, const struct tw_read_event *event)
{
	struct latency *l = ctx;
	struct tw_stream_event *known = event->known;
	const struct roles *roles;
	struct tw_pairing_moment moment;
	struct tw_pair_input input;
	int err = known && !(known->chosen & LOOKED_UP) ? make_roles(l, known, event->record.big_endian) : 0;

	l->result->unknown += !known;
	roles = known ? known->user : NULL;
	if (err || !roles)
		return err;
	if (tw_identity__counts(&event->stream->identity))
		return tw_error__set(&l->refusal, -EINVAL,
				     "the trace clock '%s' counts events: the capture has no times",
				     event->stream->identity.clock);
	moment = (struct tw_pairing_moment){
		.time = tw_identity__ns(&event->stream->identity, event->view.time),
		.losses = event->losses,
	};
	input = (struct tw_pair_input){
		.stream = event->stream->id,
		.pid = event->view.pid,
		.cpu = event->frame->cpu,
		.record = &event->record,
		.host = &event->stream->print_host,
	};
	put_comm(event, &input);
	input.print = tw_stream__print(event->stream, known);
	for (size_t i = 0; i < roles->n && !err; i++) {
		if (applies(&roles->roles[i], event, &input))
			err = play(l, &roles->roles[i], &input, &moment);
	}
	return err;
}

static const struct tw_event_reader_ops ops = { .event = take_event };

/* Parses the conditions of a pair. */
static int parse_conditions(struct pair *pair, struct tw_error *error)
{
	const struct tw_pair *definition = pair->result->pair;
	struct tw_error why;

	for (size_t i = 0; i < definition->n_events; i++) {
		const struct tw_pair_event *event = &definition->events[i];
		int err;

		if (!event->condition)
			continue;
		err = tw_filter__parse(event->condition, &pair->conditions[i], &why);
		if (err)
			return tw_error__set(error, err, "%s:%u:%u: the condition of pair %s: %s", definition->source,
					     event->line, event->condition_column, definition->name, why.text);
	}
	return 0;
}

static struct tw_histogram_scale scale_of(const struct tw_latency_options *options, const struct tw_pair *pair)
{
	static const uint64_t units[] = { [TW_PAIR_NS] = 1, [TW_PAIR_US] = 1000, [TW_PAIR_MS] = 1000000 };

	return (struct tw_histogram_scale){ .unit = units[pair->unit], .linear = options->linear };
}

static int make_pair(struct latency *l, size_t i, struct tw_error *error)
{
	const struct tw_latency_options *options = l->options;
	const struct tw_pair *definition = options->pairs[i];
	struct tw_latency_pair *result = &l->result->pairs[i];
	const struct tw_histogram_scale scale = scale_of(options, definition);
	struct pair *pair = &l->pairs[i];

	pair->result = result;
	pair->groups.key_size = sizeof(struct group_key);
	pair->groups.value_size = sizeof(struct tw_latency_group *);
	result->pair = definition;
	result->by = options->n_by ? options->by : definition->by;
	result->n_by = options->n_by ? options->n_by : definition->n_by;
	tw_histogram__init(&result->all, &scale);
	pair->pairing = tw_pairing__new(definition->events[0].n_keys, sizeof(struct group_key), definition->keeps_first,
					options->memory / options->n_pairs);
	if (!pair->pairing)
		return tw_error__set(error, -ENOMEM, "no memory for pair %s", definition->name);
	return parse_conditions(pair, error);
}

static int make_pairs(struct latency *l, struct tw_error *error)
{
	const size_t n = l->options->n_pairs;
	int err = 0;

	l->pairs = calloc(n, sizeof(*l->pairs));
	l->result->pairs = calloc(n, sizeof(*l->result->pairs));
	l->result->names = tw_pair_names__new();
	if (!l->pairs || !l->result->pairs || !l->result->names)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", n);
	l->result->n_pairs = n;
	for (size_t i = 0; i < n && !err; i++)
		err = make_pair(l, i, error);
	return err;
}

/* Finds the events of a pair that have no format in the capture. */
static void find_missing(struct pair *pair, const struct tw_schema *formats)
{
	const struct tw_pair *definition = pair->result->pair;

	for (size_t f = 0; f < tw_schema__count(formats); f++) {
		for (size_t i = 0; i < definition->n_events; i++) {
			if (tw_pair_binding__is_of(&definition->events[i], tw_schema__at(formats, f)))
				pair->result->is_missing[i] = false;
		}
	}
}

static int find_all_missing(struct latency *l)
{
	const struct tw_stream *s = tw_streams__first(tw_event_reader__streams(l->reader));

	for (size_t i = 0; i < l->options->n_pairs; i++)
		memset(l->result->pairs[i].is_missing, true, sizeof(l->result->pairs[i].is_missing));
	for (; s; s = s->next) {
		for (const struct tw_stream_schema *schema = s->schemas; schema; schema = schema->next) {
			struct tw_schema *formats = tw_stream_schema__formats(schema);

			if (!formats)
				return -ENOMEM;
			for (size_t i = 0; i < l->options->n_pairs; i++)
				find_missing(&l->pairs[i], formats);
			tw_schema__free(formats);
		}
	}
	return 0;
}

/* Whether the capture has a format of an event of this role. @ret: an event without one, if not */
static bool has_role(const struct tw_latency_pair *pair, enum tw_pair_role role, const struct tw_pair_event **ret)
{
	for (size_t i = 0; i < pair->pair->n_events; i++) {
		if (pair->pair->events[i].role != role)
			continue;
		if (!pair->is_missing[i])
			return true;
		*ret = &pair->pair->events[i];
	}
	return false;
}

static int check_by(const struct pair *pair, struct tw_error *error)
{
	const struct tw_latency_pair *result = pair->result;

	for (size_t i = 0; i < result->n_by; i++) {
		if (!pair->has_by[i] && result->stats.begun)
			return tw_error__set(error, -EINVAL,
					     "no event of pair %s has the field '%s', by which it is divided",
					     result->pair->name, result->by[i]);
	}
	return 0;
}

/* Refuses a capture without events that begin, or that end a pair, and names of groups that no event has. */
static int check_pairs(struct latency *l, const char *name, struct tw_error *error)
{
	static const enum tw_pair_role needed[] = { TW_PAIR_BEGIN, TW_PAIR_END };
	const struct tw_pair_event *missing = NULL;
	int err = 0;

	if (find_all_missing(l))
		return tw_error__set(error, -ENOMEM, "no memory to look for the events of %s", name);
	for (size_t i = 0; i < l->options->n_pairs && !err; i++) {
		for (size_t role = 0; role < sizeof(needed) / sizeof(needed[0]); role++) {
			if (!has_role(&l->result->pairs[i], needed[role], &missing))
				return tw_error__set(error, -EINVAL,
						     "%s has no event %s%s%s, which pair %s needs: record it with the "
						     "option --event",
						     name, missing->system ? missing->system : "",
						     missing->system ? ":" : "", missing->event,
						     l->options->pairs[i]->name);
		}
		tw_pairing__stats(l->pairs[i].pairing, &l->result->pairs[i].stats);
		err = check_by(&l->pairs[i], error);
	}
	return err;
}

static int by_sum(const void *left, const void *right)
{
	const struct tw_histogram *a = &(*(struct tw_latency_group *const *)left)->histogram,
				  *b = &(*(struct tw_latency_group *const *)right)->histogram;

	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	return a->n > b->n ? -1 : a->n < b->n;
}

static void finish_pair(struct pair *pair)
{
	struct tw_latency_pair *result = pair->result;

	if (pair->pairing)
		tw_pairing__stats(pair->pairing, &result->stats);
	if (result->n_groups)
		qsort(result->groups, result->n_groups, sizeof(result->groups[0]), by_sum);
	for (size_t i = 0; i < TW_PAIR_EVENTS_MAX; i++)
		tw_filter__free(pair->conditions[i]);
	tw_hash_table__fini(&pair->groups);
	tw_pairing__free(pair->pairing);
}

static void finish(struct latency *l)
{
	for (size_t i = 0; l->pairs && i < l->result->n_pairs; i++) {
		if (l->pairs[i].result)
			finish_pair(&l->pairs[i]);
	}
	while (l->roles) {
		struct roles *roles = l->roles;

		l->roles = roles->next;
		free_roles(roles);
	}
	tw_event_reader__finish(l->reader);
	tw_event_reader__free(l->reader);
	free(l->pairs);
}

static int measure(struct latency *l, const char *name, struct tw_error *error)
{
	int err, more;

	more = tw_event_reader__run(l->reader, &err, error);
	if (*l->refusal.text)
		return tw_error__set(error, err == -ENOMEM ? err : -EINVAL, "%s", l->refusal.text);
	if (err)
		return tw_error__set(error, err, "no memory to measure %s", name);
	if (more)
		return more;
	err = tw_event_reader__check(l->reader, error);
	return err ? err : check_pairs(l, name, error);
}

int tw_latency__run(int in, const char *name, const struct tw_latency_options *options, struct tw_latency_result *ret,
		    struct tw_error *error)
{
	struct latency l = { .options = options, .result = ret };
	int err;

	*ret = (struct tw_latency_result){ .n_pairs = 0 };
	err = tw_event_reader__new(in, name, &ops, &l, &ret->read, &l.reader, error);
	if (err)
		return err;
	err = make_pairs(&l, error);
	if (!err)
		err = measure(&l, name, error);
	finish(&l);
	return err;
}

void tw_latency__fini(struct tw_latency_result *result)
{
	for (size_t i = 0; i < result->n_pairs; i++) {
		for (size_t group = 0; group < result->pairs[i].n_groups; group++)
			free(result->pairs[i].groups[group]);
		free(result->pairs[i].groups);
	}
	free(result->pairs);
	tw_pair_names__free(result->names);
	*result = (struct tw_latency_result){ .n_pairs = 0 };
}
