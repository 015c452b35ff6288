/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_frames FORMATS_DIR OUT_DIR NAME N [SEED]: writes a capture of N frames, which a test then damages. It has many short streams, each
 * with its own metadata, so that damaged metadata are parsed and not skipped as repetitions. Events have formats of a real kernel and
 * random bodies, except for the locations of dynamic fields. Frames have one event, many events, or PARTs of an event.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "schema/field.h"
#include "tests/dissector/sample.h"
#include "wire/schema_text.h"

#define EVENTS_MAX    4096 /* limit of formats that are read */
#define PICKED        6    /* formats in the schema of a stream */
#define STREAM_FRAMES 60   /* frames with events in a stream */
#define DYNAMIC       16   /* size of each dynamic field, bytes */

static struct text texts[EVENTS_MAX];
static uint32_t n_texts;
static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % n;
}

static int is_event(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.') && strcmp(entry->d_name, "enable") && strcmp(entry->d_name, "filter");
}

static int is_system(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

/* Read the formats of a system, sorted by name, so that a seed gives the same capture in any directory. */
static void read_system(const char *folder, const char *system)
{
	struct dirent **events;
	char path[4096];
	int n;

	snprintf(path, sizeof(path), "%s/%s", folder, system);
	n = scandir(path, &events, is_event, alphasort);
	for (int i = 0; i < n; i++) {
		if (n_texts < EVENTS_MAX)
			text__read(&texts[n_texts++], folder, strdup(system), events[i]->d_name);
		free(events[i]);
	}
	if (n >= 0)
		free(events);
}

static void read_formats(const char *folder)
{
	struct dirent **systems;
	const int n = scandir(folder, &systems, is_system, alphasort);

	for (int i = 0; i < n; i++) {
		read_system(folder, systems[i]->d_name);
		free(systems[i]);
	}
	if (n >= 0)
		free(systems);
}

/* Make a record with a random body; the locations of dynamic fields are set to bytes after the fixed fields. */
static void make_record(struct sample_record *r, const struct tw_format *format)
{
	uint32_t end = 8;

	record__begin(r, format->id, 1 + random_below(40), false);
	for (uint32_t i = 0; i < format->n_fields; i++)
		if (format->fields[i].offset + format->fields[i].size > end)
			end = format->fields[i].offset + format->fields[i].size;
	while (r->len < end + DYNAMIC * format->n_fields && r->len < 2000)
		r->data[r->len++] = random_below(4) ? (uint8_t)('a' + random_below(26)) : (uint8_t)random_below(256);
	for (uint32_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];
		const uint32_t base = field->place == TW_PLACE_REL_LOC ? field->offset + 4 : 0;

		if ((field->place != TW_PLACE_DATA_LOC && field->place != TW_PLACE_REL_LOC) || field->offset > 1900)
			continue;
		r->data[field->offset] = (uint8_t)(end + DYNAMIC * i - base);
		r->data[field->offset + 1] = (uint8_t)((end + DYNAMIC * i - base) >> 8);
		r->data[field->offset + 2] = (uint8_t)(1 + random_below(DYNAMIC));
		r->data[field->offset + 3] = 0;
	}
}

static void put_parts(struct sample *s, const struct sample_record *r, uint16_t cpu, uint64_t time, uint32_t id)
{
	static uint8_t value[RECORD_MAX + 4];
	static struct sample scratch;

	scratch.info = s->info;
	tw_frame__begin(&scratch.frame, scratch.buf, TW_FRAME_MAX, &scratch.info);
	tw_frame__add_event(&scratch.frame, r->data, r->len & ~3u, scratch.info.base_time);
	memcpy(value, scratch.buf + sizeof(struct tw_frame_hdr) + sizeof(struct tw_tlv), (r->len & ~3u) + 4);
	for (uint32_t at = 0, total = (r->len & ~3u) + 4; at < total;) {
		sample__cpu(s, cpu, time);
		s->frame.cap = 200;
		at += (uint32_t)tw_frame__add_part(&s->frame, TW_TLV_EVENT, id, value, total, at);
		sample__end(s);
	}
}

static void put_others(struct sample *s, uint64_t time)
{
	const struct tw_clock_view clock = { .valid = 0x3f, .error_ns = 40, .reading = { time, 2, 3, 4, 5, 6 } };
	const struct tw_stat_view stats[] = { { TW_STAT_READ, 1, 3 }, { TW_STAT_OVERRUN, 1, 9 }, { 999, 2, 5 } };
	const struct tw_symbol_view symbol = { 16, 0xffffffff81000000, (const uint8_t *)"_stext", 6 };
	const struct tw_lost_view lost = { .time = time, .where = TW_LOST_RING, .count = 3 };
	const uint16_t channels[] = { 1, 2 };
	const uint64_t seqs[] = { 3, 2 };

	sample__control(s);
	tw_clock__emit(&s->frame, &clock);
	tw_symbol__emit(&s->frame, &symbol);
	tw_stats__emit(&s->frame, stats, 3);
	sample__end(s);
	sample__cpu(s, 0, time);
	tw_lost__emit(&s->frame, &lost);
	tw_watermark__emit(&s->frame, time, channels, seqs, 2);
	sample__end(s);
}

