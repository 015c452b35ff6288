/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/evaluate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/line.h"
#include "filter/arena.h"
#include "filter/compare.h"
#include "filter/tree.h"

/* What a step compares. */
enum tw_load {
	TW_LOAD_U8, /* TW_LOAD_U8 to TW_LOAD_64: a number at a fixed offset in the record */
	TW_LOAD_S8,
	TW_LOAD_U16,
	TW_LOAD_S16,
	TW_LOAD_U32,
	TW_LOAD_S32,
	TW_LOAD_64,
	TW_LOAD_PID, /* TW_LOAD_PID to TW_LOAD_TIME: a member of struct tw_filter_event */
	TW_LOAD_CPU,
	TW_LOAD_FLAGS,
	TW_LOAD_PREEMPT,
	TW_LOAD_TIME,
	TW_LOAD_TEXT,    /* a text at a fixed offset in the record, compared by one memcmp() */
	TW_LOAD_NOTHING, /* any other test: the step calls test_holds() */
};

#define TW_STEPS_MAX  32000                       /* steps of one program */
#define TW_STEP_MATCH ((uint16_t)TW_BRANCH_TRUE)  /* in place of the next step: the event matches */
#define TW_STEP_NO    ((uint16_t)TW_BRANCH_FALSE) /* in place of the next step: the event does not match */

/* One step of a program. A program evaluates the tree of an event; each of its steps evaluates one test. */
struct tw_step {
	uint8_t load; /* enum tw_load */
	bool big_endian;
	bool is_outside; /* as in struct tw_range */
	uint8_t reserved;
	uint16_t on_true, on_false; /* index of the next step in the program, or TW_STEP_MATCH or TW_STEP_NO */
	uint32_t offset, end;       /* offsets of the number or text, and of the byte after it, in the record */
	uint64_t mask, low, span;   /* as in struct tw_range; TEXT: span is the number of compared bytes */
	const struct tw_test *test; /* for TEXT and NOTHING; otherwise NULL */
};

/* Values in place of the index of a program's first step: the result is certain, so there is no program. */
#define TW_START_TRUE    UINT32_MAX
#define TW_START_FALSE   (UINT32_MAX - 1)
#define TW_START_CERTAIN TW_START_FALSE /* the smaller one of the two values */

struct tw_evaluator {
	const struct tw_step *steps; /* steps of all programs */
	uint32_t unknown;            /* the start for ids that the schema does not have */
	uint32_t n_starts;           /* the highest id of the schema + 1 */
	uint32_t starts[];           /* by id: index of the program's first step, TW_START_TRUE or TW_START_FALSE */
};

static uint8_t load_of_size(uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? TW_LOAD_S8 : TW_LOAD_U8;
	case 2:
		return is_signed ? TW_LOAD_S16 : TW_LOAD_U16;
	case 4:
		return is_signed ? TW_LOAD_S32 : TW_LOAD_U32;
	default:
		return TW_LOAD_64;
	}
}

/* Return: how a test's operand is loaded. @ret_size: size of the number, bytes; undefined for TW_LOAD_NOTHING */
static uint8_t load_of_test(const struct tw_test *test, uint32_t *ret_size)
{
	static const uint8_t loads[] = {
		[TW_ON_PID] = TW_LOAD_PID,         [TW_ON_CPU] = TW_LOAD_CPU,   [TW_ON_FLAGS] = TW_LOAD_FLAGS,
		[TW_ON_PREEMPT] = TW_LOAD_PREEMPT, [TW_ON_TIME] = TW_LOAD_TIME,
	};

	if (test->compared != TW_AS_NUMBER)
		return TW_LOAD_NOTHING;
	if (test->operand == TW_ON_FIELD) {
		*ret_size = test->field->size;
		return test->field->kind < TW_FIELD_STRING ? load_of_size(*ret_size, tw_field__is_signed(test->field))
							   : TW_LOAD_NOTHING;
	}
	*ret_size = tw_operand__info(test->operand)->size;
	return loads[test->operand];
}

