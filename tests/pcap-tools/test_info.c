/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a capture has its content, the ledger of its writer, and contradictions between the two. */
#include "pcap-tools/info/info.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "captures.h"
#include "explained.h"
#include "pcap-tools/report/report.h"
#include "tests/failing_memory.h"

#define NS 9 /* if_tsresol of times in ns */

static struct test_frame frame;
static struct made made;
static struct tw_info info;
static struct tw_report_stats report;

static void begin(const char *application)
{
	made.len = 0;
	made.big_endian = false;
	made__begin(&made, TEST_SHB);
	made__number(&made, 0x1A2B3C4D, 4);
	made__number(&made, 1, 2);
	made__number(&made, 0, 2);
	made__number(&made, UINT64_MAX, 8);
	made__option(&made, 4, application, (uint16_t)strlen(application));
	made__option(&made, 0, NULL, 0);
	made__end(&made);
	made__interface(&made, 1, 0, NS, 0);
}

static void put(uint32_t interface, uint64_t time)
{
	static uint8_t packet[4096];
	const size_t len = test_frame__end(&frame);

	tw_store_be16(packet + 12, TW_ETHERTYPE);
	memcpy(packet + 14, frame.buf, len);
	made__packet(&made, interface, time, packet, (uint32_t)len + 14);
}

static void put_control(uint64_t seq)
{
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, seq, 1000);
}

static void put_event(uint32_t interface, uint64_t stream, uint16_t channel, uint64_t seq, uint64_t time)
{
	test_frame__begin(&frame, channel, seq, time);
	frame.f.info.stream_id = stream;
	test_frame__event(&frame, time, 5, 24);
	put(interface, time);
}

static void put_stats(uint64_t seq, uint64_t recorded, uint64_t ring)
{
	const struct tw_stat_view stats[] = {
		{ TW_STAT_RECORDED, 0, recorded },
		{ TW_STAT_READ, 0, recorded - ring },
		{ TW_STAT_OVERRUN, 0, ring },
	};

	put_control(seq);
	assert_true(tw_stats__emit(&frame.f, stats, sizeof(stats) / sizeof(stats[0])));
	put(0, 1000);
}

static void put_end(uint64_t seq)
{
	put_control(seq);
	assert_true(tw_end__emit(&frame.f));
	put(0, 1000);
}

/* Write the capture made so far to the file, so that it can have more than there is room for in memory. */
static void flush_made(int fd)
{
	assert_int_equal(write(fd, made.bytes, made.len), made.len);
	made.len = 0;
}

/* `report` has the same ledger as `info`, except that it counts the events of cut frames, which the merge of info does not take. */
static void compare_report(int fd)
{
	struct tw_report_counts counts = { .n_streams = 0 };
	const struct tw_report_options options = { .counts = &counts };
	struct tw_ledger sum = { .state = TW_LEDGER_CLOSED };
	struct tw_error err = { "" };

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	tw_report__run(fd, "made", -1, &options, &report, &err);
	tw_report_counts__fini(&counts);
	for (uint32_t i = 0; i < info.n_streams; i++)
		tw_ledger__add(&sum, tw_info_stream__ledger(info.streams[i]));
	if (info.snapped)
		return;
	assert_int_equal(report.read.ledger.state, sum.state);
	assert_int_equal(report.read.ledger.recorded, sum.recorded);
	for (int i = 0; i < TW_PLACE_COUNT; i++)
		assert_int_equal(report.read.ledger.place[i], sum.place[i]);
}

static void read_file(int fd)
{
	struct tw_error err = { "" };

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	if (tw_info__read(fd, "made", NULL, &info, &err))
		fail_msg("%s", err.text);
}

static void read_made(void)
{
	const int fd = memfd_create("capture", 0);

	flush_made(fd);
	read_file(fd);
	compare_report(fd);
	close(fd);
}

static int teardown(void **state)
{
	(void)state;
	tw_info__fini(&info);
	return 0;
}

