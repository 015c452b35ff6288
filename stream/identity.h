/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stream's HOST record says, as texts for a pcapng interface. */
#ifndef TW_IDENTITY_H
#define TW_IDENTITY_H

#include "stream/clock_scale.h"
#include "wire/decode.h"

/* Texts are as base/printable.h shows them and cut to their size; "" = not said. */
struct tw_identity {
	char host[128], instance[128], release[128], machine[64], os[128], clock[32];
	uint8_t host_bytes[128]; /* as they came, for filters */
	size_t host_len;         /* of these; 0 = not said */
	char events[1024], filter[1024];
	char version[64], boot[64], pointers[64], sync[128];
	uint64_t cpus; /* with a ring; 0 = not said */
	struct tw_clock_scale scale;
};

/** tw_identity__host() - take the value of a HOST TLV in */
void tw_identity__host(struct tw_identity *id, const struct tw_tlv_view *tlv);

/** tw_identity__ns() - a time of the stream's clock in ns, if the clock counts something else and it is known how */
static inline uint64_t tw_identity__ns(const struct tw_identity *id, uint64_t time)
{
	return tw_clock_scale__ns(&id->scale, time);
}

/** tw_identity__counts() - whether the clock counts something that nobody converts to ns: events, or cycles of a TSC */
bool tw_identity__counts(const struct tw_identity *id);

/** tw_identity__name() - "host:instance", or the stream's id if the host is not known */
void tw_identity__name(const struct tw_identity *id, uint64_t stream_id, char *ret, size_t size);

/** tw_identity__comment() - the rest of what it says, for who asks which boot of which machine that was; and the stream's id */
void tw_identity__comment(const struct tw_identity *id, uint64_t stream_id, char *ret, size_t size);

/** tw_identity__describe() - events, clock and kernel in a sentence */
void tw_identity__describe(const struct tw_identity *id, char *ret, size_t size);

#endif