/* Whether a field is compared by == or != with a text that fits the field and has no NUL. One memcmp() is then sufficient. */
static bool is_plain_text(const struct tw_test *test)
{
	return test->operand == TW_ON_FIELD && test->compared == TW_AS_TEXT &&
	       (test->op == TW_TEST_EQ || test->op == TW_TEST_NE) && test->field->kind == TW_FIELD_STRING &&
	       test->field->place == TW_PLACE_FIXED && test->len <= test->field->size &&
	       !memchr(test->bytes, '\0', test->len);
}

static struct tw_step step_of_text(const struct tw_test *test)
{
	struct tw_step step = { .load = TW_LOAD_NOTHING, .test = test };

	if (is_plain_text(test)) {
		step.load = TW_LOAD_TEXT;
		step.is_outside = test->op == TW_TEST_NE;
		step.offset = test->field->offset;
		step.end = step.offset + test->field->size;
		step.span = test->len + (test->len < test->field->size);
	}
	return step;
}

static struct tw_step step_of(const struct tw_test *test)
{
	struct tw_step step = { 0 };
	struct tw_range range;
	uint32_t size;

	step.load = load_of_test(test, &size);
	if (step.load == TW_LOAD_NOTHING)
		return step_of_text(test);
	range = tw_range__of(test, size);
	step.is_outside = range.is_outside;
	step.mask = range.mask;
	step.low = range.low;
	step.span = range.span;
	if (test->operand == TW_ON_FIELD) {
		step.big_endian = test->big_endian;
		step.offset = test->field->offset;
		step.end = step.offset + size;
	}
	return step;
}

/*
 * Making the evaluator of a bound filter. Events with equal programs share one program. For `cpu == 1`, all events of a kernel, about two
 * thousand, share one program. The evaluator is in the arena of the bound filter. Its table `starts` has an element for each id up to the
 * highest one; kernels use a few thousand ids.
 */

/* An entry of a hash table of finished programs; the key is the bytes of the steps. n: number of steps; 0 = free entry. */
struct known_program {
	uint32_t hash, start, n;
};

struct making {
	struct tw_step *steps; /* steps of all programs so far */
	size_t n, room;
	struct known_program *known; /* hash table with at least one free entry */
	size_t mask;                 /* number of entries of the hash table (a power of two) minus 1 */
};