static void test_recording(void **state)
{
	const struct tw_info_stream *s;

	(void)state;
	begin("tracewire record 9.9");
	test_frame__hello(&frame, "alpha", "one", 1000, 500);
	put(0, 1500);
	put_event(0, TEST_STREAM, 1, 0, 2000);
	put_event(0, TEST_STREAM, 2, 0, 5000);
	put_event(0, TEST_STREAM, 1, 1, 3000);
	made__packet(&made, 0, 9000, "something else", 14);
	made__statistics(&made, 0, 1, "ledger version=1 state=running recorded=2 delivered=2");
	made__statistics(&made, 0, 2, "ledger version=1 state=closed recorded=4 delivered=3 ring=1");
	made__statistics(&made, 0, 3, "something that is no ledger");
	read_made();
	assert_true(info.is_recording);
	assert_string_equal(info.application, "tracewire record 9.9");
	assert_int_equal(info.packets, 5);
	assert_int_equal(info.frames, 4);
	assert_int_equal(info.times.first, 1500);
	assert_int_equal(info.times.last, 9000);
	assert_int_equal(info.n_streams, 1);
	s = info.streams[0];
	assert_string_equal(s->stream->identity.host, "alpha");
	assert_int_equal(s->events, 3);
	assert_int_equal(s->times.last, 5000);
	assert_true(s->stream->has_wall);
	assert_int_equal(tw_stream__wall_offset(s->stream), 500);
	assert_int_equal(s->n_schemas, 1);
	assert_true(s->has_stored);
	assert_int_equal(s->stored.state, TW_LEDGER_CLOSED);
	assert_int_equal(s->stored.place[TW_PLACE_RING], 1);
	assert_int_equal(tw_info_stream__missing(s), 0);
	assert_ptr_equal(tw_info_stream__ledger(s), &s->stored);
	assert_string_equal(info.damage.text, "");
}

/* Events were removed from the file or added to it after its ledger was written. */
static void test_changed(void **state)
{
	(void)state;
	begin("tracewire record 9.9");
	put_event(0, TEST_STREAM, 1, 0, 2000);
	put_event(0, TEST_STREAM, 1, 2, 2000);
	made__statistics(&made, 0, 1, "ledger version=1 state=closed recorded=5 delivered=5");
	read_made();
	assert_int_equal(tw_info_stream__missing(info.streams[0]), 3);
	assert_int_equal(report.read.cut, 3);
	assert_int_equal(info.streams[0]->counted.place[TW_PLACE_WIRE], 1);
	tw_info__fini(&info);
	begin("tracewire record 9.9");
	put_event(0, TEST_STREAM, 1, 0, 2000);
	made__statistics(&made, 0, 1, "ledger version=1 state=closed recorded=0 delivered=0");
	read_made();
	assert_int_equal(tw_info_stream__missing(info.streams[0]), -1);
}

/* A capture of an interface, from the stream's start to its end: the ledger is made from its content. */
static void test_wire(void **state)
{
	const struct tw_lost_view lost = { .where = TW_LOST_RING, .count = 2 };
	const struct tw_ledger *l;

	(void)state;
	begin("Dumpcap");
	put_control(0);
	put(0, 1000);
	put_event(0, TEST_STREAM, 1, 0, 2000);
	put_event(0, TEST_STREAM, 1, 0, 2000); /* twice */
	put_event(0, TEST_STREAM, 1, 3, 2000); /* two are missing */
	test_frame__begin(&frame, 1, 4, 2100);
	assert_true(tw_lost__emit(&frame.f, &lost));
	put(0, 2100);
	put_stats(1, 6, 2);
	put_end(2);
	made__begin(&made, TEST_ISB);
	made__number(&made, 0, 4);
	made__number(&made, 0, 8);
	made__number(&made, 5, 2);
	made__number(&made, 8, 2);
	made__number(&made, 7, 8);
	made__end(&made);
	read_made();
	assert_false(info.is_recording);
	assert_true(info.interfaces.items[0].has_counters);
	assert_int_equal(info.interfaces.items[0].dropped, 7);
	assert_int_equal(info.interfaces.items[0].received, UINT64_MAX);
	l = tw_info_stream__ledger(info.streams[0]);
	assert_int_equal(l->state, TW_LEDGER_CLOSED);
	assert_int_equal(l->recorded, 6);
	assert_int_equal(l->place[TW_PLACE_DELIVERED], 2);
	assert_int_equal(l->place[TW_PLACE_WIRE], 2);
	assert_int_equal(l->place[TW_PLACE_RING], 2);
	assert_int_equal(l->fact[TW_FACT_DUPLICATES], 1);
	assert_int_equal(tw_ledger__difference(l), 0);
	assert_int_equal(info.streams[0]->lost[TW_LOST_RING], 2);
}

