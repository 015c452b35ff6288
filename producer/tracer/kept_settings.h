/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is set at the kernel's top level, remembered in a file that outlives the process. */
#ifndef TW_KEPT_SETTINGS_H
#define TW_KEPT_SETTINGS_H

#include "base/error.h"

/** tw_kept_settings__remember() - under the name of the mark that stands for it. Return: 0 or -errno */
int tw_kept_settings__remember(const char *mark, struct tw_error *err);

/** tw_kept_settings__put_back() - put back what was remembered, or what the kernel begins with, and forget it */
void tw_kept_settings__put_back(const char *mark);

#endif
