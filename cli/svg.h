/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes pictures as SVG. Positions are in pixels, from the upper left corner. */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdio.h>

/** svg__begin() - begin a picture with a white background; svg__end() ends it */
void svg__begin(FILE *out, int width, int height);
void svg__end(FILE *out);

/** svg__text() - write a text, which may have any bytes. @more: further attributes, each after a blank; "" = none */
void svg__text(FILE *out, double x, double y, const char *more, const char *text);

/** svg__rect() - draw a filled rectangle; its size must not be negative. @more: as for svg__text() */
void svg__rect(FILE *out, double x, double y, double width, double height, const char *more);

/** svg__line() - draw a line. @more: as for svg__text(), with the stroke */
void svg__line(FILE *out, double x1, double y1, double x2, double y2, const char *more);

#endif
