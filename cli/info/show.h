/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a capture, shown. */
#ifndef CLI_INFO_SHOW_H
#define CLI_INFO_SHOW_H

#include "pcap-tools/info/info.h"

#define INFO_SIZE_UNKNOWN UINT64_MAX /* of a pipe */

/** info_show__text() - for people; @size: of the file, bytes */
void info_show__text(const char *name, uint64_t size, const struct tw_info *info);

/** info_show__json() - one object, on a line */
void info_show__json(const char *name, uint64_t size, const struct tw_info *info);

/** info_show__events() - in the file, each once where that can be told */
uint64_t info_show__events(const struct tw_info *info, const struct tw_info_stream *stream);

/** info_show__method() - what an OFFSET's error is known by */
const char *info_show__method(unsigned int method);

#endif
