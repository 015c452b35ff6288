/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pcap-tools/tracedat/texts.h"

#define NS_PER_US 1000u

static void buffer__fini(struct tw_tracedat_buffer *buffer, struct tw_dat_buffer *places)
{
	free(buffer->name);
	free(buffer->clock);
	free(places->places);
}

int tw_dat__add_buffer(struct tw_tracedat *dat, const struct tw_tracedat_buffer *buffer,
		       const struct tw_dat_buffer *places)
{
	const size_t n = dat->info.n_buffers, at = *buffer->name ? n : 0;
	struct tw_tracedat_buffer *buffers = realloc(dat->buffers, (n + 1) * sizeof(*buffers));
	struct tw_dat_buffer *all = realloc(dat->places, (n + 1) * sizeof(*all));

	if (buffers)
		dat->info.buffers = dat->buffers = buffers;
	if (all)
		dat->places = all;
	if (!buffers || !all || n == TW_TRACEDAT_BUFFERS_MAX) {
		buffer__fini(&(struct tw_tracedat_buffer){ .name = buffer->name, .clock = buffer->clock },
			     &(struct tw_dat_buffer){ .places = places->places });
		return buffers && all ? -EBADMSG : -ENOMEM;
	}
	memmove(buffers + at + 1, buffers + at, (n - at) * sizeof(*buffers));
	memmove(all + at + 1, all + at, (n - at) * sizeof(*all));
	buffers[at] = *buffer;
	all[at] = *places;
	dat->info.n_buffers++;
	return 0;
}

/* The places of a version 7 buffer's rings. */
static int read_places(struct tw_dat_cursor *c, uint32_t n, struct tw_dat_place **ret)
{
	const uint64_t each = sizeof(uint32_t) + 2 * sizeof(uint64_t);
	struct tw_dat_place *places;

	if (c->failed || n > TW_TRACEDAT_CPUS_MAX || n > (c->end - c->at) / each)
		return -EBADMSG;
	if (!n)
		return 0;
	places = calloc(n, sizeof(*places));
	if (!places)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		places[i].cpu = tw_dat_cursor__u32(c);
		places[i].offset = tw_dat_cursor__u64(c);
		places[i].size = tw_dat_cursor__u64(c);
	}
	*ret = places;
	return 0;
}

static int apply_buffer(struct tw_dat_cursor *c)
{
	struct tw_dat_buffer places = { .offset = tw_dat_cursor__u64(c) };
	struct tw_tracedat_buffer buffer = { .page_size = c->dat->info.page_size };
	char name[TW_TRACEDAT_NAME_MAX + 1], clock[TW_TRACEDAT_NAME_MAX + 1] = "";
	int code = 0;

	if (c->dat->in_instance || !tw_dat_cursor__string(c, name, sizeof(name)))
		return -EBADMSG;
	if (c->dat->info.version >= 7) {
		if (!tw_dat_cursor__string(c, clock, sizeof(clock)))
			return -EBADMSG;
		buffer.page_size = tw_dat_cursor__u32(c);
		buffer.cpus = tw_dat_cursor__u32(c);
		code = read_places(c, buffer.cpus, &places.places);
	}
	if (code)
		return code;
	buffer.name = strdup(name);
	buffer.clock = *clock ? strdup(clock) : NULL;
	if (!buffer.name || (*clock && !buffer.clock)) {
		buffer__fini(&buffer, &places);
		return -ENOMEM;
	}
	return tw_dat__add_buffer(c->dat, &buffer, &places);
}

/* A number as strtoll() takes it, which trace-cmd does; the sign of a negative one survives modulo 2^64. */
static uint64_t number(const struct tw_tracedat_bytes *value)
{
	return (uint64_t)strtoll(value->data, NULL, 0);
}

static void apply_offset(struct tw_tracedat *dat, uint64_t offset)
{
	dat->clock.offset += offset;
	dat->info.time_offset = (int64_t)dat->clock.offset;
}

/* Where a version 7 section is. */
static int apply_section(struct tw_dat_cursor *c, uint16_t id)
{
	const uint64_t offset = tw_dat_cursor__u64(c);

	if (!c->failed)
		c->dat->sections[id] = offset;
	return c->failed ? -EBADMSG : 0;
}

/* What matters to reading; the rest is only kept. @c stands on the value. */
static int apply(struct tw_dat_cursor *c, uint16_t id, const struct tw_tracedat_bytes *value)
{
	struct tw_tracedat *dat = c->dat;

	switch (id) {
	case TW_TRACEDAT_DATE:
		dat->info.dated = true;
		apply_offset(dat, number(value) * NS_PER_US);
		return 0;
	case TW_TRACEDAT_OFFSET:
		apply_offset(dat, number(value));
		return 0;
	case TW_TRACEDAT_TIME_SHIFT:
		return tw_dat_clock__shift(&dat->clock, value->data, value->len, dat->info.big_endian);
	case TW_TRACEDAT_TSC2NSEC:
		return tw_dat_clock__tsc(&dat->clock, value->data, value->len, dat->info.big_endian);
	case TW_TRACEDAT_CPUCOUNT:
		dat->info.cpus = tw_dat_cursor__u32(c);
		return c->failed ? -EBADMSG : 0;
	case TW_TRACEDAT_BUFFER:
		return apply_buffer(c);
	case TW_TRACEDAT_BUFFER_TEXT:
		dat->text_only = true;
		return 0;
	default:
		if (id >= TW_TRACEDAT_HEADER_INFO && id <= TW_TRACEDAT_CMDLINES && dat->info.version >= 7)
			return apply_section(c, id);
		return 0;
	}
}

static int keep(struct tw_tracedat *dat, uint16_t id, const struct tw_tracedat_bytes *value)
{
	struct tw_tracedat_option *options = dat->options;
	const size_t n = dat->info.n_options;

	dat->bytes += value->len;
	if (n == TW_TRACEDAT_OPTIONS_MAX || dat->bytes > TW_TRACEDAT_BYTES_MAX)
		return -EBADMSG;
	if (!(n & (n - 1)))
		options = realloc(options, (2 * n + 1) * sizeof(*options));
	if (!options)
		return -ENOMEM;
	dat->info.options = dat->options = options;
	options[dat->info.n_options++] = (struct tw_tracedat_option){ .id = id, .value = *value };
	return 0;
}

int tw_dat__option(struct tw_dat_cursor *c, uint16_t id)
{
	const uint64_t offset = tw_dat_cursor__offset(c);
	struct tw_tracedat_bytes value;
	struct tw_dat_cursor inner;
	int code = tw_dat_cursor__bytes(c, tw_dat_cursor__u32(c), TW_TRACEDAT_SECTION_MAX, &value);

	if (!code) {
		code = keep(c->dat, id, &value);
		if (code)
			free(value.data);
	}
	if (code == -EBADMSG)
		tw_dat__damage(c->dat, offset, "an option (number %u) is longer than what is left, or one too many",
			       id);
	if (code)
		return code;
	inner = (struct tw_dat_cursor){
		.dat = c->dat, .mem = (const uint8_t *)value.data, .end = value.len, .origin = offset
	};
	code = apply(&inner, id, &value);
	if (code == -EBADMSG) {
		tw_dat__damage(c->dat, offset, "an option (number %u) is not what it should be", id);
		code = 0; /* the next one can be read */
	}
	return code;
}
