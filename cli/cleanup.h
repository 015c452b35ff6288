/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stale state: objects that killed runs have left. */
#ifndef CLI_CLEANUP_H
#define CLI_CLEANUP_H

#include <stdbool.h>

#include "base/error.h"
#include "vnet/veth.h"

/* Prefix of the owner text of a veth pair that belongs to a run. The name of the run's trace instance follows this prefix. */
#define RUN_OWNER TW_VETH_OWNER "run "

/**
 * stale__clear() - remove stale state, and repair captures of killed runs, at the beginning of a run; failures are ignored
 * @quiet: do not report the objects; settings that were not restored are reported even then
 */
void stale__clear(bool quiet);

/**
 * stale__repair_files() - repair the output file that was written last, of those named after @path; for runs that could not write a note
 * @quiet: report nothing
 */
void stale__repair_files(const char *path, bool quiet);

#endif
