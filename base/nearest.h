/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": the candidate most similar to a misspelt word. */
#ifndef TW_NEAREST_H
#define TW_NEAREST_H

#include <stddef.h>

#define TW_NEAREST_WORD_MAX 128 /* longer words are not searched */

/**
 * tw_edit_distance() - optimal string alignment distance, ASCII case ignored
 * @limit: larger distances are not computed
 *
 * An edit inserts, removes or replaces a character, or exchanges two neighbours.
 *
 * Return: the distance, or @limit + 1 if it is larger or a word is longer than TW_NEAREST_WORD_MAX.
 */
unsigned int tw_edit_distance(const char *a, const char *b, unsigned int limit);

/* A search among candidates that are offered one by one. */
struct tw_nearest {
	const char *word;
	const char *best; /* borrowed from the caller; NULL = no similar word */
	unsigned int distance;
};

/**
 * tw_nearest__init() - begin a search for the word most similar to @word, which is borrowed
 *
 * A candidate counts if its edit distance is at most strlen(word) / 3 + 1.
 */
void tw_nearest__init(struct tw_nearest *nearest, const char *word);

/** tw_nearest__offer() - add one candidate; borrowed, NULL is ignored. The first of equally similar ones is kept. */
void tw_nearest__offer(struct tw_nearest *nearest, const char *candidate);

#endif
