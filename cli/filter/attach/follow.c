/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/attach/follow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "cli/filter/attach/learnt_schema.h"
#include "cli/stop.h"
#include "vnet/rx_packet.h"

#define TOLD_MAX   64                    /* beyond that the first is forgotten, and told again */
#define SILENCE_NS (3000 * TW_NS_PER_MS) /* a stream says something each second */

/* What was said of a stream's schema, once: that it is another one, or that the rules cannot be bound to it. */
struct told {
	uint64_t stream_id, schema_id;
	bool refused;
};

struct follow {
	char ifname[IFNAMSIZ];
	struct tw_classifier *classifier;
	struct tw_receiver *rx;
	struct schema_learner *learner;
	uint64_t schema_id; /* that the rules are bound to; 0 = none */
	uint64_t stream_id; /* that is followed */
	uint64_t heard;     /* of it, last; CLOCK_MONOTONIC, ns */
	struct told told[TOLD_MAX];
	unsigned int n_told; /* so far */
};

int follow__open(const char *ifname, struct tw_classifier *classifier, struct follow **ret, struct tw_error *err)
{
	const struct tw_rx_packet_options options = { .ifname = ifname, .retire_ms = 10, .control_only = true };
	struct follow *follow = calloc(1, sizeof(*follow));
	int error;

	if (!follow)
		return tw_error__set(err, -ENOMEM, "no memory to watch %s", ifname);
	snprintf(follow->ifname, sizeof(follow->ifname), "%s", ifname);
	follow->classifier = classifier;
	follow->learner = schema_learner__new();
	error = follow->learner ? tw_rx_packet__open(&options, &follow->rx, err)
				: tw_error__set(err, -ENOMEM, "no memory to watch %s", ifname);
	if (error)
		follow__close(follow);
	else
		*ret = follow;
	return error;
}

void follow__close(struct follow *follow)
{
	if (!follow)
		return;
	tw_receiver__close(follow->rx);
	schema_learner__free(follow->learner);
	free(follow);
}

static bool is_silent(const struct follow *follow, uint64_t now)
{
	return now - follow->heard > SILENCE_NS;
}

static bool is_told(const struct follow *follow, const struct learnt_schema *learnt, bool refused)
{
	for (unsigned int i = 0; i < follow->n_told && i < TOLD_MAX; i++)
		if (follow->told[i].stream_id == learnt->stream_id && follow->told[i].schema_id == learnt->id &&
		    follow->told[i].refused == refused)
			return true;
	return false;
}

static void note_told(struct follow *follow, const struct learnt_schema *learnt, bool refused)
{
	follow->told[follow->n_told++ % TOLD_MAX] = (struct told){ learnt->stream_id, learnt->id, refused };
}

static int refused(struct follow *follow, const struct learnt_schema *learnt, int error, struct tw_error *why,
		   struct tw_error *err)
{
	if (!follow->schema_id)
		return tw_error__set(err, error, "%s", why->text);
	note_told(follow, learnt, true);
	fprintf(stderr,
		"stream %016" PRIx64 " has a new schema, %016" PRIx64
		", that the rules cannot be bound to: %s; its events pass\n",
		learnt->stream_id, learnt->id, why->text);
	return 0;
}

static int bind_rules(struct follow *follow, const struct learnt_schema *learnt, struct tw_error *err)
{
	const struct tw_classifier_schema schema = { learnt->schema, learnt->id, learnt->big_endian };
	struct tw_error why;
	const int error = tw_classifier__bind(follow->classifier, &schema, &why);

	if (error)
		return refused(follow, learnt, error, &why, err);
	if (follow->schema_id)
		fprintf(stderr, "the rules are now for schema %016" PRIx64 " of stream %016" PRIx64 "\n", learnt->id,
			learnt->stream_id);
	if (learnt->refused)
		fprintf(stderr, "%u of its formats cannot be read, and nothing is known of their events\n",
			learnt->refused);
	follow->schema_id = learnt->id;
	follow->stream_id = learnt->stream_id;
	return 0;
}

static void tell_other(struct follow *follow, const struct learnt_schema *learnt)
{
	if (is_told(follow, learnt, false))
		return;
	note_told(follow, learnt, false);
	fprintf(stderr,
		"stream %016" PRIx64 " has another schema, %016" PRIx64
		": a classifier is for one, so its events pass and are counted\n",
		learnt->stream_id, learnt->id);
}

/* A complete schema: is it the one that the rules should be for? */
static int consider(struct follow *follow, const struct learnt_schema *learnt, uint64_t now, struct tw_error *err)
{
	const bool is_ours = !follow->schema_id || learnt->stream_id == follow->stream_id || is_silent(follow, now);

	if (learnt->id == follow->schema_id) {
		if (is_ours)
			follow->stream_id = learnt->stream_id;
		return 0;
	}
	if (!is_ours) {
		tell_other(follow, learnt);
		return 0;
	}
	return is_told(follow, learnt, true) ? 0 : bind_rules(follow, learnt, err);
}

static int take(struct follow *follow, const struct tw_received_frame *frame, struct tw_error *err)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	struct tw_frame_info info = { 0 };
	const struct learnt_schema *learnt = schema_learner__take(follow->learner, frame->data, frame->len, &info);
	int error = 0;

	if (learnt && learnt->complete)
		error = consider(follow, learnt, now, err);
	if (info.stream_id == follow->stream_id)
		follow->heard = now;
	return error;
}

int follow__wait(struct follow *follow, unsigned int ms, struct tw_error *err)
{
	const uint64_t end = tw_time__now(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
	uint64_t now;
	int error = 0;

	while (!error && !stop__signal() && (now = tw_time__now(CLOCK_MONOTONIC)) < end) {
		struct tw_received_frame frame;
		const int got = tw_receiver__next(follow->rx, (int)((end - now) / TW_NS_PER_MS) + 1, &frame);

		if (got == -ENODEV)
			error = tw_error__set(err, got, "interface %s has vanished", follow->ifname);
		else if (got > 0)
			error = take(follow, &frame, err);
	}
	return error;
}

bool follow__is_bound(const struct follow *follow)
{
	return follow->schema_id;
}
