/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks for sinks and receivers of every kind. Include it after cmocka.h. */
#ifndef TW_TEST_ENDS_H
#define TW_TEST_ENDS_H

#include <errno.h>
#include <unistd.h>

#include "base/time.h"
#include "netns.h"
#include "transport/receiver.h"
#include "transport/sink.h"
#include "vnet/veth.h"
#include "wire/tracewire.h"

#define ENDS_PAUSE_US 50 /* between two attempts */

/** sink__slot() - reserve a slot; try again until the sink has room */
static inline uint8_t *sink__slot(struct tw_sink *sink)
{
	uint8_t *slot;

	while (!(slot = tw_sink__reserve(sink))) {
		const int err = tw_sink__flush(sink);

		assert_true(err == 0 || err == -EAGAIN);
		if (err)
			usleep(ENDS_PAUSE_US);
	}
	return slot;
}

/** frame__events() - number of events that a sink counts in a complete frame */
static inline unsigned int frame__events(const uint8_t *frame)
{
	return frame[44] == TW_SOURCE_CONTROL ? 0 : (unsigned int)frame[46] << 8 | frame[47];
}

/** sink__flush_all() - wait until all frames have left */
static inline void sink__flush_all(struct tw_sink *sink)
{
	int err;

	while ((err = tw_sink__flush(sink)) == -EAGAIN)
		usleep(ENDS_PAUSE_US);
	assert_int_equal(err, 0);
}

/** link__await_frames() - wait until exactly @n frames have arrived, because a busy machine delivers them late */
static inline void link__await_frames(const char *name, uint32_t n)
{
	for (int i = 0; i < 5000 && link__counters(name).rx_packets < n; i++)
		usleep(1000);
	assert_int_equal(link__counters(name).rx_packets, n);
}

/** ends__answer_stamped() - send an answer; its transmit stamp has the cookie, and lies between readings before and after */
static inline void ends__answer_stamped(struct tw_receiver *rx, const struct tw_peer *to, const void *answer,
					size_t len)
{
	const uint64_t before = tw_time__now(CLOCK_REALTIME);
	struct tw_sent_stamp stamp;

	assert_int_equal(tw_receiver__answer(rx, to, answer, len, 5), 0);
	assert_true(tw_receiver__sent(rx, &stamp));
	assert_int_equal(stamp.cookie, 5);
	assert_int_equal(stamp.by, TW_STAMP_SOFTWARE);
	assert_in_range(stamp.time, before, tw_time__now(CLOCK_REALTIME));
	assert_false(tw_receiver__sent(rx, &stamp));
}

/** rx__assert_in_time() - without a frame, the wait ends in time; one of ten waits is enough, because the machine may be busy */
static inline void rx__assert_in_time(struct tw_receiver *rx)
{
	struct tw_received_frame f;
	double best = 1e9;

	for (int i = 0; i < 10; i++) {
		const double before = now_ms();

		assert_int_equal(tw_receiver__next(rx, 0, &f), 0);
		if (now_ms() - before < best)
			best = now_ms() - before;
	}
	assert_true(best < 50);
	best = 1e9;
	for (int i = 0; i < 10 && best >= 150; i++) {
		const double before = now_ms();

		assert_int_equal(tw_receiver__next(rx, 100, &f), 0);
		assert_true(now_ms() - before >= 99);
		if (now_ms() - before < best)
			best = now_ms() - before;
	}
	assert_true(best < 1000);
}

/** rx__assert_down_and_gone() - check the errors of a receiver on tw0 when this interface goes down, comes up, and is removed */
static inline void rx__assert_down_and_gone(struct tw_receiver *rx)
{
	struct tw_received_frame f;
	int tx, err = 0;

	link__set_up("tw0", false);
	assert_int_equal(tw_receiver__next(rx, 1000, &f), -ENETDOWN);
	assert_int_equal(tw_receiver__next(rx, 20, &f), 0);
	link__set_up("tw0", true);
	tx = raw__open("tw0-tx");
	for (int i = 0; i < 50 && !err; i++) { /* the kernel drops frames until it has noticed the carrier */
		raw__send(tx, TW_ETHERTYPE, 5, 100);
		err = tw_receiver__next(rx, 100, &f);
	}
	assert_int_equal(err, 1);
	assert_int_equal(f.data[0], 5);
	while (tw_receiver__next(rx, 20, &f) == 1)
		; /* more frames of the loop above */
	assert_int_equal(tw_veth__remove("tw0", NULL), 0);
	assert_int_equal(tw_receiver__next(rx, 1000, &f), -ENODEV);
	assert_int_equal(tw_receiver__next(rx, 1000, &f), -ENODEV);
	close(tx);
}

/** rx__assert_gone_while_down() - check the errors of a receiver on tw0 when this interface goes down and is then removed */
static inline void rx__assert_gone_while_down(struct tw_receiver *rx)
{
	struct tw_received_frame f;

	link__set_up("tw0", false);
	assert_int_equal(tw_receiver__next(rx, 1000, &f), -ENETDOWN);
	assert_int_equal(tw_receiver__next(rx, 20, &f), 0);
	assert_int_equal(tw_veth__remove("tw0", NULL), 0);
	assert_int_equal(tw_receiver__next(rx, 1000, &f), -ENODEV);
	assert_int_equal(tw_receiver__next(rx, 1000, &f), -ENODEV);
}

#endif
