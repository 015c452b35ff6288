/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/schema_text.h"

#define CHANNELS 2048

/* State of a channel while reading. */
struct channel {
	uint64_t next, time, watermark;
};

/* The frame being read. */
struct place {
	struct receiver *r;
	struct channel *channels;
	struct tw_frame_info info;
	size_t frame;
	uint64_t seq;      /* of the next event */
	bool ended;        /* by this frame */
	size_t n_channels; /* channels from this number on have no watermark */
	uint64_t released; /* lowest watermark of all channels */
};

/* Appends a zeroed element to a list, whose size is doubled when it is full. */
static void *add(void *list, size_t *n, size_t size)
{
	void **at = list;
	uint8_t *item;

	if (!(*n & (*n - 1))) {
		*at = reallocarray(*at, *n ? *n * 2 : 1, size);
		if (!*at)
			abort();
	}
	item = (uint8_t *)*at + (*n)++ * size;
	memset(item, 0, size);
	return item;
}

static void take_event(struct place *p, const struct tw_tlv_view *tlv)
{
	struct receiver *r = p->r;
	struct channel *ch = &p->channels[p->info.channel];
	struct tw_event_view view;
	struct got_event *ev;

	if (!tw_event__parse(tlv, p->info.base_time, &view)) {
		r->malformed++;
		return;
	}
	ev = add(&r->events, &r->n_events, sizeof(*ev));
	*ev = (struct got_event){
		.time = view.time,
		.seq = p->seq++,
		.schema_id = p->info.schema_id,
		.record = view.record,
		.pid = view.pid,
		.len = view.len,
		.id = view.id,
		.channel = p->info.channel,
		.frame = p->frame,
	};
	r->unordered += ev->time < ch->time;
	r->newest = ev->time > r->newest ? ev->time : r->newest;
	ch->time = ev->time;
	if (ev->time >= ch->watermark)
		return;
	if (p->info.flags & TW_FLAG_LATE)
		r->flagged++;
	else
		r->overtaken++;
}

static void take_lost(struct place *p, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view view;
	struct got_lost *lost;

	if (!tw_lost__parse(tlv, p->info.base_time, &view)) {
		p->r->malformed++;
		return;
	}
	lost = add(&p->r->lost, &p->r->n_lost, sizeof(*lost));
	*lost = (struct got_lost){ view.count, p->info.channel, view.where, view.unknown, p->frame };
}

static void note_release(struct place *p)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < p->n_channels; i++) {
		const uint64_t watermark = p->channels[i].watermark;

		lowest = watermark && watermark < lowest ? watermark : lowest;
	}
	p->r->n_releases += lowest > p->released;
	p->released = lowest;
}

static void take_watermark(struct place *p, const struct tw_tlv_view *tlv)
{
	struct tw_watermark_view view;
	uint16_t number;
	uint64_t next;

	if (!tw_watermark__parse(tlv, &view)) {
		p->r->malformed++;
		return;
	}
	p->r->n_watermarks++;
	while (tw_watermark__next(&view.channels, &number, &next)) {
		struct channel *ch = &p->channels[number % CHANNELS];
		const bool here = number == p->info.channel && number != TW_CHANNEL_CONTROL;
		const uint64_t so_far = here ? p->seq : ch->next;

		p->r->revoked += next < so_far;
		if (next > so_far) /* numbers at the end of a silent channel are missing */
			p->r->gaps += next - so_far;
		if (next > ch->next)
			ch->next = next;
		if (view.time > ch->watermark)
			ch->watermark = view.time;
		if (number < CHANNELS && number >= p->n_channels)
			p->n_channels = number + 1u;
	}
	note_release(p);
}

static void take_name(struct place *p, const struct tw_tlv_view *tlv)
{
	struct tw_comm_view view;
	struct got_name *name;

	if (!tw_comm__parse(tlv, &view)) {
		p->r->malformed++;
		return;
	}
	name = add(&p->r->names, &p->r->n_names, sizeof(*name));
	name->time = view.time;
	name->base = p->info.base_time;
	name->pid = view.pid;
	name->tgid = view.tgid;
	name->origin = view.origin;
	name->frame = p->frame;
	memcpy(name->name, view.name, view.len < TW_COMM_MAX ? view.len : TW_COMM_MAX);
}

