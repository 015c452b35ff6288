/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things that the kernel has only once: the functions at which function_graph begins (set_graph_function), before Linux 6.11
 * function_graph itself, which runs only in the top-level buffer, and on most kernels the options of tracers. A run that needs one of
 * the first two takes it if it is unused, and restores the settings that still have the value that the run left. Settings that others
 * have changed since stay.
 *
 * A trace instance whose name ends like the marks below marks them as taken. A file of the same name below /run/tracewire
 * (base/state_file.h) has a line for each setting that the run changes: the value before, and the value that the run left. If the run is
 * killed, the cleanup restores the settings before it removes the instance.
 *
 * While a run takes or restores anything it holds a lock on the tracing directory, which the kernel releases when the process dies.
 * Without it, two runs that start at once would miss each other's settings.
 */
#ifndef TW_TOP_LEVEL_H
#define TW_TOP_LEVEL_H

#include <stdbool.h>

#include "base/error.h"
#include "producer/instance.h"

#define TW_TOP_LEVEL_MARK  "-top"   /* all of the top level is taken */
#define TW_TOP_GRAPHS_MARK "-graph" /* only set_graph_function is taken */

struct tw_top_level;

/**
 * tw_top_level__take() - take all of the top level, empty and off like a new instance
 * @instance: its files are those of the top level from now on
 *
 * Return: 0; -EBUSY if it is in use; @error names the user, or the file that shows the use.
 */
int tw_top_level__take(struct tw_instance *instance, struct tw_top_level **ret, struct tw_error *error);

/** tw_top_level__take_graphs() - take set_graph_function only. Return: as tw_top_level__take() */
int tw_top_level__take_graphs(struct tw_top_level **ret, struct tw_error *error);

/**
 * tw_top_level__note() - note a setting; call it before and after each write to a file of the top level
 * @value: the value to be written; NULL = after the write: note the current value as left by the run, because the kernel may word it
 * differently
 *
 * Return: 0 or -errno
 */
int tw_top_level__note(struct tw_top_level *top, const char *file, const char *value, struct tw_error *error);

/**
 * tw_top_level__note_list() - the same for a list, which was empty before
 * @left: the run left the current content; otherwise lines will be added
 */
int tw_top_level__note_list(struct tw_top_level *top, const char *file, bool left, struct tw_error *error);

/** tw_top_level__give_back() - restore the settings that still have the value that the run left; NULL is fine */
void tw_top_level__give_back(struct tw_top_level *top);

/**
 * tw_top_level__restore() - restore what a stale run had taken or changed
 * @instance: name of the run's instance
 *
 * Return: 0, also if there is nothing to restore; -EBUSY if a living run has taken the top level: try again later and keep the instance;
 * otherwise with @error naming the settings that are not restored: -ESTALE if another process has changed them since, -ENOENT if there
 * are no notes.
 */
int tw_top_level__restore(const char *instance, struct tw_error *error);

/** tw_top_level__forget() - remove the notes of that instance, after it was removed */
void tw_top_level__forget(const char *instance);

/** tw_top_level__read() - content of a file of the top level; caller frees; NULL if it cannot be read */
char *tw_top_level__read(const char *file);

/* Trace options before a run changed them, for tw_top_level__restore(). */
struct tw_kept_options;

/**
 * tw_kept_options__add() - note an option that is also changed at the top level
 * @kept: made if NULL
 * @instance: name of the instance in which it was changed
 * @option: "options/NAME"
 *
 * Return: 0 or -errno
 */
int tw_kept_options__add(struct tw_kept_options **kept, const char *instance, const char *option, bool was_on,
			 struct tw_error *error);

/** tw_kept_options__free() - the options are restored: remove the notes; NULL is fine */
void tw_kept_options__free(struct tw_kept_options *kept);

#endif
