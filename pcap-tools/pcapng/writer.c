/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/pcapng/writer.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap-tools/pcapng/block.h"

#define EPB_HEAD       28 /* bytes before the packet */
#define EPB_TAIL       8  /* and behind it at most: padding and closing length */
#define BUFFER_DEFAULT ((size_t)256 * 1024)
/* What may be appended behind a buffer that is about to be flushed: the longest block, and the slack. */
#define BUFFER_BEHIND (TW_PCAPNG_PACKET_MAX + EPB_HEAD + EPB_TAIL + TW_PCAPNG_COPY_SLACK)
_Static_assert(TW_PCAPNG_BLOCK_MAX <= TW_PCAPNG_PACKET_MAX, "packets are the longest blocks");

struct tw_pcapng {
	struct tw_pcapng_buffer buf;
	size_t cap; /* flushed once it holds as much; BUFFER_BEHIND more are allocated */
	uint64_t written;
	uint64_t dropped; /* packets */
	uint32_t interfaces;
	int fd;
	int code; /* the first failure */
	struct tw_error error;
	char name[256];
};

int tw_pcapng__open(int fd, const char *name, size_t buffer, const struct tw_pcapng_section *section,
		    struct tw_pcapng **ret, struct tw_error *err)
{
	struct tw_pcapng *w = calloc(1, sizeof(*w));

	if (!w)
		goto no_memory;
	w->fd = fd;
	w->cap = buffer ? buffer : BUFFER_DEFAULT;
	w->buf.bytes = malloc(w->cap + BUFFER_BEHIND);
	if (!w->buf.bytes)
		goto no_memory;
	strncpy(w->name, name, sizeof(w->name) - 1);
	tw_pcapng_buffer__section(&w->buf, section);
	*ret = w;
	return 0;

no_memory:
	tw_pcapng__close(w);
	return tw_error__set(err, -ENOMEM, "writing %s: no memory for a buffer", name);
}

void tw_pcapng__close(struct tw_pcapng *w)
{
	if (!w)
		return;
	free(w->buf.bytes);
	free(w);
}

/* Of @len bytes of the buffer, those in whole blocks; and how many packets are in the blocks behind them. */
static size_t buffer__whole_blocks(const struct tw_pcapng *w, size_t len, uint64_t *ret_behind)
{
	size_t whole = 0;
	uint32_t head[2];

	*ret_behind = 0;
	for (size_t at = 0; at < w->buf.len; at += head[1]) {
		memcpy(head, w->buf.bytes + at, sizeof(head));
		if (at + head[1] <= len)
			whole = at + head[1];
		else
			*ret_behind += head[0] == TW_PCAPNG_EPB;
	}
	return whole;
}

/* A block that was written in part goes again, where that can be done. */
static void pcapng__cut(struct tw_pcapng *w, size_t written)
{
	const size_t whole = buffer__whole_blocks(w, written, &w->dropped);
	struct stat st;
	off_t at;

	w->written += whole;
	if (whole == written || fstat(w->fd, &st) || !S_ISREG(st.st_mode))
		return;
	at = lseek(w->fd, 0, SEEK_CUR);
	if (at >= (off_t)(written - whole) && !ftruncate(w->fd, at - (off_t)(written - whole)))
		lseek(w->fd, 0, SEEK_END);
}

static int pcapng__fail(struct tw_pcapng *w, int code)
{
	const unsigned long long bytes = w->written;

	w->code = code;
	switch (-code) {
	case ENOSPC:
	case EDQUOT:
		return tw_error__set(
			&w->error, code,
			"writing %s: no space left after %llu bytes; they can be read as they are, make room or "
			"write elsewhere for more",
			w->name, bytes);
	case EPIPE:
		return tw_error__set(&w->error, code, "writing %s: the program that read it has gone, after %llu bytes",
				     w->name, bytes);
	case EFBIG:
		return tw_error__set(
			&w->error, code,
			"writing %s: the file reached the largest size allowed (ulimit -f, or the file system's) after "
			"%llu bytes",
			w->name, bytes);
	default:
		return tw_error__set(&w->error, code, "writing %s: %s, after %llu bytes", w->name, strerror(-code),
				     bytes);
	}
}

static ssize_t pcapng__write_some(struct tw_pcapng *w, size_t from)
{
	struct pollfd ready = { .fd = w->fd, .events = POLLOUT };

	for (;;) {
		const ssize_t n = write(w->fd, w->buf.bytes + from, w->buf.len - from);

		if (n > 0)
			return n;
		if (!n)
			return -EIO;
		if (errno == EAGAIN)
			poll(&ready, 1, -1);
		else if (errno != EINTR)
			return -errno;
	}
}

int tw_pcapng__flush(struct tw_pcapng *w)
{
	size_t at = 0;

	if (w->code)
		return w->code;
	while (at < w->buf.len) {
		const ssize_t n = pcapng__write_some(w, at);

		if (n < 0) {
			pcapng__cut(w, at);
			w->buf.len = 0;
			return pcapng__fail(w, (int)n);
		}
		at += (size_t)n;
	}
	w->written += w->buf.len;
	w->buf.len = 0;
	return 0;
}

/* Before a block is begun: the buffer has room for the longest. Return: 0, or the failure. */
static int pcapng__room(struct tw_pcapng *w)
{
	return w->buf.len < w->cap && !w->code ? 0 : tw_pcapng__flush(w);
}

int tw_pcapng__interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface, uint32_t *ret_id)
{
	const int code = pcapng__room(w);

	if (code)
		return code;
	tw_pcapng_buffer__interface(&w->buf, interface);
	*ret_id = w->interfaces++;
	return 0;
}

int tw_pcapng__statistics(struct tw_pcapng *w, uint32_t interface, const struct tw_pcapng_statistics *statistics)
{
	const int code = pcapng__room(w);

	if (code)
		return code;
	tw_pcapng_buffer__statistics(&w->buf, interface, statistics);
	return 0;
}

uint8_t *tw_pcapng__reserve(struct tw_pcapng *w, size_t len)
{
	if (len > TW_PCAPNG_PACKET_MAX || pcapng__room(w))
		return NULL;
	return w->buf.bytes + w->buf.len + EPB_HEAD;
}

static uint8_t *store_u32(uint8_t *p, uint32_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

void tw_pcapng__commit(struct tw_pcapng *w, uint32_t interface, uint64_t time, size_t len)
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
	p = store_u32(p, (uint32_t)len);
	store_u32(p + len, 0); /* the padding, and perhaps more, which the length overwrites */
	store_u32(p + len + padding, total);
	w->buf.len += total;
}

int tw_pcapng__error(const struct tw_pcapng *w, struct tw_error *err)
{
	if (w->code && err)
		*err = w->error;
	return w->code;
}

uint64_t tw_pcapng__bytes(const struct tw_pcapng *w)
{
	return w->written + w->buf.len;
}

uint64_t tw_pcapng__dropped(const struct tw_pcapng *w)
{
	return w->dropped;
}
