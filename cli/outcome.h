/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The short lines at the end of a run: the number of events and of lost events; a line for each place of a loss, with a remedy if there is
 * one; and where to look next. `live`, `record`, `stream`, `capture`, `report` and `convert` print these lines. cli/summary.h has the
 * detailed lines of --verbose, from the same counters.
 */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pcap-tools/archive/archive.h"
#include "pcap-tools/events/reader.h"
#include "producer/producer.h"

/*
 * The list of places: name, kind, text after the number as for say__count(), remedy (NULL = none). The remedies of kind SENT are for
 * the command that traces: other commands print "at the sender" before them. It is unknown whether events of kind MISSING were rejected by
 * a filter or lost. Places of kind REJECTED have no line of their own, because the user requested the filter; the first line has their sum.
 */
#define OUTCOME_PLACES(X)                                                                                             \
	X(RING, SENT, "lost in the kernel's ring, which was full",                                                    \
	  "make it larger with --buffer-size, or select fewer events")                                                \
	X(SHED, SENT, "discarded by the producer, because its output had no room in time",                            \
	  "use a faster output, or select fewer events")                                                              \
	X(TX, SENT, "refused by the producer's interface",                                                            \
	  "select fewer events, or send slower with the option --rate of `stream`")                                   \
	X(WIRE, MISSING, "missing on the way to the capture, filtered or lost",                                       \
	  "if no filter is on the way, send slower with the option --rate of `stream`")                               \
	X(VIEWER, LOST, "lost because the viewer was too slow", "select fewer events, or use `record`")               \
	X(RECEIVER, LOST, "lost in the receive buffer, which was full",                                               \
	  "write less with --packed, write to a faster disk, or send fewer events")                                   \
	X(DAMAGED, LOST, "received damaged or incomplete", "check the MTU of the devices on the way")                 \
	X(DISK, LOST, "not written, because the output failed or accepted nothing", NULL)                             \
	X(TRACE_DAT, LOST, "lost in the rings of trace-cmd", "record again with larger rings: trace-cmd record -b")   \
	X(LOSSES, UNKNOWN, "{loss|losses} of unknown size", NULL)                                                     \
	X(TX_FRAMES, UNKNOWN, "{frame|frames} refused by the producer's interface, with an unknown number of events", \
	  "select fewer events, or send slower with the option --rate of `stream`")                                   \
	X(RX_FRAMES, UNKNOWN, "{frame|frames} dropped by the receive buffer, which was full",                         \
	  "write less with --packed, write to a faster disk, or send fewer events")                                   \
	X(TOO_LONG, NOTE, "{frame|frames} too long to be received", "check the MTU of the devices on the way")        \
	X(TASKS, NOTE,                                                                                                \
	  "{fork, exec or rename event|fork, exec and rename events} lost: some tasks may have old names", NULL)      \
	X(CONTROL, NOTE, "{control frame|control frames} missing: formats or names may be missing", NULL)             \
	X(FORCED, NOTE,                                                                                               \
	  "{event|events} written early, perhaps out of order, because the queue had reached its memory limit", NULL) \
	X(MALFORMED, NOTE, "{frame|frames} that cannot be read, or only in part", NULL)                               \
	X(CROWDED, NOTE, "{frame|frames} beyond the limits of streams or channels", "end some streams")               \
	X(REFUSED, NOTE, "{frame|frames} refused", NULL)                                                              \
	X(EVICTED, NOTE, "{stream|streams} evicted because of the limit of streams or of --unanswered",               \
	  "end streams that are not needed")                                                                          \
	X(NOT_ADMITTED, NOTE, "{time|times} a capture host refused this stream", NULL)                                \
	X(NO_LISTENER, NOTE, "{time|times} the host answered that no program receives on this port", NULL)            \
	X(NO_BOUND, NOTE,                                                                                             \
	  "{stream|streams} whose packet times have no error bound: no answers to clock requests arrived",            \
	  "permit frames in both directions")                                                                         \
	X(PACKETS_DROPPED, NOTE, "{packet|packets} of --with-packets dropped by the kernel, whose buffer was full",   \
	  "make it larger with --packet-buffer, or select fewer packets with --packet-filter")                        \
	X(PACKETS_LATE, NOTE, "{packet or event|packets and events} written out of order", NULL)                      \
	X(PACKETS_FORCED, NOTE,                                                                                       \
	  "{packet|packets} written early, perhaps out of order, because the queue had reached its memory limit",     \
	  NULL)                                                                                                       \
	X(PACKETS_UNWRITTEN, NOTE, "{packet|packets} of --with-packets not written, because the output failed", NULL) \
	X(UNFOLLOWED, NOTE, "{task|tasks} without socket events, because --pid and --follow select 65536 at once",    \
	  "select fewer tasks")                                                                                       \
	X(UNSAMPLED, NOTE,                                                                                            \
	  "{message|messages} of sockets without events, because only some have them (--sample, --max-cpu)", NULL)    \
	X(THINNED, NOTE, "{time|times} --max-cpu changed how many messages have events", NULL)                        \
	X(PACKETS_UNREAD, NOTE, "{packet|packets} of --with-packets left in the kernel's buffer at the end",          \
	  "select fewer packets with --packet-filter, or write to a faster disk")                                     \
	X(REMOVED, NOTE, "{file|files} removed early, because the disk was full", "choose fewer or smaller files")    \
	X(GIVEN_UP, NOTE, "{event|events} for which `matches` reached its limit, so the comparison counts as false",  \
	  "use a simpler pattern")                                                                                    \
	X(UNDECIDED, NOTE,                                                                                            \
	  "{event|events} passed by the filter without a test, because of a limit of size, memory or work", NULL)     \
	X(UNFILTERED, NOTE,                                                                                           \
	  "{event|events} rejected after a comparison of common fields only, because the format is unknown", NULL)    \
	X(LEFT_OUT, NOTE,                                                                                             \
	  "event {type|types} not recorded: {it was|they were} added while tracing, and the filter cannot be "        \
	  "applied to {it|them}",                                                                                     \
	  NULL)                                                                                                       \
	X(NO_FORMAT, NOTE, "{event|events} without a format in the file, shown as bytes", NULL)                       \
	X(FIELDS, NOTE, "{event|events} shown as field=value, because the print format cannot be compiled", NULL)     \
	X(NO_TIME, NOTE, "{event|events} whose time cannot be compared with --since and --until", NULL)               \
	X(NO_WALL, NOTE, "{event|events} without a time of day, shown with the time of the trace clock", NULL)        \
	X(CUT, NOTE, "{event|events} missing from the file, which was cut or changed after it was written", NULL)     \
	X(BESIDE, NOTE, "{packet|packets} beside the events, not shown", NULL)                                        \
	X(NOT_OURS, NOTE, "{packet|packets} ignored, because {it is|they are} not Tracewire's", NULL)                 \
	X(TRUNCATED, NOTE, "truncated {frame|frames}, read up to the cut", "capture without --snapshot-length")       \
	X(VERSION, NOTE, "{frame|frames} of an unknown version of the wire format", "use a newer Tracewire")          \
	X(TEXTS, NOTE, "{format, task name or symbol|formats, task names or symbols} in the file {was|were} refused", \
	  NULL)                                                                                                       \
	X(BY_PRODUCER, REJECTED, NULL, NULL)                                                                          \
	X(BY_CLASSIFIER, REJECTED, NULL, NULL)                                                                        \
	X(BY_CAPTURE, REJECTED, NULL, NULL)

