/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for users. File names, interface names and other inserted texts may contain any bytes. Notes and errors are one line each on
 * standard error: text, or a JSON object after note__use_json().
 */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/** say() - like fprintf(), but unprintable bytes become \xNN (base/printable.h), except a newline at the end of @fmt */
__attribute__((format(printf, 2, 3))) void say(FILE *out, const char *fmt, ...);

/**
 * say__count() - print a number and a text, in which {ONE|SEVERAL} stands for ONE if the number is 1, otherwise for SEVERAL
 * An example of a text is "{frame|frames} that cannot be read". The text must be constant, because it is not escaped.
 */
void say__count(FILE *out, uint64_t n, const char *text);

/** note__use_json() - print all later notes and errors of this process as JSON objects, one a line */
void note__use_json(void);

/** note__say() - print a note, which is a sentence that is not an error; @format has no newline at its end. In JSON: {"note":"..."} */
void note__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** note__error() - print @error after the command's name, @path. In JSON: {"error":"..."} */
void note__error(const char *path, const struct tw_error *error);

/**
 * caret__show() - if the text of @error begins with "column N:", print the expression, and a caret below its column N
 * Prints nothing if standard error is no terminal, or if @expression is not printable ASCII.
 */
void caret__show(const char *expression, const struct tw_error *error);

#endif
