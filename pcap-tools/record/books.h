/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One stream's books: what its LOST and STATS records say about events that are not there. Both may tell of the same loss, and
 * either may be missing or older, so each place counts the larger of the two.
 */
#ifndef TW_BOOKS_H
#define TW_BOOKS_H

#include "wire/decode.h"

#define TW_BOOKS_CHANNELS 8192 /* channels with counters of their own; more are ignored */

enum tw_book {
	TW_BOOK_RECORDED,
	TW_BOOK_READ,
	TW_BOOK_RING,
	TW_BOOK_SHED,
	TW_BOOK_TX,
	TW_BOOK_COUNT,
};

struct tw_book_row {
	uint16_t channel;
	uint64_t value[TW_BOOK_COUNT];
};

struct tw_stream_books {
	uint64_t lost[TW_BOOK_COUNT]; /* by LOST */
	uint64_t unknown;             /* LOST without a count */
	struct tw_book_row *rows;     /* by STATS: one a channel, the whole stream's among them */
	size_t n_rows;
};

void tw_stream_books__fini(struct tw_stream_books *books);

/** tw_stream_books__lost() and tw_stream_books__stats() - take the value of such a TLV in. Return: 0, -ENOMEM */
void tw_stream_books__lost(struct tw_stream_books *books, const struct tw_tlv_view *tlv);
int tw_stream_books__stats(struct tw_stream_books *books, const struct tw_tlv_view *tlv);

/** tw_stream_books__total() - events of one kind, as far as was told */
uint64_t tw_stream_books__total(const struct tw_stream_books *books, enum tw_book book);

#endif
