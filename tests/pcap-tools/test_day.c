/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture of 24 hours in simulated time. Three machines send streams: their clocks drift, are slewed, are set and stop during a suspend;
 * a PTP hardware clock goes away, one machine has no reference, and there is a leap second. Two of them send the transmit stamps of their
 * responses in later responses, and get requests in runs of four. In the file, each packet time differs from the
 * true time by at most the error bound, and the capture needs no more memory after 24 hours than after one.
 */
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "blocks.h"
#include "clocks/clock_poller.h"
#include "frames.h"
#include "pcap-tools/archive/archive.h"
#include "tests/clocks/simulated_clocks.h"

#define MS       TW_NS_PER_MS
#define SECOND   TW_NS_PER_SECOND
#define HOUR     (3600 * SECOND)
#define START    (1700000000 * SECOND) /* true time at the start of the capture */
#define TICK     (100 * MS)
#define MACHINES 3
#define EVENTS   (24 * 3600 + 1) /* largest number of events of a machine */
#define SYNC_NS  200000          /* error bound that the machines report */
#define SERVO_S  16              /* interval at which a machine corrects its clock */
#define MEMORY   (256u << 10)    /* possible growth of the memory, bytes: frames that wait in the merge */

struct machine {
	const char *name;
	bool synced;      /* it has a reference, and reports an error bound */
	bool has_phc;     /* now */
	uint64_t host_ns; /* mean delay between reading a clock and sending; 0 = it sends no transmit stamps */
	uint64_t there, back, jitter;   /* path, ns */
	double loss, ppm, wander, step; /* see struct world */
	/* state */
	struct world world;
	struct test_frame frame;
	int64_t wall;       /* REALTIME - BOOTTIME at the start; its servo corrects only the rate */
	uint64_t awake_at;  /* end of a suspend, true time */
	uint64_t n_control; /* control frames */
	uint32_t n_sent;
	uint32_t previous; /* id of the request that was answered last */
	uint64_t previous_sent, n_better;
	/* of the file */
	uint32_t n_found, n_unknown; /* events, and those of them with an unknown error */
	uint64_t stated, n_stated;   /* the last error bound, and number of OFFSET records */
	uint64_t largest_error, largest_bound;
};

struct day {
	struct machine machines[MACHINES];
	uint64_t *truths; /* true times of the events of each machine */
	uint64_t now;     /* true time */
	struct tw_own_clock own;
	struct tw_streams *streams; /* of the poller */
	struct tw_clock_poller *poller;
	struct tw_output *output;
	struct tw_archive *archive;
	int fd;
	size_t read; /* bytes of the file that were read */
	size_t memory;
};

static const struct machine machines[MACHINES] = {
	{ .name = "near", .synced = true, .host_ns = 50000, .there = 100000, .back = 100000, .jitter = 20000 },
	{ .name = "asymmetric", .synced = true, .there = 200000, .back = 800000, .jitter = 50000 },
	{ .name = "alone",
	  .has_phc = true,
	  .host_ns = 300000,
	  .there = 300000,
	  .back = 300000,
	  .jitter = 200000,
	  .loss = 0.1,
	  .ppm = 30,
	  .wander = 0.3,
	  .step = 100 },
};

static uint64_t present(void *ctx)
{
	return ((const struct day *)ctx)->now;
}

static uint64_t monotonic(const struct day *d)
{
	return d->now - START + 1000 * SECOND;
}

static void machine__init(struct machine *m, uint64_t number)
{
	world__init(&m->world, number + 1);
	m->frame.stream = number;
	m->world.since = START - SECOND;
	m->world.there_ns = m->there;
	m->world.back_ns = m->back;
	m->world.jitter_ns = m->jitter;
	m->world.loss = m->loss;
	m->world.ppm = m->ppm;
	m->world.wander = m->wander;
	m->world.step = m->step;
	m->world.step_every = 300;
	m->world.slews = true;
	m->wall = (int64_t)(START - world__stream(&m->world, START));
	m->world.wall = m->wall;
	m->stated = TW_ERROR_UNKNOWN;
}

static void day__init(struct day *d)
{
	const struct tw_archive_options options = {
		.network = true,
		.wait_ns = 3 * SECOND,
		.align = TW_ALIGN_HOST,
		.present = present,
		.ctx = d,
	};

	*d = (struct day){ .now = START, .own.sync_ns = SYNC_NS };
	memcpy(d->machines, machines, sizeof(machines));
	for (uint64_t i = 0; i < MACHINES; i++)
		machine__init(&d->machines[i], i);
	d->truths = calloc((size_t)MACHINES * EVENTS, sizeof(*d->truths));
	d->streams = tw_streams__new(NULL);
	d->poller = tw_clock_poller__new(d->streams, 1);
	d->fd = memfd_create("day", 0);
	assert_true(d->truths && d->poller && d->fd >= 0);
	assert_int_equal(tw_output__open(&(struct tw_output_options){ .fd = d->fd }, &d->output, NULL), 0);
	assert_int_equal(tw_archive__new(d->output, &options, &d->archive, NULL), 0);
}

