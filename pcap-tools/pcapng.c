/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/pcapng.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers of draft-ietf-opsawg-pcapng, sections 4 and 3.5. All are written in this host's byte order, which the SHB tells. */
enum {
	BLOCK_IDB = 1,
	BLOCK_ISB = 5,
	BLOCK_EPB = 6,
	BLOCK_SHB = 0x0A0D0D0A,
};
#define BYTE_ORDER_MAGIC 0x1A2B3C4Du

enum {
	OPT_END = 0,
	OPT_COMMENT = 1,
	SHB_HARDWARE = 2,
	SHB_OS = 3,
	SHB_USERAPPL = 4,
	IF_NAME = 2,
	IF_DESCRIPTION = 3,
	IF_TSRESOL = 9,
	IF_FILTER = 11,
	IF_OS = 12,
	ISB_STARTTIME = 2,
	ISB_ENDTIME = 3,
	ISB_IFRECV = 4,
	ISB_IFDROP = 5,
	ISB_OSDROP = 7,
	ISB_USRDELIV = 8,
};

#define TSRESOL_NS     9                   /* 10^-9 s */
#define TEXT_MAX       ((size_t)16 * 1024) /* bytes of one option's text */
#define EPB_HEAD       28                  /* bytes before the packet */
#define BUFFER_DEFAULT ((size_t)256 * 1024)
/* What may be appended behind a buffer that is about to be flushed: the longest block, and the slack. */
#define BUFFER_BEHIND (TW_PCAPNG_PACKET_MAX + 2 * TEXT_MAX + TW_PCAPNG_COPY_SLACK)

struct tw_pcapng {
	uint8_t *buf;
	size_t len, cap; /* flushed once len reaches cap; BUFFER_BEHIND more are allocated */
	uint64_t written;
	uint64_t dropped; /* packets */
	uint32_t interfaces;
	int fd;
	int code; /* the first failure */
	struct tw_error error;
	char name[256];
};

static void put(struct tw_pcapng *w, const void *data, size_t len)
{
	memcpy(w->buf + w->len, data, len);
	w->len += len;
}

static void put_u16(struct tw_pcapng *w, unsigned int value)
{
	const uint16_t v = (uint16_t)value;

	put(w, &v, sizeof(v));
}

static void put_u32(struct tw_pcapng *w, uint32_t value)
{
	put(w, &value, sizeof(value));
}

static void put_padding(struct tw_pcapng *w)
{
	while (w->len % 4)
		w->buf[w->len++] = 0;
}

static void option__put(struct tw_pcapng *w, unsigned int code, const void *value, size_t len)
{
	put_u16(w, code);
	put_u16(w, (unsigned int)len);
	put(w, value, len);
	put_padding(w);
}

static void option__end(struct tw_pcapng *w)
{
	put_u32(w, OPT_END);
}

/* Cut between two characters of UTF-8. */
static size_t text__length(const char *text)
{
	size_t len = strnlen(text, TEXT_MAX + 1);

	if (len <= TEXT_MAX)
		return len;
	for (len = TEXT_MAX; len > TEXT_MAX - 4 && ((unsigned char)text[len] & 0xc0) == 0x80;)
		len--;
	return len;
}

static void option__text(struct tw_pcapng *w, unsigned int code, const char *text)
{
	if (text && *text)
		option__put(w, code, text, text__length(text));
}

/* A capture filter as text, which its first byte tells. */
static void option__filter(struct tw_pcapng *w, const char *filter)
{
	char value[1 + TEXT_MAX] = { 0 };
	size_t len;

	if (!filter || !*filter)
		return;
	len = text__length(filter);
	memcpy(value + 1, filter, len);
	option__put(w, IF_FILTER, value, 1 + len);
}

static void option__u64(struct tw_pcapng *w, unsigned int code, uint64_t value)
{
	option__put(w, code, &value, sizeof(value));
}

/* Times stand as two words, the high one first, in either byte order. */
static void put_time(struct tw_pcapng *w, uint64_t time)
{
	put_u32(w, (uint32_t)(time >> 32));
	put_u32(w, (uint32_t)time);
}

static void option__time(struct tw_pcapng *w, unsigned int code, uint64_t time)
{
	put_u16(w, code);
	put_u16(w, sizeof(time));
	put_time(w, time);
}

/* Start a block: its length is filled in at its end. Return: where it starts. */
static size_t block__begin(struct tw_pcapng *w, uint32_t type)
{
	const size_t start = w->len;

	put_u32(w, type);
	put_u32(w, 0);
	return start;
}

static void block__end(struct tw_pcapng *w, size_t start)
{
	const uint32_t len = (uint32_t)(w->len - start + sizeof(uint32_t));

	memcpy(w->buf + start + sizeof(uint32_t), &len, sizeof(len));
	put_u32(w, len);
}

