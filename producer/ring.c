/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/counter.h"

#define IN_FLIGHT \
	8 /* events that are written while the counters are read: more than a CPU has contexts, which have one each */

int tw_trace_ring__open(struct tw_trace_ring *ring, const struct tw_instance *instance, unsigned int cpu,
			struct tw_error *err)
{
	char file[64];
	int fd, stats_fd;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	fd = tw_instance__open(instance, file, O_RDONLY | O_NONBLOCK);
	if (fd == -ENOENT || fd == -ENODEV)
		return -ENODEV;
	if (fd < 0)
		return tw_error__set(err, fd, "the ring of CPU %u cannot be opened: %s", cpu, strerror(-fd));
	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	stats_fd = tw_instance__open(instance, file, O_RDONLY);
	if (stats_fd < 0) {
		close(fd);
		return tw_error__set(err, stats_fd, "the counters of CPU %u's ring cannot be opened: %s", cpu,
				     strerror(-stats_fd));
	}
	*ring = (struct tw_trace_ring){
		.channel = { .number = (uint16_t)(cpu + 1), .cpu = (uint16_t)cpu, .source = TW_SOURCE_FTRACE },
		.cpu = cpu,
		.fd = fd,
		.stats_fd = stats_fd,
		.gate_cpu.cpu = (uint16_t)cpu,
		.empty = true,
	};
	return 0;
}

static uint64_t lost_so_far(const struct tw_cpu_stats *stats)
{
	return stats->overrun + stats->commit_overrun + stats->dropped;
}

/*
 * A sub-buffer says that events were lost before it. Where it says how many, that is told. Where it had no room for the
 * number, the kernel's counter since the last telling is told, marked as not exactly placed. No event is told twice: never
 * more in all than the kernel counts.
 */
static void tell_lost(struct tw_trace_ring *ring, struct tw_frame_writer *port, uint64_t time,
		      enum tw_subbuf_missed missed, uint64_t count)
{
	struct tw_cpu_stats stats;
	uint64_t untold;

	if (tw_cpu_stats__parse(ring->stats_fd, &stats))
		return;
	untold = lost_so_far(&stats) > ring->lost ? lost_so_far(&stats) - ring->lost : 0;
	if (missed == TW_MISSED_UNKNOWN || count > untold)
		count = untold;
	tw_frame_writer__lost(port, &ring->channel, time, TW_LOST_RING, missed == TW_MISSED_UNKNOWN, count);
	tw_counter__add(&ring->lost, count);
}

/*
 * The hot path: a look-up of the task, one of the event's addresses, one copy, in which pointers may have to be hidden. The frame being filled is kept in registers
 * while events just fit: the copy goes through a byte pointer, which may point to anything, so a frame in memory would be read
 * again for every event.
 */
static inline __attribute__((always_inline)) void send_walk(struct tw_trace_ring *ring, struct tw_subbuf *walk,
							    struct tw_frame_writer *port, struct tw_tasks *tasks,
							    const tw_field_offsets_ref *table,
							    const struct tw_event_filter *gate,
							    const struct tw_hashed_pointers *pointers)
{
	struct tw_frame frame = tw_frame_writer__borrow_frame(port, &ring->channel);
	const uint32_t most = port->events_per_frame;
	struct tw_subbuf_event event;
	uint64_t events = 0, filtered = 0;

	while (tw_subbuf__next(walk, &event)) {
		if (gate && !tw_event_filter__passes(gate, &ring->gate_cpu, &event)) {
			filtered++;
			continue;
		}
		if (gate)
			ring->sent_time = event.time;
		tw_tasks__see(tasks, (uint32_t)tw_subbuf_event__pid(&event), event.time);
		tw_addresses__see(ring->addresses, table, &event);
		events++;
		if (__builtin_expect(frame.info.events < most, 1) &&
		    __builtin_expect(tw_hashed_pointers__add_event(pointers, &frame, event.record, event.len,
								   event.time),
				     1))
			continue;
		tw_frame_writer__return_frame(port, &ring->channel, &frame);
		tw_frame_writer__event(port, &ring->channel, event.record, event.len, event.time);
		frame = tw_frame_writer__borrow_frame(port, &ring->channel);
	}
	tw_frame_writer__return_frame(port, &ring->channel, &frame);
	tw_counter__add(&ring->read, events + filtered);
	tw_counter__add(&ring->filtered, filtered);
	if (events + filtered) {
		ring->last_time = walk->time;
		ring->no_poll = false;
	}
	if (events && !gate)
		ring->sent_time = walk->time;
}

