/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/svg.h"

#include <string.h>

#include "base/printable.h"

void svg__begin(FILE *out, int width, int height)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<g fill=\"#3b6ea5\">\n",
		width, height, width, height);
	fputs("<style>text { fill: #222 }</style>\n", out);
}

void svg__end(FILE *out)
{
	fputs("</g>\n</svg>\n", out);
}

/* Writes a coordinate with at most two decimals, in any locale. */
static void put_number(FILE *out, const char *name, double value)
{
	const double size = value < 0 ? -value : value;
	const unsigned long hundredths = (unsigned long)(size * 100 + 0.5);

	fprintf(out, " %s=\"%s%lu", name, value < 0 && hundredths ? "-" : "", hundredths / 100);
	if (hundredths % 100)
		fprintf(out, ".%02lu", hundredths % 100);
	fputc('"', out);
}

/* An attribute that is a coordinate or a size, pixels. */
struct attribute {
	const char *name;
	double value;
};

/* Writes the beginning of an element, without its closing bracket. @more: as for svg__text() */
static void begin_element(FILE *out, const char *name, const struct attribute *numbers, size_t n, const char *more)
{
	fprintf(out, "<%s", name);
	for (size_t i = 0; i < n; i++)
		put_number(out, numbers[i].name, numbers[i].value);
	fputs(more, out);
}

void svg__text(FILE *out, double x, double y, const char *more, const char *text)
{
	const struct attribute at[] = { { "x", x }, { "y", y } };
	char printable[512];

	tw_printable__copy(printable, sizeof(printable), text, strlen(text));
	begin_element(out, "text", at, 2, more);
	fputc('>', out);
	for (text = printable; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else
			fputc(*text, out);
	}
	fputs("</text>\n", out);
}

/* Writes an element without content, whose position and size are the four numbers of @at. */
static void put_shape(FILE *out, const char *name, const struct attribute at[4], const char *more)
{
	begin_element(out, name, at, 4, more);
	fputs("/>\n", out);
}

void svg__rect(FILE *out, double x, double y, double width, double height, const char *more)
{
	put_shape(out, "rect", (struct attribute[]){ { "x", x }, { "y", y }, { "width", width }, { "height", height } },
		  more);
}

void svg__line(FILE *out, double x1, double y1, double x2, double y2, const char *more)
{
	put_shape(out, "line", (struct attribute[]){ { "x1", x1 }, { "y1", y1 }, { "x2", x2 }, { "y2", y2 } }, more);
}
