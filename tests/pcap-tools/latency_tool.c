/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Usage: pcap_latency FILE PAIR...: measures pairs in a packed capture, and again in its frames as the thread of a live run does. Prints the
 * number of samples of each pair. Exit status 1 if a figure differs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/latency/latency.h"
#include "pcap-tools/record/frame_thread.h"

#define PAIRS_MAX 16

static void must(bool holds, const struct tw_error *error)
{
	if (holds)
		return;
	fprintf(stderr, "pcap_latency: %s\n", error->text);
	exit(2);
}

/* Passes a frame to the sink, as a producer does: it waits while the sink has no room. */
static void send(struct tw_sink *sink, const uint8_t *frame, size_t len, const struct tw_error *error)
{
	uint8_t *room;

	while (!(room = tw_sink__reserve(sink))) {
		tw_sink__flush(sink);
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	must(len <= sink->frame_max, error);
	memcpy(room, frame, len);
	tw_sink__commit(sink, len);
}

static void send_all(const char *file, struct tw_sink *sink)
{
	struct tw_error error = { "a frame does not fit" };
	struct tw_capture_file *capture;
	struct tw_packet packet;

	must(!tw_capture_file__open(open(file, O_RDONLY), file, &capture, &error), &error);
	while (tw_capture_file__next(capture, &packet, &error) > 0) {
		size_t len;
		const uint8_t *frame = tw_packet__frame(packet.linktype, packet.data, packet.len, &len);

		if (frame)
			send(sink, frame, len, &error);
	}
	tw_capture_file__close(capture);
	tw_sink__flush(sink);
	tw_sink__close(sink);
}

static bool is_equal(const struct tw_pair_figures *a, const struct tw_pair_names *a_names,
		     const struct tw_pair_figures *b, const struct tw_pair_names *b_names)
{
	if (memcmp(&a->all, &b->all, sizeof(a->all)) || memcmp(&a->stats, &b->stats, sizeof(a->stats)) ||
	    a->n_groups != b->n_groups)
		return false;
	for (size_t i = 0; i < a->n_groups; i++) {
		if (memcmp(&a->groups[i]->histogram, &b->groups[i]->histogram, sizeof(struct tw_histogram)))
			return false;
		for (size_t k = 0; k < a->n_by; k++) {
			if (strcmp(tw_pair_names__text(a_names, a->groups[i]->names[k]),
				   tw_pair_names__text(b_names, b->groups[i]->names[k])) != 0)
				return false;
		}
	}
	return true;
}

static int take(void *ctx, const void *data, size_t len, struct tw_error *error)
{
	return tw_latency__frame(ctx, data, len, error);
}

int main(int argc, char **argv)
{
	const struct tw_pair *pairs[PAIRS_MAX];
	struct tw_latency_options options = { .pairs = pairs, .memory = TW_LATENCY_MEMORY };
	const struct tw_latency_result *of_file, *of_frames;
	struct tw_pair_table *table = tw_pair_table__new();
	struct tw_error error = { "usage: pcap_latency FILE PAIR..." };
	struct tw_latency *latency, *live;
	struct tw_frame_thread *thread;
	struct tw_sink *sink;
	int status = 0;

	must(argc > 2 && argc < PAIRS_MAX, &error);
	must(table && !tw_pair_table__ship(table, &error), &error);
	for (int i = 2; i < argc; i++) {
		pairs[options.n_pairs] = tw_pair_table__find(table, argv[i], &error);
		must(pairs[options.n_pairs++], &error);
	}
	must(!tw_latency__new(&options, &latency, &error), &error);
	must(!tw_latency__read(latency, open(argv[1], O_RDONLY), argv[1], &error), &error);
	must(!tw_latency__new(&options, &live, &error) && !tw_latency__begin(live, &error), &error);
	must(!tw_frame_thread__new(take, live, &thread, &error), &error);
	must(!tw_frame_thread__sink(thread, &sink, &error), &error);
	send_all(argv[1], sink);
	must(!tw_frame_thread__finish(thread, &error) && !tw_latency__end(live, &error), &error);
	of_file = tw_latency__result(latency);
	of_frames = tw_latency__result(live);
	for (size_t i = 0; i < options.n_pairs; i++) {
		const bool equal = is_equal(&of_file->pairs[i].figures, of_file->names, &of_frames->pairs[i].figures,
					    of_frames->names);

		printf("%s %llu\n", pairs[i]->name, (unsigned long long)of_file->pairs[i].figures.all.n);
		if (!equal)
			fprintf(stderr, "%s differs: %llu and %llu samples\n", pairs[i]->name,
				(unsigned long long)of_file->pairs[i].figures.all.n,
				(unsigned long long)of_frames->pairs[i].figures.all.n);
		status |= !equal;
	}
	tw_frame_thread__free(thread);
	tw_latency__free(live);
	tw_latency__free(latency);
	tw_pair_table__free(table);
	return status;
}
