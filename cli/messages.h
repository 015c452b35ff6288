/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes and errors on standard error, a line each: text, or JSON for a command whose standard error is JSON. */
#ifndef CLI_NOTE_H
#define CLI_NOTE_H

#include "base/error.h"

/** note__use_json() - from now on each note and each error of this process is a JSON object on a line of its own */
void note__use_json(void);

/** note__say() - a sentence without newline, which is no error; as JSON {"note":"..."} */
void note__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** note__error() - @err after the command's name, @path; as JSON {"error":"..."} */
void note__error(const char *path, const struct tw_error *err);

#endif
