/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/identity.h"

#include <stdio.h>
#include <string.h>

/* Control characters of a stranger's name don't reach anybody's terminal. */
static void text__copy(char *to, size_t size, const struct tw_attr_view *attr)
{
	const size_t len = attr->len < size - 1 ? attr->len : size - 1;

	for (size_t i = 0; i < len; i++)
		to[i] = (char)(attr->value[i] < 0x20 || attr->value[i] == 0x7f ? '?' : attr->value[i]);
	to[len] = '\0';
}

static void identity__attr(struct tw_identity *id, const struct tw_attr_view *attr)
{
	switch (attr->attr) {
	case TW_HOST_NAME:
		return text__copy(id->host, sizeof(id->host), attr);
	case TW_HOST_INSTANCE:
		return text__copy(id->instance, sizeof(id->instance), attr);
	case TW_HOST_RELEASE:
		return text__copy(id->release, sizeof(id->release), attr);
	case TW_HOST_MACHINE:
		return text__copy(id->machine, sizeof(id->machine), attr);
	case TW_HOST_OS:
		return text__copy(id->os, sizeof(id->os), attr);
	case TW_HOST_CLOCK:
		return text__copy(id->clock, sizeof(id->clock), attr);
	case TW_HOST_EVENTS:
		return text__copy(id->events, sizeof(id->events), attr);
	case TW_HOST_FILTER:
		return text__copy(id->filter, sizeof(id->filter), attr);
	case TW_HOST_CLOCK_MULT:
		if (attr->len == sizeof(uint64_t))
			id->clock_mult = tw_load_be64(attr->value);
		return;
	case TW_HOST_CLOCK_SHIFT:
		if (attr->len == sizeof(uint64_t))
			id->clock_shift = tw_load_be64(attr->value) & 63;
		return;
	default:
		return;
	}
}

void tw_identity__host(struct tw_identity *id, const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_attr_view attr;

	while (tw_host__next(&list, &attr))
		identity__attr(id, &attr);
}

bool tw_identity__counts(const struct tw_identity *id)
{
	const char *name = *id->clock == 'c' ? "counter" : *id->clock == 'x' ? "x86-tsc" : "ppc-tb";

	return !id->clock_mult && *id->clock == *name && !strcmp(id->clock, name);
}

void tw_identity__name(const struct tw_identity *id, uint64_t stream_id, char *ret, size_t size)
{
	if (!*id->host)
		snprintf(ret, size, "stream-%016llx", (unsigned long long)stream_id);
	else if (!*id->instance)
		snprintf(ret, size, "%s", id->host);
	else
		snprintf(ret, size, "%s:%s", id->host, id->instance);
}

void tw_identity__describe(const struct tw_identity *id, char *ret, size_t size)
{
	snprintf(ret, size, "kernel trace events%s%s%s%s%s%s%s%s", *id->events ? ": " : "", id->events,
		 *id->clock ? "; clock " : "", id->clock, *id->release ? "; kernel " : "", id->release,
		 *id->machine ? " " : "", id->machine);
}
