/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": the candidate nearest to a misspelt word. */
#ifndef TW_NEAREST_H
#define TW_NEAREST_H

#include <stddef.h>

#define TW_NEAREST_WORD_MAX 128 /* longer words have no nearest */

/**
 * tw_edit_distance() - optimal string alignment distance, ASCII case ignored
 * @limit: larger distances are not worked out
 *
 * An edit is a character inserted, removed, replaced, or two neighbours exchanged.
 *
 * Return: the distance, or @limit + 1 if it is larger or a word is longer than TW_NEAREST_WORD_MAX.
 */
unsigned int tw_edit_distance(const char *a, const char *b, unsigned int limit);

/* A search among candidates that are offered one by one. */
struct tw_nearest {
	const char *word;
	const char *best; /* borrowed from the offers; NULL = nothing near enough */
	unsigned int distance;
};

/**
 * tw_nearest__init() - begin a search for the word nearest to @word, which is borrowed
 *
 * Candidates further off than a third of its length and one edit more don't count.
 */
void tw_nearest__init(struct tw_nearest *nearest, const char *word);

/** tw_nearest__offer() - one candidate; borrowed, NULL is none. The first of equally near ones stays. */
void tw_nearest__offer(struct tw_nearest *nearest, const char *candidate);

#endif
