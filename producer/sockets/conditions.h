/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conditions under which BPF programs make socket events. They come from the run's filter, but compare only what a program knows
 * before it makes a record. An event that passes the filter therefore passes the conditions, but not the other way round.
 */
#ifndef TW_SOCKET_CONDITIONS_H
#define TW_SOCKET_CONDITIONS_H

#include "filter/tree.h"
#include "producer/sockets/record.h"
#include "producer/sockets/selection.h"

/**
 * tw_sockts_conditions__make() - make the conditions of an event
 * @root: the event's tree, bound to the format of formats.h; not FALSE
 * @arena: for memory that can be freed when this returns
 * @ret: set also on failure, then to conditions that are always true
 * Return: the tests of @ret->event as a tree, owned by @arena; TRUE if a program can evaluate no part of the filter, also because the part
 * has more than TW_SOCKTS_TESTS_MAX tests; NULL if out of memory
 */
const struct tw_node *tw_sockts_conditions__make(enum tw_sockts_event event, const struct tw_node *root,
						 struct tw_arena *arena, struct tw_sockts_conditions *ret);

/**
 * tw_sockts_conditions__select() - add the names that the user selects to the conditions of an event, also to conditions that are all zero
 * If the tests of the filter have no room beside them, they are removed.
 */
void tw_sockts_conditions__select(enum tw_sockts_event event, const struct tw_socket_selected *selected,
				  struct tw_sockts_conditions *conditions);

/** tw_sockts_test__refusal() - Return: as tw_test__refusal(), for the programs of an event */
const char *tw_sockts_test__refusal(enum tw_sockts_event event, const struct tw_test *test);

#endif