/* The writer of a recording was killed, so the recording has no ledger. Its LOST records show where events were lost. */
static void test_receiver(void **state)
{
	const struct tw_lost_view lost = { .where = TW_LOST_RECEIVER, .count = 3 };

	(void)state;
	begin("tracewire capture 9.9");
	put_event(0, TEST_STREAM, 1, 0, 2000);
	test_frame__begin(&frame, 1, 6, 3000);
	assert_true(tw_lost__emit(&frame.f, &lost));
	put(0, 3000);
	put_event(0, TEST_STREAM, 1, 6, 3000);
	read_made();
	assert_int_equal(info.streams[0]->counted.place[TW_PLACE_RECEIVER], 3);
	assert_int_equal(info.streams[0]->counted.place[TW_PLACE_WIRE], 2);
	assert_int_equal(info.streams[0]->counted.state, TW_LEDGER_OPEN);
}

/* Make the first event of the frame FILTERED, as a classifier does. */
static void reject(void)
{
	tw_store_be16(frame.buf + sizeof(struct tw_frame_hdr), TW_TLV_FILTERED);
}

/*
 * A classifier drops whole frames: the capture counts the missing events as rejected, and writes a LOST of them. Without its ledger, nothing
 * can tell whether they were rejected or lost; but events that the classifier rejected in place are known.
 */
static void test_classifier(void **state)
{
	const struct tw_lost_view lost = { .where = TW_LOST_WIRE, .count = 616 };

	(void)state;
	for (int stored = 0; stored < 2; stored++) {
		begin("tracewire capture 9.9");
		put_event(0, TEST_STREAM, 1, 0, 2000);
		test_frame__begin(&frame, 1, 617, 3000);
		assert_true(tw_lost__emit(&frame.f, &lost));
		put(0, 3000);
		put_event(0, TEST_STREAM, 1, 617, 3000);
		test_frame__begin(&frame, 1, 618, 3001);
		test_frame__event(&frame, 3001, 5, 24);
		reject();
		put(0, 3001);
		if (stored)
			made__statistics(&made, 0, 1,
					 "ledger version=1 state=closed recorded=619 delivered=2 classifier=617");
		read_made();
		assert_int_equal(report.read.events, 2);
		assert_int_equal(report.read.ledger.recorded, 619);
		assert_int_equal(report.read.ledger.place[TW_PLACE_WIRE], stored ? 0 : 616);
		assert_int_equal(report.read.ledger.place[TW_PLACE_CLASSIFIER], stored ? 617 : 1);
		assert_int_equal(report.read.cut, 0);
		assert_string_equal(report.read.program_filter, "");
		tw_info__fini(&info);
	}
}

/* Events are missing in a capture by another program, which had a filter: the filter may have rejected them. */
static void test_program_filter(void **state)
{
	(void)state;
	begin("Dumpcap");
	made__begin(&made, TEST_IDB);
	made__number(&made, 1, 2);
	made__number(&made, 0, 2);
	made__number(&made, 0, 4);
	made__option(&made, 11, "\0ether[0] & 1", 13);
	made__option(&made, 0, NULL, 0);
	made__end(&made);
	put_event(1, TEST_STREAM, 1, 0, 2000);
	put_event(1, TEST_STREAM, 1, 2, 2000);
	read_made();
	assert_int_equal(report.read.ledger.place[TW_PLACE_WIRE], 1);
	assert_string_equal(report.read.program_filter, "ether[0] & 1");
}

/* Losses in the rings of trace-cmd are also counted separately, because they have another remedy. */
static void test_trace_cmd(void **state)
{
	static const char *const versions[] = { "tracewire 9.9", "trace-cmd 3.1" };
	const struct tw_lost_view lost = { .where = TW_LOST_RING, .count = 3 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct tw_attr_view version = { .attr = TW_HOST_VERSION,
						      .value = (const uint8_t *)versions[i],
						      .len = strlen(versions[i]) };

		begin("tracewire convert 9.9");
		put_control(0);
		assert_true(tw_host__emit(&frame.f, &version, 1));
		put(0, 1000);
		test_frame__begin(&frame, 1, 0, 2000);
		assert_true(tw_lost__emit(&frame.f, &lost));
		put(0, 2000);
		put_event(0, TEST_STREAM, 1, 0, 2000);
		read_made();
		assert_int_equal(report.read.ledger.place[TW_PLACE_RING], 3);
		assert_int_equal(report.read.trace_cmd, i ? 3 : 0);
		tw_info__fini(&info);
	}
}

