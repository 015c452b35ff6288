/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/counter.h"

/* Limit of events that are recorded while the counters are read: more than one for each context of a CPU (task, softirq, hardirq, NMI). */
#define IN_FLIGHT 8

int tw_trace_ring__open(struct tw_trace_ring *ring, const struct tw_instance *instance, unsigned int cpu,
			struct tw_error *error)
{
	const int fd = tw_instance__open_ring(instance, cpu);
	int stats_fd;

	if (fd == -ENOENT || fd == -ENODEV)
		return -ENODEV;
	if (fd < 0)
		return tw_error__set(error, fd, "the ring of CPU %u cannot be opened: %s", cpu, strerror(-fd));
	stats_fd = tw_instance__open_ring_stats(instance, cpu);
	if (stats_fd < 0) {
		close(fd);
		return tw_error__set(error, stats_fd, "the counters of CPU %u's ring cannot be opened: %s", cpu,
				     strerror(-stats_fd));
	}
	*ring = (struct tw_trace_ring){
		.channel = { .number = (uint16_t)(cpu + 1), .cpu = (uint16_t)cpu, .source = TW_SOURCE_FTRACE },
		.fd = fd,
		.stats_fd = stats_fd,
		.filter_cpu.cpu = (uint16_t)cpu,
		.empty = true,
	};
	return 0;
}

int tw_trace_ring__open_bpf(struct tw_trace_ring *ring, const struct tw_sockets *sockets, unsigned int cpu,
			    uint16_t number, clockid_t clock, struct tw_error *error)
{
	struct tw_bpf_ring *bpf;
	const int err = tw_bpf_ring__open(sockets, cpu, clock, &bpf, error);
	int fd;

	if (err)
		return err;
	fd = fcntl(tw_sockets__doorbell(sockets, cpu), F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		tw_bpf_ring__close(bpf);
		return tw_error__set(error, -errno, "the ring of CPU %u for socket events cannot be opened: %s", cpu,
				     strerror(errno));
	}
	*ring = (struct tw_trace_ring){
		.channel = { .number = number, .cpu = (uint16_t)cpu, .source = TW_SOURCE_BPF },
		.bpf = bpf,
		.fd = fd,
		.stats_fd = -1,
		.filter_cpu.cpu = (uint16_t)cpu,
		.empty = true,
	};
	return 0;
}

static int read_stats(const struct tw_trace_ring *ring, struct tw_ring_stats *ret)
{
	return ring->bpf ? tw_bpf_ring__stats(ring->bpf, ret) : tw_ring_stats__read(ring->stats_fd, ret);
}

/*
 * Reports the events that were lost before a sub-buffer. If the sub-buffer contains their number, @count is this number. If it had no room
 * for the number, the report has the growth of the kernel's counter since the last report, and TW_LOST_UNKNOWN is set in the LOST record.
 * The sum of all reports never exceeds the kernel's counter, so no event is reported twice.
 */
static void report_lost(struct tw_trace_ring *ring, struct tw_frame_writer *writer, uint64_t time,
			enum tw_ring_missed missed, uint64_t count)
{
	struct tw_ring_stats stats;
	uint64_t pending;

	if (read_stats(ring, &stats))
		return;
	pending = tw_ring_stats__lost(&stats) > ring->lost ? tw_ring_stats__lost(&stats) - ring->lost : 0;
	if (missed == TW_MISSED_UNKNOWN || count > pending)
		count = pending;
	tw_frame_writer__lost(writer, &ring->channel, time, TW_LOST_RING, missed == TW_MISSED_UNKNOWN, count);
	tw_counter__add(&ring->lost, count);
}

/*
 * The hot path. For each event: apply the filter, look up the task, look up the addresses, copy the record once, hash pointers if needed.
 * The struct of the open frame is copied to a local variable, so that it stays in registers while events fit. Events are copied through a
 * byte pointer, which may alias anything. So the compiler would load a struct in memory again for each event.
 */
