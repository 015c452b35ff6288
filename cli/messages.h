/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for people. Names in them (of files, interfaces, hosts, events) may have any bytes. Notes and errors are a line each on standard
 * error: text, or JSON for a command whose standard error is JSON.
 */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include <stdio.h>

#include "base/error.h"

/** say() - as fprintf(); what comes out is as base/printable.h shows it, but for a line break at its end */
__attribute__((format(printf, 2, 3))) void say(FILE *out, const char *fmt, ...);

/** note__use_json() - from now on each note and each error of this process is a JSON object on a line of its own */
void note__use_json(void);

/** note__say() - a sentence without newline, which is no error; as JSON {"note":"..."} */
void note__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** note__error() - @error after the command's name, @path; as JSON {"error":"..."} */
void note__error(const char *path, const struct tw_error *error);

/**
 * caret__show() - on a terminal: the expression, and below it a caret at the column that @error begins with
 *
 * Nothing if it begins with none, or if something else than letters and the like would shift the caret.
 */
void caret__show(const char *expression, const struct tw_error *error);

#endif
