/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/pcapng/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/printable.h"
#include "pcap-tools/large.h"
#include "pcap-tools/pcapng/blocks.h"

#define TSRESOL_NS 9  /* if_tsresol: 10^-9 s */
#define EPB_HEAD   28 /* bytes of an EPB before the packet data */
#define EPB_TAIL   8  /* upper limit of the bytes of an EPB after the packet data: padding and closing length */
#define EPB_MIN    (EPB_HEAD + 4)
/* Limit of a block without a packet: five texts, a list of comments, and their headers. */
#define BLOCK_MAX (6 * TW_PCAPNG_TEXT_MAX + TW_PCAPNG_COMMENTS_MAX)
_Static_assert(BLOCK_MAX <= TW_PCAPNG_PACKET_MAX, "packets are the longest blocks");
#define BUFFER_DEFAULT ((size_t)960 * 1024) /* bytes; a kill loses at most these bytes and the longest block */
#define BULK           ((size_t)128 * 1024) /* smallest batch that is padded to the end of a disk block, bytes */
/* Bytes that may be appended to a buffer of almost `cap` bytes before it is flushed: the longest block, padding, and the slack. */
#define BUFFER_BEHIND (TW_PCAPNG_PACKET_MAX + EPB_HEAD + EPB_TAIL + 2 * TW_OUTPUT_ALIGN + TW_PCAPNG_COPY_SLACK)
#define LAST_MAX      (TW_OUTPUT_RESERVE - TW_OUTPUT_ALIGN) /* limit of the blocks after a failure, bytes */
_Static_assert(LAST_MAX < BUFFER_BEHIND, "the last blocks fit the buffer");

/*
 * A buffer of blocks. Appending does not check its size: the owner makes sure that the longest block fits. Numbers are in host byte
 * order, which the byte-order magic of the section header shows.
 */
struct buffer {
	uint8_t *bytes;
	size_t len;
};

struct tw_pcapng {
	struct tw_output *output;
	struct buffer buf;
	size_t cap;        /* length at which buf is flushed; BUFFER_BEHIND more bytes are allocated */
	uint16_t *weights; /* weights of the packets in buf */
	size_t n_weights;
	size_t kept;           /* after a failure: length of the whole blocks of buf that were written */
	uint64_t packets;      /* number of packets in this file */
	uint32_t interfaces;   /* number of interfaces in this file */
	int err;               /* the first failure, -errno; 0 = none */
	struct tw_error error; /* text of `err` */
	bool last;             /* tw_pcapng__begin_last() was called: buf has the last blocks */
	uint64_t dropped;      /* number of packets removed from buf by tw_pcapng__begin_last() */
};

static void put(struct buffer *b, const void *data, size_t len)
{
	memcpy(b->bytes + b->len, data, len);
	b->len += len;
}

static void put_u16(struct buffer *b, unsigned int value)
{
	const uint16_t v = (uint16_t)value;

	put(b, &v, sizeof(v));
}

