/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run sets at the kernel's top level, in a file below /run/tracewire that outlives the process: what was there before, and what
 * the run left. What is put back is only what is still as the run left it. What somebody else set since is his.
 */
#ifndef TW_KEPT_SETTINGS_H
#define TW_KEPT_SETTINGS_H

#include <stdbool.h>

#include "base/error.h"

/** tw_kept_settings__begin() - an empty file, under the name of the mark that stands for it. Return: 0 or -errno */
int tw_kept_settings__begin(const char *mark, struct tw_error *err);

/**
 * tw_kept_settings__note() - before a file of the top level is written, and after it: what is there now, and what will be
 * @value: what is written; NULL = what is there now was left by us, as the kernel may say it in other words
 *
 * Return: 0 or -errno
 */
int tw_kept_settings__note(const char *mark, const char *file, const char *value, struct tw_error *err);

/**
 * tw_kept_settings__note_list() - the same for a list, which was empty before
 * @left: what is in it now was left by us; else it will be added to
 */
int tw_kept_settings__note_list(const char *mark, const char *file, bool left, struct tw_error *err);

/**
 * tw_kept_settings__put_back() - put back what is still as it was left
 *
 * To be called when free_buffer is closed, as it is when the run was killed: the kernel has switched tracing off then, and freed the ring.
 *
 * Return: 0; -ESTALE if something had been changed since, and -ENOENT if nothing is known and so nothing was put back, with @err
 * saying what to look at.
 */
int tw_kept_settings__put_back(const char *mark, struct tw_error *err);

/** tw_kept_settings__forget() - remove the file */
void tw_kept_settings__forget(const char *mark);

/**
 * tw_kept_options__remember() - one trace option at a time, as it was at the top level before @instance changed it there
 * @file: "options/NAME"
 *
 * Return: 0 or -errno
 */
int tw_kept_options__remember(const char *instance, const char *file, bool was_on, struct tw_error *err);

/** tw_kept_options__forget() - they are as they were */
void tw_kept_options__forget(const char *instance);

/** tw_kept_options__put_back() - those of a dead run, if it had changed any */
void tw_kept_options__put_back(const char *instance);

#endif
