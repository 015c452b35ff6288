/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `record` and `live` for packets beside the events: --with-packets and the options that belong to it. */
#ifndef CLI_PACKET_OPTIONS_H
#define CLI_PACKET_OPTIONS_H

#include <stdint.h>

#include "cli/command.h"
#include "cli/outcome.h"
#include "cli/run_options.h"
#include "pcap-tools/packets/packet_capture.h"
#include "pcap-tools/record/recorder.h"

/* The values of the options; a member of the config of a command. */
struct packet_options {
	struct tw_words interfaces; /* --with-packets */
	const char *filter;
	uint64_t snaplen, buffer;
	uint64_t told; /* bit n: packet_options__tell_gone() has told that the interface n went away */
};

_Static_assert(TW_PACKET_CAPTURE_MAX <= 64, "a bit for each interface");

/* The options, for a command whose config has a struct packet_options as @member. */
#define PACKET_OPTIONS(config, member)                                                                                           \
	{ 0,                                                                                                                     \
	  "with-packets",                                                                                                        \
	  "NAME",                                                                                                                \
	  CLI_ARG_INTERFACE,                                                                                                     \
	  "Also write the packets of this interface, in time order with the events. May be given many times",                    \
	  .offset = offsetof(config, member),                                                                                    \
	  .apply = run_words__add },                                                                                             \
		{ 0,                                                                                                             \
		  "packet-filter",                                                                                               \
		  "FILTER",                                                                                                      \
		  CLI_ARG_TEXT,                                                                                                  \
		  "Write only packets that match this capture filter, as with dumpcap -f, for example 'tcp port 80'",            \
		  .offset = offsetof(config, member.filter),                                                                     \
		  .once = "join the two filters with `and`" },                                                                   \
		{ 0,                                                                                                             \
		  "packet-length",                                                                                               \
		  "BYTES",                                                                                                       \
		  CLI_ARG_NUMBER,                                                                                                \
		  "Write at most BYTES of a packet, as with dumpcap -s (default: 262144)",                                       \
		  .offset = offsetof(config, member.snaplen),                                                                    \
		  .apply = packet_options__length },                                                                             \
	{                                                                                                                        \
		0, "packet-buffer", "KIB", CLI_ARG_SIZE,                                                                         \
			"Size of the kernel's buffer for the packets of each interface, in KiB or with a suffix (default: 32M)", \
			.offset = offsetof(config, member.buffer), .apply = packet_options__buffer                               \
	}

/* The apply functions of the options. */
int packet_options__length(void *target, const char *value, struct tw_error *error);
int packet_options__buffer(void *target, const char *value, struct tw_error *error);

/**
 * packet_options__open() - begin to capture packets
 * @ret: the capture; NULL without --with-packets
 * Return: 0, or -errno with @error filled; -EINVAL if other options are given without --with-packets
 */
int packet_options__open(const struct packet_options *options, struct tw_packet_capture **ret, struct tw_error *error);

/** packet_options__add_outcome() - add the counters of the packets to the short lines at the end of a run */
void packet_options__add_outcome(const struct tw_archive_packet_stats *stats, struct outcome *outcome);

/** packet_options__tell_gone() - during a run, print a note for each interface that has gone away since the last call */
void packet_options__tell_gone(struct packet_options *options, struct tw_recorder *recorder);

/**
 * packet_options__judge() - after a run, check whether an interface has gone away
 * @status: exit status of the run
 * @gone: text for the first such interface; "" = none. It becomes the error if the run has no other
 * Return: @status, or CLI_EXIT_FAILURE instead of 0
 */
int packet_options__judge(int status, const char *gone, struct tw_error *error);

/** packet_options__fini() - free what the options have allocated */
void packet_options__fini(struct packet_options *options);

#endif
