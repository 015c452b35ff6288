/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How frames become messages: which frames are sent together as one batch, and in how many pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "vnet/tx_udp_messages.h"

#define MAX  1456 /* the longest frame, and the distance of slots */
#define FULL (MAX - 48)

static uint8_t area[TX_UDP_FRAMES * (MAX + 64)];
static struct iovec frames[TX_UDP_FRAMES];
static struct tx_udp_messages messages;

/* Makes messages from @n frames of @lens bytes, whose slots begin @apart bytes apart. */
static void write_frames(const size_t *lens, unsigned int n, size_t apart)
{
	for (unsigned int i = 0; i < n; i++)
		frames[i] = (struct iovec){ .iov_base = area + i * apart, .iov_len = lens[i] };
	tx_udp_messages__write(&messages, frames, n, MAX, true);
}

static void expect(unsigned int message, size_t pieces, size_t bytes, unsigned int frames_so_far)
{
	const struct msghdr *msg = &messages.headers[message].msg_hdr;
	size_t sum = 0;

	for (size_t i = 0; i < msg->msg_iovlen; i++)
		sum += msg->msg_iov[i].iov_len;
	assert_int_equal(msg->msg_iovlen, pieces);
	assert_int_equal(sum, bytes);
	assert_int_equal(tx_udp_messages__frames(&messages, message + 1), frames_so_far);
}

/* Nearly full frames are padded to the end of their slots, and sent as one batch; its last piece may be shorter. */
static void test_full(void **state)
{
	static const size_t lens[] = { FULL, MAX, FULL + 4, FULL };

	(void)state;
	write_frames(lens, 4, MAX);
	assert_int_equal(messages.n, 1);
	expect(0, 1, 3 * MAX + FULL, 4);
	assert_ptr_equal(messages.headers[0].msg_hdr.msg_iov->iov_base, area);
	write_frames((const size_t[]){ FULL, FULL, 100, FULL }, 4, MAX);
	assert_int_equal(messages.n, 2);
	expect(0, 1, 2 * MAX + 100, 3);
	expect(1, 1, FULL, 4);
}

/* A dropped frame separates two batches. */
static void test_dropped(void **state)
{
	static const size_t lens[] = { FULL, FULL, 0, FULL, 0 };

	(void)state;
	write_frames(lens, 5, MAX);
	assert_int_equal(messages.n, 2);
	expect(0, 1, MAX + FULL, 2);
	expect(1, 1, FULL, 4);
	assert_int_equal(tx_udp_messages__frames(&messages, 0), 0);
}

/* The path MTU was larger when the slots were laid out: each frame is one piece, and no piece is longer than the path MTU. */
static void test_apart(void **state)
{
	static const size_t lens[] = { FULL, FULL, FULL };

	(void)state;
	write_frames(lens, 3, MAX + 64);
	assert_int_equal(messages.n, 1);
	expect(0, 3, 2 * MAX + FULL, 3);
}

/* Frames that are much shorter than their slots are padded to the length of the longest frame. */
static void test_short(void **state)
{
	static const size_t lens[] = { 300, 320, 300, 200 };

	(void)state;
	assert_int_equal(tx_udp_messages__takes(300, MAX), 300);
	assert_int_equal(tx_udp_messages__takes(FULL, MAX), MAX);
	assert_int_equal(tx_udp_messages__takes(0, MAX), 0);
	write_frames(lens, 4, MAX);
	assert_int_equal(messages.n, 1);
	expect(0, 4, 3 * 320 + 200, 4);
}

/* No batch is longer than the largest datagram. */
static void test_many(void **state)
{
	size_t lens[TX_UDP_FRAMES];
	const unsigned int fit = TX_UDP_BYTES / MAX;

	(void)state;
	for (unsigned int i = 0; i < TX_UDP_FRAMES; i++)
		lens[i] = MAX;
	write_frames(lens, TX_UDP_FRAMES, MAX);
	assert_int_equal(messages.n, 2);
	expect(0, 1, fit * MAX, fit);
	expect(1, 1, (TX_UDP_FRAMES - fit) * MAX, TX_UDP_FRAMES);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),  cmocka_unit_test(test_dropped), cmocka_unit_test(test_apart),
		cmocka_unit_test(test_short), cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
