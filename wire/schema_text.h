/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The payload of a SCHEMA TLV: a system's name, a NUL and a text, plain or as one zstd frame. Each text is compressed
 * on its own, so that any of them can be read without the others.
 */
#ifndef TW_SCHEMA_TEXT_H
#define TW_SCHEMA_TEXT_H

#include "base/error.h"
#include "wire/decode.h"

/* Limits in bytes: a system's name with its NUL, a text, and both together. */
#define TW_SCHEMA_NAME_MAX 256
#define TW_SCHEMA_TEXT_MAX (256 * 1024)
#define TW_SCHEMA_RAW_MAX  (TW_SCHEMA_NAME_MAX + TW_SCHEMA_TEXT_MAX)

struct tw_schema_text {
	const char *system; /* NUL-terminated; "" for a text without a system, such as header_page */
	const char *text;   /* not NUL-terminated */
	size_t len;         /* of the text, bytes */
};

/**
 * tw_schema_text__expand() - decompress the payload of a SCHEMA TLV
 * @schema: untrusted, from tw_schema_tlv__parse()
 * @buf: the caller's; @ret points into it
 * @cap: bytes of @buf; @schema->raw_length is enough, TW_SCHEMA_RAW_MAX always is
 *
 * Never writes more than @schema->raw_length bytes, and refuses a payload of another length.
 *
 * Return: 0; -E2BIG beyond a limit above, -ENOBUFS if @buf is too small, -ENOTSUP for an unknown encoding, -EBADMSG for an invalid
 * payload.
 */
int tw_schema_text__expand(const struct tw_schema_view *schema, void *buf, size_t cap, struct tw_schema_text *ret,
			   struct tw_error *error);

/**
 * tw_schema_text__compress() - make the payload of a SCHEMA TLV
 * @text: what to send; @text->text need not be NUL-terminated
 * @buf: the caller's; receives the payload and is what @ret->data points to
 * @cap: bytes of @buf; name, NUL and text together are enough: what compression would lengthen stays plain
 * @ret: only encoding, raw_length, data and len are set; the rest is the caller's
 *
 * Return: 0; -E2BIG beyond a limit above, -ENOBUFS if @buf is too small, -ENOMEM.
 */
int tw_schema_text__compress(const struct tw_schema_text *text, void *buf, size_t cap, struct tw_schema_view *ret,
			     struct tw_error *error);

#endif
