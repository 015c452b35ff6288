/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of an event, as the kernel prints it: made when a column, the tree or a filter wants it. */
#include "dissector/packet-tracewire.h"

#define FIELD_COST 64 /* of printing one without a program, in the bytes of one */

static bool may_print(struct tw_dissect *d, const struct tw_event_type *type)
{
	const size_t cost = type->print ? tw_print__memory(type->print) : FIELD_COST * (size_t)type->n_fields;

	if (!d->text_left || !d->program_left)
		return false; /* told when it was used up */
	if (cost <= d->program_left) {
		d->program_left -= (uint32_t)cost;
		return true;
	}
	d->program_left = 0;
	tw_dissect__expert(d, &ei_trace_limit, "The texts of the frame's events take too long; the rest is left out");
	return false;
}

static void account(struct tw_dissect *d, const struct tw_line *line)
{
	const size_t len = tw_line__len(line);

	if (line->cut)
		tw_dissect__expert(d, &ei_trace_limit, "The event's text is longer than the dissector shows");
	if (len < d->text_left) {
		d->text_left -= (uint32_t)len;
		return;
	}
	d->text_left = 0;
	tw_dissect__expert(d, &ei_trace_limit, "The frame's events have more text than the dissector shows");
}

const char *tw_dissect__text(struct tw_dissect *d, const struct tw_event_type *type, const struct tw_record *record)
{
	static char buf[TW_PRINT_LINE_MAX + 1];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	if (may_print(d, type)) {
		if (type->print && !record->cut)
			tw_print__run(type->print, record, d->stream ? &d->stream->known : NULL, &line);
		else
			tw_print__fields(type->format, record, &line);
		account(d, &line);
	}
	return tw_shown__end(&line);
}
