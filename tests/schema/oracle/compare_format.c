/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/kbuffer.h>

#include "oracle.h"
#include "schema/text_cursor.h"

/* libtraceevent puts one space between tokens, and Tracewire keeps the kernel's: white space has no meaning in a type. */
static bool same_type(const char *a, const char *b)
{
	while (*a || *b) {
		while (tw_text__is_space(*a))
			a++;
		while (tw_text__is_space(*b))
			b++;
		if (*a != *b)
			return false;
		a += *a != '\0';
		b += *b != '\0';
	}
	return true;
}

struct flag {
	unsigned long flag;
	const char *name;
	bool ours;
};

/* libtraceevent calls every array of bytes a string; Tracewire only those of plain char. */
static bool is_of_bytes(const struct tw_field *f)
{
	return f->kind == TW_FIELD_STRING || (f->kind == TW_FIELD_ARRAY && f->elem_size == 1) ||
	       (f->kind == TW_FIELD_BYTES && strstr(f->type, "char"));
}

static void compare_flags(const struct place *place, const struct tw_field *ours, const struct tep_format_field *theirs)
{
	const bool is_mask = ours->kind == TW_FIELD_BITMASK;
	const struct flag flags[] = {
		{ TEP_FIELD_IS_ARRAY, "array", strchr(ours->type, '[') != NULL },
		{ TEP_FIELD_IS_POINTER, "pointer",
		  ours->elem_kind == TW_FIELD_POINTER || (is_mask && strchr(ours->type, '*')) },
		{ TEP_FIELD_IS_STRING, "string", is_of_bytes(ours) },
		{ TEP_FIELD_IS_DYNAMIC, "dynamic",
		  ours->place == TW_PLACE_DATA_LOC || ours->place == TW_PLACE_REL_LOC },
		{ TEP_FIELD_IS_RELATIVE, "relative", ours->place == TW_PLACE_REL_LOC },
		{ TEP_FIELD_IS_SIGNED, "sign", ours->is_signed },
		{ TEP_FIELD_IS_LONG, "long", strstr(ours->type, "long") != NULL },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].ours != !!(theirs->flags & flags[i].flag))
			differ(place, flags[i].name, "%s has it, of type \"%s\", size %d",
			       flags[i].ours ? "ours" : "theirs", theirs->type, theirs->size);
}

static void compare_field(const struct place *place, const struct tw_field *ours, const struct tep_format_field *theirs)
{
	if (strcmp(ours->name, theirs->name))
		differ(place, "name", "ours \"%s\", theirs \"%s\"", ours->name, theirs->name);
	if (!same_type(ours->type, theirs->type))
		differ(place, "type", "ours \"%s\", theirs \"%s\"", ours->type, theirs->type);
	if (ours->offset != (uint32_t)theirs->offset)
		differ(place, "offset", "ours %u, theirs %d", ours->offset, theirs->offset);
	if (ours->size != (uint32_t)theirs->size)
		differ(place, "size", "ours %u, theirs %d", ours->size, theirs->size);
	if (ours->kind == TW_FIELD_ARRAY && ours->elem_size != theirs->elementsize)
		differ(place, "elementsize", "\"%s\": ours %u, theirs %u", ours->type, ours->elem_size,
		       theirs->elementsize);
	if (ours->kind == TW_FIELD_ARRAY && ours->place == TW_PLACE_FIXED && ours->count != theirs->arraylen)
		differ(place, "arraylen", "\"%s\": ours %u, theirs %u", ours->type, ours->count, theirs->arraylen);
	compare_flags(place, ours, theirs);
}

void compare_format(const struct tw_format *ours, const struct tep_event *theirs)
{
	struct place place = { ours->system, ours->name, "" };
	const struct tep_format_field *lists[2] = { theirs->format.common_fields, theirs->format.fields };
	uint16_t i = 0;

	if (strcmp(ours->name, theirs->name) || ours->id != theirs->id)
		differ(&place, "id", "ours %s %u, theirs %s %d", ours->name, ours->id, theirs->name, theirs->id);
	if (ours->n_common != theirs->format.nr_common || ours->n_fields != ours->n_common + theirs->format.nr_fields) {
		differ(&place, "count", "ours %u with %u common, theirs %d beside %d", ours->n_fields, ours->n_common,
		       theirs->format.nr_fields, theirs->format.nr_common);
		return;
	}
	for (size_t k = 0; k < 2; k++) {
		for (const struct tep_format_field *field = lists[k]; field; field = field->next, i++) {
			place.field = ours->fields[i].name;
			compare_field(&place, &ours->fields[i], field);
		}
	}
}

void compare_page(struct tep_handle *tep, const char *text, size_t len)
{
	const struct place place = { "", "header_page", "commit" };
	struct tw_page_layout layout;
	struct tw_error err;
	uint8_t page[4096] = { 0 };
	struct kbuffer *kbuf;

	if (tw_page_layout__parse(text, len, &layout, &err)) {
		differ(&place, "refused", "%s", err.text);
		return;
	}
	if (tep_parse_header_page(tep, (char *)text, len, layout.commit_size))
		differ(&place, "refused", "by theirs");
	if (layout.commit_size != tep_get_header_page_size(tep))
		differ(&place, "size", "ours %u, theirs %d", layout.commit_size, tep_get_header_page_size(tep));
	if (layout.commit_offset != tep_get_header_timestamp_size(tep))
		differ(&place, "offset", "ours %u, theirs %d", layout.commit_offset,
		       tep_get_header_timestamp_size(tep));
	kbuf = kbuffer_alloc(layout.commit_size == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4, KBUFFER_ENDIAN_LITTLE);
	if (!kbuf || kbuffer_load_subbuffer(kbuf, page) || kbuffer_start_of_data(kbuf) != layout.data_offset)
		differ(&place, "data", "ours %u, theirs %d", layout.data_offset,
		       kbuf ? kbuffer_start_of_data(kbuf) : -1);
	kbuffer_free(kbuf);
}
