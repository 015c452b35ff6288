/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What frames say of formats, into a schema: records that came in PARTs put together, texts expanded. Bounded. */
#ifndef CLI_FORMAT_READER_H
#define CLI_FORMAT_READER_H

#include <stdbool.h>

#include "base/error.h"
#include "schema/schema.h"
#include "wire/decode.h"
#include "wire/parts.h"

struct format_reader {
	struct tw_parts *parts;
	char *text; /* room for one that is expanded */
};

/** format_reader__init() - Return: 0 or -ENOMEM; format_reader__fini() in either case */
int format_reader__init(struct format_reader *reader);

/** format_reader__fini() - an all-zero one is fine */
void format_reader__fini(struct format_reader *reader);

/**
 * format_reader__whole() - the record that a TLV is, or that it completes
 * @frame: that it came in
 * @ret: borrowed from the frame, or until the next call
 *
 * Return: false if it is a PART of one that is not whole, or of an event.
 */
bool format_reader__whole(struct format_reader *reader, const struct tw_frame_info *frame,
			  const struct tw_tlv_view *tlv, struct tw_tlv_view *ret);

/**
 * format_reader__add() - expand the text of an event and add its format
 * @view: of kind TW_SCHEMA_EVENT
 *
 * Return: 0; as tw_schema_text__expand() and tw_schema__add() otherwise.
 */
int format_reader__add(struct format_reader *reader, const struct tw_schema_view *view, struct tw_schema *schema,
		       struct tw_error *error);

/** format_reader__host() - take from a HOST how long a long is; what cannot be is ignored */
void format_reader__host(const struct tw_tlv_view *tlv, struct tw_schema *schema);

#endif
