/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The content of a stream's HOST record, as texts for a pcapng interface. */
#ifndef TW_IDENTITY_H
#define TW_IDENTITY_H

#include "stream/clock_scale.h"
#include "wire/decode.h"

/* Texts are escaped by base/printable.h and cut to the sizes of the arrays; "" = unknown. */
struct tw_identity {
	char host[128], instance[128], release[128], machine[64], os[128], clock[32];
	uint8_t host_bytes[128]; /* host name as received, unescaped, for filters */
	size_t host_len;         /* bytes in @host_bytes; 0 = unknown */
	char events[1024], filter[1024];
	char version[64], boot[64], pointers[64];
	char sync[128], grandmaster[64]; /* source that the clocks are synchronised to, and the PTP grandmaster */
	uint64_t sync_since;             /* time since which the clocks have this source, ns since 1970; 0 = unknown */
	bool has_sync_utc;               /* the source says that its time is traceable to UTC: @sync_utc is valid */
	uint64_t sync_utc;               /* largest distance of the source from UTC, ns */
	uint64_t cpus;                   /* number of CPUs with a ring; 0 = unknown */
	bool has_hooks;                  /* HOOKs say which socket events the producer can make: @hooked is valid */
	char hooked[112];                /* their names without the system, each between commas */
	struct tw_clock_scale scale;
};

/** tw_identity__host() - update @id with the attributes of a HOST TLV; attributes that it lacks stay unchanged */
void tw_identity__host(struct tw_identity *id, const struct tw_tlv_view *tlv);

enum tw_selected {
	TW_SELECTED_UNKNOWN,
	TW_SELECTED_NO,
	TW_SELECTED_YES,
};

/**
 * tw_identity__selects() - whether the producer selected an event by its name
 * Return: TW_SELECTED_UNKNOWN if the selection is unknown or incomplete, or if the event is one of the system ftrace, which a tracer or a
 * mark can cause without a selection.
 */
enum tw_selected tw_identity__selects(const struct tw_identity *id, const char *system, const char *event);

/** tw_identity__records() - as tw_identity__selects(), but NO for a socket event that the producer cannot make, or leaves out */
enum tw_selected tw_identity__records(const struct tw_identity *id, const char *system, const char *event);

/** tw_identity__ns() - convert a time of the stream's clock to ns; unchanged if the clock counts ns, or ticks of unknown length */
static inline uint64_t tw_identity__ns(const struct tw_identity *id, uint64_t time)
{
	return tw_clock_scale__ns(&id->scale, time);
}

/** tw_identity__counts() - whether the clock counts units that cannot be converted to ns: events, or ticks of unknown length */
bool tw_identity__counts(const struct tw_identity *id);

/** tw_identity__name() - write the stream's name: "host:instance", "host" without an instance, "stream-ID" if the host is unknown */
void tw_identity__name(const struct tw_identity *id, uint64_t stream_id, char *ret, size_t size);

/** tw_identity__comment() - write the stream's id, and the known ones of these values: version, boot id, CPUs, pointers, sync */
void tw_identity__comment(const struct tw_identity *id, uint64_t stream_id, char *ret, size_t size);

/** tw_identity__describe() - write a description with the known ones of these values: events, clock, release, machine */
void tw_identity__describe(const struct tw_identity *id, char *ret, size_t size);

#endif
