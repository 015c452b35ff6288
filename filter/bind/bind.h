/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. Makes the tests for a comparison with a known left side. */
#ifndef TW_FILTER_BIND_H
#define TW_FILTER_BIND_H

#include "base/nearest.h"
#include "filter/bind/name.h"
#include "schema/print.h"

/* The left side of a comparison, in one event. */
struct tw_subject {
	const char *name; /* for error texts */
	uint8_t operand;  /* enum tw_operand */
	uint8_t compared; /* enum tw_compared */
	uint8_t size;     /* NUMBER: size of the number or of an array's element, bytes */
	bool is_signed;
	bool big_endian;
	const struct tw_field *field; /* for TW_ON_FIELD; otherwise NULL */
	const struct tw_print *print; /* the event's print format, which has the names of values; may be NULL */
};

/* The tests of a comparison. The comparison is true if is_true is set or at least one test is true. */
struct tw_tests {
	struct tw_test **items;
	unsigned int n;
	bool is_true;
};

/* One comparison that is being bound. */
struct tw_binding {
	const struct tw_predicate *predicate;
	uint16_t index; /* number of the predicate in the expression */
	struct tw_bound *bound;
	struct tw_error *error;
};

/*
 * Fill @test for one value of a comparison with a number, or with `time`. @member is a value or a range; NULL for `field & mask` without a
 * value.
 * Return: 0; -EINVAL; -ERANGE if the subject cannot have this number, or some numbers of the range. @ret_certain is 0 if the test is false
 * for every record, which is possible only after -ERANGE. In all other cases, @ret_certain is -1, and @test is filled.
 */
int tw_binding__number(const struct tw_binding *binding, const struct tw_subject *subject,
		       const struct tw_set_member *member, struct tw_test *test, int *ret_certain);
int tw_binding__time(const struct tw_binding *binding, const struct tw_set_member *member, struct tw_test *test);

/** tw_filter_hint() - write "; did you mean 'WORD'?" for the most similar word, or nothing if there is none. Return: @buf */
const char *tw_filter_hint(const struct tw_nearest *nearest, char *buf, size_t size);

/** tw_words__is_flag() - whether @word is the name of a bit of common_flags */
bool tw_words__is_flag(const char *word);

/** tw_binding__wrong_way() - make the error for a range whose lower bound is above its upper bound. Return: -EINVAL */
int tw_binding__wrong_way(const struct tw_binding *binding, const struct tw_set_member *member);

#endif
