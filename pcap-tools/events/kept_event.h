/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy of an event, from which its text can be made later. */
#ifndef TW_KEPT_EVENT_H
#define TW_KEPT_EVENT_H

#include "pcap-tools/events/reader.h"

#define TW_KEPT_RECORD_MAX 256 /* bytes of the event's record that are kept; the text of a longer event is incomplete */
#define TW_EVENT_TEXT_MAX  512 /* bytes of an event's text; longer texts are cut */

struct tw_kept_event {
	uint64_t schema_id;
	uint32_t pid;
	uint16_t cpu, id, len; /* @id: of the event type; @len: of the kept record */
	bool big_endian, from_wire, cut;
	uint8_t record[TW_KEPT_RECORD_MAX];
};

/** tw_kept_event__keep() - copy @event */
void tw_kept_event__keep(struct tw_kept_event *kept, const struct tw_read_event *event);

/**
 * tw_kept_event__text() - the name and the text of a kept event, "EVENT: TEXT", printable; tw_read_event__text(): of an event that is read
 * @stream: the stream of the event
 * Return: to be freed; NULL without memory.
 */
char *tw_kept_event__text(const struct tw_kept_event *kept, struct tw_stream *stream);
char *tw_read_event__text(const struct tw_read_event *event);

#endif
