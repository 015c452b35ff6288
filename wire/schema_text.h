/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The payload of a SCHEMA TLV: a system's name, a NUL and a text, plain or as one zstd frame. Each text is compressed separately, so that
 * it can be read without other texts.
 */
#ifndef TW_SCHEMA_TEXT_H
#define TW_SCHEMA_TEXT_H

#include "base/error.h"
#include "wire/decode.h"

/* Limits in bytes, of a system's name with its NUL, of a text, and of both together. */
#define TW_SCHEMA_NAME_MAX 256
#define TW_SCHEMA_TEXT_MAX (256 * 1024)
#define TW_SCHEMA_RAW_MAX  (TW_SCHEMA_NAME_MAX + TW_SCHEMA_TEXT_MAX)

struct tw_schema_text {
	const char *system; /* NUL-terminated; "" for a text without a system, such as header_page */
	const char *text;   /* not NUL-terminated */
	size_t len;         /* length of @text, bytes */
};

/**
 * tw_schema_text__expand() - decompress the payload of a SCHEMA TLV
 * @schema: untrusted, from tw_schema_tlv__parse()
 * @buf: the caller's memory for the result; @ret points into it
 * @cap: bytes at @buf; @schema->raw_length is enough, TW_SCHEMA_RAW_MAX is enough for any payload
 *
 * Writes at most @schema->raw_length bytes, and refuses a payload of any other decompressed length.
 *
 * Return: 0; -E2BIG if a length is 0 or above its limit, -ENOBUFS if @cap is too small, -ENOTSUP for an unknown encoding, -EBADMSG for an
 * invalid payload.
 */
int tw_schema_text__expand(const struct tw_schema_view *schema, void *buf, size_t cap, struct tw_schema_text *ret,
			   struct tw_error *error);

/**
 * tw_schema_text__compress() - make the payload of a SCHEMA TLV
 * @text: the text to send; @text->text need not be NUL-terminated
 * @buf: the caller's memory for the payload; @ret->data points to it
 * @cap: bytes at @buf, at least those of name, NUL and text; a text that compression would not shorten stays plain
 * @ret: encoding, raw_length, data and len are set; the caller sets the other members
 *
 * Return: 0; -E2BIG if name or text exceeds its limit, -ENOBUFS if @cap is too small, -ENOMEM.
 */
int tw_schema_text__compress(const struct tw_schema_text *text, void *buf, size_t cap, struct tw_schema_view *ret,
			     struct tw_error *error);

#endif
