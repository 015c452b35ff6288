/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Usage: pcap_sockets FILE: makes the table of sockets of a recording, and again of its frames as a live run does. Prints the number of
 * flows. Exit status 1 if a figure differs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/sockets/times.h"

static void must(bool holds, const struct tw_error *error)
{
	if (holds)
		return;
	fprintf(stderr, "pcap_sockets: %s\n", error->text);
	exit(2);
}

static void send_all(const char *file, struct tw_socket_times *live)
{
	struct tw_error error = { "" };
	struct tw_capture_file *capture;
	struct tw_packet packet;

	must(!tw_capture_file__open(open(file, O_RDONLY), file, &capture, &error), &error);
	while (tw_capture_file__next(capture, &packet, &error) > 0) {
		size_t len;
		const uint8_t *frame = tw_packet__frame(packet.linktype, packet.data, packet.len, &len);

		must(!frame || !tw_socket_times__frame(live, frame, len, &error), &error);
	}
	tw_capture_file__close(capture);
}

static bool are_equal(const struct tw_socket_figures *a, const struct tw_socket_figures *b)
{
	for (size_t i = 0; i < TW_SOCKET_STAGE_COUNT; i++)
		if (!a->stages[i] != !b->stages[i] ||
		    (a->stages[i] && memcmp(a->stages[i], b->stages[i], sizeof(*a->stages[i])) != 0))
			return false;
#define X(name)                 \
	if (a->name != b->name) \
		return false;
	TW_SOCKET_COUNTERS(X)
#undef X
	return true;
}

/* Both results have the flows and programs in the order of their latest or first events. */
static bool are_same(const struct tw_socket_times_result *a, const struct tw_socket_times_result *b)
{
	if (a->n_flows != b->n_flows || a->n_programs != b->n_programs || a->forgotten != b->forgotten)
		return false;
	for (size_t i = 0; i < a->n_flows; i++)
		if (memcmp(&a->flows[i]->id, &b->flows[i]->id, sizeof(a->flows[i]->id)) != 0 ||
		    !are_equal(&a->flows[i]->figures, &b->flows[i]->figures))
			return false;
	for (size_t i = 0; i < a->n_programs; i++)
		if (memcmp(a->programs[i]->comm, b->programs[i]->comm, TW_SOCKTS_COMM_LEN) != 0 ||
		    !are_equal(&a->programs[i]->figures, &b->programs[i]->figures))
			return false;
	return are_equal(a->other_flows, b->other_flows) && are_equal(a->other_programs, b->other_programs);
}

int main(int argc, char **argv)
{
	static const struct tw_socket_times_options options;
	const struct tw_socket_times_result *of_file, *of_frames;
	struct tw_error error = { "usage: pcap_sockets FILE" };
	struct tw_socket_times *times, *live;
	int status;

	must(argc == 2, &error);
	must(!tw_socket_times__new(&options, &times, &error), &error);
	must(!tw_socket_times__new(&options, &live, &error), &error);
	must(!tw_socket_times__read(times, open(argv[1], O_RDONLY), argv[1], &error), &error);
	must(!tw_socket_times__begin(live, &error), &error);
	send_all(argv[1], live);
	must(!tw_socket_times__end(live, &error), &error);
	of_file = tw_socket_times__result(times);
	of_frames = tw_socket_times__result(live);
	must(of_file && of_frames, &error);
	printf("%zu\n", of_file->n_flows);
	status = !are_same(of_file, of_frames);
	if (status)
		fprintf(stderr, "pcap_sockets: the figures differ: %zu and %zu flows\n", of_file->n_flows,
			of_frames->n_flows);
	tw_socket_times__free(live);
	tw_socket_times__free(times);
	return status;
}
