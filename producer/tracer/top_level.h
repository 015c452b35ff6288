/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel has only once: the functions that function_graph begins at (set_graph_function), and before Linux 6.11
 * function_graph itself, which runs only in the top-level buffer. Who needs them takes them if nobody else uses them, and
 * puts back what is still as it was left. A trace instance whose name ends like the marks below says so as long as they are taken, and the
 * clean-up puts back what a killed run had taken before it removes that instance.
 *
 * Whoever takes or puts back anything of it holds a lock on the tracing directory meanwhile, which the kernel releases when its
 * holder dies: of two runs that begin at once, each would find the other's settings not yet made.
 */
#ifndef TW_TOP_LEVEL_H
#define TW_TOP_LEVEL_H

#include "base/error.h"
#include "producer/instance.h"
#include "producer/tracer/tracer.h"

#define TW_TOP_LEVEL_MARK  "-top"   /* all of the top level is taken */
#define TW_TOP_GRAPHS_MARK "-graph" /* set_graph_function is */

struct tw_top_level;

/**
 * tw_top_level__take() - take all of the top level, empty and off as a new instance is
 * @instance: its files are those of the top level from now on
 *
 * Return: 0; -EBUSY if somebody uses it, with @err saying who, or which file shows that.
 */
int tw_top_level__take(struct tw_instance *instance, struct tw_top_level **ret, struct tw_error *err);

/** tw_top_level__take_graphs() - take set_graph_function only. Return: as tw_top_level__take() */
int tw_top_level__take_graphs(struct tw_top_level **ret, struct tw_error *err);

/** tw_top_level__add() - functions to one of the lists of the top level that is taken. Return: as tw_function_filter__add() */
int tw_top_level__add(const struct tw_top_level *top, const char *file, const struct tw_words *words,
		      struct tw_error *err);

/** tw_top_level__give_back() - put back what is still as we left it; NULL is fine */
void tw_top_level__give_back(struct tw_top_level *top);

/**
 * tw_top_level__restore() - put back what the dead run had taken or changed to which that instance belonged, if it had
 *
 * Return: 0; -EBUSY if a living run has taken the top level: then it has to wait, and the instance to stay; otherwise, with @err
 * saying what stays as it is, -ESTALE if somebody has changed it since, and -ENOENT if nothing is known of it.
 */
int tw_top_level__restore(const char *instance, struct tw_error *err);

/** tw_top_level__forget() - what is known of it, when that is settled */
void tw_top_level__forget(const char *instance);

#endif
