/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which stage can do which predicate of an expression. */
#ifndef CLI_FILTER_ABILITY_H
#define CLI_FILTER_ABILITY_H

#include "cli/filter/explain/stages.h"

enum filter_can {
	FILTER_CAN,        /* for every event that it is about */
	FILTER_CAN_PARTLY, /* for some of them */
	FILTER_CANNOT,
	FILTER_CERTAIN, /* the kind of event decides already */
};

struct filter_ability {
	uint8_t can;                   /* enum filter_can */
	const char *why;               /* of the first event that it cannot: goes on after "because"; else NULL */
	const struct tw_format *event; /* that event */
};

/* A row for each predicate. */
typedef struct filter_ability filter_abilities[FILTER_STAGES];

/**
 * filter_abilities__find() - ask every stage about every test
 * @ret: the caller's, free(); tw_filter__predicates() rows
 * Return: 0, -ENOMEM.
 */
int filter_abilities__find(const struct filter_expression *expression, filter_abilities **ret, struct tw_error *err);

/** filter_can__name() - "yes", "part", "no", "known" */
const char *filter_can__name(enum filter_can can);

#endif
