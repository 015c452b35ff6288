/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cursor on the file, or on a section of it that was expanded into memory. It never reads beyond its end. */
#ifndef TW_TRACEDAT_CURSOR_H
#define TW_TRACEDAT_CURSOR_H

#include "pcap-tools/tracedat/impl.h"

struct tw_dat_cursor {
	struct tw_tracedat *dat;
	const uint8_t *mem; /* NULL = the file itself */
	uint64_t at, end;   /* in the memory or the file */
	uint64_t origin;    /* of the section in the file, where at is in memory */
	bool failed;        /* beyond the end, or the file could not be read: what was handed out since is zero */
};

/** tw_dat_cursor__offset() - where in the file it stands, for error texts */
uint64_t tw_dat_cursor__offset(const struct tw_dat_cursor *c);

/** tw_dat_cursor__read() - the next @len bytes. Return: false, @to untouched or half-written, beyond the end */
bool tw_dat_cursor__read(struct tw_dat_cursor *c, void *to, size_t len);

/* Numbers in the file's byte order; 0 beyond the end. */
uint16_t tw_dat_cursor__u16(struct tw_dat_cursor *c);
uint32_t tw_dat_cursor__u32(struct tw_dat_cursor *c);
uint64_t tw_dat_cursor__u64(struct tw_dat_cursor *c);

/** tw_dat_cursor__skip() - Return: false beyond the end */
bool tw_dat_cursor__skip(struct tw_dat_cursor *c, uint64_t len);

/**
 * tw_dat_cursor__bytes() - the next @len bytes in memory of the caller's, a NUL behind them
 * Return: 0; -EBADMSG beyond the end or @max; -ENOMEM
 */
int tw_dat_cursor__bytes(struct tw_dat_cursor *c, uint64_t len, uint64_t max, struct tw_tracedat_bytes *ret);

/** tw_dat_cursor__string() - up to the next NUL and behind it; @to has room for @size bytes. Return: false if it is longer */
bool tw_dat_cursor__string(struct tw_dat_cursor *c, char *to, size_t size);

#endif
