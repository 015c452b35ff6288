/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/own_events.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

_Static_assert(TW_OWN_NAME_MAX == IFNAMSIZ, "names of interfaces");

void tw_own_events__add_pid(struct tw_own_events *own, pid_t pid)
{
	if (!own->complete && own->n_pids < TW_OWN_PIDS_MAX)
		own->pids[own->n_pids++] = pid;
}

void tw_own_events__add_device(struct tw_own_events *own, const char *name)
{
	if (!own->complete && own->n_devices < TW_OWN_DEVICES_MAX)
		snprintf(own->devices[own->n_devices++], TW_OWN_NAME_MAX, "%s", name);
}

/* Begins the comparison "FIELD != ", joined by && to a previous one. */
static void put_differs(struct tw_line *line, bool first, const char *field)
{
	tw_line__str(line, first ? "" : " && ");
	tw_line__str(line, field);
	tw_line__str(line, " != ");
}

static void put_other_pids(const struct tw_own_events *own, const char *field, struct tw_line *line)
{
	for (size_t i = 0; i < own->n_pids; i++) {
		put_differs(line, !i, field);
		tw_line__i64(line, own->pids[i]);
	}
}

/*
 * Only switches between own tasks and the idle task are left out. A switch from or to another task is kept, because the trace of that task
 * needs it.
 */
static void put_switched(const struct tw_own_events *own, const char *field, struct tw_line *line)
{
	static const char *const fields[] = { "prev_pid", "next_pid" };

	(void)field;
	for (size_t i = 0; i < 2 && own->n_pids; i++) {
		tw_line__str(line, i ? " || (" : "(");
		put_differs(line, true, fields[i]);
		tw_line__str(line, "0 && ");
		put_other_pids(own, fields[i], line);
		tw_line__char(line, ')');
	}
}

static void put_named(const struct tw_own_events *own, const char *field, struct tw_line *line)
{
	for (size_t i = 0; i < own->n_devices; i++) {
		put_differs(line, !i, field);
		tw_line__char(line, '"');
		tw_line__str(line, own->devices[i]);
		tw_line__char(line, '"');
	}
}

static void put_numbered(const struct tw_own_events *own, const char *field, struct tw_line *line)
{
	bool first = true;

	for (size_t i = 0; i < own->n_devices; i++) {
		const unsigned int index = if_nametoindex(own->devices[i]);

		if (!index)
			continue;
		put_differs(line, first, field);
		tw_line__u64(line, index);
		first = false;
	}
}

/*
 * Kinds of events, with the field that names the task or interface. If this kernel's event does not have the field, every event of this
 * kind is recorded.
 */
static const struct own_kind {
	const char *system, *event; /* NULL = all events of the system */
	const char *field;
	void (*put)(const struct tw_own_events *own, const char *field, struct tw_line *line);
} kinds[] = {
	{ "sched", "sched_switch", NULL, put_switched },
	{ "sched", "sched_waking", "pid", put_other_pids },
	{ "sched", "sched_wakeup", "pid", put_other_pids },
	{ "sched", "sched_migrate_task", "pid", put_other_pids },
	{ "net", NULL, "name", put_named },
	{ "napi", "napi_poll", "dev_name", put_named },
	{ "qdisc", NULL, "ifindex", put_numbered },
	{ "xdp", NULL, "ifindex", put_numbered },
};

void tw_own_events__filter(const struct tw_own_events *own, const char *system, const char *event, struct tw_line *line)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct own_kind *kind = &kinds[i];

		if (!strcmp(kind->system, system) && (!kind->event || !strcmp(kind->event, event)))
			kind->put(own, kind->field, line);
	}
}