static int make_room(struct making *m, size_t more)
{
	size_t room = m->room ? m->room : 64;
	struct tw_step *larger;

	while (room - m->n < more)
		room *= 2;
	if (room == m->room)
		return 0;
	larger = reallocarray(m->steps, room, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	m->steps = larger;
	m->room = room;
	return 0;
}

/*
 * Append the program of a tree that is neither TRUE nor FALSE. Equal comparisons of single numbers become steps with equal bytes. Steps for
 * other tests contain a pointer to the test, so that only steps for the same test are equal.
 */
static int append(struct making *m, const struct tw_node *root)
{
	struct tw_branch_walk walk;
	struct tw_branches to;
	const struct tw_test *test;

	if (root->n_tests > TW_STEPS_MAX)
		return -E2BIG;
	if (make_room(m, root->n_tests))
		return -ENOMEM;
	tw_branch_walk__init(&walk, root);
	while ((test = tw_branch_walk__next(&walk, &to))) {
		struct tw_step *step = &m->steps[m->n++];

		*step = step_of(test);
		step->on_true = (uint16_t)to.holds;
		step->on_false = (uint16_t)to.fails;
	}
	return walk.too_deep ? -E2BIG : 0;
}

static uint32_t hash_of(const struct tw_step *steps, size_t n)
{
	const uint8_t *bytes = (const uint8_t *)steps;
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < n * sizeof(*steps); i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

/* Return: the entry of a program that equals the program of @n steps at @start; if there is none, the free entry for it. */
static struct known_program *find(const struct making *m, uint32_t start, uint32_t n, uint32_t hash)
{
	size_t at = hash & m->mask;

	for (; m->known[at].n; at = (at + 1) & m->mask)
		if (m->known[at].hash == hash && m->known[at].n == n &&
		    !memcmp(m->steps + m->known[at].start, m->steps + start, n * sizeof(*m->steps)))
			break;
	return &m->known[at];
}

/* Add the program of a tree, unless there is an equal program. @ret: the start of the program, as in tw_evaluator.starts */
static int add(struct making *m, const struct tw_node *root, uint32_t *ret)
{
	const uint32_t start = (uint32_t)m->n;
	struct known_program *known;
	uint32_t n, hash;
	int err;

	if (root->kind == TW_NODE_TRUE || root->kind == TW_NODE_FALSE) {
		*ret = root->kind == TW_NODE_TRUE ? TW_START_TRUE : TW_START_FALSE;
		return 0;
	}
	err = append(m, root);
	if (err)
		return err;
	n = (uint32_t)m->n - start;
	hash = hash_of(m->steps + start, n);
	known = find(m, start, n, hash);
	if (known->n)
		m->n = start;
	else
		*known = (struct known_program){ hash, start, n };
	*ret = known->start;
	return 0;
}

static int add_all(struct making *m, const struct tw_bound *bound, struct tw_evaluator *evaluator)
{
	int err = add(m, bound->unknown, &evaluator->unknown);
	const struct tw_node *shared = bound->unknown; /* the previous event's tree, which many events share */
	uint32_t start = evaluator->unknown;

	for (uint32_t id = 0; id < evaluator->n_starts; id++)
		evaluator->starts[id] = evaluator->unknown;
	for (size_t i = 0; !err && i < bound->n_events; i++) {
		const struct tw_bound_event *event = &bound->events[i];

		if (event->root != shared)
			err = add(m, event->root, &start);
		shared = event->root;
		evaluator->starts[event->format->id] = start;
	}
	return err;
}

static int make(struct tw_bound *bound, struct making *m)
{
	const size_t n = bound->n_events ? bound->events[bound->n_events - 1].format->id + 1u : 0;
	struct tw_evaluator *evaluator =
		tw_arena__take(bound->arena, sizeof(*evaluator) + n * sizeof(evaluator->starts[0]));
	int err;

	if (!evaluator)
		return -ENOMEM;
	evaluator->n_starts = (uint32_t)n;
	err = add_all(m, bound, evaluator);
	if (err)
		return err;
	if (m->n) {
		evaluator->steps = tw_arena__copy(bound->arena, m->steps, m->n * sizeof(*m->steps));
		if (!evaluator->steps)
			return -ENOMEM;
	}
	bound->evaluator = evaluator;
	return 0;
}

int tw_bound__prepare(struct tw_bound *bound, struct tw_error *error)
{
	struct making m = { .mask = 1 };
	int err = -ENOMEM;

	if (bound->evaluator)
		return 0;
	while (m.mask < 2 * (bound->n_events + 1))
		m.mask = 2 * m.mask + 1;
	m.known = calloc(m.mask + 1, sizeof(*m.known));
	if (m.known)
		err = make(bound, &m);
	free(m.steps);
	free(m.known);
	if (err == -E2BIG || (err && tw_arena__is_full(bound->arena)))
		return tw_error__set(error, -E2BIG,
				     "the filter is nested too deeply, or needs too much memory for all events");
	return err ? tw_error__set(error, err, "out of memory for the filter's programs") : 0;
}

#define MASK_TEXT_MAX (TW_MASK_BYTES_MAX * 8 / 2 * sizeof("8191")) /* bytes of a list of set bits, such as "0-3,7" */

static bool mask_holds(const struct tw_test *test, const struct tw_value *mask)
{
	char text[MASK_TEXT_MAX];
	struct tw_line line = tw_line__on(text, sizeof(text));

	tw_value__list_bits(mask, (uint8_t)test->field->elem_size, &line);
	return tw_test__bytes(test, (const uint8_t *)text, tw_line__len(&line));
}

/* Whether a test is true for an array: for NE all elements must differ; for other operators one match is sufficient; false if empty. */
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
	/* The loop ends, because all jumps are forward. */
	for (program = bound->evaluator->steps + start; at < TW_STEP_NO;)
		at = holds(&program[at], event) ? program[at].on_true : program[at].on_false;
	return at == TW_STEP_MATCH;
}

int tw_bound__is_certain(const struct tw_bound *bound, uint16_t id)
{
	const uint32_t start = start_of(bound, id);

	return start < TW_START_CERTAIN ? -1 : start == TW_START_TRUE;
}
