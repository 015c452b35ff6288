/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stale state: what killed runs have left behind. */
#ifndef CLI_CLEANUP_H
#define CLI_CLEANUP_H

#include <stdbool.h>

#include "base/error.h"
#include "vnet/veth.h"

/* Prefix of the owner of a veth pair that is removed with its run; the name of the run's trace instance follows. */
#define RUN_OWNER TW_VETH_OWNER "run "

struct stale_object {
	const char *what, *name; /* "classifier", "interface", "trace instance", "capture" */
	bool repaired;           /* it is in order and stays; otherwise it is removed */
	const char *left;        /* the part that was not restored, and why; NULL = none */
};

/** stale__clear() - the same at the beginning of a run: reported unless @quiet; a failure to remove does not stop the run */
void stale__clear(bool quiet);

/**
 * stale__repair_files() - repair the last of several files that a killed run was writing without the permission to write a note
 * @path: the path from which the files' names are derived
 */
void stale__repair_files(const char *path, bool quiet);

#endif
