/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/tracedat/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct tw_unpack {
	ZSTD_DCtx *zstd; /* NULL = zlib */
};

int tw_unpack__new(const char *codec, struct tw_unpack **ret)
{
	const bool zstd = !strcmp(codec, "zstd");
	struct tw_unpack *unpack;

	if (!zstd && strcmp(codec, "zlib"))
		return -ENOTSUP;
	unpack = calloc(1, sizeof(*unpack));
	if (unpack && zstd)
		unpack->zstd = ZSTD_createDCtx();
	if (!unpack || (zstd && !unpack->zstd)) {
		tw_unpack__free(unpack);
		return -ENOMEM;
	}
	*ret = unpack;
	return 0;
}

void tw_unpack__free(struct tw_unpack *unpack)
{
	if (!unpack)
		return;
	ZSTD_freeDCtx(unpack->zstd);
	free(unpack);
}

bool tw_unpack__run(struct tw_unpack *unpack, const void *from, size_t from_len, void *to, size_t to_len)
{
	uLongf len = to_len;

	if (unpack->zstd)
		return ZSTD_decompressDCtx(unpack->zstd, to, to_len, from, from_len) == to_len;
	return uncompress(to, &len, from, from_len) == Z_OK && len == to_len;
}
