/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "base/bytes.h"
#include "filter/arena.h"
#include "tests/filter/toy.h"
#include "tests/schema/texts.h"

static const char format[] =
	EVENT_TEXT("toy", 300,
		   FIELD("u8 a", 8, 1, 0) FIELD("s16 b", 10, 2, 1) FIELD("u32 c", 12, 4, 0) FIELD("s64 d", 16, 8, 1)
			   FIELD("char name[8]", 24, 8, 0) FIELD("u32 list[3]", 32, 12, 0) FIELD("u8 mac[6]", 44, 6, 0)
				   FIELD("__data_loc char[] text", 52, 4, 0) FIELD("__data_loc u16[] more", 56, 4, 0)
					   FIELD("cpumask_t mask", 60, 8, 0) FIELD("s8 e", 68, 1, 1),
		   "print fmt: \"\"");
static struct tw_node false_node = { .kind = TW_NODE_FALSE };

void toy__locate(struct toy *f, uint32_t field, uint32_t at, uint32_t len)
{
	tw_store_be32(f->record + field, __builtin_bswap32(at | len << 16));
}

int toy__set_up(void **state)
{
	struct toy *f = test_calloc(1, sizeof(*f));
	struct tw_error err;

	if (tw_format__parse(format, sizeof(format) - 1, "toys", &f->format, &err))
		fail_msg("%s", err.text);
	f->bound_event = (struct tw_bound_event){ f->format, &f->root };
	f->bound = (struct tw_bound){ .events = &f->bound_event, .n_events = 1, .unknown = &false_node };
	f->event =
		(struct tw_filter_event){ .record = f->record, .len = TOY_RECORD_LEN, .id = 300, .pid = -1, .cpu = 3 };
	f->event.flags = 0x85;
	f->event.time = 1ull << 40;
	f->record[8] = 200;
	memcpy(f->record + 10, "\xfe\xff", 2);
	memcpy(f->record + 12, "\x78\x56\x34\x92", 4);
	memset(f->record + 16, 0xff, 8);
	memcpy(f->record + 24, "bash\0xy", 8);
	memcpy(f->record + 32, "\1\0\0\0\5\0\0\0\11\0\0\0", 12);
	memcpy(f->record + 44, "\xaa\xbb\xcc\xdd\xee\xff", 6);
	toy__locate(f, 52, 72, 6);
	memcpy(f->record + 72, "hello", 6);
	toy__locate(f, 56, 80, 4);
	memcpy(f->record + 80, "\7\0\10\0", 4);
	memcpy(f->record + 60, "\x8f\1\0\0\0\0\0\x80", 8);
	f->record[68] = 0x80;
	*state = f;
	return 0;
}

int toy__tear_down(void **state)
{
	struct toy *f = *state;

	tw_format__free(f->format);
	test_free(f);
	return 0;
}

bool toy__matches(struct toy *f)
{
	struct tw_error err;
	bool ret;

	f->bound.arena = tw_arena__new(1 << 20);
	f->bound.evaluator = NULL;
	if (tw_bound__prepare(&f->bound, &err))
		fail_msg("%s", err.text);
	ret = tw_bound__matches(&f->bound, &f->event);
	tw_arena__free(f->bound.arena);
	return ret;
}

bool toy__holds(struct toy *f, struct tw_test test)
{
	bool ret, negated;

	f->root = (struct tw_node){ .kind = TW_NODE_TEST, .test = &test, .n_tests = 1 };
	ret = toy__matches(f);
	f->root.negated = true;
	negated = toy__matches(f);
	assert_int_equal(negated, !ret);
	return ret;
}

struct tw_test toy__number(const struct toy *f, const char *name, uint8_t op, uint64_t value)
{
	const struct tw_field *field = tw_format__find(f->format, name);

	assert_non_null(field);
	return (struct tw_test){ .op = op, .field = field, .is_signed = field->is_signed, .low = value };
}

bool toy__number_holds(struct toy *f, const char *name, uint8_t op, uint64_t value)
{
	return toy__holds(f, toy__number(f, name, op, value));
}

struct tw_test toy__text(const struct toy *f, const char *name, uint8_t op, const char *value)
{
	struct tw_test test = toy__number(f, name, op, 0);

	test.compared = TW_AS_TEXT;
	test.bytes = (const uint8_t *)value;
	test.len = strlen(value);
	return test;
}

bool toy__text_holds(struct toy *f, const char *name, uint8_t op, const char *value)
{
	return toy__holds(f, toy__text(f, name, op, value));
}