static void put_section(struct tw_pcapng *w, const struct tw_pcapng_section *section)
{
	const size_t start = block__begin(w, BLOCK_SHB);

	put_u32(w, BYTE_ORDER_MAGIC);
	put_u16(w, 1); /* version 1.0 */
	put_u16(w, 0);
	put_u32(w, UINT32_MAX); /* length of the section: unknown */
	put_u32(w, UINT32_MAX);
	option__text(w, OPT_COMMENT, section->comment);
	option__text(w, SHB_HARDWARE, section->hardware);
	option__text(w, SHB_OS, section->os);
	option__text(w, SHB_USERAPPL, section->application);
	option__end(w);
	block__end(w, start);
}

int tw_pcapng__open(int fd, const char *name, size_t buffer, const struct tw_pcapng_section *section,
		    struct tw_pcapng **ret, struct tw_error *err)
{
	struct tw_pcapng *w = calloc(1, sizeof(*w));

	if (!w)
		goto no_memory;
	w->fd = fd;
	w->cap = buffer ? buffer : BUFFER_DEFAULT;
	w->buf = malloc(w->cap + BUFFER_BEHIND);
	if (!w->buf)
		goto no_memory;
	strncpy(w->name, name, sizeof(w->name) - 1);
	put_section(w, section);
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
	free(w->buf);
	free(w);
}

/* Of @len bytes of the buffer, those in whole blocks; and how many packets are in the blocks behind them. */
static size_t buffer__whole_blocks(const struct tw_pcapng *w, size_t len, uint64_t *ret_behind)
{
	size_t whole = 0;
	uint32_t head[2];

	*ret_behind = 0;
	for (size_t at = 0; at < w->len; at += head[1]) {
		memcpy(head, w->buf + at, sizeof(head));
		if (at + head[1] <= len)
			whole = at + head[1];
		else
			*ret_behind += head[0] == BLOCK_EPB;
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
		const ssize_t n = write(w->fd, w->buf + from, w->len - from);

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
	while (at < w->len) {
		const ssize_t n = pcapng__write_some(w, at);

		if (n < 0) {
			pcapng__cut(w, at);
			w->len = 0;
			return pcapng__fail(w, (int)n);
		}
		at += (size_t)n;
	}
	w->written += w->len;
	w->len = 0;
	return 0;
}

/* Before a block is begun: the buffer has room for the longest. Return: 0, or the failure. */
static int pcapng__room(struct tw_pcapng *w)
{
	return w->len < w->cap && !w->code ? 0 : tw_pcapng__flush(w);
}

int tw_pcapng__interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface, uint32_t *ret_id)
{
	const uint8_t tsresol = TSRESOL_NS;
	const int code = pcapng__room(w);
	size_t start;

	if (code)
		return code;
	start = block__begin(w, BLOCK_IDB);
	put_u16(w, interface->linktype);
	put_u16(w, 0);
	put_u32(w, interface->snaplen);
	option__text(w, OPT_COMMENT, interface->comment);
	option__text(w, IF_NAME, interface->name);
	option__text(w, IF_DESCRIPTION, interface->description);
	option__put(w, IF_TSRESOL, &tsresol, sizeof(tsresol));
	option__filter(w, interface->filter);
	option__text(w, IF_OS, interface->os);
	option__end(w);
	block__end(w, start);
	*ret_id = w->interfaces++;
	return 0;
}

uint8_t *tw_pcapng__reserve(struct tw_pcapng *w, size_t len)
{
	if (len > TW_PCAPNG_PACKET_MAX || pcapng__room(w))
		return NULL;
	return w->buf + w->len + EPB_HEAD;
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
	uint8_t *p = w->buf + w->len;

	p = store_u32(p, BLOCK_EPB);
	p = store_u32(p, total);
	p = store_u32(p, interface);
	p = store_u32(p, (uint32_t)(time >> 32));
	p = store_u32(p, (uint32_t)time);
	p = store_u32(p, (uint32_t)len);
	p = store_u32(p, (uint32_t)len);
	store_u32(p + len, 0); /* the padding, and perhaps more, which the length overwrites */
	store_u32(p + len + padding, total);
	w->len += total;
}

int tw_pcapng__statistics(struct tw_pcapng *w, uint32_t interface, const struct tw_pcapng_statistics *statistics)
{
	const int code = pcapng__room(w);
	size_t start;

	if (code)
		return code;
	start = block__begin(w, BLOCK_ISB);
	put_u32(w, interface);
	put_time(w, statistics->time);
	option__text(w, OPT_COMMENT, statistics->comment);
	option__time(w, ISB_STARTTIME, statistics->start);
	option__time(w, ISB_ENDTIME, statistics->end);
	option__u64(w, ISB_IFRECV, statistics->received);
	option__u64(w, ISB_IFDROP, statistics->dropped);
	option__u64(w, ISB_OSDROP, statistics->os_dropped);
	option__u64(w, ISB_USRDELIV, statistics->delivered);
	option__end(w);
	block__end(w, start);
	return 0;
}

int tw_pcapng__error(const struct tw_pcapng *w, struct tw_error *err)
{
	if (w->code && err)
		*err = w->error;
	return w->code;
}

uint64_t tw_pcapng__bytes(const struct tw_pcapng *w)
{
	return w->written + w->len;
}

uint64_t tw_pcapng__dropped(const struct tw_pcapng *w)
{
	return w->dropped;
}