static void day__free(struct day *d)
{
	tw_archive__free(d->archive);
	tw_output__free(d->output);
	tw_clock_poller__free(d->poller);
	tw_streams__free(d->streams);
	free(d->truths);
	close(d->fd);
}

/* A frame of the machine arrives. */
static void arrive(struct day *d, struct machine *m, size_t len)
{
	const struct tw_peer peer = { .len = 1, .bytes = { (uint8_t)m->frame.stream } };
	const struct tw_received_frame frame = { .data = m->frame.buf, .len = len, .from = &peer };
	struct tw_stream *unused;

	assert_int_equal(tw_streams__live(d->streams, TEST_STREAM + m->frame.stream, d->now, &unused), 0);
	tw_clock_poller__saw(d->poller, &frame, d->now);
	assert_int_equal(tw_archive__frame(d->archive, m->frame.buf, len, &(struct tw_arrival){ .now = monotonic(d) }),
			 0);
}

/* Sends HOST, CLOCK and a watermark. */
static void send_control(struct day *d, struct machine *m)
{
	const uint64_t time = world__stream(&m->world, d->now), next = m->n_sent;
	const struct tw_attr_view attrs[] = {
		{ .attr = TW_HOST_NAME, .value = (const uint8_t *)m->name, .len = strlen(m->name) },
		{ .attr = TW_HOST_CLOCK, .value = (const uint8_t *)"mono", .len = 4 },
	};
	struct tw_clock_view clock = world__sample(&m->world, d->now);

	clock.sync_ns = m->synced ? SYNC_NS : 0;
	clock.n_phcs = m->has_phc;
	clock.phcs[0] =
		(struct tw_phc_view){ .method = TW_PHC_BY_PRECISE, .error_ns = 50, .phc = d->now, .trace = time };
	test_frame__begin(&m->frame, TW_CHANNEL_CONTROL, m->n_control++, time);
	assert_true(tw_host__emit(&m->frame.f, attrs, sizeof(attrs) / sizeof(attrs[0])));
	assert_true(tw_clock__emit(&m->frame.f, &clock));
	tw_watermark__emit(&m->frame.f, time, (const uint16_t[]){ 1 }, &next, 1);
	arrive(d, m, test_frame__end(&m->frame));
}

static void send_event(struct day *d, struct machine *m)
{
	const uint64_t time = world__stream(&m->world, d->now);

	d->truths[m->frame.stream * EVENTS + m->n_sent] = d->now;
	test_frame__begin(&m->frame, 1, m->n_sent, time);
	assert_true(test_frame__event(&m->frame, time, m->n_sent++, 24));
	arrive(d, m, test_frame__end(&m->frame));
}

/* A machine with a reference slews its clock such that the error at the end of the next interval is 0, but for some noise. */
static void servo(struct day *d, struct machine *m)
{
	const uint64_t real = world__stream(&m->world, d->now) + (uint64_t)(m->world.suspended + m->wall);
	const double ahead = (double)(int64_t)(real - d->now);

	m->world.ppm = -ahead / (SERVO_S * 1e3) + (world__chance(&m->world) - 0.5) / 2;
}

/* What the machine does in this tick. Its event is sent half a second after its CLOCK. */
static void machine__tick(struct day *d, struct machine *m)
{
	const uint64_t tick = (d->now - START) / TICK, turn = (tick + 3 * m->frame.stream) % 10;

	if (d->now < m->awake_at)
		return;
	if (m->synced && tick % (SERVO_S * 10) == 0)
		servo(d, m);
	world__advance(&m->world, d->now);
	if (turn == 0)
		send_control(d, m);
	else if (turn == 5)
		send_event(d, m);
}

/* Exchanges a request that is sent at @at, and its response. Return: false if one of them is lost, or the machine sleeps */
static bool exchange(struct day *d, struct machine *m, uint64_t at, struct tw_time_sync_view *sync, uint64_t *ret_sent,
		     uint64_t *ret_arrived)
{
	struct tw_time_sync_sample read, stamped;
	bool answered;

	if (d->now < m->awake_at)
		return false;
	answered = m->host_ns ? world__stamped_exchange(&m->world, at, m->host_ns, &read, &stamped)
			      : world__exchange(&m->world, at, &read);
	sync->received = read.received;
	sync->answered = read.answered;
	if (m->host_ns) {
		sync->sent_by = m->previous ? TW_STAMP_SOFTWARE : TW_STAMP_NONE;
		sync->previous = m->previous;
		sync->sent = m->previous ? m->previous_sent : 0;
		m->previous = sync->id;
		m->previous_sent = stamped.answered;
	}
	*ret_sent = read.asked;
	*ret_arrived = read.arrived;
	return answered;
}

