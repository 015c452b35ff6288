/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/evaluate/compare.h"

#include "base/line.h"
#include "filter/evaluate/range.h"
#include "filter/text.h"

#define MASK_TEXT_MAX (TW_MASK_BYTES_MAX * 8 / 2 * sizeof("8191")) /* each second bit set, with commas */

static bool mask_holds(const struct tw_test *test, const struct tw_value *mask)
{
	char text[MASK_TEXT_MAX];
	struct tw_line line = tw_line__on(text, sizeof(text));

	tw_value__list_bits(mask, (uint8_t)test->field->elem_size, &line);
	return tw_test__bytes(test, (const uint8_t *)text, tw_line__len(&line));
}

static bool number_holds(const struct tw_test *test, const struct tw_value *value)
{
	const struct tw_range range = tw_range__of(test, value->len);

	return tw_range__fits(&range, value->u);
}

/* Any element has to be as the test says; where it says "not so", all of them. None at all is none that is there. */
static bool array_holds(const struct tw_test *test, const struct tw_value *array)
{
	const struct tw_range range = tw_range__of(test, test->field->elem_size);
	struct tw_value element;
	uint32_t i;

	for (i = 0; !tw_value__element(test->field, array, i, &element); i++)
		if (tw_range__fits(&range, element.u) != range.is_outside)
			return !range.is_outside;
	return i && range.is_outside;
}

static bool field_holds(const struct tw_test *test, const struct tw_filter_event *event)
{
	const struct tw_record record = { event->record, event->len, .big_endian = test->big_endian };
	struct tw_value value;

	if (tw_field__read(test->field, &record, &value))
		return false;
	if (test->compared == TW_AS_NUMBER)
		return value.kind == TW_FIELD_ARRAY ? array_holds(test, &value) : number_holds(test, &value);
	if (value.kind == TW_FIELD_BITMASK)
		return mask_holds(test, &value);
	return tw_test__bytes(test, value.data, value.len);
}

bool tw_test__holds(const struct tw_test *test, const struct tw_filter_event *event)
{
	switch (test->operand) {
	case TW_ON_FIELD:
		return field_holds(test, event);
	case TW_ON_COMM:
		return event->comm && tw_test__bytes(test, (const uint8_t *)event->comm, event->comm_len);
	case TW_ON_HOST:
		return event->host && tw_test__bytes(test, (const uint8_t *)event->host, event->host_len);
	default:
		return false;
	}
}
