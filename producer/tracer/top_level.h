/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel has only once: the functions that function_graph begins at (set_graph_function), before Linux 6.11 function_graph itself,
 * which runs only in the top-level buffer, and on most kernels the options of tracers. A run that needs the first two takes them if they are
 * not in use, and puts back what is still as it was left. What others changed since stays.
 *
 * A trace instance whose name ends like the marks below says that they are taken. A file of the same name below /run/tracewire
 * (base/state_file.h) has a line for each setting that the run changes: what was there before, and what the run left. If the run is killed,
 * the clean-up puts that back before it removes the instance.
 *
 * To take or put back anything a run holds a lock on the tracing directory, which the kernel releases when the process dies. Without
 * it, two runs that begin at once would each find the settings of the other not yet made.
 */
#ifndef TW_TOP_LEVEL_H
#define TW_TOP_LEVEL_H

#include <stdbool.h>

#include "base/error.h"
#include "producer/instance.h"

#define TW_TOP_LEVEL_MARK  "-top"   /* all of the top level is taken */
#define TW_TOP_GRAPHS_MARK "-graph" /* set_graph_function is */

struct tw_top_level;

/**
 * tw_top_level__take() - take all of the top level, empty and off as a new instance is
 * @instance: its files are those of the top level from now on
 *
 * Return: 0; -EBUSY if it is in use, with @error saying by whom, or which file shows that.
 */
int tw_top_level__take(struct tw_instance *instance, struct tw_top_level **ret, struct tw_error *error);

/** tw_top_level__take_graphs() - take set_graph_function only. Return: as tw_top_level__take() */
int tw_top_level__take_graphs(struct tw_top_level **ret, struct tw_error *error);

/**
 * tw_top_level__note() - note a setting, to be called before a file of the top level is written and after it
 * @value: what is written; NULL = it was written: what is there now was left by us, as the kernel may say it in other words
 *
 * Return: 0 or -errno
 */
int tw_top_level__note(struct tw_top_level *top, const char *file, const char *value, struct tw_error *error);

/**
 * tw_top_level__note_list() - the same for a list, which was empty before
 * @left: what is in it now was left by us; else it will be added to
 */
int tw_top_level__note_list(struct tw_top_level *top, const char *file, bool left, struct tw_error *error);

/** tw_top_level__give_back() - put back what is still as we left it; NULL is fine */
void tw_top_level__give_back(struct tw_top_level *top);

/**
 * tw_top_level__restore() - put back what the stale run had taken or changed that the instance of that name belonged to
 *
 * Return: 0, also if it had not; -EBUSY if a living run has taken the top level: then it has to wait, and the instance to stay; otherwise,
 * with @error saying what stays as it is, -ESTALE if another process has changed it since, and -ENOENT if nothing is known of it.
 */
int tw_top_level__restore(const char *instance, struct tw_error *error);

/** tw_top_level__forget() - what is known of that instance, once it is removed */
void tw_top_level__forget(const char *instance);

/** tw_top_level__read() - the text of a file of the top level; free(); NULL if it cannot be read */
char *tw_top_level__read(const char *file);

/* Trace options as they were before a run changed them, for tw_top_level__restore(). */
struct tw_kept_options;

/**
 * tw_kept_options__add() - note one that changed at the top level, too
 * @kept: made if NULL
 * @instance: name of the instance that it was changed in
 * @option: "options/NAME"
 *
 * Return: 0 or -errno
 */
int tw_kept_options__add(struct tw_kept_options **kept, const char *instance, const char *option, bool was_on,
			 struct tw_error *error);

/** tw_kept_options__free() - they are as they were: forget them; NULL is fine */
void tw_kept_options__free(struct tw_kept_options *kept);

#endif
