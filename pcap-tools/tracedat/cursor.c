/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pcap-tools/tracedat/impl.h"

uint64_t tw_dat_cursor__offset(const struct tw_dat_cursor *c)
{
	return c->mem ? c->origin : c->at;
}

bool tw_dat_cursor__read(struct tw_dat_cursor *c, void *to, size_t len)
{
	if (c->failed || len > c->end - c->at) {
		c->failed = true;
		return false;
	}
	if (c->mem && len)
		memcpy(to, c->mem + c->at, len);
	else if (len && !tw_dat__read_at(c->dat, to, len, c->at))
		c->failed = true;
	if (!c->failed)
		c->at += len;
	return !c->failed;
}

uint16_t tw_dat_cursor__u16(struct tw_dat_cursor *c)
{
	uint8_t bytes[2];

	return tw_dat_cursor__read(c, bytes, sizeof(bytes)) ? tw_load16(bytes, c->dat->info.big_endian) : 0;
}

uint32_t tw_dat_cursor__u32(struct tw_dat_cursor *c)
{
	uint8_t bytes[4];

	return tw_dat_cursor__read(c, bytes, sizeof(bytes)) ? tw_load32(bytes, c->dat->info.big_endian) : 0;
}

uint64_t tw_dat_cursor__u64(struct tw_dat_cursor *c)
{
	uint8_t bytes[8];

	return tw_dat_cursor__read(c, bytes, sizeof(bytes)) ? tw_load64(bytes, c->dat->info.big_endian) : 0;
}

int tw_dat_cursor__bytes(struct tw_dat_cursor *c, uint64_t len, uint64_t max, struct tw_tracedat_bytes *ret)
{
	char *data;

	if (c->failed || len > max || len > c->end - c->at) {
		c->failed = true;
		return -EBADMSG;
	}
	data = malloc((size_t)len + 1);
	if (!data)
		return -ENOMEM;
	if (!tw_dat_cursor__read(c, data, (size_t)len)) {
		free(data);
		return -EBADMSG;
	}
	data[len] = '\0';
	*ret = (struct tw_tracedat_bytes){ .data = data, .len = (size_t)len };
	return 0;
}

bool tw_dat_cursor__string(struct tw_dat_cursor *c, char *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!tw_dat_cursor__read(c, to + i, 1))
			return false;
		if (!to[i])
			return true;
	}
	c->failed = true;
	return false;
}
