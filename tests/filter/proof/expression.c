/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "expression.h"

#include <string.h>

#include "predicate.h"

/* Return: NULL if the event has only the common fields. */
static const struct tw_field *draw_field(struct writing *w, const struct tw_format *format)
{
	if (format->n_fields <= format->n_common)
		return NULL;
	return &format->fields[format->n_common +
			       chance__below(w->chance, (uint32_t)(format->n_fields - format->n_common))];
}

static const struct tw_format *draw_format(struct writing *w)
{
	const struct tw_schema *schema = w->e->pool->schema;

	return tw_schema__at(schema, chance__below(w->chance, (uint32_t)tw_schema__count(schema)));
}

static void put_predicate(struct writing *w)
{
	const struct tw_format *format = chance__percent(w->chance, 85) ? w->e->format : draw_format(w);
	const struct tw_field *field = draw_field(w, format);

	while (chance__percent(w->chance, 15))
		tw_line__str(&w->line, chance__percent(w->chance, 50) ? "not " : "!");
	if (!field || chance__percent(w->chance, 20))
		predicate__key(w);
	else
		predicate__field(w, format, field);
}

static void put_joint(struct writing *w)
{
	static const char *const joints[] = { " and ", " && ", " or ", " || " };

	tw_line__str(&w->line, joints[chance__below(w->chance, 4)]);
}

/* Writes several comparisons, and groups of comparisons in parentheses, nested up to @depth. */
static void put_group(struct writing *w, unsigned int depth)
{
	static const uint8_t lengths[] = { 1, 1, 1, 2, 2, 2, 3, 4 };

	for (uint32_t i = lengths[chance__below(w->chance, sizeof(lengths))]; i; i--) {
		if (depth && chance__percent(w->chance, 20)) {
			tw_line__str(&w->line, chance__percent(w->chance, 40) ? "!(" : "(");
			put_group(w, depth - 1);
			tw_line__char(&w->line, ')');
		} else {
			put_predicate(w);
		}
		if (i > 1)
			put_joint(w);
	}
}

void expression__make(struct expression *e, const struct pool *pool, const struct expression_options *options,
		      struct chance *chance)
{
	struct writing w = { .e = e, .options = options, .chance = chance };

	memset(e, 0, sizeof(*e));
	e->pool = pool;
	do {
		w.line = tw_line__on(e->text, EXPRESSION_TEXT_MAX);
		e->n_wanted = 0;
		e->format = draw_format(&w);
		put_group(&w, 2);
	} while (w.line.cut);
	*w.line.at = '\0';
}
