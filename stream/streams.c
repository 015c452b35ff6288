/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/streams.h"

#include <errno.h>

#include "stream/streams_impl.h"

struct tw_streams *tw_streams__new(const struct tw_streams_options *options)
{
	static const struct tw_streams_options reader = { .silence = TW_STREAMS_SILENT_FRAMES,
							  .keeps = true,
							  .wants = TW_STREAM_WANTS_FORMATS };
	const struct tw_parts_limits limits = { .bytes = TW_STREAM_PARTS_BYTES, .count = TW_STREAM_PARTS_MAX };
	const struct tw_alloc *alloc = options ? options->alloc : NULL;
	struct tw_streams *streams = tw_alloc__new(alloc, sizeof(*streams));

	if (!streams)
		return NULL;
	streams->options = options ? *options : reader;
	if (!streams->options.known)
		streams->options.known = TW_STREAMS_MAX;
	if (!streams->options.memory)
		streams->options.memory = TW_STREAMS_MEMORY_MAX;
	if (!streams->options.of_one_source || streams->options.of_one_source > TW_STREAMS_LIVE_MAX)
		streams->options.of_one_source = TW_STREAMS_LIVE_MAX;
	if (!streams->options.silence)
		streams->options.silence = UINT64_MAX;
	streams->by_id.alloc = alloc;
	streams->parts = tw_parts__new(&limits);
	if (!streams->parts) {
		tw_alloc__free(alloc, streams, sizeof(*streams));
		return NULL;
	}
	return streams;
}

static void stream__free(struct tw_stream *stream)
{
	tw_stream__free_schemas(stream);
	tw_hash_table__fini(&stream->symbol_positions);
	tw_stream_counters__fini(&stream->counters);
	tw_tasks__fini(&stream->tasks);
	tw_symbols__free(stream->symbols);
	tw_strings__free(stream->strings);
	tw_alloc__free(stream->table->options.alloc, stream, sizeof(*stream));
}

void tw_streams__free(struct tw_streams *streams)
{
	struct tw_stream *stream;
	const struct tw_alloc *alloc;

	if (!streams)
		return;
	alloc = streams->options.alloc;
	while ((stream = streams->first)) {
		streams->first = stream->next;
		stream__free(stream);
	}
	tw_hash_table__fini(&streams->by_id);
	tw_parts__free(streams->parts);
	tw_alloc__free(alloc, streams->expanded, TW_SCHEMA_RAW_MAX);
	tw_alloc__free(alloc, streams->group, TW_SCHEMA_GROUP_MAX);
	tw_alloc__free(alloc, streams, sizeof(*streams));
}

unsigned int tw_streams__add_user(struct tw_streams *streams, const struct tw_stream_user *user)
{
	unsigned int number = 0;

	while (streams->has_user[number])
		number++;
	streams->users[number] = *user;
	streams->has_user[number] = true;
	return number;
}

void tw_streams__remove_user(struct tw_streams *streams, unsigned int number)
{
	for (struct tw_stream *stream = streams->first; stream; stream = stream->next)
		stream->user[number] = NULL;
	streams->users[number] = (struct tw_stream_user){ .ctx = NULL };
	streams->has_user[number] = false;
}

size_t tw_streams__room(const struct tw_streams *streams)
{
	return streams->options.memory - streams->stats.memory;
}

bool tw_streams__take(struct tw_streams *streams, size_t bytes)
{
	if (bytes > tw_streams__room(streams))
		return false;
	streams->stats.memory += bytes;
	return true;
}

bool tw_stream__take(struct tw_stream *stream, size_t bytes)
{
	if (!tw_streams__take(stream->table, bytes))
		return false;
	stream->memory += bytes;
	return true;
}

uint64_t tw_streams__refused(const struct tw_streams *streams)
{
	return streams->stats.refused_texts + streams->stats.refused_names;
}

static void keep_first(struct tw_error *first, const struct tw_error *why)
{
	if (!*first->text)
		*first = *why;
}

void tw_streams__refuse(struct tw_streams *streams, uint64_t *count, const struct tw_error *why)
{
	(*count)++;
	keep_first(&streams->stats.first, why);
	if (count == &streams->stats.refused_texts)
		keep_first(&streams->stats.text, why);
}

static void append(struct tw_streams *streams, struct tw_stream *stream)
{
	stream->before = streams->last;
	if (stream->before)
		stream->before->next = stream;
	else
		streams->first = stream;
	streams->last = stream;
	streams->n_known++;
}

/* Return: the new stream; NULL beyond the limits or if out of memory */
static struct tw_stream *add(struct tw_streams *streams, uint64_t id)
{
	const struct tw_alloc *alloc = streams->options.alloc;
	struct tw_stream *stream;

	if (streams->n_known == streams->options.known || sizeof(*stream) > tw_streams__room(streams))
		return NULL;
	stream = tw_alloc__new(alloc, sizeof(*stream));
	if (!stream || tw_hash_table__set_pointer(&streams->by_id, id, stream)) {
		tw_alloc__free(alloc, stream, sizeof(*stream));
		return NULL;
	}
	stream->id = id;
	stream->table = streams;
	stream->number = streams->appeared++;
	tw_tasks__init(&stream->tasks, streams->options.history, alloc);
	stream->symbol_positions =
		(struct tw_hash_table){ .alloc = alloc, .key_size = sizeof(uint64_t), .value_size = sizeof(uint32_t) };
	stream->schemas_by_id.alloc = stream->counters.alloc = alloc;
	tw_stream__take(stream, sizeof(*stream));
	append(streams, stream);
	return stream;
}

