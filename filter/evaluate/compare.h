/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. Tests on what is no number at a fixed place: texts, bytes, arrays. */
#ifndef TW_COMPARE_H
#define TW_COMPARE_H

#include "filter/evaluate.h"
#include "filter/tree.h"

/** tw_test__holds() - whether a test is true of an event; not of the numbers that an event has beside its record */
bool tw_test__holds(const struct tw_test *test, const struct tw_filter_event *event);

#endif
