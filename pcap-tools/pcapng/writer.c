/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/pcapng/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "pcap-tools/pcapng/block.h"

#define EPB_HEAD 28 /* bytes before the packet */
#define EPB_TAIL 8  /* and behind it at most: padding and closing length */
#define EPB_MIN  (EPB_HEAD + 4)
#define BUFFER_DEFAULT \
	((size_t)960 * 1024) /* with the longest block behind it less than may be lost by a kill: 1 MiB and a bit */
#define BULK ((size_t)128 * 1024) /* bytes from which on a batch is worth to end where a disk's block does */
/* What may be appended behind a buffer that is about to be flushed: the longest block, padding, and the slack. */
#define BUFFER_BEHIND (TW_PCAPNG_PACKET_MAX + EPB_HEAD + EPB_TAIL + 2 * TW_OUTPUT_ALIGN + TW_PCAPNG_COPY_SLACK)
_Static_assert(TW_PCAPNG_BLOCK_MAX <= TW_PCAPNG_PACKET_MAX, "packets are the longest blocks");
#define LAST_MAX (TW_OUTPUT_RESERVE - TW_OUTPUT_ALIGN) /* bytes of what is said behind a failure */
_Static_assert(LAST_MAX < BUFFER_BEHIND, "there is room for it");

struct tw_pcapng {
	struct tw_output *output;
	uint8_t *memory;
	struct tw_pcapng_buffer buf; /* in it */
	size_t cap;                  /* flushed once it holds as much; BUFFER_BEHIND more are allocated */
	uint16_t *weights;           /* of the packets in it */
	size_t n_weights;
	size_t kept;      /* after a failure: bytes of the buffer that were written, in whole blocks */
	uint64_t packets; /* in this file */
	uint32_t interfaces;
	int code; /* the first failure */
	struct tw_error error;
	bool last;        /* behind that: what is in the buffer goes where the output has kept room */
	uint64_t dropped; /* packets that were in it */
};

static void pcapng__empty(struct tw_pcapng *w)
{
	w->buf.bytes = w->memory;
	w->buf.len = 0;
	w->n_weights = 0;
}

int tw_pcapng__open(struct tw_output *output, size_t buffer, const struct tw_pcapng_section *section,
		    struct tw_pcapng **ret, struct tw_error *err)
{
	struct tw_pcapng *w = calloc(1, sizeof(*w));

	if (!w)
		goto no_memory;
	w->output = output;
	w->cap = buffer ? buffer : BUFFER_DEFAULT;
	w->memory = tw_large__alloc(w->cap + BUFFER_BEHIND, w->cap + BUFFER_BEHIND);
	w->weights = malloc((w->cap + BUFFER_BEHIND) / EPB_MIN * sizeof(*w->weights));
	if (!w->memory || !w->weights)
		goto no_memory;
	pcapng__empty(w);
	tw_pcapng_buffer__section(&w->buf, section);
	*ret = w;
	return 0;

no_memory:
	tw_pcapng__close(w);
	return tw_error__set(err, -ENOMEM, "writing %s: no memory for a buffer", tw_output__name(output));
}

void tw_pcapng__close(struct tw_pcapng *w)
{
	if (!w)
		return;
	free(w->memory);
	free(w->weights);
	free(w);
}

/* Much at once goes to the disk without a copy of the kernel's, if it ends where one of its blocks does. */
static void pcapng__pad(struct tw_pcapng *w)
{
	size_t len = w->buf.len < BULK ? 0 : tw_output__lacks(w->output, w->buf.len);

	if (!len)
		return;
	if (len < TW_PCAPNG_PADDING_MIN)
		len += TW_OUTPUT_ALIGN;
	tw_pcapng_buffer__padding(&w->buf, len);
}

int tw_pcapng__flush(struct tw_pcapng *w)
{
	if (w->code || !w->buf.len)
		return w->code;
	pcapng__pad(w);
	w->code = tw_output__write(w->output, w->buf.bytes, w->buf.len, &w->kept, &w->error);
	if (!w->code)
		pcapng__empty(w);
	return w->code;
}

