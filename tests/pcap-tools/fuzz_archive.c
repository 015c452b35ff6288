/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untrusted frames for an archive, as from `capture`. The input is a byte of options, then records, each after a 16-bit big-endian head. A
 * head below COMMAND is the length of the frame that follows. Other heads are commands: this machine's time passes, the receiver drops
 * frames, a response about a clock arrives, or the archive is flushed. For any input, even if nothing can be written, every event that the
 * merge emits is in one place of a ledger.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lent.h"
#include "pcap-tools/archive/archive.h"
#include "wire/tracewire.h"

#define COMMAND 0xf000
#define STREAM  0x1122334455667788ull /* id of the seeds' first stream; the ids of further streams follow it */

enum { FROM_START = 1, LITTLE = 2, SEVERAL = 4, PACKED = 8, HOST = 16, FILTER = 32, FULL = 64, WALL = 128 };

static void check(bool holds)
{
	if (!holds)
		abort();
}

static char folder[] = "/dev/shm/fuzz_archive.XXXXXX";

static void empty_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

static void remove_folder(void)
{
	empty_folder();
	rmdir(folder);
}

static int open_sink(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	check(fd >= 0);
	return fd;
}

static struct tw_output *open_output(uint8_t options)
{
	static int null = -1, full = -1;
	struct tw_output_options output = { 0 };
	struct tw_output *ret = NULL;
	char path[sizeof(folder) + 16];

	if (null < 0) {
		null = open_sink("/dev/null");
		full = open_sink("/dev/full");
		signal(SIGPIPE, SIG_IGN);
		check(mkdtemp(folder));
		atexit(remove_folder);
	}
	output.fd = options & FULL ? full : null;
	if (options & SEVERAL) {
		snprintf(path, sizeof(path), "%s/x.pcapng", folder);
		output.path = path;
		output.file_packets = 3;
		output.files_max = 2;
	}
	check(!tw_output__open(&output, &ret, NULL));
	return ret;
}

static void answer(struct tw_archive *a, unsigned int head, struct tw_cursor *input)
{
	const uint8_t *p = tw_cursor__take(input, 4 * sizeof(uint64_t));
	struct tw_time_sync_sample sample;

	if (!p)
		return;
	sample = (struct tw_time_sync_sample){
		.asked = tw_load_be64(p),
		.received = tw_load_be64(p + 8),
		.answered = tw_load_be64(p + 16),
		.arrived = tw_load_be64(p + 24),
	};
	tw_archive__answer(a, STREAM + (head & 3), &sample);
}

static void command(struct tw_archive *a, unsigned int head, struct tw_cursor *input, struct tw_arrival *arrival)
{
	switch (head >> 8 & 7) {
	case 0:
		arrival->now += (uint64_t)(head & 0xff) << 20;
		tw_archive__tick(a, arrival->now);
		break;
	case 1:
		arrival->now += (uint64_t)(head & 0xff) << 30;
		break;
	case 2:
		arrival->dropped += head & 0xff;
		break;
	case 3:
		tw_archive__flush(a);
		break;
	case 4:
		tw_archive__own_clock(a, &(struct tw_own_clock){ .sync_ns = head & 0xff, .stepped = head & 1 });
		break;
	default:
		answer(a, head, input);
	}
}

static void take(void *a, const uint8_t *frame, size_t len, const struct tw_arrival *arrival)
{
	tw_archive__frame(a, frame, len, arrival);
}

static void feed(struct tw_archive *a, struct tw_cursor *input, bool live)
{
	struct tw_arrival arrival = { .now = 1 };
	const uint8_t *p;

	while ((p = tw_cursor__take(input, sizeof(uint16_t)))) {
		size_t len = tw_load_be16(p);

		if (len >= COMMAND) {
			command(a, (unsigned int)len, input, &arrival);
			continue;
		}
		if (len > input->left)
			len = input->left;
		p = tw_cursor__take(input, len);
		if (live)
			lend(take, a, p, len, arrival);
		else
			take(a, p, len, NULL);
	}
}

static void check_books(const struct tw_archive *a, bool nothing_fits)
{
	struct tw_archive_stats stats;
	const uint64_t *place = stats.ledger.place;

	check(nothing_fits || !tw_archive__error(a, NULL));
	tw_archive__stats(a, &stats);
	check(!stats.merge.queued && !(nothing_fits && place[TW_PLACE_DELIVERED]));
	check(place[TW_PLACE_DELIVERED] + place[TW_PLACE_CAPTURE_FILTER] + place[TW_PLACE_UNWANTED] +
		      place[TW_PLACE_DISK] ==
	      stats.merge.events_out);
	check(stats.merge.received ==
	      stats.merge.events_out + stats.merge.filtered + stats.merge.incomplete + stats.merge.damaged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_cursor input = { .at = data, .left = size };
	const uint8_t *first = tw_cursor__take(&input, 1);
	struct tw_archive_options options = { .buffer = 256, .wait_ns = 1000, .network = true };
	struct tw_filter *filter = NULL;
	struct tw_archive *a = NULL;
	struct tw_output *output;

	if (!first)
		return 0;
	options.from_start = *first & FROM_START;
	options.memory = *first & LITTLE ? 4096 : 0;
	options.events_max = *first & LITTLE ? 5 : 0;
	options.packed = *first & PACKED;
	options.align = *first & HOST ? TW_ALIGN_HOST : TW_ALIGN_NONE;
	options.wall = *first & WALL;
	options.statistics_ns = 1 << 22;
	if (*first & FILTER && !options.packed)
		check(!tw_filter__parse("pid > 1", &filter, NULL));
	options.filter = filter;
	output = open_output(*first);
	if (!tw_archive__new(output, &options, &a, NULL)) {
		feed(a, &input, !(*first & WALL));
		tw_archive__finish(a);
		check_books(a, (*first & (FULL | SEVERAL)) == FULL);
	}
	tw_archive__free(a);
	tw_output__free(output);
	tw_filter__free(filter);
	if (*first & SEVERAL)
		empty_folder();
	return 0;
}
