/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stale state: objects that killed runs have left. */
#ifndef CLI_CLEANUP_H
#define CLI_CLEANUP_H

#include <stdbool.h>

#include "base/error.h"
#include "vnet/veth.h"

/* Prefix of the owner text of a veth pair that is removed at the end of its run. The name of the run's trace instance follows. */
#define RUN_OWNER TW_VETH_OWNER "run "

/** stale__clear() - remove stale state at the beginning of a run; objects are reported unless @quiet, failures are ignored */
void stale__clear(bool quiet);

/**
 * stale__repair_files() - of the output files named after @path, repair the last one; for runs that could not write a note
 * @quiet: report nothing
 */
void stale__repair_files(const char *path, bool quiet);

#endif
