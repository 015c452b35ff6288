/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": the candidate most similar to a misspelt word. */
#ifndef TW_NEAREST_H
#define TW_NEAREST_H

#include <stddef.h>

#define TW_NEAREST_WORD_MAX 128 /* bytes; longer words are not compared */

/**
 * tw_edit_distance() - optimal string alignment distance of two words; ASCII case is ignored
 * @limit: larger distances are not computed
 * An edit inserts, removes or replaces a character, or exchanges two neighbouring characters.
 * Return: the distance; @limit + 1 if the distance is above @limit or a word is longer than TW_NEAREST_WORD_MAX.
 */
unsigned int tw_edit_distance(const char *a, const char *b, unsigned int limit);

/* The state of a search among candidates that are offered one by one. */
struct tw_nearest {
	const char *word;
	const char *best;      /* borrowed from the caller; NULL = no similar word so far */
	unsigned int distance; /* distance of @best; a candidate with a smaller distance becomes the new @best */
};

/**
 * tw_nearest__init() - begin a search for the word most similar to @word, which is borrowed
 * A candidate is accepted if its edit distance is at most a third of strlen(word). A candidate with distance 1 is always accepted.
 */
void tw_nearest__init(struct tw_nearest *nearest, const char *word);

/** tw_nearest__offer() - compare one candidate, which is borrowed; NULL is ignored. Of equally similar candidates, the first is kept */
void tw_nearest__offer(struct tw_nearest *nearest, const char *candidate);

#endif
