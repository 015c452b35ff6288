/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run_interface.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cleanup.h"

#define NAMES_MAX 100 /* tw0 to tw99 */

static int look_up(struct run_wire *wire, const char *name, struct tw_error *err)
{
	snprintf(wire->name, sizeof(wire->name), "%s", name);
	return tw_iface__find(name, &wire->iface, err);
}

static int create(const char *name, const char *instance, unsigned int queues, struct run_wire *ret,
		  struct tw_error *err)
{
	char owner[TW_WIRE_OWNER_MAX];
	const struct tw_wire_options opts = {
		.name = name,
		.owner = owner,
		.queues = queues > TW_WIRE_QUEUES ? TW_WIRE_QUEUES : queues,
	};
	int error;

	snprintf(owner, sizeof(owner), RUN_OWNER "%s", instance);
	error = tw_wire__create(&opts, err);
	if (error)
		return error;
	*ret = (struct run_wire){ .ours = true };
	return look_up(ret, name, err);
}

int run_wire__create(const char *name, const char *instance, unsigned int queues, struct run_wire *ret,
		     struct tw_error *err)
{
	char numbered[IFNAMSIZ];
	struct tw_error why;
	int error = name ? create(name, instance, queues, ret, &why) : -EEXIST;

	for (int i = 0; !name && i < NAMES_MAX && error == -EEXIST; i++) {
		snprintf(numbered, sizeof(numbered), RUN_WIRE_NAME "%d", i);
		error = create(numbered, instance, queues, ret, &why);
	}
	return error ? tw_error__set(err, error, "%s", why.text) : 0;
}

int run_wire__open(const char *name, const char *instance, unsigned int queues, struct run_wire *ret,
		   struct tw_error *err)
{
	struct run_wire wire = { .ours = false };
	struct tw_error why;
	const int error = look_up(&wire, name, &why);

	if (error == -ENODEV)
		return create(name, instance, queues, ret, err);
	if (error)
		return tw_error__set(err, error, "%s", why.text);
	*ret = wire;
	return 0;
}

enum tw_reach run_wire__reach(const char *name)
{
	struct tw_error ignored;
	struct tw_iface iface;
	const int error = tw_iface__find(name, &iface, &ignored);

	if (error)
		return error == -ENODEV ? TW_REACH_WIRE : TW_REACH_NETWORK;
	return iface.reach;
}

int run_wire__sink(struct run_wire *wire, unsigned int thread, size_t frame_max, struct tw_sink **ret,
		   struct tw_error *err)
{
	const bool has_queue = thread < wire->iface.queues;
	const struct tw_tx_options opts = {
		.ifname = wire->iface.tx_name,
		.queue = has_queue ? thread : 0,
		.frame_max = frame_max,
		.transport = has_queue ? TW_TRANSPORT_AUTO : TW_TRANSPORT_PACKET,
		.destination = wire->destination,
	};
	const int error = tw_tx__open(&opts, ret, err);

	if (!error && !wire->how[0])
		snprintf(wire->how, sizeof(wire->how), "%s", (*ret)->how);
	return error;
}

int run_wire__close(struct run_wire *wire, struct tw_error *err)
{
	int error = 0;

	if (wire->ours)
		error = tw_wire__remove(wire->name, err);
	wire->ours = false;
	return error == -ENODEV ? 0 : error;
}
