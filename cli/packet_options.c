/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/packet_options.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/messages.h"
#include "pcap-tools/pcapng/writer.h"

#define BUFFER_MIN (64u << 10) /* of --packet-buffer, bytes; a smaller one has no room for a block of the kernel */
#define BUFFER_MAX (1u << 30)

int packet_options__length(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .max = TW_PCAPNG_PACKET_MAX };

	return cli_number__parse("packet-length", value, &rule, target, error);
}

int packet_options__buffer(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = BUFFER_MIN, .max = BUFFER_MAX, .unit = 1024 };

	return cli_number__parse("packet-buffer", value, &rule, target, error);
}

int packet_options__open(const struct packet_options *options, struct tw_packet_capture **ret, struct tw_error *error)
{
	const struct tw_packet_capture_options capture = {
		.interfaces = options->interfaces.items,
		.n = options->interfaces.n,
		.filter = options->filter,
		.snaplen = (uint32_t)options->snaplen,
		.buffer = options->buffer,
	};
	const char *lonely = options->filter    ? "filter"
			     : options->snaplen ? "length"
			     : options->buffer  ? "buffer"
						: NULL;

	*ret = NULL;
	if (options->interfaces.n)
		return tw_packet_capture__open(&capture, ret, error);
	if (!lonely)
		return 0;
	return tw_error__set(error, -EINVAL, "--packet-%s needs an interface: name one with --with-packets", lonely);
}

void packet_options__add_outcome(const struct tw_archive_packet_stats *stats, struct outcome *outcome)
{
	outcome->packets = *stats;
	outcome->place[OUTCOME_PACKETS_DROPPED] = stats->dropped;
	outcome->place[OUTCOME_PACKETS_LATE] = stats->late;
	outcome->place[OUTCOME_PACKETS_FORCED] = stats->forced;
	outcome->place[OUTCOME_PACKETS_UNWRITTEN] = stats->unwritten;
	outcome->place[OUTCOME_PACKETS_UNREAD] = stats->unread;
}

void packet_options__tell_gone(struct packet_options *options, struct tw_recorder *recorder)
{
	for (size_t i = 0; i < options->interfaces.n; i++) {
		const char *why = options->told >> i & 1 ? NULL : tw_recorder__gone(recorder, i);

		if (!why)
			continue;
		options->told |= 1ull << i;
		note__say("the packets of %s are not captured any more (%s); the run goes on without them",
			  options->interfaces.items[i], why);
	}
}

int packet_options__judge(int status, const char *gone, struct tw_error *error)
{
	if (status || !*gone)
		return status;
	tw_error__set(error, -ENETDOWN,
		      "packets of %s: the events, and the packets of other interfaces, were taken to the end", gone);
	return CLI_EXIT_FAILURE;
}

void packet_options__fini(struct packet_options *options)
{
	free(options->interfaces.items);
}