struct tw_stream *tw_streams__find(struct tw_streams *streams, uint64_t id)
{
	struct tw_stream *latest = streams->latest;

	return latest && latest->id == id ? latest : tw_hash_table__pointer(&streams->by_id, id);
}

struct tw_stream *tw_streams__get(struct tw_streams *streams, uint64_t id)
{
	struct tw_stream *stream = tw_streams__find(streams, id);
	struct tw_error why;

	if (!stream)
		stream = add(streams, id);
	streams->latest = stream;
	if (!stream) {
		tw_error__set(
			&why, -E2BIG,
			"some streams are not kept: there is no memory, or a limit is reached (%u streams, %zu MiB for all metadata)",
			streams->options.known, streams->options.memory >> 20);
		tw_streams__refuse(streams, &streams->stats.refused_streams, &why);
	}
	return stream;
}

/* Let a live stream leave, if a new live stream needs its place. Return: 0; -ENOSPC or -EDQUOT if no stream may leave; a user's -errno */
static int make_room(struct tw_streams *streams, const struct tw_standing *newcomer)
{
	const struct tw_places places = { .n = TW_STREAMS_LIVE_MAX,
					  .of_one_source = streams->options.of_one_source,
					  .silence = streams->options.silence };
	struct tw_standing there[TW_STREAMS_LIVE_MAX];
	size_t goes;
	int err;

	if (streams->n_live < places.n && places.of_one_source == TW_STREAMS_LIVE_MAX)
		return 0;
	for (size_t i = 0; i < streams->n_live; i++)
		there[i] = streams->live[i]->standing;
	err = tw_standing__choose(there, streams->n_live, &places, newcomer, &goes);
	if (err)
		return err;
	return goes == TW_STANDING_NOBODY ? 0 : tw_streams__retire(streams->live[goes]);
}

int tw_streams__admit(struct tw_streams *streams, uint64_t id, const struct tw_standing *newcomer,
		      struct tw_stream **ret)
{
	struct tw_stream *stream = tw_streams__find(streams, id);
	int err;

	if (!stream || !stream->is_live) {
		err = make_room(streams, newcomer);
		if (err)
			return err;
		stream = stream ? stream : add(streams, id);
		if (!stream)
			return streams->n_known == streams->options.known ? -ENOSPC : -ENOMEM;
		stream->is_live = true;
		stream->standing = *newcomer;
		stream->numbers = (struct tw_number_row){ .channel = 0 };
		streams->live[streams->n_live++] = stream;
	}
	*ret = streams->latest = stream;
	return 0;
}

int tw_streams__live(struct tw_streams *streams, uint64_t id, uint64_t now, struct tw_stream **ret)
{
	const int err = tw_streams__admit(streams, id, &(struct tw_standing){ .heard = now }, ret);

	return err == -EDQUOT ? -ENOSPC : err; /* all streams without a known address count as one address */
}

void tw_streams__hear(struct tw_stream *stream, const struct tw_frame_info *frame, uint64_t now)
{
	struct tw_standing *standing = &stream->standing;

	standing->heard = now;
	if (standing->proof == TW_PROOF_NONE && tw_number_row__see(&stream->numbers, frame))
		standing->proof = TW_PROOF_NUMBERS;
}

static void forget(struct tw_streams *streams, struct tw_stream *stream)
{
	tw_hash_table__remove_u64(&streams->by_id, stream->id);
	if (stream->before)
		stream->before->next = stream->next;
	else
		streams->first = stream->next;
	if (stream->next)
		stream->next->before = stream->before;
	else
		streams->last = stream->before;
	streams->n_known--;
	tw_stream__changed(stream, stream->memory, 0);
	stream__free(stream);
}

int tw_streams__retire(struct tw_stream *stream)
{
	struct tw_streams *streams = stream->table;
	size_t i = 0;
	int err = 0;

	while (streams->live[i] != stream)
		i++;
	streams->live[i] = streams->live[--streams->n_live];
	stream->is_live = false;
	streams->latest = NULL;
	for (unsigned int n = 0; n < TW_STREAM_USERS_MAX; n++) {
		const struct tw_stream_user *user = &streams->users[n];
		int left;

		if (!user->leaves)
			continue;
		left = user->leaves(user->ctx, stream);
		err = err ? err : left;
		stream->user[n] = NULL;
	}
	if (!streams->options.keeps)
		forget(streams, stream);
	return err;
}

void tw_streams__set_position(struct tw_streams *streams, uint32_t position)
{
	streams->position = position;
}

struct tw_stream *tw_streams__first(const struct tw_streams *streams)
{
	return streams->first;
}

uint32_t tw_streams__count(const struct tw_streams *streams)
{
	return streams->n_known;
}

size_t tw_streams__n_live(const struct tw_streams *streams)
{
	return streams->n_live;
}

struct tw_stream *tw_streams__at_live(const struct tw_streams *streams, size_t i)
{
	return streams->live[i];
}

void tw_streams__stats(const struct tw_streams *streams, struct tw_streams_stats *ret)
{
	*ret = streams->stats;
}