/*
 * A recording from the start of a stream, with an event that arrived late. The numbers 0, 1 and 4 are missing, because no event has them;
 * the number of the late event is not missing.
 */
static void test_late(void **state)
{
	(void)state;
	begin("tracewire capture 9.9");
	put_control(0);
	put(0, 1000);
	put_event(0, TEST_STREAM, 1, 2, 2000);
	put_event(0, TEST_STREAM, 1, 5, 5000);
	test_frame__begin(&frame, 1, 3, 3000);
	frame.f.info.flags |= TW_FLAG_LATE;
	test_frame__event(&frame, 3000, 5, 24);
	put(0, 3000);
	read_made();
	assert_int_equal(report.read.ledger.place[TW_PLACE_WIRE], 3);
	assert_int_equal(report.read.ledger.place[TW_PLACE_DELIVERED], 3);
	assert_int_equal(report.read.ledger.place[TW_PLACE_BEFORE], 0);
}

static void test_offset(void **state)
{
	const struct tw_offset_view offsets[] = {
		{ .kind = TW_OFFSET_LEAP, .step = -1, .error_ns = TW_ERROR_UNKNOWN },
		{ .kind = TW_OFFSET_LEAP, .step = -1, .error_ns = TW_ERROR_UNKNOWN },
		{ .kind = 99, .error_ns = TW_ERROR_UNKNOWN },
		{ .kind = 1, .offset = 5, .error_ns = TW_ERROR_UNKNOWN },
		{ .kind = 4, .method = TW_OFFSET_BY_TIME_SYNC, .offset = -7, .error_ns = 1200, .drift = -3 },
	};

	(void)state;
	begin("tracewire capture 9.9");
	for (int i = 0; i < 5; i++) {
		const struct tw_frame_info out_of_band = { .stream_id = TEST_STREAM,
							   .channel = TW_CHANNEL_OUT_OF_BAND,
							   .cpu = TW_CPU_NONE,
							   .source = TW_SOURCE_OUT_OF_BAND };

		tw_frame__begin(&frame.f, frame.buf, TW_FRAME_MAX, &out_of_band);
		assert_true(tw_offset__emit(&frame.f, &offsets[i]));
		put(0, 2000);
	}
	read_made();
	assert_int_equal(info.streams[0]->n_offsets, 5);
	assert_int_equal(info.streams[0]->offset.offset, -7);
	assert_int_equal(info.streams[0]->offset.error_ns, 1200);
	assert_int_equal(info.streams[0]->changes[TW_OFFSET_START], 1);
	assert_int_equal(info.streams[0]->changes[TW_OFFSET_LEAP], 2);
	assert_int_equal(report.read.changes[TW_OFFSET_LEAP], 2);
	assert_int_equal(report.read.changes[TW_OFFSET_STEP], 0);
	assert_int_equal(info.streams[0]->counted.recorded, 0);
}

/* Several streams on an interface, several interfaces, several sections: a stream has a stored ledger only if this is certainly its own. */
static void test_interfaces(void **state)
{
	(void)state;
	begin("tracewire capture 9.9");
	made__interface(&made, 1, 0, NS, 0);
	put_event(0, 1, 1, 0, 2000);
	put_event(0, 2, 1, 0, 2000);
	put_event(1, 3, 1, 0, 2000);
	made__statistics(&made, 0, 1, "ledger version=1 state=closed recorded=9 delivered=9");
	made__statistics(&made, 1, 1, "ledger version=1 state=closed recorded=8 delivered=1 wire=7");
	made__section(&made, true);
	made__interface(&made, 1, 0, NS, 0);
	put_event(0, 4, 1, 0, 2000);
	made__statistics(&made, 0, 1, "ledger version=1 state=open recorded=1 delivered=1");
	read_made();
	assert_int_equal(info.sections, 2);
	assert_int_equal(info.interfaces.n, 3);
	assert_int_equal(info.interfaces.items[2].section, 1);
	assert_null(info.interfaces.items[0].stream);
	assert_int_equal(info.interfaces.items[0].packets, 2);
	assert_int_equal(info.n_streams, 4);
	assert_false(info.streams[0]->has_stored);
	assert_false(info.streams[1]->has_stored);
	assert_int_equal(info.streams[2]->stored.place[TW_PLACE_WIRE], 7);
	assert_int_equal(info.streams[3]->stored.state, TW_LEDGER_OPEN);
}

