/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/layout.h"

#include <errno.h>

#include "schema/field_line.h"

static int no_page(struct tw_error *err, unsigned int line, const char *what)
{
	return tw_error__set(err, -EINVAL, "the header_page text cannot be read: line %u, expected %s", line, what);
}

static bool check_page(const struct tw_field_line *commit, const struct tw_field_line *data)
{
	return (commit->size == 4 || commit->size == 8) && data->offset <= UINT16_MAX &&
	       data->offset >= commit->offset + commit->size;
}

int tw_page_layout__parse(const char *text, size_t len, struct tw_page_layout *ret, struct tw_error *err)
{
	struct tw_field_line commit = { 0 }, data = { 0 }, field;
	struct tw_text rest = { text, len }, line;
	unsigned int n = 0;

	if (len > TW_FORMAT_TEXT_MAX)
		return tw_error__set(err, -E2BIG, "a header_page text has %zu bytes, the limit is %d", len,
				     TW_FORMAT_TEXT_MAX);
	while (tw_text__line(&rest, &line)) {
		const char *missing = tw_field_line__parse(line, &field);

		n++;
		if (missing && tw_text__trim(line).len)
			return no_page(err, n, missing);
		if (!missing && tw_text__equals(field.decl.name, "commit"))
			commit = field;
		else if (!missing && tw_text__equals(field.decl.name, "data"))
			data = field;
	}
	if (!check_page(&commit, &data))
		return no_page(err, n,
			       "a field \"commit\" of 4 or 8 bytes and a field \"data\" behind it, before the end");
	ret->commit_offset = (uint16_t)commit.offset;
	ret->commit_size = (uint16_t)commit.size;
	ret->data_offset = (uint16_t)data.offset;
	return 0;
}

/* Cut `KEY  : SIGN NUMBER` or `KEY SIGN NUMBER`, any white space between. Return: whether this was the line. */
static bool entry_line(struct tw_text line, const char *key, const char *sign, uint32_t max, uint8_t *ret)
{
	uint32_t number;

	if (!tw_text__skip(&line, key))
		return false;
	tw_text__skip(&line, ":");
	if (!tw_text__skip(&line, sign) || !tw_text__number(&line, max, &number))
		return false;
	*ret = (uint8_t)number;
	return true;
}

static void parse_entry_line(struct tw_text line, struct tw_entry_layout *layout)
{
	const struct {
		const char *key, *sign;
		uint32_t max;
		uint8_t *ret;
	} lines[] = {
		{ "type_len", "", 8, &layout->type_len_bits },
		{ "time_delta", "", 32, &layout->time_delta_bits },
		{ "padding", "type ==", 255, &layout->padding },
		{ "time_extend", "type ==", 255, &layout->time_extend },
		{ "time_stamp", "type ==", 255, &layout->time_stamp },
		{ "data max type_len", "==", 255, &layout->data_max },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (entry_line(line, lines[i].key, lines[i].sign, lines[i].max, lines[i].ret))
			return;
}

int tw_entry_layout__parse(const char *text, size_t len, struct tw_entry_layout *ret, struct tw_error *err)
{
	struct tw_entry_layout layout = { 0 };
	struct tw_text rest = { text, len }, line;

	if (len > TW_FORMAT_TEXT_MAX)
		return tw_error__set(err, -E2BIG, "a header_event text has %zu bytes, the limit is %d", len,
				     TW_FORMAT_TEXT_MAX);
	while (tw_text__line(&rest, &line))
		parse_entry_line(line, &layout);
	if (!layout.type_len_bits || layout.type_len_bits + layout.time_delta_bits != 32 || !layout.padding ||
	    !layout.time_extend || !layout.data_max)
		return tw_error__set(
			err, -EINVAL,
			"the header_event text cannot be read: expected type_len and time_delta of 32 bits "
			"together, padding, time_extend and data max type_len");
	/* Kernels before 4.17 keep the last type for it without saying so. */
	if (!layout.time_stamp)
		layout.time_stamp = (uint8_t)(layout.time_extend + 1);
	*ret = layout;
	return 0;
}
