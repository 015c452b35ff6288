/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs that were killed have left behind. */
#ifndef CLI_CLEANUP_H
#define CLI_CLEANUP_H

#include <stdbool.h>

#include "base/error.h"
#include "vnet/veth.h"

/* Owner of a wire that ends with its run; the name of the run's trace instance follows. */
#define RUN_OWNER TW_VETH_OWNER "run "

struct stale_object {
	const char *what, *name; /* "classifier", "interface", "trace instance", "capture" */
	bool repaired;           /* it stays, as it should be; else it is removed */
	const char *left;        /* what of it was not put back, and why; NULL = nothing */
};

/** stale__clear() - the same at the beginning of a run: told unless @quiet; what cannot be removed keeps nobody from running */
void stale__clear(bool quiet);

/**
 * stale__repair_files() - a capture of several files that a killed run was writing, who had no right to remember it
 * @path: what the files are named after
 */
void stale__repair_files(const char *path, bool quiet);

#endif
