/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The payloads of SCHEMA TLVs. The payload of one text is the name of its system, a NUL and the text. Small texts are compressed in groups:
 * because format texts are similar, a group takes about a third of the bytes that its texts take if each of them is compressed alone. Each
 * SCHEMA record can be read without other records.
 */
#ifndef TW_SCHEMA_TEXT_H
#define TW_SCHEMA_TEXT_H

#include "base/error.h"
#include "wire/decode.h"

/* Limits, bytes: a system's name with its NUL, a text, and both together. */
#define TW_SCHEMA_NAME_MAX 256
#define TW_SCHEMA_TEXT_MAX (256 * 1024)
#define TW_SCHEMA_RAW_MAX  (TW_SCHEMA_NAME_MAX + TW_SCHEMA_TEXT_MAX)

#define TW_SCHEMA_GROUP_MAX (64 * 1024) /* bytes of a decompressed group */

struct tw_schema_text {
	const char *system; /* NUL-terminated; "" for a text without a system, such as header_page */
	const char *text;   /* not NUL-terminated */
	size_t len;         /* length of @text, bytes */
};

/**
 * tw_schema_text__expand() - decompress the payload of a SCHEMA TLV with one text
 * @schema: untrusted, from tw_schema_tlv__parse() or tw_schema_group__next()
 * @buf: the caller's memory for the result
 * @cap: bytes at @buf; @schema->raw_length is enough; TW_SCHEMA_RAW_MAX is enough for any payload
 * @ret: points into @buf; if the payload is plain, it points into the payload
 *
 * Writes at most @schema->raw_length bytes to @buf. A payload with another decompressed length is refused.
 *
 * Return: 0; -E2BIG if raw_length is 0 or a length exceeds its limit, -ENOBUFS if @cap is too small, -ENOTSUP for an unknown encoding or a
 * group, -EBADMSG for an invalid payload.
 */
int tw_schema_text__expand(const struct tw_schema_view *schema, void *buf, size_t cap, struct tw_schema_text *ret,
			   struct tw_error *error);

/**
 * tw_schema_text__compress() - make the payload of a SCHEMA TLV
 * @text: the text to send; @text->text need not be NUL-terminated
 * @buf: the caller's memory for the payload; @ret->data points to it
 * @cap: bytes at @buf; at least the length of name, NUL and text, because a text stays plain if compression does not shorten it
 * @ret: encoding, raw_length, data and len are set; the caller sets the other members
 *
 * Return: 0; -E2BIG if name or text exceeds its limit, -ENOBUFS if @cap is too small, -ENOMEM.
 */
int tw_schema_text__compress(const struct tw_schema_text *text, void *buf, size_t cap, struct tw_schema_view *ret,
			     struct tw_error *error);

/* The records of a group. */
struct tw_schema_group {
	struct tw_cursor records;
};

/**
 * tw_schema_group__expand() - decompress a SCHEMA TLV of the kind TW_SCHEMA_GROUP
 * @schema, @buf, @cap: as for tw_schema_text__expand(); TW_SCHEMA_GROUP_MAX bytes are enough for any group
 * @ret: points into @buf; if the payload is plain, it points into the payload
 *
 * Return: as tw_schema_text__expand(), but groups are accepted; -EBADMSG also if the group contains anything other than SCHEMA TLVs of one
 * plain text each.
 */
int tw_schema_group__expand(const struct tw_schema_view *schema, void *buf, size_t cap, struct tw_schema_group *ret,
			    struct tw_error *error);

/** tw_schema_group__next() - read the next record of a group. Return: false at the end */
bool tw_schema_group__next(struct tw_schema_group *group, struct tw_schema_view *ret);

/* A text to be sent. Its index in the schema is its position in the array that is passed to tw_schema_records__make(). */
struct tw_schema_source {
	enum tw_schema_kind kind;
	uint16_t event_id;
	struct tw_schema_text text;
};

/* The SCHEMA records of all texts of a schema, in the order of their index. */
struct tw_schema_records {
	struct tw_schema_view *items; /* their data is owned by this struct */
	size_t n;
};

/**
 * tw_schema_records__make() - compress texts for SCHEMA TLVs; consecutive small texts are compressed together if that saves bytes
 * @sources: all @n texts of the schema; may be freed afterwards
 * @ret: free it with tw_schema_records__fini()
 *
 * Return: 0; -E2BIG if a text exceeds a limit, -ENOMEM.
 */
int tw_schema_records__make(const struct tw_schema_source *sources, size_t n, struct tw_schema_records *ret,
			    struct tw_error *error);

/** tw_schema_records__fini() - free the memory of @records, which may be all zero */
void tw_schema_records__fini(struct tw_schema_records *records);

#endif
