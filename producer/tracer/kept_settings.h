/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is set at the kernel's top level, remembered in a file that outlives the process. */
#ifndef TW_KEPT_SETTINGS_H
#define TW_KEPT_SETTINGS_H

#include <stdbool.h>

#include "base/error.h"

/** tw_kept_settings__remember() - under the name of the mark that stands for it. Return: 0 or -errno */
int tw_kept_settings__remember(const char *mark, struct tw_error *err);

/** tw_kept_settings__put_back() - put back what was remembered, or what the kernel begins with, and forget it */
void tw_kept_settings__put_back(const char *mark);

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
