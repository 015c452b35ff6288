/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets beside the events of an archive: a queue for each interface, in which its packets wait until all events before them are written.
 * The queues are merged by time. Each interface of the capture becomes an interface of the file, with its name and link type.
 *
 * The stamp of a packet is a time of CLOCK_MONOTONIC, which nobody can set (packets/stamp_clock.h). The time of an event is the stream's
 * clock plus a constant. To put both on one line, a stamp is converted to the stream's clock, by the CLOCK record of the stream that
 * relates the two clocks best, and from there to packet time. The error is that of the stamp, and the time that the readings of this CLOCK
 * took. If the stream's clock drifts from CLOCK_MONOTONIC, it is the newest CLOCK, and the error also includes the drift between two CLOCKs.
 */
#ifndef TW_ARCHIVE_PACKETS_H
#define TW_ARCHIVE_PACKETS_H

#include "pcap-tools/archive/archive_impl.h"

/** tw_archive_packets__clock() - use a CLOCK of the stream of @s, which the stream's clock has already taken */
void tw_archive_packets__clock(struct tw_archive *a, const struct tw_archive_stream *s,
			       const struct tw_clock_view *clock);

/** tw_archive_packets__put() - write the queued packets up to a packet time, ns. Return: 0, or a failure of the writer */
int tw_archive_packets__put(struct tw_archive *a, uint64_t until);

/** tw_archive_packets__put_statistics() - write the statistics of each interface, and the interface if this file does not have it */
int tw_archive_packets__put_statistics(struct tw_archive *a);

/** tw_archive_packets__next_file() - the next file begins, without interfaces */
void tw_archive_packets__next_file(struct tw_archive *a);

/** tw_archive_packets__unwritten() - a packet of an interface of the file was not written. Return: whether it is one of these packets */
bool tw_archive_packets__unwritten(struct tw_archive *a, uint32_t interface);

/** tw_archive_packets__stats() - the counters */
void tw_archive_packets__stats(const struct tw_archive *a, struct tw_archive_packet_stats *ret);

/** tw_archive_packets__fini() - free the queue */
void tw_archive_packets__fini(struct tw_archive *a);

#endif
