/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures made byte by byte, valid and invalid ones, for tests of the readers. */
#ifndef TEST_CAPTURES_H
#define TEST_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	TEST_IDB = 1,
	TEST_PB = 2,
	TEST_SPB = 3,
	TEST_NRB = 4,
	TEST_ISB = 5,
	TEST_EPB = 6,
	TEST_SHB = 0x0A0D0D0A,
};

/* A capture that is being made. */
struct made {
	bool big_endian;
	size_t block; /* offset of the open block */
	size_t len;
	uint8_t bytes[16384];
};

static inline void made__number(struct made *m, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		m->bytes[m->len++] = (uint8_t)(value >> 8 * (m->big_endian ? size - 1 - i : i));
}

static inline void made__bytes(struct made *m, const void *bytes, size_t len)
{
	if (len)
		memcpy(m->bytes + m->len, bytes, len);
	for (m->len += len; len % 4; len++)
		m->bytes[m->len++] = 0;
}

static inline void made__begin(struct made *m, uint32_t type)
{
	m->block = m->len;
	made__number(m, type, 4);
	made__number(m, 0, 4);
}

static inline void made__end(struct made *m)
{
	const size_t end = m->len + 4, len = end - m->block;

	made__number(m, len, 4);
	m->len = m->block + 4;
	made__number(m, len, 4);
	m->len = end;
}

static inline void made__section(struct made *m, bool big_endian)
{
	m->big_endian = big_endian;
	made__begin(m, TEST_SHB);
	made__number(m, 0x1A2B3C4D, 4);
	made__number(m, 1, 2);
	made__number(m, 0, 2);
	made__number(m, UINT64_MAX, 8);
	made__end(m);
}

static inline void made__option(struct made *m, uint16_t code, const void *value, uint16_t len)
{
	made__number(m, code, 2);
	made__number(m, len, 2);
	made__bytes(m, value, len);
}

/* @tsresol: if_tsresol; -1 = none; @offset: if_tsoffset, s; 0 = none */
static inline void made__interface(struct made *m, uint16_t linktype, uint32_t snaplen, int tsresol, int64_t offset)
{
	const uint8_t resolution = (uint8_t)tsresol;

	made__begin(m, TEST_IDB);
	made__number(m, linktype, 2);
	made__number(m, 0, 2);
	made__number(m, snaplen, 4);
	made__option(m, 2, "name", 4);
	if (tsresol >= 0)
		made__option(m, 9, &resolution, 1);
	if (offset) {
		made__number(m, 14, 2);
		made__number(m, 8, 2);
		made__number(m, (uint64_t)offset, 8);
	}
	made__option(m, 0, NULL, 0);
	made__end(m);
}

static inline void made__packet(struct made *m, uint32_t interface, uint64_t ticks, const void *data, uint32_t len)
{
	made__begin(m, TEST_EPB);
	made__number(m, interface, 4);
	made__number(m, ticks >> 32, 4);
	made__number(m, ticks & UINT32_MAX, 4);
	made__number(m, len, 4);
	made__number(m, len + 1, 4);
	made__bytes(m, data, len);
	made__option(m, 1, "remark", 6);
	made__option(m, 0, NULL, 0);
	made__end(m);
}

static inline void made__obsolete(struct made *m, uint16_t interface, uint64_t ticks, const void *data, uint32_t len)
{
	made__begin(m, TEST_PB);
	made__number(m, interface, 2);
	made__number(m, 7, 2); /* drops */
	made__number(m, ticks >> 32, 4);
	made__number(m, ticks & UINT32_MAX, 4);
	made__number(m, len, 4);
	made__number(m, len + 1, 4);
	made__bytes(m, data, len);
	made__end(m);
}

static inline void made__statistics(struct made *m, uint32_t interface, uint64_t ticks, const char *comment)
{
	made__begin(m, TEST_ISB);
	made__number(m, interface, 4);
	made__number(m, ticks >> 32, 4);
	made__number(m, ticks & UINT32_MAX, 4);
	made__option(m, 1, comment, (uint16_t)strlen(comment));
	made__option(m, 0, NULL, 0);
	made__end(m);
}

/* A simple packet block with @len of the packet's @original bytes. */
static inline void made__simple(struct made *m, uint32_t original, const void *data, uint32_t len)
{
	made__begin(m, TEST_SPB);
	made__number(m, original, 4);
	made__bytes(m, data, len);
	made__end(m);
}

static inline void made__unknown(struct made *m, uint32_t type)
{
	made__begin(m, type);
	made__bytes(m, "whatever it is", 14);
	made__end(m);
}

static inline void made__pcap(struct made *m, bool big_endian, bool ns)
{
	m->big_endian = big_endian;
	made__number(m, ns ? 0xa1b23c4d : 0xa1b2c3d4, 4);
	made__number(m, 2, 2);
	made__number(m, 4, 2);
	made__number(m, 0, 8);
	made__number(m, 65535, 4);
	made__number(m, 1, 4);
}

static inline void made__record(struct made *m, uint32_t seconds, uint32_t fraction, const void *data, uint32_t len)
{
	made__number(m, seconds, 4);
	made__number(m, fraction, 4);
	made__number(m, len, 4);
	made__number(m, len + 1, 4);
	memcpy(m->bytes + m->len, data, len);
	m->len += len;
}

#endif