/* The machine answers the request at @at, if neither it nor the response is lost. Return: when the response arrives; @at if it is lost */
static uint64_t answer(struct day *d, const struct tw_time_sync_request *request, uint64_t at)
{
	struct machine *m = &d->machines[request->to->bytes[0]];
	uint8_t frame[TW_TIME_SYNC_ROOM];
	struct tw_received_frame received = { .data = frame, .from = request->to };
	struct tw_stamped_time sent = { .by = TW_STAMP_SOFTWARE }, arrived = sent;
	struct tw_time_sync_sample sample;
	struct tw_time_sync_view sync;
	uint64_t stream;

	assert_true(tw_time_sync_frame__read(request->frame, request->len, &stream, &sync));
	if (!exchange(d, m, at, &sync, &sent.time, &arrived.time))
		return at;
	tw_clock_poller__sent(d->poller, request->cookie, sent);
	received.len = tw_time_sync_frame__write(frame, stream, &sync);
	assert_true(tw_clock_poller__response(d->poller, &received, arrived, &stream, &sample));
	m->n_better += tw_clock_poller__better(d->poller, &sample);
	tw_archive__answer(d->archive, stream, &sample);
	return arrived.time;
}

static void suspend(struct day *d, struct machine *m, uint64_t ns)
{
	world__sleep(&m->world, d->now, ns);
	m->awake_at = d->now + ns;
}

/* A leap second: the wall clocks of all machines are set back, and their TAI continues. */
static void leap(struct day *d)
{
	for (size_t i = 0; i < MACHINES; i++) {
		d->machines[i].world.wall -= (int64_t)SECOND;
		d->machines[i].world.tai += (int64_t)SECOND;
	}
	d->own.stepped -= (int64_t)SECOND;
}

/* What happens at the beginning of an hour. */
static void at_hour(struct day *d, uint64_t hour)
{
	struct machine *asymmetric = &d->machines[1], *alone = &d->machines[2];

	if (hour == 3) /* the wall clock is set, although the machine still claims its error bound */
		asymmetric->world.wall += 10 * (int64_t)SECOND;
	if (hour == 4)
		asymmetric->world.wall -= 10 * (int64_t)SECOND;
	if (hour == 5 || hour == 6) /* the capture host loses its reference */
		d->own.sync_ns = hour == 5 ? 0 : SYNC_NS;
	if (hour == 8)
		suspend(d, asymmetric, HOUR / 30);
	if (hour == 20) /* after five minutes, the capture ends the stream; then the stream begins again */
		suspend(d, asymmetric, HOUR / 3);
	if (hour == 10 || hour == 14)
		alone->has_phc = hour == 14;
	if (hour == 12)
		leap(d);
	if (hour == 16 || hour == 17) /* a congested path */
		alone->world.queue_max = hour == 16 ? 5e6 : 0;
}

static void check_event(const struct day *d, struct machine *m, uint64_t packet, const struct tw_tlv_view *tlv,
			const struct tw_frame_info *info)
{
	struct tw_event_view event;
	uint64_t error;

	assert_true(tw_event__parse(tlv, info->base_time, &event));
	assert_true(event.pid < m->n_sent);
	error = tw_time__apart(packet, d->truths[m->frame.stream * EVENTS + event.pid]);
	m->n_found++;
	if (error > m->stated)
		fail_msg("%s: event %u is %llu ns off, and its bound is %llu ns", m->name, event.pid,
			 (unsigned long long)error, (unsigned long long)m->stated);
	if (m->stated == TW_ERROR_UNKNOWN) {
		m->n_unknown++;
		return;
	}
	m->largest_error = tw_time__later(m->largest_error, error);
	if (m->n_found > 10) /* at first, the delays of the poller's burst count */
		m->largest_bound = tw_time__later(m->largest_bound, m->stated);
}

