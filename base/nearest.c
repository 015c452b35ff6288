/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static unsigned int min2(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Fill one row of the distance table: the distance of the first @i characters of @a from each prefix of @b.
 * Return: the smallest entry of the row; later rows have no smaller entry.
 */
static unsigned int fill_row(const char *a, const char *b, size_t i, const unsigned int *two_up, const unsigned int *up,
			     unsigned int *row)
{
	unsigned int least = row[0] = (unsigned int)i;

	for (size_t j = 1; b[j - 1]; j++) {
		const unsigned int replace = up[j - 1] + !same(a[i - 1], b[j - 1]);

		row[j] = min2(min2(up[j], row[j - 1]) + 1, replace);
		if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
			row[j] = min2(row[j], two_up[j - 2] + 1);
		least = min2(least, row[j]);
	}
	return least;
}

unsigned int tw_edit_distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int rows[3][TW_NEAREST_WORD_MAX + 1];
	const size_t a_len = strlen(a), b_len = strlen(b);

	if (a_len > TW_NEAREST_WORD_MAX || b_len > TW_NEAREST_WORD_MAX)
		return limit + 1;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++)
		if (fill_row(a, b, i, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]) > limit)
			return limit + 1;
	return min2(rows[a_len % 3][b_len], limit + 1);
}

void tw_nearest__init(struct tw_nearest *nearest, const char *word)
{
	const unsigned int limit = (unsigned int)strlen(word) / 3;

	*nearest = (struct tw_nearest){ .word = word, .distance = (limit ? limit : 1) + 1 };
}

void tw_nearest__offer(struct tw_nearest *nearest, const char *candidate)
{
	unsigned int distance;

	if (!candidate || !nearest->distance)
		return;
	distance = tw_edit_distance(nearest->word, candidate, nearest->distance - 1);
	if (distance < nearest->distance) {
		nearest->distance = distance;
		nearest->best = candidate;
	}
}
