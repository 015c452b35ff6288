/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The built-in table of common events: names, types and value strings of their fields. make_builtin_formats.c generates it at build time
 * from the formats of a distribution's kernel. The table is constant data without relocations, so it costs nothing until it is used.
 */
#ifndef TW_BUILTIN_FORMATS_H
#define TW_BUILTIN_FORMATS_H

#include <stdint.h>

#include "dissector/ftype.h"

/* Names here and below are offsets into tw_builtin_pool. */
struct tw_builtin_event {
	uint32_t system, name;
	uint32_t first_field, n_fields;
};

struct tw_builtin_field {
	uint32_t name;
	uint32_t first_name; /* index of the field's first value string in tw_builtin_names */
	uint16_t n_names;
	uint8_t type;      /* enum tw_ftype */
	uint8_t has_names; /* 1 = tw_fields__names() registers a second name for this field, otherwise 0 */
};

/* A value string: the name that the print fmt has for a value. */
struct tw_builtin_name {
	uint64_t value;
	uint32_t name;
};

extern const char tw_builtin_pool[];
extern const struct tw_builtin_event tw_builtin_events[];
extern const uint32_t tw_builtin_n_events;
extern const struct tw_builtin_field tw_builtin_fields[];
extern const struct tw_builtin_name tw_builtin_names[];
/* Every field name once, in strcmp order, with the type of trace.any.NAME. */
extern const struct tw_builtin_field tw_builtin_any[];
extern const uint32_t tw_builtin_n_any;

#endif
