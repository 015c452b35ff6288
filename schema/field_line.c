/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/field_line.h"

/* Cut the front: `field:`, or in the formats of old kernels' ftrace system `field special:`. */
static bool skip_keyword(struct tw_text *line)
{
	if (!tw_text__skip(line, "field"))
		return false;
	tw_text__skip(line, "special");
	return tw_text__skip(line, ":");
}

/* Cut the declaration. It may have semicolons inside; the one before `offset:` ends it. */
static bool cut_decl(struct tw_text *line, struct tw_text *ret)
{
	const char *start = line->at;
	struct tw_text rest = *line;
	const char *semicolon;

	while (rest.len && (semicolon = memchr(rest.at, ';', rest.len))) {
		tw_text__cut(&rest, (size_t)(semicolon + 1 - rest.at));
		if (!tw_text__skip(&rest, "offset:"))
			continue;
		*ret = (struct tw_text){ start, (size_t)(semicolon - start) };
		*line = rest;
		return true;
	}
	return false;
}

/* Cut `NUMBER;`, a missing semicolon at the line's end forgiven. */
static bool cut_number(struct tw_text *line, uint32_t *ret)
{
	if (!tw_text__number(line, TW_FORMAT_EXTENT_MAX, ret))
		return false;
	return tw_text__skip(line, ";") || !tw_text__ltrim(*line).len;
}

bool tw_field_line__is(struct tw_text line)
{
	return skip_keyword(&line);
}

const char *tw_field_line__parse(struct tw_text line, struct tw_field_line *ret)
{
	struct tw_text decl;
	uint32_t sign = 0;

	if (!skip_keyword(&line))
		return "\"field:\"";
	if (!cut_decl(&line, &decl))
		return "\"; offset:\" behind a declaration";
	if (!tw_decl__split(decl, &ret->decl))
		return "a C type and a name behind \"field:\"";
	if (!cut_number(&line, &ret->offset))
		return "a number of bytes behind \"offset:\"";
	if (!tw_text__skip(&line, "size:") || !cut_number(&line, &ret->size))
		return "\"size:\" and a number of bytes";
	ret->has_sign = tw_text__skip(&line, "signed:");
	if (ret->has_sign && !cut_number(&line, &sign))
		return "0 or 1 behind \"signed:\"";
	ret->is_signed = sign != 0;
	return NULL;
}