/* Write records that a capture host adds, and its requests, with small, large and unknown error bounds. */
static void put_out_of_band(struct sample *s, uint64_t time)
{
	const struct tw_time_sync_view exchange = { .id = 1, .asked = time, .received = time, .answered = time };
	struct tw_offset_view offset = { .kind = (uint16_t)(1 + random_below(4)), .time = time, .step = -5 };

	offset.method = (uint16_t)random_below(3);
	offset.error_ns = random_below(3) ? random_below(5000) : TW_ERROR_UNKNOWN;
	sample__out_of_band(s, time);
	tw_offset__emit(&s->frame, &offset);
	sample__end(s);
	sample__out_of_band(s, time);
	tw_time_sync__emit(&s->frame, &exchange);
	sample__end(s);
}

/* Write the formats uncompressed, so that a damaged text is still a text; sample__schema() would compress them. */
static void put_plain_schema(struct sample *s, const struct text *picked)
{
	static uint8_t payload[TW_SCHEMA_RAW_MAX];

	for (uint32_t i = 0; i < PICKED; i++) {
		const size_t name = strlen(picked[i].system) + 1;
		struct tw_schema_view view = { .kind = TW_SCHEMA_EVENT, .index = i, .total = PICKED, .data = payload };

		memcpy(payload, picked[i].system, name);
		memcpy(payload + name, picked[i].text, picked[i].len);
		view.event_id = picked[i].id;
		view.len = name + picked[i].len;
		view.raw_length = (uint32_t)view.len;
		sample__control(s);
		tw_schema_tlv__emit(&s->frame, &view);
		sample__end(s);
	}
}

static void put_events(struct sample *s, struct tw_format *const *formats, uint64_t time)
{
	static struct sample_record r;
	const uint16_t cpu = (uint16_t)random_below(4);
	const uint32_t n = random_below(4) ? 1 : 1 + random_below(20);

	make_record(&r, formats[random_below(PICKED)]);
	if (!random_below(20)) {
		put_parts(s, &r, cpu, time, random_below(1000));
		return;
	}
	sample__cpu(s, cpu, time);
	sample__event(s, &r, time);
	for (uint32_t i = 1; i < n; i++) {
		make_record(&r, formats[random_below(PICKED)]);
		sample__event(s, &r, time + i);
	}
	sample__end(s);
}

static void put_stream(struct sample *s)
{
	struct tw_format *formats[PICKED];
	struct text picked[PICKED];
	uint64_t time = 1000;

	for (uint32_t i = 0; i < PICKED; i++) {
		picked[i] = texts[random_below(n_texts)];
		if (tw_format__parse(picked[i].text, picked[i].len, picked[i].system, &formats[i], NULL))
			exit(1);
	}
	s->info.stream_id++;
	s->info.schema_id = texts__hash(picked, PICKED, false, 8);
	s->control_seq = 0;
	memset(s->seqs, 0, sizeof(s->seqs));
	sample__host(s, "alpha");
	put_others(s, time);
	put_out_of_band(s, time);
	if (random_below(2))
		sample__schema(s, picked, PICKED);
	else
		put_plain_schema(s, picked);
	for (uint32_t i = 0; i < 8; i++)
		sample__comm(s, 1 + random_below(40), time, "worker/0");
	for (uint32_t i = 0; i < STREAM_FRAMES; i++) {
		put_events(s, formats, time += 100);
		if (!random_below(20))
			put_out_of_band(s, time);
	}
	put_others(s, time);
	sample__control(s);
	tw_end__emit(&s->frame);
	sample__end(s);
	for (uint32_t i = 0; i < PICKED; i++)
		tw_format__free(formats[i]);
}

int main(int argc, char **argv)
{
	static struct sample s;
	uint64_t wanted;

	if (argc < 5) {
		fprintf(stderr, "usage: make_frames FORMATS_DIR OUT_DIR NAME FRAMES [SEED]\n");
		return 2;
	}
	wanted = strtoull(argv[4], NULL, 10);
	random_state = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
	read_formats(argv[1]);
	if (!n_texts) {
		fprintf(stderr, "make_frames: no formats in %s\n", argv[1]);
		return 1;
	}
	sample__open(&s, argv[2], argv[3]);
	for (const uint64_t begin = s.packet_time; (s.packet_time - begin) / 1000 < wanted;)
		put_stream(&s);
	sample__close(&s);
	for (uint32_t i = 0; i < n_texts; i++)
		free(texts[i].text);
	return 0;
}
