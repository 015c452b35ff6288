/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/evaluate.h"

#include <string.h>

#include "base/bytes.h"
#include "base/line.h"
#include "filter/compare.h"
#include "filter/evaluate/program.h"

#define MASK_TEXT_MAX (TW_MASK_BYTES_MAX * 8 / 2 * sizeof("8191")) /* each second bit set, with commas */

static bool mask_holds(const struct tw_test *test, const struct tw_value *mask)
{
	char text[MASK_TEXT_MAX];
	struct tw_line line = tw_line__on(text, sizeof(text));

	tw_value__list_bits(mask, (uint8_t)test->field->elem_size, &line);
	return tw_test__bytes(test, (const uint8_t *)text, tw_line__len(&line));
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
		return array_holds(test, &value);
	if (value.kind == TW_FIELD_BITMASK)
		return mask_holds(test, &value);
	return tw_test__bytes(test, value.data, value.len);
}

static bool test_holds(const struct tw_test *test, const struct tw_filter_event *event)
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

static uint32_t start_of(const struct tw_bound *bound, uint16_t id)
{
	const struct tw_evaluator *evaluator = bound->evaluator;

	return id < evaluator->n_starts ? evaluator->starts[id] : evaluator->unknown;
}

static uint64_t load_record(const struct tw_step *step, const uint8_t *p)
{
	switch (step->load) {
	case TW_LOAD_U8:
		return *p;
	case TW_LOAD_S8:
		return (uint64_t)(int8_t)*p;
	case TW_LOAD_U16:
		return tw_load16(p, step->big_endian);
	case TW_LOAD_S16:
		return (uint64_t)(int16_t)tw_load16(p, step->big_endian);
	case TW_LOAD_U32:
		return tw_load32(p, step->big_endian);
	case TW_LOAD_S32:
		return (uint64_t)(int32_t)tw_load32(p, step->big_endian);
	default:
		return tw_load64(p, step->big_endian);
	}
}

static uint64_t load_event(const struct tw_step *step, const struct tw_filter_event *event)
{
	switch (step->load) {
	case TW_LOAD_PID:
		return (uint64_t)event->pid;
	case TW_LOAD_CPU:
		return event->cpu;
	case TW_LOAD_FLAGS:
		return event->flags;
	case TW_LOAD_PREEMPT:
		return event->preempt;
	default:
		return event->time;
	}
}

static bool fits(const struct tw_step *step, uint64_t number)
{
	return ((number & step->mask) - step->low <= step->span) != step->is_outside;
}

static bool is_text(const struct tw_step *step, const uint8_t *p)
{
	return (memcmp(p, step->test->bytes, step->span) == 0) != step->is_outside;
}

static bool holds(const struct tw_step *step, const struct tw_filter_event *event)
{
	if (step->load <= TW_LOAD_64)
		return step->end <= event->len && fits(step, load_record(step, event->record + step->offset));
	if (step->load < TW_LOAD_TEXT)
		return fits(step, load_event(step, event));
	if (step->load == TW_LOAD_TEXT)
		return step->end <= event->len && is_text(step, event->record + step->offset);
	return test_holds(step->test, event);
}

bool tw_bound__matches(const struct tw_bound *bound, const struct tw_filter_event *event)
{
	const uint32_t start = start_of(bound, event->id);
	const struct tw_step *program;
	uint16_t at = 0;

	if (start >= TW_START_CERTAIN)
		return start == TW_START_TRUE;
	/* Jumps only go forward. */
	for (program = bound->evaluator->steps + start; at < TW_STEP_NO;)
		at = holds(&program[at], event) ? program[at].on_true : program[at].on_false;
	return at == TW_STEP_MATCH;
}

int tw_bound__is_certain(const struct tw_bound *bound, uint16_t id)
{
	const uint32_t start = start_of(bound, id);

	return start < TW_START_CERTAIN ? -1 : start == TW_START_TRUE;
}

bool tw_bound__needs_comm(const struct tw_bound *bound)
{
	return bound->needs_comm;
}

bool tw_bound__needs_host(const struct tw_bound *bound)
{
	return bound->needs_host;
}
