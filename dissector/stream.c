/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/stream.h"

#include "dissector/packet-tracewire.h"

#define MAP_BYTES 512 /* of an empty wmem_map, about */

static wmem_map_t *streams;
static struct tw_dissector_stream *last_stream;
uint32_t tw_capture_cache_read, tw_capture_refusals;
static size_t used; /* of TW_CAPTURE_BYTES_MAX */

/* What the schema library allocated. */
struct owned {
	void *what;
	void (*free)(void *what);
};
static GArray *owned;

static void open_capture(void)
{
	streams = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
	owned = g_array_new(FALSE, FALSE, sizeof(struct owned));
	last_stream = NULL;
	used = 0;
	tw_capture_cache_read = 0;
	tw_capture_refusals = 0;
}

static void close_capture(void)
{
	/* Programs before the formats they borrow from. */
	for (guint i = owned->len; i--;)
		g_array_index(owned, struct owned, i).free(g_array_index(owned, struct owned, i).what);
	g_array_free(owned, TRUE);
	owned = NULL;
	streams = NULL;
	last_stream = NULL;
}

void tw_capture__register(void)
{
	register_init_routine(open_capture);
	register_cleanup_routine(close_capture);
}

bool tw_capture__allow(size_t n)
{
	if (n > TW_CAPTURE_BYTES_MAX - used)
		return false;
	used += n;
	return true;
}

void tw_capture__own(void *what, void (*free)(void *what))
{
	const struct owned entry = { what, free };

	g_array_append_val(owned, entry);
}

static struct tw_dissector_stream *new_stream(uint64_t id)
{
	wmem_allocator_t *scope = wmem_file_scope();
	struct tw_dissector_stream *stream;

	if (!tw_capture__allow(sizeof(*stream) + 3 * MAP_BYTES))
		return NULL;
	stream = wmem_new0(scope, struct tw_dissector_stream);
	stream->id = id;
	stream->tasks = wmem_map_new(scope, g_direct_hash, g_direct_equal);
	stream->schemas = wmem_map_new(scope, g_int64_hash, g_int64_equal);
	stream->symbol_frames = wmem_map_new(scope, g_int64_hash, g_int64_equal);
	wmem_map_insert(streams, &stream->id, stream);
	return stream;
}

struct tw_dissector_stream *tw_capture__stream(uint64_t id)
{
	struct tw_dissector_stream *stream;

	if (last_stream && last_stream->id == id)
		return last_stream;
	stream = wmem_map_lookup(streams, &id);
	if (!stream)
		stream = new_stream(id);
	if (stream)
		last_stream = stream;
	return stream;
}

struct tw_schema_id *tw_stream__schema(struct tw_dissector_stream *stream, uint64_t id)
{
	struct tw_schema_id *schema;

	if (stream->last_schema && stream->last_schema->id == id)
		return stream->last_schema;
	if (!id)
		return NULL;
	schema = wmem_map_lookup(stream->schemas, &id);
	if (!schema) {
		if (!tw_capture__allow(sizeof(*schema)))
			return NULL;
		schema = wmem_new0(wmem_file_scope(), struct tw_schema_id);
		schema->id = id;
		schema->stream = stream;
		wmem_map_insert(stream->schemas, &schema->id, schema);
	}
	stream->last_schema = schema;
	return schema;
}

#define GAPS_KEPT 16 /* the last ones of a channel, to tell a late frame from a doubled one */

struct gap {
	uint64_t from, to; /* numbers missing: from, up to but not including to */
};

struct tw_channel {
	uint64_t next;
	struct gap gaps[GAPS_KEPT]; /* a ring */
	uint32_t n_gaps;
};

static struct tw_channel *new_channel(struct tw_dissector_stream *stream, uint16_t number)
{
	struct tw_channel *channel;

	if (!tw_capture__allow(sizeof(*channel) + tw_table16__growth(&stream->channels, number)))
		return NULL;
	channel = wmem_new0(wmem_file_scope(), struct tw_channel);
	tw_table16__put(&stream->channels, number, channel);
	return channel;
}

