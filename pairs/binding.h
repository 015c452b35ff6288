/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event of a pair, bound to a format: where the values of its keys and of its groups are in a record.
 *
 * The name of a key or group is that of a field of the event, also of a common one such as common_pid. If the event has no field `cpu`,
 * `pid` or `comm`, these names mean the CPU of the event, and the pid and the name of the task that ran.
 */
#ifndef TW_PAIR_BINDING_H
#define TW_PAIR_BINDING_H

#include "pairs/names.h"
#include "pairs/pairing.h"
#include "pairs/table.h"
#include "schema/field.h"
#include "schema/print.h"

/* An event as input. */
struct tw_pair_input {
	uint64_t stream; /* id */
	uint32_t pid;
	uint16_t cpu;
	const char *comm; /* name of the task; NULL = unknown */
	size_t comm_len;
	const struct tw_record *record;
	const struct tw_print *print;     /* of the event type, for values with names; NULL = none */
	const struct tw_print_host *host; /* for pointers, which are shown as symbols; NULL = none */
};

/* Where one value is. */
struct tw_pair_value {
	enum { TW_PAIR_NO_VALUE, TW_PAIR_FIELD, TW_PAIR_CPU, TW_PAIR_PID, TW_PAIR_COMM } kind;
	const struct tw_field *field; /* for TW_PAIR_FIELD; borrowed from the format */
};

/** tw_pair_value__is_text() - whether the value is a text, not a number */
bool tw_pair_value__is_text(const struct tw_pair_value *value);

struct tw_pair_binding {
	const struct tw_pair_event *event;
	struct tw_pair_value keys[TW_PAIR_KEYS_MAX];
	struct tw_pair_value by[TW_PAIR_KEYS_MAX]; /* TW_PAIR_NO_VALUE = the event does not have this value */
};

/** tw_pair_binding__is_of() - whether @event of a pair is the event of @format */
bool tw_pair_binding__is_of(const struct tw_pair_event *event, const struct tw_format *format);

/**
 * tw_pair_binding__make() - bind an event of a pair to the format of this event
 * @by: names of the @n_by fields whose values are the groups
 * Return: 0; -EINVAL if the event has no field of a key's name, or if that field is neither a number nor a text nor an IP
 * address (tw_field__address()).
 */
int tw_pair_binding__make(const struct tw_pair *pair, const struct tw_pair_event *event, const struct tw_format *format,
			  const char *const *by, size_t n_by, struct tw_pair_binding *ret, struct tw_error *error);

/**
 * tw_pair_binding__key() - read the key of an event
 * @names: gets the values that are texts
 * Return: false if a value is not in the record, if a text is too long or @names is full, or if there is no memory.
 */
bool tw_pair_binding__key(const struct tw_pair_binding *binding, const struct tw_pair_input *input,
			  struct tw_pair_names *names, struct tw_pairing_key *ret);

/**
 * tw_pair_binding__value() - read the value of an event with the role TW_PAIR_VALUE
 * @ret_negative: whether the value is below 0; then *@ret cannot be used
 * Return: false if the value is not in the record, or not a number.
 */
bool tw_pair_binding__value(const struct tw_pair_binding *binding, const struct tw_pair_input *input, uint64_t *ret,
			    bool *ret_negative);

/**
 * tw_pair_binding__is_named() - whether the value of an event is shown as a name
 * This is so for texts, pointers and enums, and for other numbers for which @print has names.
 */
bool tw_pair_binding__is_named(const struct tw_pair_binding *binding, const struct tw_print *print);

/** tw_pair_binding__value_name() - the name of the value, as for tw_pair_binding__group(). Return: TW_PAIR_NO_NAME without memory */
uint32_t tw_pair_binding__value_name(const struct tw_pair_binding *binding, const struct tw_pair_input *input,
				     struct tw_pair_names *names);

/**
 * tw_pair_binding__group() - read the names of the values that are an event's groups
 * @ret: @n_by numbers of names; those of values that the event does not have stay unchanged
 * Return: false if there is no memory.
 */
bool tw_pair_binding__group(const struct tw_pair_binding *binding, const struct tw_pair_input *input, size_t n_by,
			    struct tw_pair_names *names, uint64_t *ret);

#endif
