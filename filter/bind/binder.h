/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to binding. An expression on its way from event to event. */
#ifndef TW_FILTER_BINDER_H
#define TW_FILTER_BINDER_H

#include "filter/bind/bind.h"

/* What is known of a comparison, besides what is typed. */
struct tw_known {
	struct tw_filter_name name;
	struct tw_tests shared; /* of a key: the same tests for all events */
	bool usable;            /* some event has it, and it can be compared so */
	bool asks;              /* some event's tree has a test of it, be it only for some values of a set */
	int error;              /* why the first event could not be compared so */
	struct tw_error why;
};

/* What a comparison is for one event. */
enum tw_answer {
	TW_ANSWER_NO, /* false, whatever the record */
	TW_ANSWER_YES,
	TW_ANSWER_KEY,   /* the tests that all events share */
	TW_ANSWER_FIELD, /* tests on a field that the event has */
};

struct tw_binder {
	const struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error *err;
	struct tw_known *known;         /* one for each predicate */
	const struct tw_format *format; /* whose tree is being made; NULL for ids that the schema does not have */
	struct tw_print *print;         /* of it, once that was needed */
	uint8_t answers[TW_FILTER_PREDICATES_MAX]; /* enum tw_answer: of the format */
	/* The last format that none of the fields is in, and its tree: the next such one with the same answers shares it. */
	uint8_t plain_answers[TW_FILTER_PREDICATES_MAX];
	const struct tw_node *plain;
};

/** tw_binder__bind_keys() - before all events: the tests on what is no field. Return: 0, -EINVAL, -ERANGE, -ENOMEM */
int tw_binder__bind_keys(struct tw_binder *b);

/** tw_binder__answer() - fill the answers for the binder's format. Return: whether it has one of the fields */
bool tw_binder__answer(struct tw_binder *b);

/** tw_binder__predicate() - the tree of one comparison, once it is answered; a TRUE or FALSE where it is certain */
int tw_binder__predicate(struct tw_binder *b, unsigned int i, struct tw_node **ret);

/** tw_binder__check() - after all events: whether each name was known somewhere. Return: 0, -EINVAL, -ENOMEM */
int tw_binder__check(struct tw_binder *b);

#endif
