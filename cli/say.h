/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences for people, with names in them that may hold any bytes: of files, interfaces, hosts, events. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <stdio.h>

/** say() - as fprintf(); what comes out is as base/printable.h shows it, but for a line break at its end */
__attribute__((format(printf, 2, 3))) void say(FILE *out, const char *fmt, ...);

#endif
