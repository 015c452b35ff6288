/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who produces the stream: the attributes of HOST. */
#ifndef TW_HOST_H
#define TW_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/decode.h"

#define TW_HOST_ATTRS_MAX 16

struct tw_host_attrs {
	struct tw_attr_view attrs[TW_HOST_ATTRS_MAX]; /* values point into text and numbers */
	size_t n;
	char text[TW_HOST_ATTRS_MAX][256];
};

/* What only the producer knows of itself. Texts may be NULL. */
struct tw_host_stream {
	const char *instance, *clock, *events, *filter;
	uint64_t cpus;
	bool pointers_hashed;
};

/** tw_host_attrs__init() - gather the attributes; texts longer than 255 bytes are cut, but for the filter, which is borrowed */
void tw_host_attrs__init(struct tw_host_attrs *host, const struct tw_host_stream *stream);

/** tw_host_attrs__set_sync() - what keeps the clocks, in words; "" = nothing, and there is no such attribute */
void tw_host_attrs__set_sync(struct tw_host_attrs *host, const char *how);

#endif