static void put_u32(struct buffer *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

static void option__put(struct buffer *b, unsigned int code, const void *value, size_t len)
{
	put_u16(b, code);
	put_u16(b, (unsigned int)len);
	put(b, value, len);
	while (b->len % 4)
		b->bytes[b->len++] = 0;
}

/* Return: length of a text, cut to TW_PCAPNG_TEXT_MAX between two characters of UTF-8 */
static size_t text__length(const char *text)
{
	return tw_printable__cut(text, strnlen(text, TW_PCAPNG_TEXT_MAX + 1), TW_PCAPNG_TEXT_MAX);
}

static void option__text(struct buffer *b, unsigned int code, const char *text)
{
	if (text && *text)
		option__put(b, code, text, text__length(text));
}

/* Writes comments up to the first one that does not fit TW_PCAPNG_COMMENTS_MAX. */
static void option__comments(struct buffer *b, const char *const *comments)
{
	size_t left = TW_PCAPNG_COMMENTS_MAX;

	for (; comments && *comments; comments++) {
		const size_t len = text__length(*comments) + 8; /* with the option's header and padding */

		if (len > left)
			return;
		left -= len;
		option__text(b, TW_OPT_COMMENT, *comments);
	}
}

/* Writes a capture filter. Its first byte is 0: the filter is a text. */
static void option__filter(struct buffer *b, const char *filter)
{
	char value[1 + TW_PCAPNG_TEXT_MAX] = { 0 };
	size_t len;

	if (!filter || !*filter)
		return;
	len = text__length(filter);
	memcpy(value + 1, filter, len);
	option__put(b, TW_OPT_IF_FILTER, value, 1 + len);
}

static void option__u64(struct buffer *b, unsigned int code, uint64_t value)
{
	option__put(b, code, &value, sizeof(value));
}

/* Writes a time: two words, the high word first in either byte order. */
static void put_time(struct buffer *b, uint64_t time)
{
	put_u32(b, (uint32_t)(time >> 32));
	put_u32(b, (uint32_t)time);
}

static void option__time(struct buffer *b, unsigned int code, uint64_t time)
{
	put_u16(b, code);
	put_u16(b, sizeof(time));
	put_time(b, time);
}

/* Begins a block; block__end() writes its length. Return: offset of the block in the buffer */
static size_t block__begin(struct buffer *b, uint32_t type)
{
	const size_t start = b->len;

	put_u32(b, type);
	put_u32(b, 0);
	return start;
}

static void block__end(struct buffer *b, size_t start)
{
	const uint32_t len = (uint32_t)(b->len - start + sizeof(uint32_t));

	memcpy(b->bytes + start + sizeof(uint32_t), &len, sizeof(len));
	put_u32(b, len);
}

static void block__end_options(struct buffer *b, size_t start)
{
	put_u32(b, TW_OPT_END);
	block__end(b, start);
}

static void buffer__section(struct buffer *b, const struct tw_pcapng_section *section)
{
	const size_t start = block__begin(b, TW_PCAPNG_SHB);

	put_u32(b, TW_PCAPNG_BYTE_ORDER_MAGIC);
	put_u16(b, 1); /* version 1.0 */
	put_u16(b, 0);
	put_u32(b, UINT32_MAX); /* length of the section: unknown */
	put_u32(b, UINT32_MAX);
	option__text(b, TW_OPT_COMMENT, section->comment);
	option__comments(b, section->comments);
	option__text(b, TW_OPT_SHB_HARDWARE, section->hardware);
	option__text(b, TW_OPT_SHB_OS, section->os);
	option__text(b, TW_OPT_SHB_APPLICATION, section->application);
	block__end_options(b, start);
}

static void buffer__interface(struct buffer *b, const struct tw_pcapng_interface *interface)
{
	const uint8_t tsresol = TSRESOL_NS;
	const size_t start = block__begin(b, TW_PCAPNG_IDB);

	put_u16(b, interface->linktype);
	put_u16(b, 0);
	put_u32(b, interface->snaplen);
	option__text(b, TW_OPT_COMMENT, interface->comment);
	option__text(b, TW_OPT_IF_NAME, interface->name);
	option__text(b, TW_OPT_IF_DESCRIPTION, interface->description);
	option__put(b, TW_OPT_IF_TSRESOL, &tsresol, sizeof(tsresol));
	option__filter(b, interface->filter);
	option__text(b, TW_OPT_IF_OS, interface->os);
	block__end_options(b, start);
}

static void buffer__statistics(struct buffer *b, uint32_t interface, const struct tw_pcapng_statistics *statistics)
{
	const size_t start = block__begin(b, TW_PCAPNG_ISB);

	put_u32(b, interface);
	put_time(b, statistics->time);
	option__text(b, TW_OPT_COMMENT, statistics->comment);
	option__time(b, TW_OPT_ISB_START, statistics->start);
	option__time(b, TW_OPT_ISB_END, statistics->end);
	option__u64(b, TW_OPT_ISB_RECEIVED, statistics->received);
	option__u64(b, TW_OPT_ISB_DROPPED, statistics->dropped);
	if (statistics->filters)
		option__u64(b, TW_OPT_ISB_FILTER_ACCEPTED, statistics->delivered);
	option__u64(b, TW_OPT_ISB_OS_DROPPED, statistics->os_dropped);
	option__u64(b, TW_OPT_ISB_DELIVERED, statistics->delivered);
	block__end_options(b, start);
}

static void buffer__padding(struct buffer *b, size_t len)
{
	const size_t start = block__begin(b, TW_PCAPNG_PADDING);

	memset(b->bytes + b->len, 0, len - TW_PCAPNG_BLOCK_MIN);
	b->len += len - TW_PCAPNG_BLOCK_MIN;
	block__end(b, start);
}

int tw_pcapng__open(struct tw_output *output, size_t buffer, const struct tw_pcapng_section *section,
		    struct tw_pcapng **ret, struct tw_error *error)
{
	struct tw_pcapng *w = calloc(1, sizeof(*w));

	if (!w)
		goto no_memory;
	w->output = output;
	w->cap = buffer ? buffer : BUFFER_DEFAULT;
	w->buf.bytes = tw_large__alloc(w->cap + BUFFER_BEHIND, w->cap + BUFFER_BEHIND);
	w->weights = malloc((w->cap + BUFFER_BEHIND) / EPB_MIN * sizeof(*w->weights));
	if (!w->buf.bytes || !w->weights)
		goto no_memory;
	buffer__section(&w->buf, section);
	*ret = w;
	return 0;

no_memory:
	tw_pcapng__close(w);
	return tw_error__set(error, -ENOMEM, "writing %s: no memory for a buffer", tw_output__name(output));
}

void tw_pcapng__close(struct tw_pcapng *w)
{
	if (!w)
		return;
	free(w->buf.bytes);
	free(w->weights);
	free(w);
}

/* A large batch is padded to end with a block of the disk, so that the output can write it without a copy in the kernel (O_DIRECT). */
int tw_pcapng__flush(struct tw_pcapng *w)
{
	size_t lacks;

	if (w->err || !w->buf.len)
		return w->err;
	lacks = w->buf.len < BULK ? 0 : tw_output__lacks(w->output, w->buf.len);
	if (lacks)
		buffer__padding(&w->buf, lacks < TW_PCAPNG_BLOCK_MIN ? lacks + TW_OUTPUT_ALIGN : lacks);
	w->err = tw_output__write(w->output, w->buf.bytes, w->buf.len, &w->kept, &w->error);
	if (!w->err)
		w->buf.len = w->n_weights = 0;
	return w->err;
}

bool tw_pcapng__is_due(const struct tw_pcapng *w, uint64_t now)
{
	return tw_output__is_due(w->output, w->buf.len, w->packets, now);
}

int tw_pcapng__next_file(struct tw_pcapng *w, const struct tw_pcapng_section *section)
{
	if (tw_pcapng__flush(w))
		return w->err;
	w->kept = 0;
	w->err = tw_output__next(w->output, &w->error);
	if (w->err)
		return w->err;
	w->interfaces = 0;
	w->packets = 0;
	buffer__section(&w->buf, section);
	return 0;
}

/* Called before each block: makes room for the longest block. Return: 0, or the first failure */
static int pcapng__room(struct tw_pcapng *w)
{
	if (w->last)
		return 0;
	return w->buf.len < w->cap && !w->err ? 0 : tw_pcapng__flush(w);
}

/* Removes the block at offset @before if the last blocks would exceed LAST_MAX. Return: 0; -ENOSPC if it was removed */
static int pcapng__fits(struct tw_pcapng *w, size_t before)
{
	if (!w->last || w->buf.len <= LAST_MAX)
		return 0;
	w->buf.len = before;
	return -ENOSPC;
}

int tw_pcapng__interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface, uint32_t *ret_id)
{
	int err = pcapng__room(w);
	const size_t before = w->buf.len;

	if (err)
		return err;
	buffer__interface(&w->buf, interface);
	err = pcapng__fits(w, before);
	if (!err)
		*ret_id = w->interfaces++;
	return err;
}

