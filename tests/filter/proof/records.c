/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "records.h"

#include <string.h>

#include "predicate.h"

#define DYNAMIC_MAX 40 /* bytes of one dynamic field */

struct making {
	struct made_record *record;
	const struct expression *e;
	const struct record_options *options;
	struct chance *chance;
	uint32_t end; /* offset of the next dynamic field's bytes */
};

const struct wanted *wanted__draw(const struct expression *e, uint8_t operand, const char *field, struct chance *chance)
{
	const struct wanted *found = NULL;
	uint32_t n = 0;

	for (unsigned int i = 0; i < e->n_wanted; i++) {
		const struct wanted *w = &e->wanted[i];

		if (w->operand != operand || (operand == TW_ON_FIELD && strcmp(w->field, field) != 0))
			continue;
		if (!chance__below(chance, ++n))
			found = w;
	}
	return found;
}

static void store(const struct making *m, uint32_t at, uint64_t value, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		m->record->data[at + i] = (uint8_t)(value >> 8 * (m->e->pool->big_endian ? size - 1 - i : i));
}

/* Return: the wanted value, a similar one, or any number */
static uint64_t draw_number(const struct making *m, const struct wanted *w, unsigned int bits)
{
	if (!w || chance__percent(m->chance, 25))
		return chance__number(m->chance, bits);
	if (chance__percent(m->chance, 65))
		return w->number;
	return chance__percent(m->chance, 50) ? w->number + chance__below(m->chance, 3) - 1
					      : w->number ^ 1ull << chance__below(m->chance, bits);
}

static void fill(const struct making *m, uint8_t *at, uint32_t len)
{
	static const char plain[] = "aabk01-/:.xyq";

	for (uint32_t i = 0; i < len; i++)
		at[i] = m->options->printable ? (uint8_t)plain[chance__below(m->chance, sizeof(plain) - 1)]
					      : (uint8_t)chance__number(m->chance, 8);
}

/* The wanted text, perhaps inside another one, perhaps changed; after a NUL there are random bytes or zeros. */
static void draw_text(const struct making *m, const struct wanted *w, uint8_t *at, uint32_t room)
{
	uint32_t len = 0, before = 0;

	fill(m, at, room);
	if (!room)
		return;
	if (w && chance__percent(m->chance, 80)) {
		before = chance__percent(m->chance, 25) ? chance__below(m->chance, 4) : 0;
		before = before < room ? before : room;
		len = w->len < room - before ? w->len : room - before;
		memcpy(at + before, w->bytes, len);
		len += before;
		if (len && chance__percent(m->chance, 20))
			fill(m, at + chance__below(m->chance, len), 1);
		if (chance__percent(m->chance, 20))
			len += chance__below(m->chance, 3);
	} else {
		len = chance__below(m->chance, room + 2);
	}
	if (len < room)
		memset(at + len, 0, chance__percent(m->chance, 50) ? room - len : 1);
}

static void draw_bytes(const struct making *m, const struct wanted *w, uint8_t *at, uint32_t room)
{
	uint32_t before;

	for (uint32_t i = 0; i < room; i++)
		at[i] = (uint8_t)chance__number(m->chance, 8);
	if (!w || w->len > room || chance__percent(m->chance, 20))
		return;
	before = w->len < room ? chance__below(m->chance, room - w->len + 1) : 0;
	memcpy(at + before, w->bytes, w->len);
	if (chance__percent(m->chance, 25))
		at[chance__below(m->chance, room)] ^= (uint8_t)(1u << chance__below(m->chance, 8));
}

/* Draws the value of a field, for @room bytes at offset @at of the record. */
static void draw_bytes_of(const struct making *m, const struct tw_field *field, const struct wanted *w, uint32_t at,
			  uint32_t room)
{
	uint8_t *bytes = m->record->data + at;

	if (field->kind == TW_FIELD_STRING) {
		draw_text(m, w, bytes, room);
	} else if (field->kind == TW_FIELD_BITMASK) {
		for (uint32_t i = 0; i + field->elem_size <= room; i += field->elem_size)
			store(m, at + i, i ? 0 : draw_number(m, w, field->elem_size * 8u), field->elem_size);
	} else if (compared_as(field) == TW_AS_BYTES) {
		draw_bytes(m, w, bytes, room);
	} else {
		for (uint32_t i = 0; i + field->elem_size <= room; i += field->elem_size)
			store(m, at + i, draw_number(m, w, field->elem_size * 8u), field->elem_size);
	}
}

