/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/attach/follow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "cli/filter/attach/schema_collector.h"
#include "cli/stop.h"
#include "vnet/rx_packet.h"

/* Largest number of stored reports. A further report replaces the oldest one, which may then be printed again. */
#define REPORTS_MAX 64
/* A stream is silent if none of its control frames arrives for this time; `tracewire stream` sends control frames each second. */
#define SILENCE_NS (3000 * TW_NS_PER_MS)

/*
 * A message that was printed on standard error about the schema of a stream, stored so that it is not repeated. The message says that the
 * rules are bound to another schema or, if @refused is true, that the rules cannot be bound to this schema.
 */
struct report {
	uint64_t stream_id, schema_id;
	bool refused;
};

struct follow {
	char ifname[IFNAMSIZ];
	struct tw_classifier *classifier;
	struct tw_receiver *rx;
	struct schema_collector *collector;
	uint64_t schema_id; /* the schema to which the rules are bound; 0 = not bound yet */
	uint64_t stream_id; /* the stream that is followed */
	uint64_t heard;     /* when the last control frame of that stream arrived; CLOCK_MONOTONIC, ns */
	struct report reports[REPORTS_MAX];
	unsigned int n_reports; /* number of reports so far, including replaced ones */
};

int follow__open(const char *ifname, struct tw_classifier *classifier, struct follow **ret, struct tw_error *error)
{
	const struct tw_rx_packet_options options = { .ifname = ifname, .retire_ms = 10, .control_only = true };
	struct follow *follow = calloc(1, sizeof(*follow));
	int err;

	if (!follow)
		return tw_error__set(error, -ENOMEM, "no memory to watch %s", ifname);
	snprintf(follow->ifname, sizeof(follow->ifname), "%s", ifname);
	follow->classifier = classifier;
	follow->collector = schema_collector__new();
	err = follow->collector ? tw_rx_packet__open(&options, &follow->rx, error)
				: tw_error__set(error, -ENOMEM, "no memory to watch %s", ifname);
	if (err)
		follow__close(follow);
	else
		*ret = follow;
	return err;
}

void follow__close(struct follow *follow)
{
	if (!follow)
		return;
	tw_receiver__close(follow->rx);
	schema_collector__free(follow->collector);
	free(follow);
}

static bool is_silent(const struct follow *follow, uint64_t now)
{
	return now - follow->heard > SILENCE_NS;
}

static bool is_reported(const struct follow *follow, const struct collected_schema *collected, bool refused)
{
	for (unsigned int i = 0; i < follow->n_reports && i < REPORTS_MAX; i++)
		if (follow->reports[i].stream_id == collected->stream_id &&
		    follow->reports[i].schema_id == collected->id && follow->reports[i].refused == refused)
			return true;
	return false;
}

static void note_report(struct follow *follow, const struct collected_schema *collected, bool refused)
{
	follow->reports[follow->n_reports++ % REPORTS_MAX] =
		(struct report){ collected->stream_id, collected->id, refused };
}

static int refused(struct follow *follow, const struct collected_schema *collected, int err, struct tw_error *why,
		   struct tw_error *error)
{
	if (!follow->schema_id)
		return tw_error__set(error, err, "%s", why->text);
	note_report(follow, collected, true);
	fprintf(stderr,
		"the rules cannot be compiled for the new schema %016" PRIx64 " of stream %016" PRIx64
		": %s; the events of this stream pass\n",
		collected->id, collected->stream_id, why->text);
	return 0;
}

static int bind_rules(struct follow *follow, const struct collected_schema *collected, struct tw_error *error)
{
	const struct tw_classifier_schema schema = { collected->schema, collected->id, collected->big_endian };
	struct tw_error why;
	const int err = tw_classifier__bind(follow->classifier, &schema, &why);

	if (err)
		return refused(follow, collected, err, &why, error);
	if (follow->schema_id)
		fprintf(stderr, "the rules are now for schema %016" PRIx64 " of stream %016" PRIx64 "\n", collected->id,
			collected->stream_id);
	if (collected->refused.n)
		fprintf(stderr,
			"%u formats of stream %016" PRIx64
			" cannot be read, so the rules do not know the fields of their events\n",
			collected->refused.n, collected->stream_id);
	follow->schema_id = collected->id;
	follow->stream_id = collected->stream_id;
	return 0;
}

static void report_other(struct follow *follow, const struct collected_schema *collected)
{
	if (is_reported(follow, collected, false))
		return;
	note_report(follow, collected, false);
	fprintf(stderr,
		"stream %016" PRIx64 " has another schema, %016" PRIx64
		": a classifier is for one schema only, so the events of this stream pass and are counted\n",
		collected->stream_id, collected->id);
}

/*
 * Binds the rules to a complete schema if the rules are not bound yet, if the followed stream has a new schema, or if the followed stream
 * is silent. In other cases, reports a schema that differs from that of the rules.
 */
static int consider(struct follow *follow, const struct collected_schema *collected, uint64_t now,
		    struct tw_error *error)
{
	const bool is_ours = !follow->schema_id || collected->stream_id == follow->stream_id || is_silent(follow, now);

	if (collected->id == follow->schema_id) {
		if (is_ours)
			follow->stream_id = collected->stream_id;
		return 0;
	}
	if (!is_ours) {
		report_other(follow, collected);
		return 0;
	}
	return is_reported(follow, collected, true) ? 0 : bind_rules(follow, collected, error);
}

static int take(struct follow *follow, const struct tw_received_frame *frame, struct tw_error *error)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	struct tw_frame_info info = { 0 };
	const struct collected_schema *collected =
		schema_collector__take(follow->collector, frame->data, frame->len, &info);
	int err = 0;

	if (collected && collected->complete)
		err = consider(follow, collected, now, error);
	if (info.stream_id == follow->stream_id)
		follow->heard = now;
	return err;
}

int follow__wait(struct follow *follow, unsigned int ms, struct tw_error *error)
{
	const uint64_t end = tw_time__now(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
	uint64_t now;
	int err = 0;

	while (!err && !stop__signal() && (now = tw_time__now(CLOCK_MONOTONIC)) < end) {
		struct tw_received_frame frame;
		const int got = tw_receiver__next(follow->rx, (int)((end - now) / TW_NS_PER_MS) + 1, &frame);

		if (got == -ENODEV)
			err = tw_error__set(error, got, "interface %s was removed", follow->ifname);
		else if (got > 0)
			err = take(follow, &frame, error);
	}
	return err;
}

bool follow__is_bound(const struct follow *follow)
{
	return follow->schema_id;
}
