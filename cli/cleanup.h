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
 * @quiet: do not report the removed and repaired objects; tracefs settings that are not restored are reported even then
 */
void stale__clear(bool quiet);

/**
 * stale__repair_files() - repair the newest file of a killed `capture --ring-buffer`; its older files are complete
 * @path: the argument of --write, from which the names of the files were made
 * @quiet: report nothing
 *
 * This function is for runs that may not write a note (pcap-tools/output), because stale__clear() repairs only files that have a note.
 */
void stale__repair_files(const char *path, bool quiet);

#endif
