/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. From a comparison and its subject to tests. */
#ifndef TW_FILTER_BIND_H
#define TW_FILTER_BIND_H

#include "filter/bind/name.h"
#include "schema/print.h"

/* The subject of a comparison, in one event. */
struct tw_subject {
	const char *name; /* for error texts */
	uint8_t operand;  /* enum tw_operand */
	uint8_t compared; /* enum tw_compared */
	uint8_t size;     /* NUMBER: size of the number or of an element, bytes */
	bool is_signed;
	bool big_endian;
	const struct tw_field *field;
	const struct tw_print *print; /* has the words for values; may be NULL */
};

/* A comparison's tests, at least one of which must be true; or a certain result. */
struct tw_tests {
	struct tw_test **items;
	unsigned int n;
	bool is_true; /* valid with n = 0 too */
};

/* One comparison that is being bound. */
struct tw_binding {
	const struct tw_predicate *predicate;
	uint16_t index; /* of the predicate */
	struct tw_arena *arena;
	struct tw_bound *bound;
	struct tw_error *error;
};

/*
 * The steps for one member of the set (NULL: none, `field & mask`). They fill @test. For a number that the subject cannot have they
 * return -ERANGE and a result: @ret_certain is 0 if the test is false for every record, otherwise -1.
 */
int tw_binding__number(const struct tw_binding *binding, const struct tw_subject *subject,
		       const struct tw_set_member *member, struct tw_test *test, int *ret_certain);
int tw_binding__time(const struct tw_binding *binding, const struct tw_set_member *member, struct tw_test *test);

/** tw_words__is_flag() - whether it is the name of a bit of common_flags */
bool tw_words__is_flag(const char *word);

/** tw_binding__wrong_way() - makes the error for a range with its ends in the wrong order. Return: -EINVAL */
int tw_binding__wrong_way(const struct tw_binding *binding, const struct tw_set_member *member);

#endif
