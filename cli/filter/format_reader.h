/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the formats in frames to a schema. Reassembles records that were sent in PARTs, and decompresses texts, with limited memory. */
#ifndef CLI_FORMAT_READER_H
#define CLI_FORMAT_READER_H

#include <stdbool.h>

#include "base/error.h"
#include "schema/schema.h"
#include "wire/decode.h"
#include "wire/parts.h"
#include "wire/schema_text.h"

/* Formats that were refused because they are invalid. The fields of their events are unknown. */
struct refused_formats {
	unsigned int n;
	struct tw_error why; /* why the first of them was refused */
};

struct format_reader {
	struct tw_parts *parts;
	char *text;  /* buffer for a decompressed text */
	char *group; /* buffer for a decompressed group of texts */
};

/* The texts of a SCHEMA record that format_reader__next() has not returned yet: one text, or the texts of a group. */
struct format_texts {
	struct tw_schema_view single;
	bool has_single; /* @single is to be returned next */
	struct tw_schema_group group;
};

/** format_reader__init() - allocate the buffers. Return: 0 or -ENOMEM; call format_reader__fini() in either case */
int format_reader__init(struct format_reader *reader);

/** format_reader__fini() - free the buffers of @reader, which may be all-zero */
void format_reader__fini(struct format_reader *reader);

/**
 * format_reader__whole() - get a complete record from a TLV: the TLV itself or, if the TLV is a PART, the record that it completes
 * @frame: header of the frame with the TLV
 * @ret: borrowed from the frame; a reassembled record is valid until the next call
 *
 * Return: false if the TLV is a PART that completes no record, or a PART of an event.
 */
bool format_reader__whole(struct format_reader *reader, const struct tw_frame_info *frame,
			  const struct tw_tlv_view *tlv, struct tw_tlv_view *ret);

/**
 * format_reader__open() - get the texts of a SCHEMA record for format_reader__next()
 * @ret: valid until the next call
 *
 * Return: false for a damaged group, which is counted as refused.
 */
bool format_reader__open(struct format_reader *reader, const struct tw_schema_view *record, struct format_texts *ret,
			 struct refused_formats *refused);

/** format_reader__next() - get the next text. Return: false after the last one */
bool format_reader__next(struct format_texts *texts, struct tw_schema_view *ret);

/** format_reader__add() - decompress the text of an event and add its format, or count it as refused; ignores other kinds of texts */
void format_reader__add(struct format_reader *reader, const struct tw_schema_view *view, struct tw_schema *schema,
			struct refused_formats *refused);

/** format_reader__host() - set the schema's size of a long and architecture from a HOST record; invalid sizes are ignored */
void format_reader__host(const struct tw_tlv_view *tlv, struct tw_schema *schema);

#endif