static void test_cut(void **state)
{
	(void)state;
	begin("tracewire record 9.9");
	put_event(0, TEST_STREAM, 1, 0, 2000);
	put_event(0, TEST_STREAM, 1, 1, 2000);
	made.len -= 8;
	read_made();
	assert_int_equal(info.packets, 1);
	assert_int_equal(info.streams[0]->events, 1);
	assert_non_null(strstr(info.damage.text, "made is damaged at byte"));
}

/* Packets cut to a snapshot length are not damaged, and their events are counted. */
static void test_snapped(void **state)
{
	uint8_t packet[100] = { [12] = TW_ETHERTYPE >> 8, [13] = TW_ETHERTYPE & 0xff };

	(void)state;
	begin("tracewire capture 9.9");
	test_frame__begin(&frame, 1, 0, 2000);
	for (uint32_t i = 0; i < 4; i++)
		test_frame__event(&frame, 2000 + i, i, 24);
	test_frame__end(&frame);
	memcpy(packet + 14, frame.buf, sizeof(packet) - 14);
	made__packet(&made, 0, 2000, packet,
		     sizeof(packet)); /* its block says that the packet had one more byte on the link */
	read_made();
	assert_int_equal(info.snapped, 1);
	assert_int_equal(info.unreadable, 0);
	assert_int_equal(info.streams[0]->events, 4);
}

/* A packet that is cut in the header of its frame is not damaged either. */
static void test_snapped_header(void **state)
{
	uint8_t packet[40] = { [12] = TW_ETHERTYPE >> 8, [13] = TW_ETHERTYPE & 0xff };

	(void)state;
	begin("tracewire capture 9.9");
	test_frame__begin(&frame, 1, 0, 2000);
	test_frame__event(&frame, 2000, 1, 24);
	test_frame__end(&frame);
	memcpy(packet + 14, frame.buf, sizeof(packet) - 14);
	made__packet(&made, 0, 2000, packet, sizeof(packet));
	read_made();
	assert_int_equal(info.snapped, 1);
	assert_int_equal(info.unreadable, 0);
}

/* The hooks of the last HOST that has any; they arrive in pieces, as a long HOST does. */
static void test_hooks(void **state)
{
	static uint8_t value[4096];
	struct tw_attr_view attrs[TW_INFO_HOOKS_MAX + 6];
	uint32_t total;

	(void)state;
	begin("tracewire capture 9.9");
	for (size_t i = 0; i < TW_INFO_HOOKS_MAX + 6; i++)
		attrs[i] = (struct tw_attr_view){ TW_HOST_HOOK, (const uint8_t *)"of\x1bnobody", 9 };
	put_control(0);
	assert_true(tw_host__emit(&frame.f, attrs, 3));
	put(0, 1000);
	read_made();
	assert_int_equal(info.streams[0]->n_hooks, 3);
	tw_info__fini(&info);

	begin("tracewire capture 9.9");
	attrs[1] = (struct tw_attr_view){ TW_HOST_HOOK, (const uint8_t *)"sockts:drop", 11 };
	put_control(1);
	assert_true(tw_host__emit(&frame.f, attrs, TW_INFO_HOOKS_MAX + 6));
	total = (uint32_t)(frame.f.len - sizeof(struct tw_frame_hdr) - sizeof(struct tw_tlv));
	memcpy(value, frame.buf + sizeof(struct tw_frame_hdr) + sizeof(struct tw_tlv), total);
	for (uint32_t at = 0, seq = 1; at < total;) {
		put_control(seq++);
		frame.f.cap = 400;
		at += (uint32_t)tw_frame__add_part(&frame.f, TW_TLV_HOST, 1, value, total, at);
		put(0, 1000);
	}
	put_control(9);
	attrs[0] = (struct tw_attr_view){ TW_HOST_NAME, (const uint8_t *)"host", 4 };
	assert_true(tw_host__emit(&frame.f, attrs, 1));
	put(0, 1000);
	read_made();
	assert_int_equal(info.streams[0]->n_hooks, TW_INFO_HOOKS_MAX);
	assert_string_equal(info.streams[0]->hooks[0], "of\\x1bnobody");
	assert_string_equal(info.streams[0]->hooks[1], "sockts:drop");
}