/*
 * Compiled four times: where no event has addresses that are looked up and nothing is filtered or hidden here, which is most runs,
 * looking costs nothing.
 */
static void send_events(struct tw_trace_ring *ring, struct tw_subbuf *walk, struct tw_frame_writer *port,
			struct tw_tasks *tasks)
{
	const tw_field_offsets_ref *const table = tw_addresses__table(ring->addresses);
	const struct tw_event_filter *const gate = ring->gate ? tw_event_filter_hazard__acquire(ring->gate) : NULL;
	const struct tw_hashed_pointers *const pointers = port->stream->pointers;

	if (pointers)
		send_walk(ring, walk, port, tasks, table, gate, pointers);
	else if (gate)
		send_walk(ring, walk, port, tasks, table, gate, NULL);
	else if (table)
		send_walk(ring, walk, port, tasks, table, NULL, NULL);
	else
		send_walk(ring, walk, port, tasks, NULL, NULL, NULL);
}

/* Events reserved before the last watermark and committed after it are late: counted, and their frames are flagged. */
static bool is_late(struct tw_trace_ring *ring, struct tw_subbuf walk)
{
	struct tw_subbuf_event event;
	uint64_t late = 0;

	if (walk.time >= ring->watermark)
		return false;
	while (tw_subbuf__next(&walk, &event) && event.time < ring->watermark)
		late++;
	tw_counter__add(&ring->late, late);
	return late;
}

static uint64_t first_time(struct tw_subbuf walk)
{
	struct tw_subbuf_event event;

	return tw_subbuf__next(&walk, &event) ? event.time : walk.time;
}

static void send_walked(struct tw_trace_ring *ring, struct tw_subbuf *walk, struct tw_frame_writer *port,
			struct tw_tasks *tasks)
{
	const bool late = is_late(ring, *walk);

	if (late)
		tw_frame_writer__set_flags(port, TW_FLAG_LATE);
	send_events(ring, walk, port, tasks);
	if (late)
		tw_frame_writer__set_flags(port, 0);
}

static size_t send_subbuf(struct tw_trace_ring *ring, const uint8_t *page, size_t len, struct tw_frame_writer *port,
			  struct tw_tasks *tasks)
{
	struct tw_subbuf walk;
	uint64_t count = 0, first;
	const enum tw_subbuf_missed missed = tw_subbuf__missed(page, len, &count);
	size_t bytes;

	tw_subbuf__init(&walk, page, len);
	first = walk.time;
	bytes = (size_t)(walk.end - walk.at);
	if (missed)
		tell_lost(ring, port, first_time(walk), missed, count);
	send_walked(ring, &walk, port, tasks);
	ring->fill_ns = ring->last_time > first ? ring->last_time - first : 0;
	return bytes;
}

static bool is_full(size_t bytes, size_t page_size)
{
	return bytes >= page_size - page_size / 8; /* the next record may have been too large for the rest */
}

/*
 * Whether this sub-buffer was the one being written: it is not full, and its last event is of this round. Under load the next
 * read() would find the few events recorded since, and the next again, each at the cost of copying a whole sub-buffer; they can
 * wait for the next round. With little in it one more look is cheap, and tells for sure that the ring is empty.
 */
static bool caught_up(const struct tw_trace_ring *ring, size_t bytes, size_t page_size, uint64_t round)
{
	return bytes > page_size / 16 && !is_full(bytes, page_size) && ring->last_time >= round;
}

/*
 * Whether what is left behind a full sub-buffer can wait for the next round: the one being filled, which takes about as long as the
 * last did. Read before it is full, the kernel would copy it event by event, and later what had remained of it too, which costs
 * several times what the whole path does otherwise; a full one is handed over. Full ones that are young wait along with it:
 * who fills them may have paused.
 */
static bool can_wait(const struct tw_trace_ring *ring, size_t bytes, size_t page_size, uint64_t round)
{
	const uint64_t takes = ring->fill_ns + ring->fill_ns / 8, most = ring->fill_ns * ring->leave_most;
	uint64_t young = ring->leave_ns / 4;

	if (!is_full(bytes, page_size) || !ring->leave_most || takes > ring->leave_ns)
		return false;
	young = young < most ? young : most;
	young = young > takes ? young : takes;
	return ring->last_time + young > round;
}

