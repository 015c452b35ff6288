/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles the settings that exist only once in the kernel, not once for each instance:
 *
 * - set_graph_function
 * - before Linux 6.11: the tracer function_graph, which these kernels run only in the top-level buffer
 * - on most kernels: the options of tracers
 *
 * A run that needs set_graph_function or the top-level buffer uses it only if no other program uses it. At its end, the run restores each
 * setting that still has the value which the run wrote. It does not restore settings that another process has changed meanwhile.
 *
 * While a run uses set_graph_function or the top-level buffer, a trace instance exists as a mark; its name ends in TW_TOP_LEVEL_MARK or
 * TW_TOP_GRAPHS_MARK. A file of the same name in /run/tracewire (base/state_file.h) contains the notes: lines for each setting that the
 * run changes, with the value before and the value that the run wrote. If the run is killed, the cleanup restores the settings before it
 * removes the instance.
 *
 * While the mark exists, the run holds a lock on the tracing directory. A cleanup holds this lock while it restores the settings. The
 * kernel releases the lock when the process dies. Without the lock, two runs that start at the same time could both find the settings
 * unused.
 *
 * A run changes the options of tracers without mark and lock. It only notes their previous values (tw_kept_options__add()).
 */
#ifndef TW_TOP_LEVEL_H
#define TW_TOP_LEVEL_H

#include <stdbool.h>

#include "base/error.h"
#include "producer/instance.h"

#define TW_TOP_LEVEL_MARK  "-top"   /* a run uses the whole top level */
#define TW_TOP_GRAPHS_MARK "-graph" /* a run uses only set_graph_function */

struct tw_top_level;

/**
 * tw_top_level__take() - take the whole top level; its buffer is then empty and off, as in a new instance
 * @instance: uses the files of the top level from now on: tw_instance__use_top_level()
 * Return: 0; -EBUSY if the top level is in use: @error names the file that is in use, or says that another run uses the top level; another
 * -errno.
 */
int tw_top_level__take(struct tw_instance *instance, struct tw_top_level **ret, struct tw_error *error);

/** tw_top_level__take_graphs() - take set_graph_function only. Return: as tw_top_level__take() */
int tw_top_level__take_graphs(struct tw_top_level **ret, struct tw_error *error);

/**
 * tw_top_level__note() - note the value of a setting; call it before and after each write to a file of the top level
 * @is_list: the file is a list that was empty before the run; the run adds lines to it
 * @value: before the write: the text to be written. NULL = after the write: note the content of the file as the value that the run wrote,
 * because the kernel may print the value in another form
 * Return: 0 or -errno
 */
int tw_top_level__note(struct tw_top_level *top, const char *file, bool is_list, const char *value,
		       struct tw_error *error);

/** tw_top_level__give_back() - restore the settings that still have the value which the run wrote, and free @top; NULL is fine */
void tw_top_level__give_back(struct tw_top_level *top);

/**
 * tw_top_level__restore() - restore the settings that a stale run had changed
 * @instance: name of one of the run's instances
 * Return: 0, also if there is nothing to restore; -EBUSY if a living run uses the top level: keep the instance and try again later; -ESTALE
 * if another process has changed settings since then, which @error names; -ENOENT if there are no notes, so that nothing is restored;
 * -ENOMEM.
 */
int tw_top_level__restore(const char *instance, struct tw_error *error);

/** tw_top_level__forget() - remove the notes of that instance, after its settings were restored or the instance was removed */
void tw_top_level__forget(const char *instance);

/** tw_top_level__read() - read a file of the top level; caller frees; NULL if the file cannot be read */
char *tw_top_level__read(const char *file);

/* The values of trace options before a run changed them, kept in a file for tw_top_level__restore(). */
struct tw_kept_options;

/**
 * tw_kept_options__add() - note the previous value of an option, if changing it in an instance also changed it at the top level
 * @kept: allocated if *@kept is NULL
 * @instance: name of the instance in which the option was changed
 * @option: "options/NAME"
 * @was_on: previous value at the top level
 * Return: 0 or -errno
 */
int tw_kept_options__add(struct tw_kept_options **kept, const char *instance, const char *option, bool was_on,
			 struct tw_error *error);

/** tw_kept_options__free() - remove the notes, after the options were restored; NULL is fine */
void tw_kept_options__free(struct tw_kept_options *kept);

#endif