static const struct tw_sequence_note *note(enum tw_sequence_kind kind, uint64_t missing)
{
	struct tw_sequence_note *made = wmem_new(wmem_file_scope(), struct tw_sequence_note);

	*made = (struct tw_sequence_note){ .kind = (uint8_t)kind, .missing = missing };
	return made;
}

static bool fills_gap(const struct tw_channel *channel, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < GAPS_KEPT && i < channel->n_gaps; i++)
		if (from >= channel->gaps[i].from && to <= channel->gaps[i].to)
			return true;
	return false;
}

const struct tw_sequence_note *tw_stream__check_sequence(struct tw_dissector_stream *stream,
							 const struct tw_frame_info *frame)
{
	struct tw_channel *channel = tw_table16__get(&stream->channels, frame->channel);
	const uint64_t from = frame->seq, to = frame->seq + frame->events;
	uint64_t expected;

	if (!channel) {
		channel = new_channel(stream, frame->channel);
		if (channel)
			channel->next = to;
		return NULL;
	}
	expected = channel->next;
	if (from == expected || !frame->events) {
		channel->next = from == expected ? to : expected;
		return NULL;
	}
	if (from > expected) {
		channel->gaps[channel->n_gaps++ % GAPS_KEPT] = (struct gap){ expected, from };
		channel->next = to;
		return note(TW_SEQUENCE_GAP, from - expected);
	}
	if (to > expected)
		channel->next = to;
	return note(fills_gap(channel, from, to) ? TW_SEQUENCE_REORDERED : TW_SEQUENCE_DUPLICATE, 0);
}

struct tw_task {
	struct tw_task_name *names; /* sorted by time */
	uint32_t n, cap;
};

