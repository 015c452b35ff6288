/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/pcapng/block.h"

#include <string.h>

/* Numbers of draft-ietf-opsawg-pcapng, sections 4 and 3.5. */
enum {
	BLOCK_ISB = 5,
};
#define BLOCK_PADDING    0x80005457u /* section 3.1: local use, "TW"; readers skip what they don't know */
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
	ISB_FILTERACCEPT = 6,
	ISB_OSDROP = 7,
	ISB_USRDELIV = 8,
};

#define TSRESOL_NS 9 /* 10^-9 s */

static void put(struct tw_pcapng_buffer *b, const void *data, size_t len)
{
	memcpy(b->bytes + b->len, data, len);
	b->len += len;
}

static void put_u16(struct tw_pcapng_buffer *b, unsigned int value)
{
	const uint16_t v = (uint16_t)value;

	put(b, &v, sizeof(v));
}

static void put_u32(struct tw_pcapng_buffer *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

static void put_padding(struct tw_pcapng_buffer *b)
{
	while (b->len % 4)
		b->bytes[b->len++] = 0;
}

static void option__put(struct tw_pcapng_buffer *b, unsigned int code, const void *value, size_t len)
{
	put_u16(b, code);
	put_u16(b, (unsigned int)len);
	put(b, value, len);
	put_padding(b);
}

static void option__end(struct tw_pcapng_buffer *b)
{
	put_u32(b, OPT_END);
}

/* Cut between two characters of UTF-8. */
static size_t text__length(const char *text)
{
	size_t len = strnlen(text, TW_PCAPNG_TEXT_MAX + 1);

	if (len <= TW_PCAPNG_TEXT_MAX)
		return len;
	for (len = TW_PCAPNG_TEXT_MAX; len > TW_PCAPNG_TEXT_MAX - 4 && ((unsigned char)text[len] & 0xc0) == 0x80;)
		len--;
	return len;
}

static void option__text(struct tw_pcapng_buffer *b, unsigned int code, const char *text)
{
	if (text && *text)
		option__put(b, code, text, text__length(text));
}

/* As many of the list as have room. */
static void option__comments(struct tw_pcapng_buffer *b, const char *const *comments)
{
	size_t left = TW_PCAPNG_COMMENTS_MAX;

	for (; comments && *comments; comments++) {
		const size_t len = text__length(*comments) + 8; /* with its header and padding */

		if (len > left)
			return;
		left -= len;
		option__text(b, OPT_COMMENT, *comments);
	}
}

/* A capture filter as text, which its first byte tells. */
static void option__filter(struct tw_pcapng_buffer *b, const char *filter)
{
	char value[1 + TW_PCAPNG_TEXT_MAX] = { 0 };
	size_t len;

	if (!filter || !*filter)
		return;
	len = text__length(filter);
	memcpy(value + 1, filter, len);
	option__put(b, IF_FILTER, value, 1 + len);
}

static void option__u64(struct tw_pcapng_buffer *b, unsigned int code, uint64_t value)
{
	option__put(b, code, &value, sizeof(value));
}

/* Times stand as two words, the high one first, in either byte order. */
static void put_time(struct tw_pcapng_buffer *b, uint64_t time)
{
	put_u32(b, (uint32_t)(time >> 32));
	put_u32(b, (uint32_t)time);
}

static void option__time(struct tw_pcapng_buffer *b, unsigned int code, uint64_t time)
{
	put_u16(b, code);
	put_u16(b, sizeof(time));
	put_time(b, time);
}

/* Start a block: its length is filled in at its end. Return: where it starts. */
static size_t block__begin(struct tw_pcapng_buffer *b, uint32_t type)
{
	const size_t start = b->len;

	put_u32(b, type);
	put_u32(b, 0);
	return start;
}

static void block__end(struct tw_pcapng_buffer *b, size_t start)
{
	const uint32_t len = (uint32_t)(b->len - start + sizeof(uint32_t));

	memcpy(b->bytes + start + sizeof(uint32_t), &len, sizeof(len));
	put_u32(b, len);
}

void tw_pcapng_buffer__section(struct tw_pcapng_buffer *b, const struct tw_pcapng_section *section)
{
	const size_t start = block__begin(b, TW_PCAPNG_SHB);

	put_u32(b, BYTE_ORDER_MAGIC);
	put_u16(b, 1); /* version 1.0 */
	put_u16(b, 0);
	put_u32(b, UINT32_MAX); /* length of the section: unknown */
	put_u32(b, UINT32_MAX);
	option__text(b, OPT_COMMENT, section->comment);
	option__comments(b, section->comments);
	option__text(b, SHB_HARDWARE, section->hardware);
	option__text(b, SHB_OS, section->os);
	option__text(b, SHB_USERAPPL, section->application);
	option__end(b);
	block__end(b, start);
}

void tw_pcapng_buffer__interface(struct tw_pcapng_buffer *b, const struct tw_pcapng_interface *interface)
{
	const uint8_t tsresol = TSRESOL_NS;
	const size_t start = block__begin(b, TW_PCAPNG_IDB);

	put_u16(b, interface->linktype);
	put_u16(b, 0);
	put_u32(b, interface->snaplen);
	option__text(b, OPT_COMMENT, interface->comment);
	option__text(b, IF_NAME, interface->name);
	option__text(b, IF_DESCRIPTION, interface->description);
	option__put(b, IF_TSRESOL, &tsresol, sizeof(tsresol));
	option__filter(b, interface->filter);
	option__text(b, IF_OS, interface->os);
	option__end(b);
	block__end(b, start);
}

void tw_pcapng_buffer__statistics(struct tw_pcapng_buffer *b, uint32_t interface,
				  const struct tw_pcapng_statistics *statistics)
{
	const size_t start = block__begin(b, BLOCK_ISB);

	put_u32(b, interface);
	put_time(b, statistics->time);
	option__text(b, OPT_COMMENT, statistics->comment);
	option__time(b, ISB_STARTTIME, statistics->start);
	option__time(b, ISB_ENDTIME, statistics->end);
	option__u64(b, ISB_IFRECV, statistics->received);
	option__u64(b, ISB_IFDROP, statistics->dropped);
	if (statistics->filters)
		option__u64(b, ISB_FILTERACCEPT, statistics->delivered);
	option__u64(b, ISB_OSDROP, statistics->os_dropped);
	option__u64(b, ISB_USRDELIV, statistics->delivered);
	option__end(b);
	block__end(b, start);
}

void tw_pcapng_buffer__padding(struct tw_pcapng_buffer *b, size_t len)
{
	const size_t start = block__begin(b, BLOCK_PADDING);

	memset(b->bytes + b->len, 0, len - TW_PCAPNG_PADDING_MIN);
	b->len += len - TW_PCAPNG_PADDING_MIN;
	block__end(b, start);
}
