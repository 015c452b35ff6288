/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event with every kind of field, and filters that are built without the parser and the binder. */
#ifndef TOY_H
#define TOY_H

#include "filter/evaluate.h"
#include "filter/tree.h"

#define TOY_ID         300
#define TOY_RECORD_LEN 96

struct toy {
	struct tw_format *format;
	struct tw_bound_event bound_event;
	struct tw_bound bound;
	struct tw_node root; /* of the event's tree */
	uint8_t record[TOY_RECORD_LEN];
	struct tw_filter_event event;
};

/** toy__set_up() - for cmocka; @state points to a struct toy */
int toy__set_up(void **state);
int toy__tear_down(void **state);

/** toy__locate() - set the location field at offset @field: @len bytes at @at */
void toy__locate(struct toy *toy, uint32_t field, uint32_t at, uint32_t len);

/** toy__matches() - compile the tree again. Return: whether the event matches it */
bool toy__matches(struct toy *toy);

/** toy__holds() - whether the event matches a test; also checks that the negated test has the inverse result */
bool toy__holds(struct toy *toy, struct tw_test test);

/** toy__number() - make a test that compares a field with a number; toy__text() - with a text */
struct tw_test toy__number(const struct toy *toy, const char *name, uint8_t op, uint64_t value);
struct tw_test toy__text(const struct toy *toy, const char *name, uint8_t op, const char *value);

/** toy__number_holds(), toy__text_holds() - whether the event matches such a test */
bool toy__number_holds(struct toy *toy, const char *name, uint8_t op, uint64_t value);
bool toy__text_holds(struct toy *toy, const char *name, uint8_t op, const char *value);

#endif
