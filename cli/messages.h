/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for users. Names in them (of files, interfaces, hosts, events) may contain any bytes. Notes and errors are one line each on
 * standard error: text, or JSON for a command with JSON on standard error.
 */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include <stdio.h>

#include "base/error.h"

/** say() - like fprintf(); the output is escaped as by base/printable.h, except a newline at its end */
__attribute__((format(printf, 2, 3))) void say(FILE *out, const char *fmt, ...);

/** note__use_json() - from now on each note and each error of this process is a JSON object on one line */
void note__use_json(void);

/** note__say() - a sentence without newline that is no error; as JSON {"note":"..."} */
void note__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** note__error() - @error after the command's name, @path; as JSON {"error":"..."} */
void note__error(const char *path, const struct tw_error *error);

/**
 * caret__show() - on a terminal: print the expression, and below it a caret at the column with which @error begins
 *
 * Prints nothing without such a column, or if characters of unknown width would shift the caret.
 */
void caret__show(const char *expression, const struct tw_error *error);

#endif
