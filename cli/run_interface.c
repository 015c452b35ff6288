/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run_interface.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cleanup.h"

#define NAMES_MAX 100 /* tw0 to tw99 */

static int look_up(struct run_wire *wire, const char *name, struct tw_error *error)
{
	snprintf(wire->name, sizeof(wire->name), "%s", name);
	return tw_iface__find(name, &wire->iface, error);
}

static int create(const char *name, const char *instance, unsigned int queues, struct run_wire *ret,
		  struct tw_error *error)
{
	char owner[TW_WIRE_OWNER_MAX];
	const struct tw_wire_options opts = {
		.name = name,
		.owner = owner,
		.queues = queues > TW_WIRE_QUEUES ? TW_WIRE_QUEUES : queues,
	};
	int err;

	snprintf(owner, sizeof(owner), RUN_OWNER "%s", instance);
	err = tw_wire__create(&opts, error);
	if (err)
		return err;
	*ret = (struct run_wire){ .ours = true };
	return look_up(ret, name, error);
}

int run_wire__create(const char *name, const char *instance, unsigned int queues, struct run_wire *ret,
		     struct tw_error *error)
{
	char numbered[IFNAMSIZ];
	struct tw_error why;
	int err = name ? create(name, instance, queues, ret, &why) : -EEXIST;

	for (int i = 0; !name && i < NAMES_MAX && err == -EEXIST; i++) {
		snprintf(numbered, sizeof(numbered), RUN_WIRE_NAME "%d", i);
		err = create(numbered, instance, queues, ret, &why);
	}
	return err ? tw_error__set(error, err, "%s", why.text) : 0;
}

int run_wire__open(const char *name, const char *instance, unsigned int queues, struct run_wire *ret,
		   struct tw_error *error)
{
	struct run_wire wire = { .ours = false };
	struct tw_error why;
	const int err = look_up(&wire, name, &why);

	if (err == -ENODEV)
		return create(name, instance, queues, ret, error);
	if (err)
		return tw_error__set(error, err, "%s", why.text);
	*ret = wire;
	return 0;
}

enum tw_reach run_wire__reach(const char *name)
{
	struct tw_error ignored;
	struct tw_iface iface;
	const int err = tw_iface__find(name, &iface, &ignored);

	if (err)
		return err == -ENODEV ? TW_REACH_WIRE : TW_REACH_NETWORK;
	return iface.reach;
}

int run_wire__sink(struct run_wire *wire, unsigned int thread, size_t frame_max, struct tw_sink **ret,
		   struct tw_error *error)
{
	const bool has_queue = thread < wire->iface.queues;
	const struct tw_tx_options opts = {
		.ifname = wire->iface.tx_name,
		.queue = has_queue ? thread : 0,
		.frame_max = frame_max,
		.transport = has_queue ? TW_TRANSPORT_AUTO : TW_TRANSPORT_PACKET,
		.destination = wire->destination,
	};
	const int err = tw_tx__open(&opts, ret, error);

	if (!err && !wire->how[0])
		snprintf(wire->how, sizeof(wire->how), "%s", (*ret)->how);
	return err;
}

int run_wire__close(struct run_wire *wire, struct tw_error *error)
{
	int err = 0;

	if (wire->ours)
		err = tw_wire__remove(wire->name, error);
	wire->ours = false;
	return err == -ENODEV ? 0 : err;
}
