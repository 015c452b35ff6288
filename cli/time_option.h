/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options --since and --until of commands that read captures. */
#ifndef CLI_TIME_OPTION_H
#define CLI_TIME_OPTION_H

#include "base/error.h"
#include "pcap-tools/report/report.h"

/**
 * time_option__parse() - parse the argument of --since or --until
 * @option: name of the option, for the error
 * @now: CLOCK_REALTIME, ns
 *
 * A number is a time since the first event: 2, 0.5, 2s, 100ms, 5min, 1h; units are ns, us, ms, s (default), min, m and h. The other forms
 * are those of journalctl, in local time unless they end with Z or UTC: "2026-11-26 20:15:00.5", "2026-11-26T20:15", "2026-11-26",
 * "20:15:00", "20:15" (of today), "now", "today", "yesterday", "tomorrow", and "@1700000000.5", seconds since 1970.
 *
 * Return: 0, or -EINVAL with @error filled.
 */
int time_option__parse(const char *option, const char *text, uint64_t now, struct tw_report_bound *ret,
		       struct tw_error *error);

#endif
