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

void svg__text(FILE *out, double x, double y, const char *more, const char *text)
{
	char printable[512];

	tw_printable__copy(printable, sizeof(printable), text, strlen(text));
	fputs("<text", out);
	put_number(out, "x", x);
	put_number(out, "y", y);
	fprintf(out, "%s>", more);
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

void svg__rect(FILE *out, double x, double y, double width, double height, const char *more)
{
	fputs("<rect", out);
	put_number(out, "x", x);
	put_number(out, "y", y);
	put_number(out, "width", width);
	put_number(out, "height", height);
	fprintf(out, "%s/>\n", more);
}

void svg__line(FILE *out, double x1, double y1, double x2, double y2, const char *more)
{
	fputs("<line", out);
	put_number(out, "x1", x1);
	put_number(out, "y1", y1);
	put_number(out, "x2", x2);
	put_number(out, "y2", y2);
	fprintf(out, "%s/>\n", more);
}