static void check_packet(struct day *d, const struct block *block)
{
	const uint8_t *frame = block->body + 20 + 14; /* after the fields of the block and an Ethernet header */
	struct tw_offset_view offset;
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_tlv_view tlv;
	struct tw_cursor tlvs;
	struct machine *m;

	assert_int_equal(tw_frame__parse(frame, load_u32(block->body + 12) - 14, &info, &tlvs), TW_FRAME_OK);
	assert_in_range(info.stream_id - TEST_STREAM, 0, MACHINES - 1);
	m = &d->machines[info.stream_id - TEST_STREAM];
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_EVENT)
			check_event(d, m, load_time(block->body + 4), &tlv, &info);
		if (tlv.type == TW_TLV_OFFSET) {
			assert_true(tw_offset__parse(&tlv, &offset));
			m->stated = offset.error_ns;
			m->n_stated++;
		}
	}
}

/* Checks what was written since the last call, and frees the memory of this part of the file. */
static void check_file(struct day *d)
{
	const size_t size = (size_t)lseek(d->fd, 0, SEEK_END) - d->read;
	uint8_t *file = malloc(size);
	struct block block;
	size_t at = 0;

	assert_non_null(file);
	assert_int_equal(pread(d->fd, file, size, (off_t)d->read), size);
	while (block__next(file, size, &at, &block))
		if (block.type == BLOCK_EPB)
			check_packet(d, &block);
	d->read += at;
	free(file);
	assert_int_equal(fallocate(d->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)d->read), 0);
}

/* The memory in use must stay that of the first hour. */
static void check_memory(struct day *d, uint64_t hour)
{
	const size_t now = mallinfo2().uordblks;

	if (hour == 1)
		d->memory = now;
	if (hour > 1 && now > d->memory + MEMORY)
		fail_msg("%zu bytes are in use after %llu hours, %zu after one", now, (unsigned long long)hour,
			 d->memory);
}

static void end_hour(struct day *d, uint64_t hour)
{
	assert_int_equal(tw_archive__flush(d->archive), 0);
	check_file(d);
	check_memory(d, hour);
	at_hour(d, hour);
}

static void tick(struct day *d)
{
	struct tw_time_sync_request request;
	uint64_t at = d->now;

	for (size_t i = 0; i < MACHINES; i++)
		machine__tick(d, &d->machines[i]);
	while (tw_clock_poller__next(d->poller, at, &request)) /* the requests of a run follow each other */
		at = answer(d, &request, at);
	if ((d->now - START) % SECOND == 0)
		tw_archive__own_clock(d->archive, &d->own);
	assert_int_equal(tw_archive__tick(d->archive, monotonic(d)), 0);
	d->now += TICK;
	if ((d->now - START) % HOUR == 0)
		end_hour(d, (d->now - START) / HOUR);
}

/* Checks the reports. The stream that was suspended for long has two. */
static void check_reports(struct day *d)
{
	uint64_t changes[TW_OFFSET_KINDS] = { 0 };
	struct tw_archive_report *reports;
	size_t n;

	assert_int_equal(tw_archive__reports(d->archive, &reports, &n), 0);
	assert_int_equal(n, MACHINES + 1);
	for (size_t i = 0; i < n; i++) {
		const struct tw_stream_clock_summary *clock = &reports[i].clock;

		printf("%s %llu exchanges, drift %d +- %d ns/s\n", reports[i].name,
		       (unsigned long long)clock->exchanges, clock->drift, clock->drift_most);
		for (size_t kind = 0; kind < TW_OFFSET_KINDS; kind++)
			changes[kind] += clock->changes[kind];
		assert_int_equal(clock->restarts + clock->refused, 0);
	}
	assert_int_equal(changes[TW_OFFSET_STEP], 2);
	assert_int_equal(changes[TW_OFFSET_LEAP], MACHINES);
	assert_int_equal(changes[TW_OFFSET_SUSPEND], 1);
	free(reports);
}

static void test_day(void **state)
{
	static struct day d;

	(void)state;
	day__init(&d);
	while (d.now < START + 24 * HOUR)
		tick(&d);
	assert_int_equal(tw_archive__finish(d.archive), 0);
	check_file(&d);
	for (size_t i = 0; i < MACHINES; i++) {
		const struct machine *m = &d.machines[i];

		printf("%s: %u events, error at most %.1f us, bound at most %.1f us, %llu OFFSET\n", m->name,
		       m->n_found, (double)m->largest_error / 1e3, (double)m->largest_bound / 1e3,
		       (unsigned long long)m->n_stated);
		assert_int_equal(m->n_found, m->n_sent);
		/* After the short suspend, an event arrives before the first CLOCK. */
		assert_int_equal(m->n_unknown, i == 1);
		assert_true(m->largest_bound < 20 * MS);
		assert_in_range(m->n_better, m->host_ns ? 24 * 3600 : 0,
				m->host_ns ? UINT32_MAX : 0); /* one a second at least */
	}
	assert_true(d.machines[0].largest_bound < MS);
	check_reports(&d);
	day__free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_day) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
