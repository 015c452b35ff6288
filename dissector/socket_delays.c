/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/socket_stamps.h"

static bool is_one_of(const struct tw_socket_stamp *stamp, enum tw_stage a, enum tw_stage b)
{
	return stamp->stage == a || stamp->stage == b;
}

/* The last stamp of one of two stages; @before: the end of the search, an index. NULL = there is none */
static const struct tw_socket_stamp *last_of(const struct tw_timeline *timeline, uint32_t before, enum tw_stage a,
					     enum tw_stage b)
{
	while (before--)
		if (is_one_of(timeline->stamps[before], a, b))
			return timeline->stamps[before];
	return NULL;
}

/* The index of the last stamp of a stage; @timeline->n = there is none */
static uint32_t index_of(const struct tw_timeline *timeline, enum tw_stage stage)
{
	uint32_t at = timeline->n;

	while (at-- && timeline->stamps[at]->stage != stage)
		;
	return at < timeline->n ? at : timeline->n;
}

/* The index of the first stamp of a stage with the highest key: that of the packet's last byte. */
static uint32_t index_of_last_byte(const struct tw_timeline *timeline, enum tw_stage stage)
{
	uint32_t found = timeline->n;

	for (uint32_t i = 0; i < timeline->n; i++)
		if (timeline->stamps[i]->stage == stage &&
		    (found == timeline->n || timeline->stamps[i]->place.key > timeline->stamps[found]->place.key))
			found = i;
	return found;
}

/* The first transmission only: what happens before another one is no wait of the program's. */
static const struct tw_socket_stamp *begin_of_sched(const struct tw_timeline *timeline, uint32_t end)
{
	if (timeline->stamps[end]->transmission)
		return NULL;
	return last_of(timeline, end, TW_STAGE_SENDMSG_ENTRY, TW_STAGE_SENDMSG);
}

/* The last device before the driver: stacked devices have a SCHED each. */
static const struct tw_socket_stamp *begin_of_qdisc(const struct tw_timeline *timeline, uint32_t end)
{
	const uint64_t key = timeline->stamps[end]->place.key;

	while (end--)
		if (timeline->stamps[end]->stage == TW_STAGE_SCHED && timeline->stamps[end]->place.key == key)
			return timeline->stamps[end];
	return NULL;
}

static const struct tw_socket_stamp *begin_of_stack(const struct tw_timeline *timeline)
{
	const uint32_t at = index_of_last_byte(timeline, TW_STAGE_RX);

	return at < timeline->n ? timeline->stamps[at] : NULL;
}

static const struct tw_socket_stamp *begin_of(const struct tw_timeline *timeline, enum tw_delay delay, uint32_t end)
{
	switch (delay) {
	case TW_DELAY_SCHED:
		return begin_of_sched(timeline, end);
	case TW_DELAY_QDISC:
		return begin_of_qdisc(timeline, end);
	case TW_DELAY_ACK:
		return last_of(timeline, end, TW_STAGE_SCHED, TW_STAGE_SND_SW);
	case TW_DELAY_STACK:
		return begin_of_stack(timeline);
	case TW_DELAY_WAKEUP:
		return last_of(timeline, end, TW_STAGE_WAKE, TW_STAGE_WAKE);
	default:
		return last_of(timeline, end, TW_STAGE_SOCKET, TW_STAGE_SOCKET);
	}
}

static uint32_t end_of(const struct tw_timeline *timeline, enum tw_delay delay)
{
	static const enum tw_stage ends[TW_DELAYS] = {
		[TW_DELAY_SCHED] = TW_STAGE_SCHED,  [TW_DELAY_QDISC] = TW_STAGE_SND_SW, [TW_DELAY_ACK] = TW_STAGE_ACK,
		[TW_DELAY_STACK] = TW_STAGE_SOCKET, [TW_DELAY_WAKEUP] = TW_STAGE_RUN,   [TW_DELAY_READ] = TW_STAGE_READ,
		[TW_DELAY_RTT] = TW_STAGE_REPLY,
	};

	return delay == TW_DELAY_SCHED ? index_of_last_byte(timeline, TW_STAGE_SCHED) : index_of(timeline, ends[delay]);
}

/* The kernel has measured the round trip, from a time that is not exactly that of the event of the request. */
static int64_t round_trip(const struct tw_timeline *timeline, uint32_t end, const struct tw_socket_stamp **ret_end)
{
	if (end == timeline->n || !timeline->stamps[end]->rtt || timeline->stamps[end]->rtt > INT64_MAX)
		return -1;
	*ret_end = timeline->stamps[end];
	return (int64_t)timeline->stamps[end]->rtt;
}

int64_t tw_timeline__delay(const struct tw_timeline *timeline, enum tw_delay delay,
			   const struct tw_socket_stamp **ret_end)
{
	const uint32_t end = end_of(timeline, delay);
	const struct tw_socket_stamp *begin;
	int64_t since;

	if (delay == TW_DELAY_RTT)
		return round_trip(timeline, end, ret_end);
	begin = end < timeline->n ? begin_of(timeline, delay, end) : NULL;
	if (!begin)
		return -1;
	since = tw_socket_stamp__since(timeline->stamps[end], begin);
	if (since < 0)
		return -1;
	*ret_end = timeline->stamps[end];
	return since;
}
