/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/output/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZST ".zst"

/* Where the ending begins: of x.pcapng.zst before .pcapng; at the end if there is none. */
static size_t ending(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base), at = len;

	if (len > strlen(ZST) && !strcmp(base + len - strlen(ZST), ZST))
		at = len -= strlen(ZST);
	while (len > 1 && base[len - 1] != '.')
		len--;
	return (size_t)(base - path) + (len > 1 ? len - 1 : at);
}

int tw_files__name(const char *path, uint64_t number, time_t time, char *ret, size_t size)
{
	const size_t base = ending(path);
	char date[32];
	struct tm tm;
	int len;

	localtime_r(&time, &tm);
	strftime(date, sizeof(date), "%Y%m%d%H%M%S", &tm);
	len = snprintf(ret, size, "%.*s_%05" PRIu64 "_%s%s", (int)base, path, number % 100000, date, path + base);
	return len < (int)size ? 0 : -ENAMETOOLONG;
}

int tw_ring__init(struct tw_ring *ring, uint32_t max)
{
	*ring = (struct tw_ring){ .max = max };
	if (max)
		ring->names = calloc(max, sizeof(*ring->names));
	return max && !ring->names ? -ENOMEM : 0;
}

static char *ring__pop(struct tw_ring *ring)
{
	char *name = ring->names[ring->first];

	ring->first = (ring->first + 1) % ring->max;
	ring->n--;
	return name;
}

void tw_ring__fini(struct tw_ring *ring)
{
	while (ring->n)
		free(ring__pop(ring));
	free(ring->names);
	ring->names = NULL;
}

int tw_ring__push(struct tw_ring *ring, const char *name)
{
	char *copy;

	if (!ring->max)
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	ring->names[(ring->first + ring->n++) % ring->max] = copy;
	return 0;
}

int tw_ring__remove_oldest(struct tw_ring *ring, struct tw_error *err)
{
	char *name;
	int code = 0;

	if (!ring->n)
		return -ENOENT;
	name = ring__pop(ring);
	if (unlink(name) && errno != ENOENT)
		code = tw_error__set(err, -errno, "removing %s, the oldest file of the ring: %s", name,
				     strerror(errno));
	free(name);
	return code;
}