static inline __attribute__((always_inline)) void
send_walk(struct tw_trace_ring *ring, struct tw_ring_page *walk, struct tw_frame_writer *writer,
	  struct tw_producer_tasks *tasks, const tw_field_offsets_ref *table, const struct tw_event_filter *filter,
	  const struct tw_hashed_pointers *pointers)
{
	struct tw_frame frame = tw_frame_writer__borrow_frame(writer, &ring->channel);
	const uint32_t max = writer->events_per_frame;
	struct tw_ring_event event;
	uint64_t events = 0, filtered = 0;

	while (tw_native_page__next(walk, &event)) {
		if (filter && !tw_event_filter__passes(filter, &ring->filter_cpu, &event)) {
			filtered++;
			continue;
		}
		if (filter)
			ring->sent_time = event.time;
		tw_producer_tasks__see(tasks, (uint32_t)tw_native_event__pid(&event), event.time);
		tw_addresses__see(ring->addresses, table, &event);
		events++;
		if (__builtin_expect(frame.info.events < max, 1) &&
		    __builtin_expect(tw_hashed_pointers__add_event(pointers, &frame, event.record, event.len,
								   event.time),
				     1))
			continue;
		tw_frame_writer__return_frame(writer, &ring->channel, &frame);
		tw_frame_writer__event(writer, &ring->channel, event.record, event.len, event.time);
		frame = tw_frame_writer__borrow_frame(writer, &ring->channel);
	}
	tw_frame_writer__return_frame(writer, &ring->channel, &frame);
	tw_counter__add(&ring->read, events + filtered);
	tw_counter__add(&ring->filtered, filtered);
	if (events + filtered) {
		ring->last_time = walk->time;
		ring->no_poll = false;
	}
	if (events && !filter)
		ring->sent_time = walk->time;
}

/*
 * Calls one of four compiled variants of send_walk(): with all steps; without hashing; with neither hashing nor filter; with none of
 * hashing, filter and address look-ups. The variants with fewer steps also need fewer checks for each event.
 */
static void send_events(struct tw_trace_ring *ring, struct tw_ring_page *walk, struct tw_frame_writer *writer,
			struct tw_producer_tasks *tasks)
{
	const tw_field_offsets_ref *const table = tw_addresses__table(ring->addresses);
	const struct tw_event_filter *const filter =
		ring->hazard ? tw_event_filter_hazard__acquire(ring->hazard) : NULL;
	const struct tw_hashed_pointers *const pointers = writer->stream->pointers;

	if (pointers)
		send_walk(ring, walk, writer, tasks, table, filter, pointers);
	else if (filter)
		send_walk(ring, walk, writer, tasks, table, filter, NULL);
	else if (table)
		send_walk(ring, walk, writer, tasks, table, NULL, NULL);
	else
		send_walk(ring, walk, writer, tasks, NULL, NULL, NULL);
}

/*
 * Whether a sub-buffer has late events: the kernel reserved them in the ring before the time of the last watermark, and committed them
 * after this watermark was sent. Counts them; the caller sets TW_FLAG_LATE.
 */
static bool is_late(struct tw_trace_ring *ring, struct tw_ring_page walk)
{
	struct tw_ring_event event;
	uint64_t late = 0;

	if (walk.time >= ring->sent_watermark)
		return false;
	while (tw_native_page__next(&walk, &event) && event.time < ring->sent_watermark)
		late++;
	tw_counter__add(&ring->late, late);
	return late;
}

static uint64_t first_time(struct tw_ring_page walk)
{
	struct tw_ring_event event;

	return tw_native_page__next(&walk, &event) ? event.time : walk.time;
}

/* Splits @rest: returns the events that are not newer than @until and leaves the others. @ret_next: time of the first event left, if any */
static struct tw_ring_page take_up_to(struct tw_ring_page *rest, uint64_t until, uint64_t *ret_next)
{
	struct tw_ring_page front = *rest, next = *rest;
	struct tw_ring_event event;