static void take_text(struct place *p, const struct tw_schema_view *view)
{
	char *raw = malloc(TW_SCHEMA_RAW_MAX);
	struct tw_schema_text text;
	struct got_text *got;

	if (!raw || tw_schema_text__expand(view, raw, TW_SCHEMA_RAW_MAX, &text, NULL)) {
		p->r->malformed++;
		free(raw);
		return;
	}
	got = add(&p->r->texts, &p->r->n_texts, sizeof(*got));
	*got = (struct got_text){
		.schema_id = p->info.schema_id,
		.index = view->index,
		.total = view->total,
		.id = view->event_id,
		.kind = view->kind,
		.system = strdup(text.system),
		.text = strndup(text.text, text.len),
		.frame = p->frame,
	};
	free(raw);
}

static void take_texts(struct place *p, const struct tw_tlv_view *tlv)
{
	char *raw = malloc(TW_SCHEMA_GROUP_MAX);
	struct tw_schema_group group;
	struct tw_schema_view view;

	if (!raw || !tw_schema_tlv__parse(tlv, &view)) {
		p->r->malformed++;
	} else if (view.kind != TW_SCHEMA_GROUP) {
		take_text(p, &view);
	} else if (tw_schema_group__expand(&view, raw, TW_SCHEMA_GROUP_MAX, &group, NULL)) {
		p->r->malformed++;
	} else {
		while (tw_schema_group__next(&group, &view))
			take_text(p, &view);
	}
	free(raw);
}

static void take_symbol(struct place *p, const struct tw_tlv_view *tlv)
{
	struct got_symbol *symbol = add(&p->r->symbols, &p->r->n_symbols, sizeof(*symbol));
	struct tw_symbol_view view;

	if (!tw_symbol__parse(tlv, &view) || !view.len || view.len > TW_SYMBOL_NAME_MAX) {
		p->r->malformed++;
		return;
	}
	*symbol = (struct got_symbol){
		.address = view.address,
		.base = p->info.base_time,
		.size = view.size,
		.frame = p->frame,
	};
	memcpy(symbol->name, view.name, view.len);
}

static void take_clock(struct place *p, const struct tw_tlv_view *tlv)
{
	struct got_clock *clock = add(&p->r->clocks, &p->r->n_clocks, sizeof(*clock));

	clock->frame = p->frame;
	p->r->malformed += !tw_clock__parse(tlv, &clock->view);
}

static void take_stats(struct place *p, const struct tw_tlv_view *tlv)
{
	struct tw_cursor c = { tlv->value, tlv->len };
	struct tw_stat_view stat;

	p->r->n_stats++;
	p->r->hasty += p->info.base_time < p->r->newest;
	while (tw_stats__next(&c, &stat))
		if (stat.stat < sizeof(p->r->stats) / sizeof(p->r->stats[0]))
			p->r->stats[stat.stat] = stat.value;
}

static void take(struct place *p, const struct tw_tlv_view *tlv);

/* Takes a piece. After the last piece, takes the whole record, and keeps its bytes, because its event refers to them. */
static void take_part(struct place *p, const struct tw_tlv_view *tlv)
{
	struct tw_tlv_view whole;
	struct tw_part_view view;
	uint8_t **copy;

	p->r->n_parts++;
	if (!tw_part__parse(tlv, &view)) {
		p->r->malformed++;
		return;
	}
	if (tw_parts__add(p->r->parts, p->info.stream_id, p->info.channel, &view, &whole) != TW_PARTS_WHOLE)
		return;
	copy = add(&p->r->wholes, &p->r->n_wholes, sizeof(*copy));
	*copy = malloc(whole.len);
	if (!*copy)
		abort();
	memcpy(*copy, whole.value, whole.len);
	whole.value = *copy;
	take(p, &whole);
}

static void take(struct place *p, const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_EVENT:
		take_event(p, tlv);
		break;
	case TW_TLV_PART:
		take_part(p, tlv);
		break;
	case TW_TLV_LOST:
		take_lost(p, tlv);
		break;
	case TW_TLV_WATERMARK:
		take_watermark(p, tlv);
		break;
	case TW_TLV_COMM:
		take_name(p, tlv);
		break;
	case TW_TLV_SCHEMA:
		take_texts(p, tlv);
		break;
	case TW_TLV_CLOCK:
		take_clock(p, tlv);
		break;
	case TW_TLV_SYMBOL:
		take_symbol(p, tlv);
		break;
	case TW_TLV_STATS:
		take_stats(p, tlv);
		break;
	case TW_TLV_END:
		p->ended = true;
		break;
	case TW_TLV_HOST:
		p->r->n_hosts++;
		break;
	default:
		p->r->malformed++; /* the producer makes no other ones */
	}
}

