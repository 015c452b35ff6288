/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/identity.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/event_pattern.h"
#include "base/printable.h"

#define SELECTION_MAX 255 /* the producer cuts a longer selection after this number of bytes */

static void identity__text(struct tw_identity *id, const struct tw_attr_view *attr)
{
#define TEXT(attr, field) [attr] = { offsetof(struct tw_identity, field), sizeof(((struct tw_identity *)0)->field) }
	static const struct {
		size_t offset, size;
	} texts[] = {
		TEXT(TW_HOST_NAME, host),
		TEXT(TW_HOST_INSTANCE, instance),
		TEXT(TW_HOST_RELEASE, release),
		TEXT(TW_HOST_MACHINE, machine),
		TEXT(TW_HOST_OS, os),
		TEXT(TW_HOST_CLOCK, clock),
		TEXT(TW_HOST_EVENTS, events),
		TEXT(TW_HOST_FILTER, filter),
		TEXT(TW_HOST_VERSION, version),
		TEXT(TW_HOST_BOOT_ID, boot),
		TEXT(TW_HOST_POINTERS, pointers),
		TEXT(TW_HOST_SYNC, sync),
		TEXT(TW_HOST_GRANDMASTER, grandmaster),
	};
#undef TEXT

	if (attr->attr < sizeof(texts) / sizeof(texts[0]) && texts[attr->attr].size)
		tw_printable__copy((char *)id + texts[attr->attr].offset, texts[attr->attr].size, attr->value,
				   attr->len);
}

static void identity__number(struct tw_identity *id, const struct tw_attr_view *attr)
{
	const uint64_t number = tw_load_be64(attr->value);

	if (attr->attr == TW_HOST_CPUS)
		id->cpus = number;
	else if (attr->attr == TW_HOST_CLOCK_MULT)
		id->scale.mult = number;
	else if (attr->attr == TW_HOST_CLOCK_SHIFT)
		id->scale.shift = number & 63;
	else if (attr->attr == TW_HOST_SYNC_SINCE)
		id->sync_since = number;
	else if (attr->attr == TW_HOST_SYNC_UTC) {
		id->has_sync_utc = true;
		id->sync_utc = number;
	}
}

/* A new source of the clocks invalidates what is known about the last one. A producer sends SYNC before the other attributes. */
static void forget_sync(struct tw_identity *id)
{
	id->grandmaster[0] = '\0';
	id->sync_since = 0;
	id->has_sync_utc = false;
}

/*
 * Adds the events of "SYSTEM:EVENT and SYSTEM:EVENT". A name that does not fit is left out, so that its event counts as one that is not
 * recorded.
 */
static void add_hooked(struct tw_identity *id, const char *names)
{
	while (*names) {
		const char *next = strstr(names, " and ");
		const int len = next ? (int)(next - names) : (int)strlen(names);
		const char *colon = memchr(names, ':', (size_t)len);
		const char *event = colon ? colon + 1 : names;
		const size_t at = strlen(id->hooked);
		char name[64];

		if ((size_t)snprintf(name, sizeof(name), ",%.*s,", (int)(names + len - event), event) < sizeof(name) &&
		    !strstr(id->hooked, name) && at + strlen(name) < sizeof(id->hooked))
			strcpy(id->hooked + at, name + !!at);
		names += len + (next ? 5 : 0);
	}
}

/* Reads "EVENTS, stage NAME: HOOK", or "none" and the reason instead of HOOK. */
static void identity__hook(struct tw_identity *id, const struct tw_attr_view *attr)
{
	char text[256], *stage, *hook;

	tw_printable__copy(text, sizeof(text), attr->value, attr->len);
	stage = strstr(text, ", stage ");
	hook = stage ? strstr(stage + 1, ": ") : NULL;
	if (!hook || !strncmp(hook, ": none", 6))
		return;
	*stage = '\0';
	add_hooked(id, text);
}

void tw_identity__host(struct tw_identity *id, const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_attr_view attr;
	bool has_hooks = false;

	while (tw_host__next(&list, &attr)) {
		if (attr.attr == TW_HOST_SYNC)
			forget_sync(id);
		identity__text(id, &attr);
		if (attr.len == sizeof(uint64_t))
			identity__number(id, &attr);
		if (attr.attr == TW_HOST_HOOK) {
			if (!has_hooks)
				id->hooked[0] = '\0';
			id->has_hooks = has_hooks = true;
			identity__hook(id, &attr);
		}
		if (attr.attr == TW_HOST_NAME) {
			id->host_len = attr.len < sizeof(id->host_bytes) ? attr.len : sizeof(id->host_bytes);
			memcpy(id->host_bytes, attr.value, id->host_len);
		}
	}
}

enum tw_selected tw_identity__selects(const struct tw_identity *id, const char *system, const char *event)
{
	const bool is_cut = strlen(id->events) >= SELECTION_MAX;
	char events[sizeof(id->events)];
	char *last;

	memcpy(events, id->events, sizeof(events));
	last = is_cut ? strrchr(events, ',') : NULL;
	if (last)
		*last = '\0';
	if (tw_event_patterns__match(events, system, event))
		return TW_SELECTED_YES;
	return !*events || is_cut || !strcmp(system, "ftrace") ? TW_SELECTED_UNKNOWN : TW_SELECTED_NO;
}

enum tw_selected tw_identity__records(const struct tw_identity *id, const char *system, const char *event)
{
	char name[64];

	if (id->has_hooks && !strcmp(system, "sockts") &&
	    (size_t)snprintf(name, sizeof(name), ",%s,", event) < sizeof(name) && !strstr(id->hooked, name))
		return TW_SELECTED_NO;
	return tw_identity__selects(id, system, event);
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
		 *id->pointers ? "; pointers " : "", id->pointers, *id->sync ? "; clock synchronised to " : "",
		 id->sync);
	tw_printable__mend(ret, size);
}

void tw_identity__describe(const struct tw_identity *id, char *ret, size_t size)
{
	snprintf(ret, size, "kernel trace events%s%s%s%s%s%s%s%s", *id->events ? ": " : "", id->events,
		 *id->clock ? "; clock " : "", id->clock, *id->release ? "; kernel " : "", id->release,
		 *id->machine ? " " : "", id->machine);
	tw_printable__mend(ret, size);
}
