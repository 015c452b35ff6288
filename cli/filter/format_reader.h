/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the formats in frames to a schema: records in PARTs are reassembled, texts decompressed. Bounded. */
#ifndef CLI_FORMAT_READER_H
#define CLI_FORMAT_READER_H

#include <stdbool.h>

#include "base/error.h"
#include "schema/schema.h"
#include "wire/decode.h"
#include "wire/parts.h"

struct format_reader {
	struct tw_parts *parts;
	char *text; /* buffer for a decompressed text */
};

/** format_reader__init() - Return: 0 or -ENOMEM; call format_reader__fini() in either case */
int format_reader__init(struct format_reader *reader);

/** format_reader__fini() - free it; all-zero is fine */
void format_reader__fini(struct format_reader *reader);

/**
 * format_reader__whole() - the record of a TLV, or the one that it completes
 * @frame: header of its frame
 * @ret: borrowed from the frame, or until the next call
 *
 * Return: false if it is a PART of an incomplete record, or of an event.
 */
bool format_reader__whole(struct format_reader *reader, const struct tw_frame_info *frame,
			  const struct tw_tlv_view *tlv, struct tw_tlv_view *ret);

/**
 * format_reader__add() - decompress the text of an event and add its format
 * @view: of kind TW_SCHEMA_EVENT
 *
 * Return: 0; otherwise as tw_schema_text__expand() and tw_schema__add().
 */
int format_reader__add(struct format_reader *reader, const struct tw_schema_view *view, struct tw_schema *schema,
		       struct tw_error *error);

/** format_reader__host() - set the size of a long from a HOST; invalid sizes are ignored */
void format_reader__host(const struct tw_tlv_view *tlv, struct tw_schema *schema);

#endif