/* Checks the numbers in the frame header. */
static void count_numbers(struct place *p)
{
	struct channel *ch = &p->channels[p->info.channel];

	if (p->info.seq < ch->next)
		p->r->renumbered++;
	else
		p->r->gaps += p->info.seq - ch->next;
	if (p->info.source == TW_SOURCE_CONTROL)
		p->r->overtaken += p->info.base_time < ch->watermark;
	ch->next = p->info.seq + p->info.events;
}

static void read_frame(struct place *p, const struct memory_sink_frame *frame, uint64_t *stream)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	struct tw_cursor tlvs;

	if (tw_frame__parse(frame->bytes, frame->len, &p->info, &tlvs) != TW_FRAME_OK || p->info.channel >= CHANNELS) {
		p->r->malformed++;
		return;
	}
	*stream = *stream ? *stream : p->info.stream_id;
	p->r->foreign += *stream != p->info.stream_id;
	p->seq = p->info.seq;
	p->ended = false;
	count_numbers(p);
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status))
		take(p, &tlv);
	p->r->undead += p->r->n_ends && (!p->ended || p->r->stats[TW_STAT_RECORDED] != p->r->recorded_at_end);
	p->r->recorded_at_end = p->r->stats[TW_STAT_RECORDED];
	p->r->n_ends += p->ended;
	p->r->malformed += status != TW_FRAME_OK;
	if (p->info.source != TW_SOURCE_CONTROL)
		p->r->malformed += p->seq != p->info.seq + p->info.events;
}

static int by_pid_and_time(const void *a, const void *b)
{
	const struct got_name *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

void receiver__read(struct receiver *r, const struct memory_sink *memory)
{
	struct place place = { .r = r, .channels = calloc(CHANNELS, sizeof(*place.channels)) };
	uint64_t stream = 0;

	*r = (struct receiver){ .parts = tw_parts__new(&(struct tw_parts_limits){ 16 << 20, 64 }) };
	if (!r->parts || !place.channels)
		abort();
	for (place.frame = 0; place.frame < memory->n; place.frame++)
		read_frame(&place, &memory->frames[place.frame], &stream);
	free(place.channels);
	if (r->n_names)
		qsort(r->names, r->n_names, sizeof(*r->names), by_pid_and_time);
}

uint64_t receiver__lost(const struct receiver *r, uint16_t where)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->n_lost; i++)
		sum += r->lost[i].where == where ? r->lost[i].count : 0;
	return sum;
}

const struct got_name *receiver__name_of(const struct receiver *r, uint32_t pid, uint64_t time)
{
	size_t low = 0, high = r->n_names;

	while (low < high) { /* find the first name with a higher pid or a later time */
		const struct got_name *name = &r->names[(low + high) / 2];

		if (name->pid < pid || (name->pid == pid && name->time <= time))
			low = (low + high) / 2 + 1;
		else
			high = (low + high) / 2;
	}
	while (low-- > 0 && r->names[low].pid == pid)
		if (r->names[low].base <= time)
			return &r->names[low];
	return NULL;
}

uint64_t receiver__unnamed(const struct receiver *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n_events; i++)
		n += !receiver__name_of(r, r->events[i].pid, r->events[i].time);
	return n;
}

void receiver__assert_sound(const struct receiver *r, uint64_t gaps)
{
	assert_int_equal(r->malformed, 0);
	assert_int_equal(r->foreign, 0);
	assert_int_equal(r->gaps, gaps);
	assert_int_equal(r->renumbered, 0);
	assert_int_equal(r->unordered, 0);
	assert_int_equal(r->overtaken, 0);
	assert_int_equal(r->revoked, 0);
	assert_int_equal(r->undead, 0);
}

struct tw_schema *receiver__schema(const struct receiver *r)
{
	struct tw_schema *schema = tw_schema__new();

	assert_non_null(schema);
	tw_schema__set_long_size(schema, sizeof(long));
	for (size_t i = 0; i < r->n_texts; i++)
		if (r->texts[i].kind == TW_SCHEMA_EVENT)
			assert_int_equal(tw_schema__add(schema, r->texts[i].system, r->texts[i].text,
							strlen(r->texts[i].text), NULL, NULL),
					 0);
	return schema;
}

void receiver__fini(struct receiver *r)
{
	for (size_t i = 0; i < r->n_texts; i++) {
		free(r->texts[i].system);
		free(r->texts[i].text);
	}
	for (size_t i = 0; i < r->n_wholes; i++)
		free(r->wholes[i]);
	free(r->wholes);
	free(r->events);
	free(r->lost);
	free(r->names);
	free(r->texts);
	free(r->symbols);
	free(r->clocks);
	tw_parts__free(r->parts);
}
