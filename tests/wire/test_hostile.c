/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden frames are truncated and changed: no byte outside of them is read, and every loop ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "walk.h"

static struct golden *all;
static size_t n_all;

static int load(void **state)
{
	(void)state;
	return golden__load_all(&all, &n_all);
}

static int unload(void **state)
{
	(void)state;
	free(all);
	return 0;
}

/* Walks a copy that ends with its heap block, so that the sanitizer finds a read of one byte too many. */
static enum tw_frame_status walk_copy(const uint8_t *data, size_t len, size_t *ret_tlvs)
{
	uint8_t *copy = malloc(len ? len : 1);
	enum tw_frame_status status;

	assert_non_null(copy);
	memcpy(copy, data, len);
	status = walk__frame(copy, len, ret_tlvs);
	free(copy);
	return status;
}

static void whole_frames_are_read_to_the_end(void **state)
{
	size_t tlvs;

	(void)state;
	assert_true(n_all >= 22);
	for (size_t i = 0; i < n_all; i++) {
		assert_int_equal(walk_copy(all[i].data, all[i].len, &tlvs), TW_FRAME_OK);
		assert_true(tlvs >= 1);
	}
}

static void every_truncation(void **state)
{
	size_t whole, tlvs;

	(void)state;
	for (size_t i = 0; i < n_all; i++) {
		walk_copy(all[i].data, all[i].len, &whole);
		for (size_t len = 0; len < all[i].len; len++) {
			const enum tw_frame_status status = walk_copy(all[i].data, len, &tlvs);

			if (len < 4)
				assert_int_equal(status, TW_FRAME_NOT_OURS);
			else if (len < sizeof(struct tw_frame_hdr))
				assert_int_equal(status, TW_FRAME_MALFORMED);
			else
				assert_int_equal(status, TW_FRAME_TRUNCATED);
			/* A truncation inside the padding of the last TLV leaves it complete. */
			assert_true(tlvs < whole || (tlvs == whole && all[i].len - len < 4));
		}
	}
}

/* If a frame is truncated within a TLV, tw_cursor__cut_tlv() returns the received beginning of this TLV, unless it exceeds the frame. */
static void the_tlv_at_a_cut_is_its_beginning(void **state)
{
	struct tw_tlv_view whole, cut;
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_cursor c;

	(void)state;
	for (size_t i = 0; i < n_all; i++) {
		for (size_t len = sizeof(struct tw_frame_hdr); len < all[i].len; len++) {
			assert_int_equal(tw_frame__parse(all[i].data, len, &info, &c), TW_FRAME_TRUNCATED);
			while (tw_cursor__next_tlv(&c, &whole, &status))
				;
			if (status == TW_FRAME_OK || c.left < sizeof(struct tw_tlv)) {
				assert_false(tw_cursor__cut_tlv(&c, all[i].len - len, &cut));
				continue;
			}
			assert_true(tw_cursor__cut_tlv(&c, all[i].len - len, &cut));
			assert_ptr_equal(cut.value + cut.len, all[i].data + len);
			c.left += all[i].len - len;
			assert_false(tw_cursor__cut_tlv(&c, 0, &whole));
			assert_true(tw_cursor__next_tlv(&c, &whole, &status));
			assert_int_equal(cut.type, whole.type);
			assert_ptr_equal(cut.value, whole.value);
			c = (struct tw_cursor){ cut.value - sizeof(struct tw_tlv), sizeof(struct tw_tlv) + cut.len };
			assert_false(tw_cursor__cut_tlv(&c, whole.len - cut.len - 1, &cut));
		}
	}
}

static void every_byte_takes_every_value(void **state)
{
	size_t tlvs;

	(void)state;
	for (size_t i = 0; i < n_all; i++) {
		struct golden bent = all[i];

		for (size_t at = 0; at < bent.len; at++) {
			for (int value = 0; value < 256; value++) {
				bent.data[at] = (uint8_t)value;
				walk_copy(bent.data, bent.len, &tlvs);
			}
			bent.data[at] = all[i].data[at];
		}
	}
}

static void link_padding_is_no_part_of_the_frame(void **state)
{
	uint8_t padded[sizeof(all->data) + 64];
	size_t whole, tlvs;

	(void)state;
	for (size_t i = 0; i < n_all; i++) {
		memset(padded, 0xff, sizeof(padded));
		memcpy(padded, all[i].data, all[i].len);
		walk_copy(all[i].data, all[i].len, &whole);
		assert_int_equal(walk_copy(padded, all[i].len + 64, &tlvs), TW_FRAME_OK);
		assert_int_equal(tlvs, whole);
	}
}

/* Return: the status of the golden frame @name if its byte at @at is @value */
static enum tw_frame_status status_with(const char *name, size_t at, uint8_t value)
{
	struct golden golden;
	size_t tlvs;

	assert_int_equal(golden__load(name, &golden), 0);
	golden.data[at] = value;
	return walk_copy(golden.data, golden.len, &tlvs);
}

static void each_rule_has_its_verdict(void **state)
{
	const size_t tlv_length = sizeof(struct tw_frame_hdr) + 2;
	const size_t low = offsetof(struct tw_frame_hdr, length) + 1;
	struct golden auth;
	size_t tlvs;

	(void)state;
	assert_int_equal(status_with("one-event", 0, 'U'), TW_FRAME_NOT_OURS);
	assert_int_equal(status_with("one-event", offsetof(struct tw_frame_hdr, version), 2), TW_FRAME_VERSION);
	assert_int_equal(status_with("one-event", low, 121), TW_FRAME_MALFORMED); /* no multiple of 4 */
	assert_int_equal(status_with("one-event", low, 44), TW_FRAME_MALFORMED);  /* less than a header */
	assert_int_equal(status_with("one-event", low, 48), TW_FRAME_OK);         /* an empty frame */
	assert_int_equal(status_with("one-event", low, 124), TW_FRAME_TRUNCATED);
	assert_int_equal(status_with("one-event", tlv_length + 1, 15),
			 TW_FRAME_MALFORMED);                                          /* below the minimum length */
	assert_int_equal(status_with("one-event", tlv_length, 1), TW_FRAME_MALFORMED); /* beyond the frame */
	assert_int_equal(status_with("time-sync-request", tlv_length + 1, 31), TW_FRAME_MALFORMED);
	assert_int_equal(status_with("offset-step", tlv_length + 1, 47), TW_FRAME_MALFORMED);
	assert_int_equal(status_with("pad", tlv_length + 1, 3), TW_FRAME_MALFORMED); /* less than a TLV header */
	assert_int_equal(status_with("pad", tlv_length + 1, 0), TW_FRAME_MALFORMED);

	assert_int_equal(golden__load("auth", &auth), 0);
	memset(auth.data + auth.len, 0, 4);
	auth.data[auth.len + 3] = 4; /* an empty PAD after the AUTH */
	auth.data[low] = (uint8_t)(auth.len + 4);
	assert_int_equal(walk_copy(auth.data, auth.len + 4, &tlvs), TW_FRAME_MALFORMED);
	assert_int_equal(tlvs, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_frames_are_read_to_the_end),     cmocka_unit_test(every_truncation),
		cmocka_unit_test(the_tlv_at_a_cut_is_its_beginning),    cmocka_unit_test(every_byte_takes_every_value),
		cmocka_unit_test(link_padding_is_no_part_of_the_frame), cmocka_unit_test(each_rule_has_its_verdict),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