int tw_pcapng__statistics(struct tw_pcapng *w, uint32_t interface, const struct tw_pcapng_statistics *statistics)
{
	const int err = pcapng__room(w);
	const size_t before = w->buf.len;

	if (err)
		return err;
	buffer__statistics(&w->buf, interface, statistics);
	return pcapng__fits(w, before);
}

uint8_t *tw_pcapng__reserve(struct tw_pcapng *w, size_t len)
{
	if (len > TW_PCAPNG_PACKET_MAX || w->last || pcapng__room(w))
		return NULL;
	return w->buf.bytes + w->buf.len + EPB_HEAD;
}

static uint8_t *store_u32(uint8_t *p, uint32_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

void tw_pcapng__commit(struct tw_pcapng *w, uint32_t interface, uint64_t time, size_t len, size_t original,
		       uint16_t weight)
{
	const uint32_t padding = -(uint32_t)len & 3;
	const uint32_t total = (uint32_t)(EPB_HEAD + len + padding + sizeof(total));
	uint8_t *p = w->buf.bytes + w->buf.len;

	p = store_u32(p, TW_PCAPNG_EPB);
	p = store_u32(p, total);
	p = store_u32(p, interface);
	p = store_u32(p, (uint32_t)(time >> 32));
	p = store_u32(p, (uint32_t)time);
	p = store_u32(p, (uint32_t)len);
	p = store_u32(p, (uint32_t)original);
	store_u32(p + len, 0); /* clears the padding; the next line overwrites the bytes after it */
	store_u32(p + len + padding, total);
	w->buf.len += total;
	w->weights[w->n_weights++] = weight;
	w->packets++;
}

int tw_pcapng__copy_interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface,
			      const struct tw_pcapng_options *options, uint32_t *ret_id)
{
	const uint8_t tsresol = TSRESOL_NS;
	const int err = pcapng__room(w);
	size_t start;

	if (err)
		return err;
	start = block__begin(&w->buf, TW_PCAPNG_IDB);
	put_u16(&w->buf, interface->linktype);
	put_u16(&w->buf, 0);
	put_u32(&w->buf, interface->snaplen);
	option__put(&w->buf, TW_OPT_IF_TSRESOL, &tsresol, sizeof(tsresol));
	put(&w->buf, options->bytes, options->len);
	block__end_options(&w->buf, start);
	*ret_id = w->interfaces++;
	return 0;
}

