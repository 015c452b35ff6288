/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generates a manual page from a document in Markdown: headings, paragraphs, lists, tables, indented examples, `code`, **bold** and links.
 * A row of a table becomes a paragraph whose tag is the first cell. Lines between <!-- not in the manual --> and <!-- end --> are omitted.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/generate/generate.h"

#define CELLS_MAX    8
#define LEFT_OUT     "<!-- not in the manual -->"
#define LEFT_OUT_END "<!-- end -->"

enum block { TEXT, LIST, TABLE, EXAMPLE, NONE };

struct document {
	FILE *out;
	enum block block; /* kind of the last line; NONE after an empty line or a heading */
	bool code, bold;  /* whether the text is inside of `code` or **bold**, which may extend over several lines */
	bool left_out;    /* between LEFT_OUT and LEFT_OUT_END */
	bool has_heads;   /* the first row of the current table was read */
	char heads[CELLS_MAX][64]; /* the cells of the first row: the names of the columns */
};

static void put_char(FILE *out, char c)
{
	if (c == '\\')
		fputs("\\e", out);
	else if (c == '\'')
		fputs("\\(aq", out);
	else if (c == '-')
		fputs("\\-", out);
	else
		fputc(c, out);
}

/* Writes the text of a line or a cell; `code` and **bold** become bold. A link becomes its text. */
static void put_inline(struct document *doc, const char *text)
{
	fputs("\\&", doc->out); /* protects a period or an apostrophe at the beginning of the line */
	for (; *text; text++) {
		if (*text == '`' || (!doc->code && !strncmp(text, "**", 2))) {
			bool *font = *text == '`' ? &doc->code : &doc->bold;

			*font = !*font;
			fputs(doc->code || doc->bold ? "\\fB" : "\\fR", doc->out);
			text += *text == '*';
		} else if (!doc->code && !strncmp(text, "](", 2)) {
			text += strcspn(text, ")");
		} else if (doc->code || *text != '[') {
			put_char(doc->out, *text);
		}
	}
	fputc('\n', doc->out);
}

static void put_heading(struct document *doc, char *text)
{
	for (char *c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	fprintf(doc->out, ".SH %s\n", text);
	doc->block = NONE;
}

static void put_example(struct document *doc, const char *text)
{
	if (doc->block != EXAMPLE)
		fputs(".PP\n.RS 4\n.EX\n", doc->out);
	fputs("\\&", doc->out);
	for (; *text; text++)
		put_char(doc->out, *text);
	fputc('\n', doc->out);
	doc->block = EXAMPLE;
}

/* Splits "| a | b |" at its bars, in place. Return: the number of cells */
static size_t split(char *row, char *cells[CELLS_MAX])
{
	size_t n = 0;

	for (char *bar = row; bar[1] && n < CELLS_MAX; n++) {
		char *cell = bar + 1 + strspn(bar + 1, " "), *end;

		bar = strchr(cell, '|');
		if (!bar)
			break;
		for (end = bar; end > cell && end[-1] == ' ';)
			end--;
		*end = '\0';
		cells[n] = cell;
	}
	return n;
}

static void take_heads(struct document *doc, char *const cells[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(doc->heads[i], sizeof(doc->heads[i]), "%s", cells[i]);
	doc->has_heads = true;
}

/* Writes a row. If the table has more than two columns, each cell after the first is preceded by the name of its column. */
static void put_cells(struct document *doc, char *const cells[], size_t n)
{
	fputs(".TP\n", doc->out);
	put_inline(doc, cells[0]);
	for (size_t i = 1; i < n; i++) {
		if (!*cells[i])
			continue;
		if (n > 2)
			fprintf(doc->out, ".br\n\\fI%s\\fR:\n", doc->heads[i]);
		put_inline(doc, cells[i]);
	}
}

static void put_row(struct document *doc, char *row)
{
	char *cells[CELLS_MAX];
	const size_t n = split(row, cells);

	if (doc->block != TABLE)
		doc->has_heads = false;
	doc->block = TABLE;
	if (!doc->has_heads)
		take_heads(doc, cells, n);
	else if (n && cells[0][strspn(cells[0], "-")]) /* not the line of dashes below the heads */
		put_cells(doc, cells, n);
}

static void put_list_item(struct document *doc, const char *text)
{
	fputs(".IP \\(bu 2\n", doc->out);
	put_inline(doc, text);
	doc->block = LIST;
}

static void put_text(struct document *doc, const char *text)
{
	if (doc->block == NONE)
		fputs(".PP\n", doc->out);
	if (doc->block == NONE || doc->block == TABLE)
		doc->block = TEXT;
	put_inline(doc, text);
}

static void put_line(struct document *doc, char *line)
{
	const bool is_example = !strncmp(line, "    ", 4);

	if (doc->block == EXAMPLE && !is_example)
		fputs(".EE\n.RE\n", doc->out);
	if (is_example)
		put_example(doc, line + 4);
	else if (!*line || doc->block == EXAMPLE)
		doc->block = NONE;
	if (is_example || !*line)
		return;
	if (!strncmp(line, "## ", 3))
		put_heading(doc, line + 3);
	else if (!strncmp(line, "- ", 2))
		put_list_item(doc, line + 2);
	else if (*line == '|')
		put_row(doc, line);
	else
		put_text(doc, line + strspn(line, " "));
}

/* Writes the beginning of the page. The first line of a document is "# TITLE". */
static void put_title(FILE *out, const char *name, const char *line)
{
	fputs(".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n.nh\n.TH ", out); /* names must not be hyphenated */
	for (const char *c = name; *c; c++)
		fputc(toupper((unsigned char)*c), out);
	fputs(" 7 \"\" \"tracewire " TRACEWIRE_VERSION "\" \"Tracewire\"\n.SH NAME\n", out);
	for (const char *c = name; *c; c++)
		put_char(out, *c);
	line += strspn(line, "# ");
	fprintf(out, " \\- %c%s of Tracewire\n.SH DESCRIPTION\n", tolower((unsigned char)*line), line + 1);
}

void generate__document(const char *name, FILE *in, const char *also, FILE *out)
{
	struct document doc = { .out = out, .block = NONE };
	char *line = NULL;
	size_t size = 0;

	for (unsigned int number = 0; getline(&line, &size, in) > 0; number++) {
		line[strcspn(line, "\n")] = '\0';
		if (!number)
			put_title(out, name, line);
		else if (!strcmp(line, LEFT_OUT) || !strcmp(line, LEFT_OUT_END))
			doc.left_out = !strcmp(line, LEFT_OUT);
		else if (!doc.left_out)
			put_line(&doc, line);
	}
	put_line(&doc, (char[]){ "" });
	fprintf(out, ".SH SEE ALSO\n%s", also);
	free(line);
}
