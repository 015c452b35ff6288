/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filter over an untrusted capture, as report uses it, and in an archive, after the merge. The input is an expression, a newline, and a
 * pcapng or pcap file. A filter that is asked twice about an event gives the same result and counts both, and limits are kept.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pcap-tools/archive/archive.h"
#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/capture_filter.h"
#include "pcap-tools/capture/packet_frame.h"

struct run {
	struct tw_filter *filter;
	struct tw_streams *streams;
	struct tw_capture_filter *capture_filter;
	struct tw_archive *archive;
	uint64_t asked, wanted;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void ask(struct run *run, struct tw_stream *stream, const struct tw_frame_info *info,
		const struct tw_tlv_view *tlv)
{
	struct tw_event_view event;
	bool wants;

	if (!tw_event__parse(tlv, info->base_time, &event))
		return;
	wants = tw_capture_filter__wants(run->capture_filter, stream, info, &event);
	check(tw_capture_filter__wants(run->capture_filter, stream, info, &event) == wants);
	run->asked += 2;
	run->wanted += 2 * wants;
}

static void read_frame(struct run *run, const uint8_t *frame, size_t len)
{
	struct tw_stream *stream;
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	status = tw_frame__parse(frame, len, &info, &tlvs);
	check(!tw_archive__frame(run->archive, frame, len, NULL));
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return;
	stream = tw_streams__get(run->streams, info.stream_id);
	while (stream && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		tw_stream__update(stream, &info, &tlv);
		if (tlv.type == TW_TLV_EVENT)
			ask(run, stream, &info, &tlv);
	}
}

static void read_packets(struct run *run, struct tw_capture_file *file)
{
	struct tw_packet packet;
	const uint8_t *frame;
	size_t len;

	while (tw_capture_file__next(file, &packet, NULL) > 0) {
		frame = tw_packet__frame(packet.linktype, packet.data, packet.len, &len);
		if (frame)
			read_frame(run, frame, len);
	}
}

static void check_undecided(const struct tw_undecided_predicates *undecided, const struct tw_filter *filter)
{
	check(undecided->n <= tw_filter__predicates(filter));
	for (unsigned int i = 0; i < undecided->n && i < TW_UNDECIDED_PREDICATES_MAX; i++)
		check(!strncmp(undecided->text[i].text, "column ", 7) && !strpbrk(undecided->text[i].text, "\033\n"));
}

static void settle(struct run *run)
{
	struct tw_archive_stats archive;
	const uint64_t *place = archive.ledger.place;
	struct tw_capture_filter_stats capture_filter;
	struct tw_undecided_predicates undecided;

	tw_capture_filter__stats(run->capture_filter, &capture_filter);
	check(run->asked == run->wanted + capture_filter.rejected && capture_filter.unknown <= capture_filter.rejected);
	check(capture_filter.undecided <= run->wanted);
	tw_capture_filter__undecided_predicates(run->capture_filter, &undecided);
	check_undecided(&undecided, run->filter);
	check(!tw_archive__finish(run->archive));
	tw_archive__stats(run->archive, &archive);
	check(place[TW_PLACE_CAPTURE_FILTER] == archive.capture_filter.rejected);
	check(place[TW_PLACE_DELIVERED] + place[TW_PLACE_CAPTURE_FILTER] <= archive.merge.events_out);
	check(place[TW_PLACE_DELIVERED] + place[TW_PLACE_CAPTURE_FILTER] + archive.capture_filter.undecided >=
	      archive.merge.events_out);
	check_undecided(&archive.undecided_predicates, run->filter);
}

static int capture_of(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("capture", 0);
	check(pwrite(fd, data, size, 0) == (ssize_t)size && !ftruncate(fd, (off_t)size) && !lseek(fd, 0, SEEK_SET));
	return fd;
}

static void sift(struct run *run, struct tw_capture_file *file)
{
	struct tw_archive_options options = { .filter = run->filter };
	static struct tw_output *null;

	if (!null)
		check(!tw_output__open(&(struct tw_output_options){ .path = "/dev/null" }, &null, NULL));
	run->streams = tw_streams__new(NULL);
	check(run->streams);
	if (!tw_capture_filter__new(run->filter, run->streams, &run->capture_filter, NULL)) {
		check(!tw_archive__new(null, &options, &run->archive, NULL));
		read_packets(run, file);
		settle(run);
		tw_archive__free(run->archive);
		tw_capture_filter__free(run->capture_filter);
	}
	tw_streams__free(run->streams);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	struct tw_capture_file *file;
	struct run run = { .asked = 0 };
	char *expression;

	if (!end)
		return 0;
	expression = strndup((const char *)data, (size_t)(end - data));
	check(expression);
	if (!tw_filter__parse(expression, &run.filter, NULL)) {
		end++;
		if (!tw_capture_file__open(capture_of(end, size - (size_t)(end - data)), "made.pcapng", &file, NULL)) {
			sift(&run, file);
			tw_capture_file__close(file);
		}
		tw_filter__free(run.filter);
	}
	free(expression);
	return 0;
}
