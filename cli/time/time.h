/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of `tracewire time`. */
#ifndef CLI_TIME_H
#define CLI_TIME_H

#include <stdio.h>

#include "pcap-tools/time/timing.h"

/** time__print_text() - print the result as tables; @name: of the capture */
void time__print_text(const char *name, const struct tw_timing_result *result);

/** time__print_json() - print the result as one JSON object. Texts of the capture are escaped as in the tables */
void time__print_json(const char *name, const struct tw_timing_result *result);

/** time__draw() - write a picture: for each stream, the offset of its times with the error bounds */
void time__draw(FILE *out, const struct tw_timing_result *result);

/** time__seconds() - seconds from the beginning of the capture to @ns by the stream's clock; without packet times, from its first record */
double time__seconds(const struct tw_timing_result *result, const struct tw_stream_time *s, uint64_t ns);

/** time__end_of() - the end of a stretch by the stream's clock, ns: the begin of the next, or the last time of the stream */
uint64_t time__end_of(const struct tw_stream_time *s, uint32_t stretch);

/** time__method() - what an error bound follows from: a text, "unknown" for unknown numbers and without an OFFSET record */
const char *time__method(const struct tw_time_stretch *stretch);

/** time__is_bounded() - whether an error bound is known for a part of the stretch */
bool time__is_bounded(const struct tw_time_stretch *stretch);

/** time__change_key(), time__change_text() - a name of the kind of a change for JSON; a text for people, before a time */
const char *time__change_key(uint16_t kind);
const char *time__change_text(uint16_t kind);

/** time__clock_key() - the name of a clock in tables and in JSON: "packet", "realtime", ... */
const char *time__clock_key(enum tw_time_clock clock);

#endif
