/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/bpf. How a test is done in instructions, if it can be. */
#ifndef TW_BPF_WAY_H
#define TW_BPF_WAY_H

#include "filter/bpf/asm.h"
#include "filter/tree.h"

#define TW_BPF_ELEMENTS_MAX 16  /* of an array that is compared element by element */
#define TW_BPF_TEXT_MAX     255 /* bytes of a text that a dynamic field is compared with */

enum tw_way {
	TW_WAY_NONE,
	TW_WAY_NUMBER, /* a scalar at a fixed place */
	TW_WAY_TIME,
	TW_WAY_ARRAY,   /* scalars, one after the other */
	TW_WAY_EQUAL,   /* bytes at a fixed place, all or the first so many bits: EQ, NE */
	TW_WAY_ORDER,   /* the same, 1 to 8 bytes, as a big-endian number */
	TW_WAY_TEXT,    /* text at a fixed place: EQ, NE; a pattern without wildcards, or with * behind all else */
	TW_WAY_THERE,   /* a field at a fixed place that need only be there */
	TW_WAY_LOCATED, /* a dynamic field: that it is there; texts as TEXT */
};

/* Where a test's number, elements or bytes lie. */
struct tw_place {
	uint32_t offset; /* from the frame header, as if the event were the frame's first TLV */
	uint32_t size;   /* of the number or one element, bytes; of all bytes */
	uint32_t count;  /* elements */
	bool big_endian, is_signed;
};

/** tw_test__way() - @ret_why: for TW_WAY_NONE, see tw_refuses(); @ret_place: where there is one. Both may be NULL */
enum tw_way tw_test__way(const struct tw_test *test, struct tw_place *ret_place, const char **ret_why);

/** tw_test__extent() - how many bytes of the EVENT TLV there have to be for what the test looks at, at least those of the struct */
uint32_t tw_test__extent(const struct tw_test *test);

/* Where the event is looked at. */
struct tw_sight {
	/* In the packet: where to go if its linear part is. TW_NO_LABEL in the window, where all is there. */
	tw_label too_short;
	int load_helper; /* in the window: what copies more of the packet there */
	/*
	 * In the packet, without a long way: each test looks itself whether the packet reaches so far. Else that is done once, before all of
	 * them, for what the furthest of them needs.
	 */
	bool each;
};

/** tw_test__plain() - bytes that a text has to begin with; @ret_whole: and nothing behind them. Of TEXT and LOCATED */
size_t tw_test__plain(const struct tw_test *test, bool *ret_whole);

/** tw_test__emit() - jump to one of two labels. TW_REG_FRAME, TW_REG_LENGTH are given, r1, r2, r4, r5 change, in the window r0, too */
void tw_test__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_sight *sight, tw_label holds,
		   tw_label fails);

/** tw_bytes__require() - go on only if these bytes lie at @base + @offset; r1 and r2 change */
void tw_bytes__require(struct tw_asm *a, uint8_t base, int offset, const uint8_t *bytes, size_t len, tw_label fails);

/* What tests need, by subject. The event is known to be long enough. */
void tw_located__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place,
		      const struct tw_sight *sight, tw_label holds, tw_label fails);
void tw_number__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label holds,
		     tw_label fails);
void tw_array__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label holds,
		    tw_label fails);
void tw_time__emit(struct tw_asm *a, const struct tw_test *test, tw_label holds, tw_label fails);
void tw_order__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label holds,
		    tw_label fails);

/** tw_test__compare() - the number in r1 of 64 bits with the value of a test */
void tw_test__compare(struct tw_asm *a, const struct tw_test *test, bool is_signed, tw_label holds, tw_label fails);

#endif
