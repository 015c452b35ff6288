/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values by name. */
#include "schema/print/put.h"

static void put_number(struct tw_line *line, uint64_t value)
{
	tw_line__str(line, "0x");
	tw_line__hex(line, value);
}

void tw_put__symbolic(struct tw_line *line, const struct tw_print_names *names, uint64_t value)
{
	for (uint32_t i = 0; i < names->n; i++) {
		if (names->names[i].value == value) {
			tw_line__str(line, names->names[i].name);
			return;
		}
	}
	put_number(line, value);
}

void tw_put__flags(struct tw_line *line, const struct tw_print_names *names, uint64_t value)
{
	bool any = false;

	for (uint32_t i = 0; i < names->n; i++) {
		const struct tw_print_name *name = &names->names[i];

		/* A name of all bits stands for none of them; so libtraceevent takes it. */
		if (!value && !any && name->value == UINT64_MAX) {
			tw_line__str(line, name->name);
			return;
		}
		if (!name->value || (value & name->value) != name->value)
			continue;
		if (any)
			tw_line__str(line, names->delimiter);
		tw_line__str(line, name->name);
		any = true;
		value &= ~name->value;
		if (!value)
			return;
	}
	if (!value)
		return;
	if (any)
		tw_line__str(line, names->delimiter);
	put_number(line, value);
}
