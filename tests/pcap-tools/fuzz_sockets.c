/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any sequence of socket events: the messages of a queue stay in order, limits hold, and each message is counted for one flow and one program. */
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/sockets/follow.h"

#define RECORD 12 /* bytes of the input for an event */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static uint32_t read_u32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Makes an event of RECORD bytes. All events have a program, and their times are mostly in order. */
static void make(const uint8_t *at, uint64_t time, struct tw_socket_event *ret)
{
	*ret = (struct tw_socket_event){
		.kind = (enum tw_socket_kind)(at[0] % TW_SOCKET_KIND_COUNT),
		.protocol = at[0] & 0x80 ? 17 : TW_SOCKET_TCP,
		.type = at[1] % 9u,
		.key_base = at[1] >> 6,
		.sport = at[2] + 256u * (at[0] & 0x40),
		.cookie = at[3] & 3,
		.transmission = at[3] >> 6,
		.direction = at[3] >> 4 & 3,
		.seq = read_u32(at + 4),
		.key = read_u32(at + 4),
		.bytes = read_u32(at + 8),
		.software = time + (at[3] & 8 ? 0 : 100),
		.srtt_us = at[8],
		.retransmits = at[9],
	};
	ret->comm[0] = (char)('a' + (at[3] >> 2 & 1));
}

static void check_queue(const struct tw_socket_queue *queue)
{
	check(queue->n <= TW_SOCKET_QUEUE_MAX && queue->n <= queue->room);
	for (uint32_t i = 1; i < queue->n; i++)
		check(tw_socket_position__is_after(tw_socket_queue__at(queue, i)->position,
						   tw_socket_queue__at(queue, i - 1)->position));
}

/* Adds what must be equal for flows and programs. The stages of received messages that are not read count only for flows. */
static void add(const struct tw_socket_figures *figures, uint64_t sums[6])
{
	sums[0] += figures->sent;
	sums[1] += figures->received;
	sums[2] += figures->bytes_sent;
	sums[3] += figures->bytes_received;
	sums[4] += figures->resent;
	for (size_t i = 0; i <= TW_SOCKET_STAGE_ACK; i++)
		sums[5] += figures->stages[i] ? figures->stages[i]->n : 0;
}

static void check_all(const struct tw_socket_flows *flows)
{
	uint64_t of_flows[6] = { 0 }, of_programs[6] = { 0 };

	check(flows->by_id.n <= TW_SOCKET_FLOWS_MAX && flows->programs.n <= TW_SOCKET_PROGRAMS_MAX);
	for (uint32_t i = 0; i < flows->by_id.n; i++) {
		const struct tw_socket_flow *flow = *(struct tw_socket_flow **)tw_hash_table__value(&flows->by_id, i);

		check_queue(&flow->out);
		check_queue(&flow->in);
		add(&flow->figures, of_flows);
	}
	for (uint32_t i = 0; i < flows->programs.n; i++)
		add(&(*(struct tw_socket_program **)tw_hash_table__value(&flows->programs, i))->figures, of_programs);
	add(&flows->others, of_flows);
	add(&flows->other_programs, of_programs);
	check(!memcmp(of_flows, of_programs, sizeof(of_flows)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_socket_follower follower = { .step = NULL };
	struct tw_socket_event event;

	tw_socket_flows__init(&follower.flows);
	for (size_t i = 0; i + RECORD <= size; i += RECORD) {
		make(data + i, 1000 + i, &event);
		check(!tw_socket_follower__event(&follower, &event));
	}
	check_all(&follower.flows);
	tw_socket_flows__clear(&follower.flows);
	check_all(&follower.flows);
	tw_socket_flows__fini(&follower.flows);
	return 0;
}
