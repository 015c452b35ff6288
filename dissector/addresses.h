/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stream says of its kernel's memory: SYMBOL records, and the strings of printk_formats. */
#ifndef TW_ADDRESSES_H
#define TW_ADDRESSES_H

#include "dissector/capture.h"
#include "wire/schema_text.h"

/**
 * tw_stream__learn_symbol() - take in a SYMBOL record; first pass only
 * @frame: it came in
 * Return: false when the capture is full.
 */
bool tw_stream__learn_symbol(struct tw_stream *stream, const struct tw_symbol_view *view, uint32_t frame);

/** tw_stream__learn_strings() - take in a text of printk_formats; first pass only. Return: as tw_stream__learn_symbol() */
bool tw_stream__learn_strings(struct tw_stream *stream, const struct tw_schema_text *text, uint32_t frame);

/**
 * tw_stream__symbol() - the symbol that @address lies in
 * @ret_frame: that named it
 * Return: false if none is known.
 */
bool tw_stream__symbol(const struct tw_stream *stream, uint64_t address, struct tw_symbol *ret, uint32_t *ret_frame);

/** tw_stream__strings_frame() - that brought the strings; 0 = none has */
uint32_t tw_stream__strings_frame(const struct tw_stream *stream);

#endif
