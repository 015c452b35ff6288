/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to binding. An expression on its way from event to event. */
#ifndef TW_FILTER_BINDER_H
#define TW_FILTER_BINDER_H

#include "filter/bind/bind.h"

/* What is known of a comparison, besides what is typed. */
struct tw_known {
	struct tw_filter_name name;
	struct tw_tests shared; /* of what every event has: the same tests for all */
	bool has_shared;
	bool found;  /* some event has it */
	bool usable; /* and can be compared so */
	int error;   /* else why the first could not */
	struct tw_error why;
};

struct tw_binder {
	const struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error *err;
	struct tw_known *known;         /* one for each predicate */
	const struct tw_format *format; /* whose tree is being made; NULL for ids that the schema does not have */
	struct tw_print *print;         /* of it, once that was needed */
};

/** tw_binder__predicate() - the tree of one comparison for the binder's format; a TRUE or FALSE where it is certain */
int tw_binder__predicate(struct tw_binder *b, unsigned int i, struct tw_node **ret);

/** tw_binder__check() - after all events: whether each name was known somewhere. Return: 0, -EINVAL, -ENOMEM */
int tw_binder__check(struct tw_binder *b);

#endif
