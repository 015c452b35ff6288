/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire time --svg`: a panel for each stream, with the offset of its times and the error bounds over time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "cli/svg.h"
#include "cli/time/time.h"
#include "cli/times.h"
#include "clocks/distance.h"

/* The layout, pixels. */
#define WIDTH       900
#define LEFT        110 /* where the plots begin */
#define RIGHT       24  /* from the end of the plots to the edge */
#define PLOT        170 /* height of a plot */
#define TITLE       58  /* height of the lines above a plot: the title, and rows of labels */
#define FOOT        44  /* height of the labels below a plot */
#define MARGIN      16
#define PANEL       (TITLE + PLOT + FOOT)
#define LABEL_ROWS  2  /* rows of labels above a plot */
#define CHANGE_ROWS 8  /* rows of labels of changes in a plot */
#define LABEL       13 /* height of a row of labels */
#define LABEL_MIN   8  /* characters of a label of a stretch that are worth it */
#define PANELS_MAX  32
#define TICKS       5 /* at least this number of parts of an axis */

/* Widths of a character, which depend on the viewer's font: so large that texts rarely need more. */
#define SMALL_CHARACTER 6.5 /* font size 11 */
#define BOLD_CHARACTER  8   /* font size 13 */

#define SMALL " font-size=\"11\""

/* A linear scale from values to pixels. */
struct scale {
	double low, high; /* values at both ends */
	double from, to;  /* pixels at both ends */
};

struct panel {
	FILE *out;
	const struct tw_timing_result *result;
	const struct tw_stream_time *s;
	const struct tw_time_series *series;
	int64_t base; /* the offset that is 0 in the plot */
	struct scale x, y;
	double top; /* of the plot */
};

static double place(const struct scale *scale, double value)
{
	const double part = (value - scale->low) / (scale->high - scale->low);

	return scale->from + (part < 0 ? 0 : part > 1 ? 1 : part) * (scale->to - scale->from);
}

/* Return: 1, 2 or 5 times a power of ten, so that the scale has at least TICKS / 2 and at most TICKS parts of this size */
static double step_of(const struct scale *scale)
{
	const double rough = (scale->high - scale->low) / TICKS, power = pow(10, floor(log10(rough)));

	return rough <= power ? power : rough <= 2 * power ? 2 * power : rough <= 5 * power ? 5 * power : 10 * power;
}

/* The offset of packet times; without OFFSET records, that of the wall clock. */
static const struct tw_time_series *series_of(const struct tw_stream_time *s)
{
	return &s->series[s->series[TW_TIME_PACKET].samples ? TW_TIME_PACKET : TW_TIME_REAL];
}

static double value_of(const struct panel *p, int64_t offset)
{
	return (double)tw_saturate__minus(offset, p->base);
}

/* Return: the number of characters of a printable text, which may have characters of several bytes */
static size_t length_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* Shortens a text to at most @n characters, of which the last ones are then dots. @n is at least 3. */
static void shorten(char *text, size_t n)
{
	char *at = text;

	if (length_of(text) <= n)
		return;
	for (n -= 3; n || (*at & 0xc0) == 0x80; at++)
		n -= (*at & 0xc0) != 0x80;
	strcpy(at, "...");
}

/* Finds a row for a label from @from to @to, where no earlier label is. Return: @n if there is none */
static unsigned int find_row(double *free_from, unsigned int n, double from, double to)
{
	unsigned int row = 0;

	while (row < n && from < free_from[row])
		row++;
	if (row < n)
		free_from[row] = to + SMALL_CHARACTER;
	return row;
}

static void fit(struct panel *p)
{
	double low = 0, high = 0;

	for (uint32_t i = 0; i < p->series->n; i++) {
		const struct tw_time_point *point = &p->series->points[i];

		low = fmin(low, value_of(p, point->is_bounded ? point->low : point->offset_min));
		high = fmax(high, value_of(p, point->is_bounded ? point->high : point->offset_max));
	}
	if (high - low < 10) {
		low -= 5;
		high += 5;
	}
	p->y = (struct scale){ low - (high - low) / 20, high + (high - low) / 20, p->top + PLOT, p->top };
}

static double x_of(const struct panel *p, uint64_t ns)
{
	return place(&p->x, time__seconds(p->result, p->s, ns));
}

static void put_axes(const struct panel *p)
{
	const double right = WIDTH - RIGHT, bottom = p->top + PLOT, x_step = step_of(&p->x), y_step = step_of(&p->y);
	char text[TIMES_TEXT_MAX];

	for (double v = ceil(p->y.low / y_step) * y_step; v <= p->y.high; v += y_step) {
		svg__line(p->out, LEFT, place(&p->y, v), right, place(&p->y, v), " stroke=\"#ddd\"");
		if (fabs(v) < y_step / 2)
			snprintf(text, sizeof(text), "0");
		else
			times__signed((int64_t)round(v), text, sizeof(text));
		svg__text(p->out, LEFT - 8, place(&p->y, v) + 4, SMALL " text-anchor=\"end\"", text);
	}
	for (double v = ceil(p->x.low / x_step) * x_step; v <= p->x.high; v += x_step) {
		svg__line(p->out, place(&p->x, v), bottom, place(&p->x, v), bottom + 4, " stroke=\"#888\"");
		snprintf(text, sizeof(text), "%.*f s", x_step < 1 ? (int)ceil(-log10(x_step)) : 0, v);
		svg__text(p->out, place(&p->x, v), bottom + 18, " text-anchor=\"middle\"", text);
	}
	svg__line(p->out, LEFT, p->top, LEFT, bottom, " stroke=\"#888\"");
	svg__line(p->out, LEFT, bottom, right, bottom, " stroke=\"#888\"");
}

/* Positions in time are whole pixels, so that there are no seams between neighbours. */
static void put_points(const struct panel *p)
{
	for (uint32_t i = 0; i < p->series->n; i++) {
		const struct tw_time_point *point = &p->series->points[i];
		const bool is_last = i + 1 == p->series->n;
		const double from = round(x_of(p, point->from)),
			     to = round(x_of(p, is_last ? p->s->last : point[1].from));
		const double middle =
			(place(&p->y, value_of(p, point->offset_min)) + place(&p->y, value_of(p, point->offset_max))) /
			2;

		if (point->is_bounded) {
			const double high = place(&p->y, value_of(p, point->high));
			const double low = place(&p->y, value_of(p, point->low));

			svg__rect(p->out, from, high, fmax(to - from, 1), fmax(low - high, 1), " fill=\"#bcd3ea\"");
		}
		svg__line(p->out, from, middle, fmax(to, from + 1), middle,
			  point->is_bounded ? " stroke=\"#1f4e82\" stroke-width=\"1.5\""
					    : " stroke=\"#1f4e82\" stroke-width=\"1.5\" stroke-dasharray=\"4 4\"");
	}
}

/* Labels that have no room are left out: the tables have all changes and stretches. */
static void put_changes(const struct panel *p)
{
	const struct tw_time_changes *changes = tw_stream_time__changes(p->s);
	char text[2 * TIMES_TEXT_MAX], by[TIMES_TEXT_MAX];
	double free_from[CHANGE_ROWS] = { 0 };

	for (uint32_t i = 0; i < changes->n; i++) {
		const double x = x_of(p, changes->items[i].time);
		double width, from;
		unsigned int row;

		svg__line(p->out, x, p->top, x, p->top + PLOT, " stroke=\"#c0392b\"");
		snprintf(text, sizeof(text), "%s %s", time__change_key(changes->items[i].kind),
			 times__signed(changes->items[i].step, by, sizeof(by)));
		width = (double)length_of(text) * SMALL_CHARACTER;
		from = x + 4 + width <= WIDTH ? x + 4 : x - 4 - width;
		row = find_row(free_from, CHANGE_ROWS, from, from + width);
		if (row < CHANGE_ROWS)
			svg__text(p->out, from, p->top + 12 + LABEL * row, SMALL, text);
	}
}

/* Writes what each stretch rests on, at its beginning. */
static void put_stretches(const struct panel *p)
{
	char text[256];
	double free_from[LABEL_ROWS] = { 0 };

	for (uint32_t i = 0; i < p->s->n_stretches; i++) {
		const struct tw_time_stretch *stretch = &p->s->stretches[i];
		const double x = x_of(p, stretch->from), room = (WIDTH - x) / SMALL_CHARACTER;
		unsigned int row = LABEL_ROWS;

		snprintf(text, sizeof(text), "%s%s%s", time__method(stretch), *stretch->sync ? "; " : "",
			 stretch->sync);
		if (room > LABEL_MIN) {
			shorten(text, (size_t)room);
			row = find_row(free_from, LABEL_ROWS, x, x + (double)length_of(text) * SMALL_CHARACTER);
		}
		if (row < LABEL_ROWS)
			svg__text(p->out, x, p->top - 8 - LABEL * row, SMALL, text);
		if (i)
			svg__line(p->out, x, p->top - 6, x, p->top + PLOT, " stroke=\"#888\" stroke-dasharray=\"2 3\"");
	}
}

static void put_title(const struct panel *p)
{
	char name[300], what[160], title[512];
	const uint64_t size = tw_saturate__size(p->base);
	const size_t room = (size_t)((WIDTH - 2 * MARGIN) / BOLD_CHARACTER);

	tw_identity__name(&p->s->stream->identity, p->s->stream->id, name, sizeof(name));
	if (p->series->samples)
		snprintf(what, sizeof(what), ": %s is the stream's clock %c%llu.%09llu s and the offset below",
			 p->series == &p->s->series[TW_TIME_PACKET] ? "packet time" : "its wall clock",
			 p->base < 0 ? '-' : '+', size / TW_NS_PER_SECOND, size % TW_NS_PER_SECOND);
	else
		snprintf(what, sizeof(what), ": no record relates its clock to another clock");
	shorten(name, room - strlen(what));
	snprintf(title, sizeof(title), "%s%s", name, what);
	svg__text(p->out, MARGIN, p->top - TITLE + 14, " font-weight=\"bold\"", title);
}

static void put_panel(struct panel *p)
{
	p->series = series_of(p->s);
	p->base = p->series->samples ? p->series->first.offset : 0;
	fit(p);
	put_title(p);
	put_axes(p);
	put_points(p);
	put_stretches(p);
	put_changes(p);
}

void time__draw(FILE *out, const struct tw_timing_result *result)
{
	const uint32_t n = result->n_streams < PANELS_MAX ? result->n_streams : PANELS_MAX;
	double end = 1e-3;

	for (uint32_t i = 0; i < result->n_streams; i++)
		end = fmax(end, result->streams[i]->has_time
					? time__seconds(result, result->streams[i], result->streams[i]->last)
					: 0);
	svg__begin(out, WIDTH, 2 * MARGIN + (int)n * PANEL);
	for (uint32_t i = 0; i < n; i++) {
		struct panel panel = { .out = out,
				       .result = result,
				       .s = result->streams[i],
				       .x = { 0, end, LEFT, WIDTH - RIGHT },
				       .top = MARGIN + (int)i * PANEL + TITLE };

		put_panel(&panel);
	}
	svg__end(out);
}
