/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream to a capture host, over UDP. Nobody can see who listens there: metadata are repeated for those who join. */
#include <inttypes.h>

#include "cli/say.h"
#include "cli/stream/stream.h"
#include "vnet/rx_requests.h"

static int open_udp(struct stream *stream, const struct tw_producer *producer, struct tw_error *err)
{
	const int error = tw_udp_address__parse(stream->host, &stream->to, err);

	(void)producer;
	return error ? error : tw_tx_udp__open(&stream->to, &stream->udp, err);
}

static bool leaves_host(const struct stream *stream)
{
	(void)stream;
	return true;
}

static int open_sink(struct stream *stream, unsigned int thread, struct tw_sink **ret, struct tw_error *err)
{
	const int error = tw_tx_udp__sink(stream->udp, stream->run.frame_size, ret, err);

	if (!error && !thread)
		snprintf(stream->how, sizeof(stream->how), "%s", (*ret)->how);
	return error;
}

static int open_questions(struct stream *stream, struct tw_receiver **ret, struct tw_error *err)
{
	return tw_rx_requests__on_udp(stream->udp, ret, err);
}

static void tell(const struct stream *stream, FILE *out)
{
	char to[TW_UDP_TEXT_MAX];

	tw_udp_address__format(&stream->to, to);
	say(out, "to %s (%s, path MTU %zu", to, stream->how, tw_tx_udp__mtu(stream->udp));
}

static void summarize(const struct stream *stream, FILE *out)
{
	const uint64_t refused = tw_tx_udp__refused(stream->udp);

	if (refused)
		say(out, "refused  %" PRIu64 " times %s has answered that nobody listens on port %u\n", refused,
		    stream->to.host, stream->to.port);
}

static int close_udp(struct stream *stream, struct tw_error *err)
{
	(void)err;
	tw_tx_udp__close(stream->udp);
	return 0;
}

const struct stream_way stream_over_udp = {
	.events_per_frame = 0,
	.leaves_host = leaves_host,
	.open = open_udp,
	.open_sink = open_sink,
	.open_questions = open_questions,
	.tell = tell,
	.summarize = summarize,
	.close = close_udp,
};