bool tw_pcapng__is_due(const struct tw_pcapng *w, uint64_t now)
{
	return tw_output__is_due(w->output, w->buf.len, w->packets, now);
}

int tw_pcapng__next_file(struct tw_pcapng *w, const struct tw_pcapng_section *section)
{
	if (tw_pcapng__flush(w))
		return w->code;
	w->kept = 0;
	w->code = tw_output__next(w->output, &w->error);
	if (w->code)
		return w->code;
	w->interfaces = 0;
	w->packets = 0;
	pcapng__empty(w);
	tw_pcapng_buffer__section(&w->buf, section);
	return 0;
}

/* Before a block is begun: the buffer has room for the longest. Return: 0, or the failure. */
static int pcapng__room(struct tw_pcapng *w)
{
	if (w->last)
		return 0;
	return w->buf.len < w->cap && !w->code ? 0 : tw_pcapng__flush(w);
}

/* What does not go into what was kept back is left out. Return: 0, -ENOSPC */
static int pcapng__fits(struct tw_pcapng *w, size_t before)
{
	if (!w->last || w->buf.len <= LAST_MAX)
		return 0;
	w->buf.len = before;
	return -ENOSPC;
}

int tw_pcapng__interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface, uint32_t *ret_id)
{
	int code = pcapng__room(w);
	const size_t before = w->buf.len;

	if (code)
		return code;
	tw_pcapng_buffer__interface(&w->buf, interface);
	code = pcapng__fits(w, before);
	if (!code)
		*ret_id = w->interfaces++;
	return code;
}

int tw_pcapng__statistics(struct tw_pcapng *w, uint32_t interface, const struct tw_pcapng_statistics *statistics)
{
	const int code = pcapng__room(w);
	const size_t before = w->buf.len;

	if (code)
		return code;
	tw_pcapng_buffer__statistics(&w->buf, interface, statistics);
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
	store_u32(p + len, 0); /* the padding, and perhaps more, which the length overwrites */
	store_u32(p + len + padding, total);
	w->buf.len += total;
	w->weights[w->n_weights++] = weight;
	w->packets++;
}

int tw_pcapng__error(const struct tw_pcapng *w, struct tw_error *err)
{
	if (w->code && err)
		*err = w->error;
	return w->code;
}

uint64_t tw_pcapng__bytes(const struct tw_pcapng *w)
{
	struct tw_output_stats stats;

	tw_output__stats(w->output, &stats);
	return stats.bytes;
}

uint64_t tw_pcapng__removed_early(const struct tw_pcapng *w)
{
	struct tw_output_stats stats;

	tw_output__stats(w->output, &stats);
	return stats.removed_early;
}

static uint32_t load_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

bool tw_pcapng__next_unwritten(const struct tw_pcapng *w, struct tw_pcapng_place *place, struct tw_pcapng_packet *ret)
{
	while (w->code && !w->last && place->at < w->buf.len) {
		const uint8_t *block = w->buf.bytes + place->at;
		const bool is_written = place->at < w->kept;

		place->at += load_u32(block + 4);
		if (load_u32(block) != TW_PCAPNG_EPB)
			continue;
		ret->interface = load_u32(block + 8);
		ret->weight = w->weights[place->packet++];
		if (!is_written)
			return true;
	}
	return false;
}

uint64_t tw_pcapng__dropped(const struct tw_pcapng *w)
{
	struct tw_pcapng_packet packet;
	uint64_t n = w->dropped;

	for (struct tw_pcapng_place place = { 0 }; tw_pcapng__next_unwritten(w, &place, &packet);)
		n++;
	return n;
}

void tw_pcapng__begin_last(struct tw_pcapng *w)
{
	size_t to = 0;

	if (!w->code || w->last)
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

void tw_pcapng__give_up(struct tw_pcapng *w, int code, const struct tw_error *why)
{
	if (w->code)
		return;
	w->code = code;
	w->error = *why;
	w->kept = 0;
}