static void test_refused(void **state)
{
	const int fd = memfd_create("capture", 0);
	struct tw_error err = { "" };

	(void)state;
	assert_int_equal(write(fd, "some text", 9), 9);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(tw_info__read(fd, "text", NULL, &info, &err), -EINVAL);
	assert_non_null(strstr(err.text, "text is neither"));
	close(fd);
}

/* A capture with many streams, for example of many days or from strangers, is read to its end. */
static void test_many_streams(void **state)
{
	const int fd = memfd_create("capture", 0);
	const uint64_t n = 5000;

	(void)state;
	begin("Dumpcap");
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t id = 1 + i * TW_STREAMS_REPORTED_MAX / n;

		if (i)
			made__interface(&made, 1, 0, NS, 0);
		put_event((uint32_t)i, id, 1, i, 2000 + i);
		flush_made(fd);
	}
	read_file(fd);
	close(fd);
	assert_string_equal(info.damage.text, "");
	assert_int_equal(info.n_streams, TW_STREAMS_REPORTED_MAX);
	assert_int_equal(info.refused, 0);
	assert_int_equal(info.packets, n);
	assert_int_equal(info.streams[TW_STREAMS_REPORTED_MAX - 1]->stream->id, TW_STREAMS_REPORTED_MAX);
	assert_int_equal(info.streams[TW_STREAMS_REPORTED_MAX - 1]->events, 1);
}

/* Many streams, a damaged frame and a frame of another version are counted. */
static void test_limits(void **state)
{
	static const uint8_t version[62] = "\0\0\0\0\0\0\0\0\0\0\0\0\x88\xb5TWR1\x63";
	static const uint8_t length[62] = "\0\0\0\0\0\0\0\0\0\0\0\0\x88\xb5TWR1\x01";

	(void)state;
	begin("Dumpcap");
	for (uint64_t id = 0; id < 100; id++)
		put_event(0, id, 1, 0, 2000);
	made__packet(&made, 0, 1, version, sizeof(version));
	made__packet(&made, 0, 1, length, sizeof(length));
	read_made();
	assert_int_equal(info.n_streams, 100);
	assert_int_equal(info.versions, 1);
	assert_int_equal(info.unreadable, 1);
}

/* Each allocation fails in turn: the summary fails, counts frames of refused streams, or has the right ledger. */
static void test_no_memory(void **state)
{
	const int fd = memfd_create("capture", 0);
	bool reached;
	long n = 0;

	(void)state;
	begin("Dumpcap");
	put_control(0);
	put(0, 1000);
	put_event(0, TEST_STREAM, 1, 0, 2000);
	put_stats(1, 6, 5);
	put_end(2);
	flush_made(fd);
	do {
		struct tw_error err = { "" };
		int ret;

		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		before_failure = n++;
		ret = tw_info__read(fd, "made", NULL, &info, &err);
		reached = before_failure < 0;
		before_failure = -1;
		if (ret) {
			assert_int_equal(ret, -ENOMEM);
			assert_non_null(strstr(err.text, "no memory"));
		} else if (!info.refused) {
			assert_int_equal(info.streams[0]->counted.recorded, 6);
			assert_int_equal(info.streams[0]->counted.place[TW_PLACE_RING], 5);
			assert_int_equal(info.streams[0]->counted.place[TW_PLACE_DELIVERED], 1);
		}
		tw_info__fini(&info);
	} while (reached);
	assert_true(n > 10);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_recording, teardown),
		cmocka_unit_test_teardown(test_changed, teardown),
		cmocka_unit_test_teardown(test_wire, teardown),
		cmocka_unit_test_teardown(test_receiver, teardown),
		cmocka_unit_test_teardown(test_classifier, teardown),
		cmocka_unit_test_teardown(test_program_filter, teardown),
		cmocka_unit_test_teardown(test_trace_cmd, teardown),
		cmocka_unit_test_teardown(test_late, teardown),
		cmocka_unit_test_teardown(test_offset, teardown),
		cmocka_unit_test_teardown(test_interfaces, teardown),
		cmocka_unit_test_teardown(test_cut, teardown),
		cmocka_unit_test_teardown(test_snapped, teardown),
		cmocka_unit_test_teardown(test_snapped_header, teardown),
		cmocka_unit_test_teardown(test_hooks, teardown),
		cmocka_unit_test_teardown(test_refused, teardown),
		cmocka_unit_test_teardown(test_many_streams, teardown),
		cmocka_unit_test_teardown(test_limits, teardown),
		cmocka_unit_test_teardown(test_no_memory, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
