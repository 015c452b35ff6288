/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. From a comparison and what it is about to tests. */
#ifndef TW_FILTER_BIND_H
#define TW_FILTER_BIND_H

#include "filter/bind/name.h"
#include "schema/print.h"

/* What a comparison is about, in one event. */
struct tw_subject {
	const char *name; /* for error texts */
	uint8_t operand;  /* enum tw_operand */
	uint8_t compared; /* enum tw_compared */
	uint8_t size;     /* NUMBER: bytes of the number or of an element */
	bool is_signed;
	bool big_endian;
	const struct tw_field *field;
	const struct tw_print *print; /* has the words for the values; may be NULL */
};

/* A comparison's tests, one of which has to be true; or what is certain. */
struct tw_tests {
	struct tw_test **items;
	unsigned int n;
	bool is_true; /* with n = 0 too */
};

/* One comparison being bound. */
struct tw_binding {
	const struct tw_predicate *predicate;
	uint16_t index; /* of the predicate */
	struct tw_arena *arena;
	struct tw_bound *bound;
	struct tw_error *error;
};

/*
 * The parts of that, for one member of the set (NULL: none, `field & mask`). They fill @test. A number that the subject cannot have
 * gives -ERANGE and nevertheless a result: @ret_certain is 0 if it is false whatever the record, else -1.
 */
int tw_binding__number(const struct tw_binding *binding, const struct tw_subject *subject,
		       const struct tw_set_member *member, struct tw_test *test, int *ret_certain);
int tw_binding__time(const struct tw_binding *binding, const struct tw_set_member *member, struct tw_test *test);

/** tw_words__is_flag() - whether it is the name of a bit of common_flags */
bool tw_words__is_flag(const char *word);

/** tw_binding__wrong_way() - that a range's ends are the wrong way round. Return: -EINVAL */
int tw_binding__wrong_way(const struct tw_binding *binding, const struct tw_set_member *member);

#endif