int tw_pcapng__copy_statistics(struct tw_pcapng *w, uint32_t interface, uint64_t time,
			       const struct tw_pcapng_options *options)
{
	const int err = pcapng__room(w);
	size_t start;

	if (err)
		return err;
	start = block__begin(&w->buf, TW_PCAPNG_ISB);
	put_u32(&w->buf, interface);
	put_time(&w->buf, time);
	put(&w->buf, options->bytes, options->len);
	block__end_options(&w->buf, start);
	return 0;
}

int tw_pcapng__copy_block(struct tw_pcapng *w, uint32_t type, const void *body, size_t len)
{
	const int err = pcapng__room(w);
	size_t start;

	if (err)
		return err;
	start = block__begin(&w->buf, type);
	put(&w->buf, body, len);
	block__end(&w->buf, start);
	return 0;
}

int tw_pcapng__copy_packet(struct tw_pcapng *w, const struct tw_pcapng_copy *packet)
{
	static const uint8_t padding[3];
	const size_t lacks = -packet->len & 3, options = packet->options.len;
	const int err = pcapng__room(w);
	size_t start;

	if (err)
		return err;
	start = block__begin(&w->buf, TW_PCAPNG_EPB);
	put_u32(&w->buf, packet->interface);
	put_time(&w->buf, packet->time);
	put_u32(&w->buf, (uint32_t)packet->len);
	put_u32(&w->buf, (uint32_t)packet->original);
	put(&w->buf, packet->data, packet->len);
	put(&w->buf, padding, lacks);
	if (options && packet->len + lacks + options <= TW_PCAPNG_PACKET_MAX) {
		put(&w->buf, packet->options.bytes, options);
		put_u32(&w->buf, TW_OPT_END);
	}
	block__end(&w->buf, start);
	w->weights[w->n_weights++] = 0;
	w->packets++;
	return 0;
}

int tw_pcapng__error(const struct tw_pcapng *w, struct tw_error *error)
{
	if (w->err && error)
		*error = w->error;
	return w->err;
}

uint64_t tw_pcapng__bytes(const struct tw_pcapng *w)
{
	return tw_output__stats(w->output)->bytes;
}

uint64_t tw_pcapng__removed_early(const struct tw_pcapng *w)
{
	return tw_output__stats(w->output)->removed_early;
}

static uint32_t load_u32(const uint8_t *p)
{
	return tw_load32(p, TW_HOST_BE);
}

bool tw_pcapng__next_unwritten(const struct tw_pcapng *w, struct tw_pcapng_unwritten *packet)
{
	while (w->err && !w->last && packet->at < w->buf.len) {
		const uint8_t *block = w->buf.bytes + packet->at;
		const bool is_written = packet->at < w->kept;

		packet->at += load_u32(block + 4);
		if (load_u32(block) != TW_PCAPNG_EPB)
			continue;
		packet->interface = load_u32(block + 8);
		packet->weight = w->weights[packet->packet++];
		if (!is_written)
			return true;
	}
	return false;
}

uint64_t tw_pcapng__dropped(const struct tw_pcapng *w)
{
	struct tw_pcapng_unwritten packet = { 0 };
	uint64_t n = w->dropped;

	while (tw_pcapng__next_unwritten(w, &packet))
		n++;
	return n;
}

void tw_pcapng__begin_last(struct tw_pcapng *w)
{
	size_t to = 0;

	if (!w->err || w->last)
		return;
	w->dropped = tw_pcapng__dropped(w);
	for (size_t at = w->kept, len; at < w->buf.len; at += len) {
		const uint32_t type = load_u32(w->buf.bytes + at);

		len = load_u32(w->buf.bytes + at + 4);
		if (type != TW_PCAPNG_SHB && type != TW_PCAPNG_IDB)
			continue;
		memmove(w->buf.bytes + to, w->buf.bytes + at, len);
		to += len;
	}
	w->buf.len = to;
	w->last = true;
}

int tw_pcapng__end_last(struct tw_pcapng *w)
{
	return w->last ? tw_output__write_last(w->output, w->buf.bytes, w->buf.len) : -EINVAL;
}

void tw_pcapng__give_up(struct tw_pcapng *w, int err, const struct tw_error *why)
{
	if (w->err)
		return;
	w->err = err;
	w->error = *why;
	w->kept = 0;
}