	while (tw_native_page__next(&next, &event)) {
		if (event.time > until) {
			*ret_next = event.time;
			front.end = rest->at;
			return front;
		}
		*rest = next;
	}
	*rest = next;
	return front;
}

static void send_walked(struct tw_trace_ring *ring, struct tw_ring_page *walk, struct tw_frame_writer *writer,
			struct tw_producer_tasks *tasks)
{
	const bool late = is_late(ring, *walk);

	if (late)
		tw_frame_writer__set_flags(writer, TW_FLAG_LATE);
	send_events(ring, walk, writer, tasks);
	if (late)
		tw_frame_writer__set_flags(writer, 0);
}

static size_t send_subbuf(struct tw_trace_ring *ring, const uint8_t *page, size_t len, struct tw_frame_writer *writer,
			  struct tw_producer_tasks *tasks)
{
	struct tw_ring_page walk;
	uint64_t count = 0, first;
	const enum tw_ring_missed missed = tw_ring_page__missed(&tw_native_layout, page, len, &count);
	size_t bytes;

	tw_native_page__init(&walk, page, len);
	first = walk.time;
	bytes = (size_t)(walk.end - walk.at);
	if (missed)
		report_lost(ring, writer, first_time(walk), missed, count);
	send_walked(ring, &walk, writer, tasks);
	ring->fill_ns = ring->last_time > first ? ring->last_time - first : 0;
	return bytes;
}

static bool is_full(size_t bytes, size_t page_size)
{
	return bytes >= page_size - page_size / 8; /* the next record may have been too large for the remaining space */
}

/*
 * Whether the kernel was still writing the sub-buffer when it was read: the sub-buffer is not full, and its last event was recorded in this
 * round. Under load, another read() would return only the few events recorded since then. These events can wait for the next round. If the
 * sub-buffer has few events, the result is false: one more read() is then cheap, and makes sure that the ring is empty.
 */
static bool caught_up(const struct tw_trace_ring *ring, size_t bytes, size_t page_size, uint64_t round)
{
	return bytes > page_size / 16 && !is_full(bytes, page_size) && ring->last_time >= round;
}

/*
 * Whether the events after a full sub-buffer can wait for the next round. They are in the next sub-buffer, which the kernel is filling.
 * Filling it takes about as long as filling the full one took (fill_ns). If the partial sub-buffer were read now, the kernel would copy its
 * events one by one, and later copy the rest of its events one by one. This would cost several times as much CPU time as the producer's
 * other work on the events. The kernel hands over a full sub-buffer without a copy.
 *
 * The events can wait if the last event of the full sub-buffer was recorded less than fill_ns plus an eighth before this round. They can
 * also wait if that event was recorded less than leave_ns / 4 and less than leave_max * fill_ns before this round. In the second case, the
 * kernel may have filled up to leave_max further sub-buffers, which then wait too. If it has recorded fewer events, it is still filling the
 * first of these sub-buffers. The events cannot wait if fill_ns plus an eighth is more than leave_ns.
 */
static bool can_wait(const struct tw_trace_ring *ring, size_t bytes, size_t page_size, uint64_t round)
{
	const uint64_t takes = ring->fill_ns + ring->fill_ns / 8, max = ring->fill_ns * ring->leave_max;
	uint64_t young = ring->leave_ns / 4;

	if (!is_full(bytes, page_size) || !ring->leave_max || takes > ring->leave_ns)
		return false;
	young = young < max ? young : max;
	young = young > takes ? young : takes;
	return ring->last_time + young > round;
}

/* Reads the next sub-buffer of a BPF ring, as below. */
static size_t read_bpf(struct tw_trace_ring *ring, uint8_t *page, size_t page_size)
{
	const size_t len = tw_bpf_ring__read(ring->bpf, page, page_size);

	if (!len)
		ring->empty = !ring->bpf->is_pending;
	return len;
}

