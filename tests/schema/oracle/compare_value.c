/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "oracle.h"

/* One record being compared. */
struct pair {
	struct tw_record ours;
	struct tep_event *event;
	struct tep_record *theirs;
	struct value_counts *counts;
};

static uint64_t sign_extended(uint64_t value, uint32_t size)
{
	const unsigned int unused = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

static bool has_sign(const struct tw_value *value, const struct tw_field *field)
{
	return field->is_signed && (value->kind == TW_FIELD_INT || value->kind == TW_FIELD_ENUM);
}

/* libtraceevent returns numbers without sign extension. */
static void compare_number(const struct place *place, const struct tw_field *field, const struct tw_value *ours,
			   unsigned long long theirs)
{
	if (has_sign(ours, field))
		theirs = sign_extended(theirs, field->elem_size);
	if (ours->u != theirs)
		differ(place, "value", "ours %#lx, theirs %#llx", ours->u, theirs);
}

static void compare_scalar(const struct place *place, const struct pair *pair, const struct tw_field *field,
			   struct tep_format_field *their_field, const struct tw_value *ours)
{
	unsigned long long theirs;

	if (tep_read_number_field(their_field, pair->theirs->data, &theirs))
		differ(place, "unread", "no number for them");
	else
		compare_number(place, field, ours, theirs);
}

static void compare_elements(const struct place *place, const struct pair *pair, const struct tw_field *field,
			     const struct tw_value *ours, const uint8_t *theirs)
{
	struct tw_value element;
	uint32_t i;

	for (i = 0; !tw_value__element(field, ours, i, &element); i++) {
		const void *at = theirs + (size_t)i * field->elem_size;

		compare_number(place, field, &element, tep_read_number(pair->event->tep, at, field->elem_size));
		pair->counts->elements++;
	}
	if (i != ours->len / field->elem_size)
		differ(place, "count", "%u elements in %u bytes", i, ours->len);
}

static void compare_bits(const struct place *place, const struct pair *pair, const struct tw_value *ours,
			 const uint8_t *theirs)
{
	const int long_size = tep_get_long_size(pair->event->tep);

	pair->counts->bitmasks++;
	for (uint32_t i = 0; i < ours->len * 8; i++) {
		const uint32_t bits = (uint32_t)long_size * 8;
		unsigned long long word =
			tep_read_number(pair->event->tep, theirs + i / bits * (uint32_t)long_size, long_size);

		if (tw_value__bit(ours, (uint8_t)long_size, i) != (word >> i % bits & 1))
			differ(place, "value", "bit %u", i);
	}
}

/* The length of a field in libtraceevent, which has only the size of the whole field. */
static uint32_t expected_len(const struct pair *pair, const struct tw_field *field, const uint8_t *data, int len)
{
	const uint8_t *end = (const uint8_t *)pair->theirs->data + pair->theirs->size;

	if (field->place == TW_PLACE_REST)
		len = (int)(end - data) / field->elem_size * field->elem_size;
	return field->kind == TW_FIELD_STRING ? (uint32_t)strnlen((const char *)data, (size_t)len) : (uint32_t)len;
}

static void compare_bytes(const struct place *place, const struct pair *pair, const struct tw_field *field,
			  const struct tw_value *ours)
{
	int len;
	const uint8_t *data = tep_get_field_raw(NULL, pair->event, field->name, pair->theirs, &len, 0);

	if (!data) {
		differ(place, "unread", "no data for them");
		return;
	}
	if (ours->data != data)
		differ(place, "offset", "ours %u, theirs %td", ours->offset,
		       data - (const uint8_t *)pair->theirs->data);
	else if (ours->len != expected_len(pair, field, data, len))
		differ(place, "length", "ours %u, theirs %d", ours->len, len);
	else if (field->kind == TW_FIELD_ARRAY)
		compare_elements(place, pair, field, ours, data);
	else if (field->kind == TW_FIELD_BITMASK)
		compare_bits(place, pair, ours, data);
}

static void count_value(struct value_counts *counts, const struct tw_field *field)
{
	counts->values++;
	counts->strings += field->kind == TW_FIELD_STRING;
	counts->dynamic += field->place == TW_PLACE_DATA_LOC || field->place == TW_PLACE_REL_LOC;
	counts->to_end += field->place == TW_PLACE_REST;
}

/* Reads the field @field from @wire, the record as it is in an EVENT. The value must equal @ours. */
static void compare_wire(const struct place *place, const struct pair *pair, const struct tw_field *field,
			 const struct tw_value *ours, const uint8_t *wire)
{
	const struct tw_record record = {
		.data = wire, .len = pair->ours.len, .big_endian = pair->ours.big_endian, .from_wire = true
	};
	struct tw_value value;

	if (tw_field__read(field, &record, &value))
		differ(place, "wire", "not to be read");
	else if (value.u != ours->u || value.len != ours->len || value.offset != ours->offset)
		differ(place, "wire", "%#lx of %u bytes at %u", value.u, value.len, value.offset);
}

static void compare_field(const struct pair *pair, const struct tw_format *format, const struct tw_field *field,
			  struct tep_format_field *their_field, const uint8_t *wire)
{
	const struct place place = { format->system, format->name, field->name };
	struct tw_value ours;

	if (tw_field__read(field, &pair->ours, &ours)) {
		differ(&place, "unread", "ours, in a record of %u bytes", pair->ours.len);
		return;
	}
	count_value(pair->counts, field);
	compare_wire(&place, pair, field, &ours, wire);
	if (ours.kind < TW_FIELD_STRING)
		compare_scalar(&place, pair, field, their_field, &ours);
	else
		compare_bytes(&place, pair, field, &ours);
}

/* Makes the record as it is in an EVENT: common_type and common_pid in network byte order, all else as the kernel wrote it. */
static void make_wire(const struct tw_record *record, uint8_t *ret)
{
	memcpy(ret, record->data, record->len);
	tw_store_be16(ret, tw_load16(record->data, record->big_endian));
	tw_store_be32(ret + 4, tw_load32(record->data + 4, record->big_endian));
}

void compare_record(const struct tw_format *ours, struct tep_event *theirs, struct tep_record *record,
		    struct value_counts *counts)
{
	struct tep_format_field *lists[2] = { theirs->format.common_fields, theirs->format.fields };
	struct pair pair = { { .data = record->data, .len = (uint32_t)record->size }, theirs, record, counts };
	static uint8_t wire[1 << 20];
	uint16_t i = 0;

	pair.ours.big_endian = tep_is_file_bigendian(theirs->tep);
	if (pair.ours.len < TW_RECORD_COMMON || pair.ours.len > sizeof(wire)) {
		differ(&(struct place){ ours->system, ours->name, "" }, "record", "of %u bytes", pair.ours.len);
		return;
	}
	counts->records++;
	make_wire(&pair.ours, wire);
	for (size_t k = 0; k < 2; k++)
		for (struct tep_format_field *f = lists[k]; f && i < ours->n_fields; f = f->next)
			compare_field(&pair, ours, &ours->fields[i++], f, wire);
}

void print_values(const struct value_counts *c)
{
	printf("%lu records: %lu values, %lu array elements, %lu behind locations, %lu strings, %lu bitmasks, %lu to the record's "
	       "end; %lu differences, %lu more are known\n",
	       c->records, c->values, c->elements, c->dynamic, c->strings, c->bitmasks, c->to_end, differences(),
	       known_differences());
}
