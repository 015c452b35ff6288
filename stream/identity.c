/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/identity.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"

static void identity__name_host(struct tw_identity *id, const struct tw_attr_view *attr)
{
	tw_printable__copy(id->host, sizeof(id->host), attr->value, attr->len);
	id->host_len = attr->len < sizeof(id->host_bytes) ? attr->len : sizeof(id->host_bytes);
	memcpy(id->host_bytes, attr->value, id->host_len);
}

static void identity__attr(struct tw_identity *id, const struct tw_attr_view *attr)
{
	switch (attr->attr) {
	case TW_HOST_NAME:
		return identity__name_host(id, attr);
	case TW_HOST_INSTANCE:
		return tw_printable__copy(id->instance, sizeof(id->instance), attr->value, attr->len);
	case TW_HOST_RELEASE:
		return tw_printable__copy(id->release, sizeof(id->release), attr->value, attr->len);
	case TW_HOST_MACHINE:
		return tw_printable__copy(id->machine, sizeof(id->machine), attr->value, attr->len);
	case TW_HOST_OS:
		return tw_printable__copy(id->os, sizeof(id->os), attr->value, attr->len);
	case TW_HOST_CLOCK:
		return tw_printable__copy(id->clock, sizeof(id->clock), attr->value, attr->len);
	case TW_HOST_EVENTS:
		return tw_printable__copy(id->events, sizeof(id->events), attr->value, attr->len);
	case TW_HOST_FILTER:
		return tw_printable__copy(id->filter, sizeof(id->filter), attr->value, attr->len);
	case TW_HOST_VERSION:
		return tw_printable__copy(id->version, sizeof(id->version), attr->value, attr->len);
	case TW_HOST_BOOT_ID:
		return tw_printable__copy(id->boot, sizeof(id->boot), attr->value, attr->len);
	case TW_HOST_POINTERS:
		return tw_printable__copy(id->pointers, sizeof(id->pointers), attr->value, attr->len);
	case TW_HOST_SYNC:
		return tw_printable__copy(id->sync, sizeof(id->sync), attr->value, attr->len);
	case TW_HOST_CPUS:
		if (attr->len == sizeof(uint64_t))
			id->cpus = tw_load_be64(attr->value);
		return;
	case TW_HOST_CLOCK_MULT:
		if (attr->len == sizeof(uint64_t))
			id->scale.mult = tw_load_be64(attr->value);
		return;
	case TW_HOST_CLOCK_SHIFT:
		if (attr->len == sizeof(uint64_t))
			id->scale.shift = tw_load_be64(attr->value) & 63;
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

	return !id->scale.mult && *id->clock == *name && !strcmp(id->clock, name);
}

void tw_identity__name(const struct tw_identity *id, uint64_t stream_id, char *ret, size_t size)
{
	if (!*id->host)
		snprintf(ret, size, "stream-%016llx", (unsigned long long)stream_id);
	else if (!*id->instance)
		snprintf(ret, size, "%s", id->host);
	else
		snprintf(ret, size, "%s:%s", id->host, id->instance);
	tw_printable__mend(ret, size);
}

void tw_identity__comment(const struct tw_identity *id, uint64_t stream_id, char *ret, size_t size)
{
	char cpus[32] = "";

	if (id->cpus)
		snprintf(cpus, sizeof(cpus), "; %llu CPUs", (unsigned long long)id->cpus);
	snprintf(ret, size, "stream %016llx%s%s%s%s%s%s%s%s%s", (unsigned long long)stream_id,
		 *id->version ? "; producer " : "", id->version, *id->boot ? "; boot " : "", id->boot, cpus,
		 *id->pointers ? "; pointers " : "", id->pointers, *id->sync ? "; clock kept by " : "", id->sync);
	tw_printable__mend(ret, size);
}

void tw_identity__describe(const struct tw_identity *id, char *ret, size_t size)
{
	snprintf(ret, size, "kernel trace events%s%s%s%s%s%s%s%s", *id->events ? ": " : "", id->events,
		 *id->clock ? "; clock " : "", id->clock, *id->release ? "; kernel " : "", id->release,
		 *id->machine ? " " : "", id->machine);
	tw_printable__mend(ret, size);
}