/* How many names are from @time or before. Most look-ups want the last one. */
static uint32_t names_until(const struct tw_task *task, uint64_t time)
{
	uint32_t low = 0, high = task->n;

	if (high && task->names[high - 1].time <= time)
		return high;
	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (task->names[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

#define MAP_ENTRY_BYTES 112 /* of a wmem_map and of small pieces of memory, the share of the table included, about */

/* NULL when the capture is full. */
static struct tw_task *task_of(struct tw_dissector_stream *stream, uint32_t pid)
{
	struct tw_task *task = wmem_map_lookup(stream->tasks, GUINT_TO_POINTER(pid));

	if (!task && tw_capture__allow(sizeof(*task) + MAP_ENTRY_BYTES)) {
		task = wmem_new0(wmem_file_scope(), struct tw_task);
		wmem_map_insert(stream->tasks, GUINT_TO_POINTER(pid), task);
	}
	return task;
}

static void insert_name(struct tw_task *task, uint32_t at, struct tw_task_name name)
{
	if (task->n == task->cap) {
		task->cap = task->cap ? task->cap * 2 : 1;
		task->names = wmem_realloc(wmem_file_scope(), task->names, task->cap * sizeof(*task->names));
	}
	memmove(&task->names[at + 1], &task->names[at], (task->n - at) * sizeof(*task->names));
	task->names[at] = name;
	task->n++;
}

static bool learn_name(struct tw_task *task, const char *name, uint64_t time, uint32_t frame)
{
	const uint32_t at = names_until(task, time);

	if (at && !strcmp(task->names[at - 1].name, name))
		return true; /* repeated for late joiners */
	/* An array that grows by doubling has up to as much again. */
	if (task->n >= TW_NAMES_PER_TASK_MAX || !tw_capture__allow(2 * sizeof(*task->names) + strlen(name) + 1))
		return false;
	insert_name(task, at, (struct tw_task_name){ time, wmem_strdup(wmem_file_scope(), name), frame });
	return true;
}

bool tw_stream__learn_task(struct tw_dissector_stream *stream, const struct tw_comm_view *comm, uint32_t frame)
{
	struct tw_task *task = task_of(stream, comm->pid);
	char *name;
	bool learnt;

	if (!task)
		return false;
	name = tw_shown__dup(NULL, comm->name, comm->len);
	learnt = learn_name(task, name, comm->time, frame);
	wmem_free(NULL, name);
	return learnt;
}

const struct tw_task_name *tw_stream__task_name(const struct tw_dissector_stream *stream, uint32_t pid, uint64_t time)
{
	const struct tw_task *task = wmem_map_lookup(stream->tasks, GUINT_TO_POINTER(pid));
	const uint32_t n = task ? names_until(task, time) : 0;

	return n ? &task->names[n - 1] : NULL;
}

#define SYMBOL_BYTES 160 /* taken by one, about: in the schema library's table, and in ours of frames */

struct named_in {
	uint64_t address;
	uint32_t frame;
};

/* The strings as they came, to see a repetition for late joiners. */
struct tw_strings_text {
	const char *text;
	size_t len;
	uint32_t frame;
};

static void free_symbols(void *symbols)
{
	tw_symbols__free(symbols);
}

static void free_strings(void *strings)
{
	tw_strings__free(strings);
}

/* The stream's own tables, writable; the print engine only reads them. */
static struct tw_symbols *symbols_of(struct tw_dissector_stream *stream)
{
	if (!stream->symbols && (stream->symbols = tw_symbols__new())) {
		tw_capture__own(stream->symbols, free_symbols);
		stream->known.symbols = stream->symbols;
	}
	return stream->symbols;
}

static struct tw_strings *strings_of(struct tw_dissector_stream *stream)
{
	if (!stream->strings && (stream->strings = tw_strings__new())) {
		tw_capture__own(stream->strings, free_strings);
		stream->known.strings = stream->strings;
	}
	return stream->strings;
}

bool tw_stream__learn_symbol(struct tw_dissector_stream *stream, const struct tw_symbol_view *view, uint32_t frame)
{
	struct tw_symbols *symbols = symbols_of(stream);
	struct named_in *named;

	if (!view->len || wmem_map_lookup(stream->symbol_frames, &view->address))
		return true; /* repeated for late joiners */
	if (!symbols || !tw_capture__allow(SYMBOL_BYTES + view->len) ||
	    tw_symbols__add(symbols, view->address, view->size, (const char *)view->name, view->len, NULL, 0))
		return false;
	named = wmem_new(wmem_file_scope(), struct named_in);
	*named = (struct named_in){ view->address, frame };
	wmem_map_insert(stream->symbol_frames, &named->address, named);
	return true;
}

bool tw_stream__learn_strings(struct tw_dissector_stream *stream, const struct tw_schema_text *text, uint32_t frame)
{
	struct tw_strings_text *last = stream->strings_text;
	struct tw_strings *strings = strings_of(stream);

	if (last && last->len == text->len && !memcmp(last->text, text->text, text->len))
		return true;
	/* Kept as it is, and parsed: the shortest line makes an entry several times its size. */
	if (!strings || !tw_capture__allow(sizeof(*last) + 5 * text->len) ||
	    tw_strings__parse(strings, text->text, text->len))
		return false;
	if (!last)
		last = wmem_new(wmem_file_scope(), struct tw_strings_text);
	*last = (struct tw_strings_text){ wmem_memdup(wmem_file_scope(), text->text, text->len), text->len, frame };
	stream->strings_text = last;
	return true;
}

bool tw_stream__symbol(const struct tw_dissector_stream *stream, uint64_t address, struct tw_symbol *ret,
		       uint32_t *ret_frame)
{
	const struct named_in *named;

	if (!stream || !stream->symbols || !tw_symbols__find(stream->symbols, address, ret))
		return false;
	named = wmem_map_lookup(stream->symbol_frames, &ret->address);
	*ret_frame = named ? named->frame : 0;
	return true;
}

uint32_t tw_stream__strings_frame(const struct tw_dissector_stream *stream)
{
	return stream->strings_text ? stream->strings_text->frame : 0;
}
