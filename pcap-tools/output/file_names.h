/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of files that follow one another, and the ring of those that are kept. Used inside output/ only. */
#ifndef TW_OUTPUT_FILE_NAMES_H
#define TW_OUTPUT_FILE_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"

/**
 * tw_file_names__make() - as dumpcap makes it of the path: number and local time before the ending; .zst and what is before it are one
 * Return: 0; -ENAMETOOLONG
 */
int tw_file_names__make(const char *path, uint64_t number, time_t time, char *ret, size_t size);

/**
 * tw_file_names__newest() - of the files that have such names for that path, the one that was written last; links are none
 * Return: 0; -ENOENT if there is none; -ENAMETOOLONG; what opendir() said
 */
int tw_file_names__newest(const char *path, char *ret, size_t size);

/* Those that were ended, the oldest first. */
struct tw_ring {
	char **names;
	uint32_t first, n, max; /* max 0: none is kept in mind */
};

/** tw_ring__init() - @max: names to keep in mind. Return: 0, -ENOMEM */
int tw_ring__init(struct tw_ring *ring, uint32_t max);

void tw_ring__fini(struct tw_ring *ring);

/** tw_ring__push() - a file was ended; the caller has made room. Return: 0, -ENOMEM */
int tw_ring__push(struct tw_ring *ring, const char *name);

/** tw_ring__remove_oldest() - unlink it; that it has gone is fine. Return: 0; what unlink() said; -ENOENT if there is none */
int tw_ring__remove_oldest(struct tw_ring *ring, struct tw_error *err);

#endif