static void put_location(struct making *m, const struct tw_field *field, const struct wanted *w)
{
	const uint32_t elem = field->elem_size ? field->elem_size : 1;
	uint32_t room = elem * chance__below(m->chance, DYNAMIC_MAX / elem + 1), from = m->end;

	if (w && field->kind == TW_FIELD_STRING && chance__percent(m->chance, 60))
		room = w->len + 1; /* as written by the kernel */
	if (m->end + room > RECORDS_MAX - 16)
		room = 0;
	draw_bytes_of(m, field, w, m->end, room);
	m->end += room;
	if (!m->options->only_whole && chance__percent(m->chance, 2)) {
		from = chance__below(m->chance, 0x10000);
		room = chance__below(m->chance, 100);
		m->record->is_whole = false;
	}
	if (field->place == TW_PLACE_REL_LOC)
		from -= field->offset + 4;
	store(m, field->offset, (from & 0xffff) | room << 16, 4);
}

static void put_field(struct making *m, const struct tw_field *field)
{
	const struct wanted *w = wanted__draw(m->e, TW_ON_FIELD, field->name, m->chance);

	if (field->place == TW_PLACE_DATA_LOC || field->place == TW_PLACE_REL_LOC)
		put_location(m, field, w);
	else if (field->kind == TW_FIELD_BOOL && m->options->printable)
		store(m, field->offset, chance__below(m->chance, 2), field->size);
	else if (field->kind < TW_FIELD_STRING)
		store(m, field->offset, draw_number(m, w, field->size * 8), field->size);
	else
		draw_bytes_of(m, field, w, field->offset, field->size);
}

/* Return: the end of the fixed fields; 0 if they are too large for a record of this test */
static uint32_t fixed_end(const struct tw_format *format)
{
	uint64_t end = TW_RECORD_COMMON;

	for (uint16_t i = 0; i < format->n_fields; i++) {
		const uint64_t field_end = (uint64_t)format->fields[i].offset + format->fields[i].size;

		end = field_end > end ? field_end : end;
	}
	return end < RECORDS_MAX / 2 ? (uint32_t)end : 0;
}

static void put_common(const struct making *m, const struct tw_format *format)
{
	static const uint16_t cut[] = { TW_ON_FLAGS, TW_ON_PREEMPT };
	uint8_t *data = m->record->data;
	uint32_t pid;

	memcpy(data, &format->id, 2);
	for (int i = 0; i < 2; i++)
		data[2 + i] = (uint8_t)draw_number(m, wanted__draw(m->e, (uint8_t)cut[i], NULL, m->chance), 8);
	pid = (uint32_t)draw_number(m, wanted__draw(m->e, TW_ON_PID, NULL, m->chance), 32);
	memcpy(data + 4, &pid, 4);
}

static void put_fields(struct making *m, const struct tw_format *format)
{
	m->end = fixed_end(format);
	for (uint16_t i = format->n_common; m->end && i < format->n_fields; i++)
		put_field(m, &format->fields[i]);
	if (m->end < TW_RECORD_COMMON)
		m->end = TW_RECORD_COMMON;
	m->record->len = (m->end + 3) & ~3u;
	if (m->options->only_whole || !chance__percent(m->chance, 7))
		return;
	m->record->len = TW_RECORD_COMMON + 4 * chance__below(m->chance, (m->record->len - TW_RECORD_COMMON) / 4 + 1);
	m->record->is_whole = false;
}

void record__make(struct made_record *record, const struct expression *e, const struct record_options *options,
		  struct chance *chance)
{
	struct making m = { .record = record, .e = e, .options = options, .chance = chance };
	const struct tw_schema *schema = e->pool->schema;
	const struct tw_format *format = e->format;
	const struct wanted *time = wanted__draw(e, TW_ON_TIME, NULL, chance);

	if (chance__percent(chance, 12))
		format = tw_schema__at(schema, chance__below(chance, (uint32_t)tw_schema__count(schema)));
	memset(record, 0, sizeof(*record));
	record->is_whole = true;
	record->time = RECORDS_T0 + chance__below(chance, RECORDS_T_SPAN);
	if (time && chance__percent(chance, 60))
		record->time = time->number + chance__below(chance, 3) - 1;
	put_common(&m, format);
	put_fields(&m, format);
	if (!fixed_end(format))
		record->is_whole = false;
}
