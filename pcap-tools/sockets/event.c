/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/sockets/event.h"

#include "schema/print.h"

static const char *const kinds[] = {
#define X(kind, name) #name,
	TW_SOCKET_KINDS(X)
#undef X
};

static const char *const numbers[] = {
#define X(name) #name,
	TW_SOCKET_NUMBERS(X)
#undef X
};

/* Where the numbers are in struct tw_socket_event. */
static const size_t offsets[] = {
#define X(name) offsetof(struct tw_socket_event, name),
	TW_SOCKET_NUMBERS(X)
#undef X
};

/* The fields without which an event has no meaning. */
#define OF_FLOW                                                                                                 \
	(1u << TW_SOCKET_NUMBER_netns_cookie | 1u << TW_SOCKET_NUMBER_protocol | 1u << TW_SOCKET_NUMBER_sport | \
	 1u << TW_SOCKET_NUMBER_dport)
#define OF_STEP                                                                                  \
	(1u << TW_SOCKET_NUMBER_type | 1u << TW_SOCKET_NUMBER_key | 1u << TW_SOCKET_NUMBER_seq | \
	 1u << TW_SOCKET_NUMBER_bytes | 1u << TW_SOCKET_NUMBER_software)

static const uint32_t needed[] = {
	[TW_SOCKET_EGRESS] = OF_FLOW | OF_STEP,
	[TW_SOCKET_STATS] = OF_FLOW | 1u << TW_SOCKET_NUMBER_srtt_us,
	[TW_SOCKET_INGRESS] = OF_FLOW | OF_STEP,
	[TW_SOCKET_HELD] = OF_FLOW | 1u << TW_SOCKET_NUMBER_reason | 1u << TW_SOCKET_NUMBER_waited,
	[TW_SOCKET_RESET] = OF_FLOW | 1u << TW_SOCKET_NUMBER_direction,
	[TW_SOCKET_DROP] = OF_FLOW,
};

static bool is_number(const struct tw_field *field)
{
	return field && (field->kind == TW_FIELD_UINT || field->kind == TW_FIELD_INT || field->kind == TW_FIELD_BOOL ||
			 field->kind == TW_FIELD_ENUM || field->kind == TW_FIELD_POINTER);
}

/* Return: the field of an address; NULL if it has another type */
static const struct tw_field *find_address(const struct tw_format *format, const char *name)
{
	const struct tw_field *field = tw_format__find(format, name);

	return field && field->kind == TW_FIELD_ARRAY && field->size == TW_SOCKET_ADDRESS_LEN ? field : NULL;
}

/* Return: the kind of the events of a name; TW_SOCKET_KIND_COUNT for another one */
static size_t find_kind(const char *name)
{
	size_t kind = 0;

	while (kind < TW_SOCKET_KIND_COUNT && strcmp(name, kinds[kind]) != 0)
		kind++;
	return kind;
}

bool tw_socket_event__is_used(const char *name)
{
	return find_kind(name) < TW_SOCKET_KIND_COUNT;
}

bool tw_socket_binding__make(const struct tw_format *format, struct tw_socket_binding *ret)
{
	const size_t kind = find_kind(format->name);

	if (strcmp(format->system, TW_SOCKTS_SYSTEM) != 0 || kind == TW_SOCKET_KIND_COUNT)
		return false;
	*ret = (struct tw_socket_binding){ .kind = (enum tw_socket_kind)kind };
	for (size_t i = 0; i < TW_SOCKET_NUMBER_COUNT; i++) {
		const struct tw_field *field = tw_format__find(format, numbers[i]);

		ret->numbers[i] = is_number(field) ? field : NULL;
		if (!ret->numbers[i] && needed[kind] & 1u << i)
			return false;
	}
	ret->local = find_address(format, "saddrv6");
	ret->remote = find_address(format, "daddrv6");
	ret->comm = tw_format__find(format, "comm");
	if (ret->comm && ret->comm->kind != TW_FIELD_STRING)
		ret->comm = NULL;
	return ret->local && ret->remote;
}

static bool read_address(const struct tw_field *field, const struct tw_record *record, uint8_t *ret)
{
	struct tw_value value;

	if (tw_field__read(field, record, &value) || value.len != TW_SOCKET_ADDRESS_LEN)
		return false;
	memcpy(ret, value.data, TW_SOCKET_ADDRESS_LEN);
	return true;
}

static bool read_comm(const struct tw_field *field, const struct tw_record *record, char *ret)
{
	struct tw_value value;

	if (tw_field__read(field, record, &value))
		return false;
	memcpy(ret, value.data, value.len < TW_SOCKTS_COMM_LEN ? value.len : TW_SOCKTS_COMM_LEN);
	return true;
}

/* Copies the name that the format has for the reason, if it has one. */
static void read_reason(const struct tw_field *field, const struct tw_read_event *event, struct tw_socket_event *ret)
{
	const struct tw_print *print = tw_stream__print(event->stream, event->known);
	struct tw_line line = tw_line__on(ret->reason_word, sizeof(ret->reason_word) - 1);
	struct tw_print_names names;

	if (print && tw_print__names(print, field, &names))
		tw_print_names__put(&names, ret->reason, &line);
}

bool tw_socket_event__read(const struct tw_socket_binding *binding, const struct tw_read_event *event,
			   struct tw_socket_event *ret)
{
	struct tw_value value;

	*ret = (struct tw_socket_event){ .kind = binding->kind,
					 .stream = event->stream->id,
					 .time = tw_identity__ns(&event->stream->identity, event->view.time) };
	for (size_t i = 0; i < TW_SOCKET_NUMBER_COUNT; i++) {
		if (!binding->numbers[i])
			continue;
		if (tw_field__read(binding->numbers[i], &event->record, &value))
			return false;
		memcpy((char *)ret + offsets[i], &value.u, sizeof(value.u));
	}
	if (binding->kind == TW_SOCKET_DROP && binding->numbers[TW_SOCKET_NUMBER_reason])
		read_reason(binding->numbers[TW_SOCKET_NUMBER_reason], event, ret);
	return read_address(binding->local, &event->record, ret->local) &&
	       read_address(binding->remote, &event->record, ret->remote) &&
	       (!binding->comm || read_comm(binding->comm, &event->record, ret->comm));
}