enum outcome_place {
#define X(name, kind, text, remedy) OUTCOME_##name,
	OUTCOME_PLACES(X)
#undef X
		OUTCOME_PLACE_COUNT,
};

/* What happened in a run. All zero: nothing. */
struct outcome {
	uint64_t events; /* events that reached the output */
	uint64_t of;     /* number of events from which @events were selected; 0 = no selection */
	size_t streams;  /* number of streams; printed if there are several */
	double seconds;  /* duration of the run; 0 = not printed, as for a file */
	const struct tw_producer_counters *producer; /* borrowed: its alarms are printed; NULL = none */
	bool traces;  /* this command runs the producer, so the remedies of kind SENT are for this command */
	bool verbose; /* detailed lines follow */
	bool reads;   /* @file was read; false: it was written */
	uint64_t place[OUTCOME_PLACE_COUNT];
	const char *remedy[OUTCOME_PLACE_COUNT]; /* replaces the remedy in the list; NULL = that of the list is used */
	const char *file;                        /* name of the file with the events, or "-"; NULL = none */
	bool many;                               /* @file is a pattern that matches the names of several files */
	uint64_t bytes;                          /* size of the output */
	struct tw_archive_packet_stats packets;  /* packets beside the events */
	struct tw_ledger ledger;                 /* its difference is printed if it is unknown or not 0 */
};

/** outcome__add_producer() - add the accounting of the run's own producer; @counters is borrowed; @places: NULL without a filter */
void outcome__add_producer(struct outcome *o, const struct tw_producer_counters *counters,
			   const struct tw_filter_places *places);

/** outcome__add_ledger() - add the accounting of a capture; its number of events replaces that of the producer */
void outcome__add_ledger(struct outcome *o, const struct tw_ledger *ledger);

/** outcome__add_archive() - add the accounting of the written file; its number of events replaces that of the producer */
void outcome__add_archive(struct outcome *o, const struct tw_archive_stats *stats);

/** outcome__add_filter() - add the numbers of events for which a capture filter could not evaluate all comparisons */
void outcome__add_filter(struct outcome *o, const struct tw_capture_filter_stats *filtered);

/** outcome__add_read() - add what happened to the events of a capture, or of a live run whose events are not written */
void outcome__add_read(struct outcome *o, const struct tw_event_reader_stats *read,
		       const struct tw_capture_filter_stats *filtered);

/** outcome__print() - print the short lines */
void outcome__print(const struct outcome *o, FILE *out);

#endif