/* Return: bytes; 0 if there is nothing more */
static size_t read_subbuf(struct tw_trace_ring *ring, uint8_t *page, size_t page_size)
{
	const bool through = ring->end && ring->read + ring->lost >= ring->end;
	const ssize_t len = through ? 0 : read(ring->fd, page, page_size);

	if (len > 0)
		return (size_t)len;
	ring->empty = true;
	if (len < 0 && errno != EAGAIN && errno != EINTR && errno != ENODEV)
		ring->error = -errno;
	return 0;
}

size_t tw_trace_ring__drain(struct tw_trace_ring *ring, uint8_t *page, size_t page_size, size_t budget, uint64_t round,
			    struct tw_frame_writer *port, struct tw_tasks *tasks)
{
	size_t bytes = 0;

	ring->empty = false;
	while (bytes < budget && port->waited < TW_TRACE_RING_SLOW_NS) {
		const size_t len = read_subbuf(ring, page, page_size);

		if (!len)
			break;
		if (len >= TW_SUBBUF_DATA) {
			const size_t events = send_subbuf(ring, page, len, port, tasks);

			bytes += events;
			if (caught_up(ring, events, page_size, round) || can_wait(ring, events, page_size, round))
				break;
		}
	}
	return bytes;
}

void tw_trace_ring__hold(struct tw_trace_ring *ring, size_t page_size)
{
	size_t len;

	if (ring->holds)
		return;
	ring->empty = false;
	do
		len = read_subbuf(ring, ring->page, page_size);
	while (len && len < TW_SUBBUF_DATA);
	if (!len)
		return;
	tw_subbuf__init(&ring->rest, ring->page, len);
	ring->missed = tw_subbuf__missed(ring->page, len, &ring->missed_count);
	ring->next = first_time(ring->rest);
	ring->holds = true;
}

size_t tw_trace_ring__send_held(struct tw_trace_ring *ring, uint64_t until, struct tw_frame_writer *port,
				struct tw_tasks *tasks)
{
	struct tw_subbuf front;
	size_t bytes;

	if (ring->missed)
		tell_lost(ring, port, ring->next, ring->missed, ring->missed_count);
	ring->missed = TW_MISSED_NONE;
	front = tw_subbuf__up_to(&ring->rest, until, &ring->next);
	ring->holds = ring->rest.at < ring->rest.end;
	bytes = (size_t)(front.end - front.at);
	send_walked(ring, &front, port, tasks);
	return bytes;
}

int tw_trace_ring__bound(struct tw_trace_ring *ring)
{
	struct tw_cpu_stats stats;
	const int rc = tw_cpu_stats__parse(ring->stats_fd, &stats);

	if (!rc)
		ring->end = stats.read + stats.entries + lost_so_far(&stats) + IN_FLIGHT;
	return rc;
}

/* The instance goes, and with it what is left: nothing, unless tracing could not be switched off, or was switched on again. */
int tw_trace_ring__settle(struct tw_trace_ring *ring, struct tw_frame_writer *port, struct tw_cpu_stats *ret)
{
	const int rc = tw_cpu_stats__parse(ring->stats_fd, ret);
	const uint64_t lost = rc ? 0 : lost_so_far(ret) + ret->entries;

	if (lost > ring->lost) {
		const uint64_t count = lost - ring->lost;

		tw_frame_writer__lost(port, &ring->channel, ring->last_time, TW_LOST_RING, true, count);
		tw_counter__add(&ring->lost, count);
	}
	tw_frame_writer__report_pending(port, &ring->channel, ring->last_time);
	return rc;
}

bool tw_trace_ring__fits(const struct tw_trace_ring *ring, const struct tw_cpu_stats *stats)
{
	return stats->read == ring->read && lost_so_far(stats) + stats->entries == ring->lost;
}

void tw_trace_ring__close(struct tw_trace_ring *ring)
{
	if (ring->fd > 0)
		close(ring->fd);
	if (ring->stats_fd > 0)
		close(ring->stats_fd);
	free(ring->page);
	ring->page = NULL;
	ring->fd = ring->stats_fd = -1;
}