/* Reads the next sub-buffer. Return: its bytes; 0 if the ring has no more events to read */
static size_t read_subbuf(struct tw_trace_ring *ring, uint8_t *page, size_t page_size)
{
	const bool through = ring->end && ring->read + ring->lost >= ring->end;
	ssize_t len;

	if (ring->bpf && !through)
		return read_bpf(ring, page, page_size);
	len = through ? 0 : read(ring->fd, page, page_size);
	if (len > 0)
		return (size_t)len;
	ring->empty = true;
	if (len < 0 && errno != EAGAIN && errno != EINTR && errno != ENODEV)
		ring->err = -errno;
	return 0;
}

size_t tw_trace_ring__drain(struct tw_trace_ring *ring, uint8_t *page, size_t page_size, size_t budget, uint64_t round,
			    struct tw_frame_writer *writer, struct tw_producer_tasks *tasks)
{
	size_t bytes = 0;

	ring->empty = false;
	while (bytes < budget && writer->waited < TW_TRACE_RING_SLOW_NS) {
		const size_t len = read_subbuf(ring, page, page_size);

		if (!len)
			break;
		if (len >= tw_native_layout.page.data_offset) {
			const size_t events = send_subbuf(ring, page, len, writer, tasks);

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
	while (len && len < tw_native_layout.page.data_offset);
	if (!len)
		return;
	tw_native_page__init(&ring->rest, ring->page, len);
	ring->missed = tw_ring_page__missed(&tw_native_layout, ring->page, len, &ring->missed_count);
	ring->next = first_time(ring->rest);
	ring->holds = true;
}

size_t tw_trace_ring__send_held(struct tw_trace_ring *ring, uint64_t until, struct tw_frame_writer *writer,
				struct tw_producer_tasks *tasks)
{
	struct tw_ring_page front;
	size_t bytes;

	if (ring->missed)
		report_lost(ring, writer, ring->next, ring->missed, ring->missed_count);
	ring->missed = TW_MISSED_NONE;
	front = take_up_to(&ring->rest, until, &ring->next);
	ring->holds = ring->rest.at < ring->rest.end;
	bytes = (size_t)(front.end - front.at);
	send_walked(ring, &front, writer, tasks);
	return bytes;
}

int tw_trace_ring__bound(struct tw_trace_ring *ring)
{
	struct tw_ring_stats stats;
	const int err = read_stats(ring, &stats);

	if (!err)
		ring->end = stats.read + stats.entries + tw_ring_stats__lost(&stats) + IN_FLIGHT;
	return err;
}

/* Events left in the ring are lost with the instance. There are none, unless tracing could not be switched off or was switched on again. */
int tw_trace_ring__settle(struct tw_trace_ring *ring, struct tw_frame_writer *writer, struct tw_ring_stats *ret)
{
	const int err = read_stats(ring, ret);
	const uint64_t lost = err ? 0 : tw_ring_stats__lost(ret) + ret->entries;

	if (lost > ring->lost) {
		const uint64_t count = lost - ring->lost;

		tw_frame_writer__lost(writer, &ring->channel, ring->last_time, TW_LOST_RING, true, count);
		tw_counter__add(&ring->lost, count);
	}
	tw_frame_writer__report_pending(writer, &ring->channel, ring->last_time);
	return err;
}

bool tw_trace_ring__fits(const struct tw_trace_ring *ring, const struct tw_ring_stats *stats)
{
	return stats->read == ring->read && tw_ring_stats__lost(stats) + stats->entries == ring->lost;
}

void tw_trace_ring__close(struct tw_trace_ring *ring)
{
	if (ring->fd > 0)
		close(ring->fd);
	if (ring->stats_fd > 0)
		close(ring->stats_fd);
	tw_bpf_ring__close(ring->bpf);
	free(ring->page);
	ring->bpf = NULL;
	ring->page = NULL;
	ring->fd = ring->stats_fd = -1;
}
