/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/bitmask.h"

#include "schema/text.h"

/* Cut one of the printers of masks and its opening parenthesis. */
static bool skip_printer(struct tw_text *text)
{
	static const char *const printers[] = { "__get_bitmask(", "__get_cpumask(", "__get_rel_bitmask(",
						"__get_rel_cpumask(" };

	for (size_t i = 0; i < sizeof(printers) / sizeof(printers[0]); i++)
		if (tw_text__skip(text, printers[i]))
			return true;
	return false;
}

static void mark(struct tw_format *format, struct tw_text name)
{
	for (uint16_t i = 0; i < format->n_fields; i++) {
		struct tw_field *field = &format->fields[i];

		if (field->kind == TW_FIELD_ARRAY && field->elem_size == format->long_size &&
		    field->place != TW_PLACE_FIXED && tw_text__equals(name, field->name))
			field->kind = field->elem_kind = TW_FIELD_BITMASK;
	}
}

void tw_bitmask__find(struct tw_format *format)
{
	struct tw_text text = { format->print_fmt, strlen(format->print_fmt) };
	const char *underscore;

	/* Each printed mask is a field, so there are no more of them than fields: a bound against made-up texts. */
	for (uint16_t left = format->n_fields; left && (underscore = memchr(text.at, '_', text.len));) {
		const char *close;

		tw_text__cut(&text, (size_t)(underscore - text.at));
		if (!skip_printer(&text)) {
			tw_text__cut(&text, 1);
			continue;
		}
		left--;
		close = memchr(text.at, ')', text.len);
		if (!close)
			return;
		mark(format, tw_text__trim((struct tw_text){ text.at, (size_t)(close - text.at) }));
		tw_text__cut(&text, (size_t)(close - text.at));
	}
}
