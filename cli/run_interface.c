/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run_interface.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cleanup.h"

#define NAMES_MAX 100 /* tw0 to tw99 */

static int look_up(struct run_interface *veth, const char *name, struct tw_error *error)
{
	snprintf(veth->name, sizeof(veth->name), "%s", name);
	return tw_iface__find(name, &veth->iface, error);
}

static int create(const char *name, const char *instance, unsigned int queues, struct run_interface *ret,
		  struct tw_error *error)
{
	char owner[TW_VETH_OWNER_MAX];
	const struct tw_veth_options opts = {
		.name = name,
		.owner = owner,
		.queues = queues > TW_VETH_QUEUES ? TW_VETH_QUEUES : queues,
	};
	int err;

	snprintf(owner, sizeof(owner), RUN_OWNER "%s", instance);
	err = tw_veth__create(&opts, error);
	if (err)
		return err;
	*ret = (struct run_interface){ .ours = true };
	return look_up(ret, name, error);
}

int run_interface__create(const char *name, const char *instance, unsigned int queues, struct run_interface *ret,
			  struct tw_error *error)
{
	char numbered[IFNAMSIZ];
	struct tw_error why;
	int err = name ? create(name, instance, queues, ret, &why) : -EEXIST;

	for (int i = 0; !name && i < NAMES_MAX && err == -EEXIST; i++) {
		snprintf(numbered, sizeof(numbered), "tw%d", i);
		err = create(numbered, instance, queues, ret, &why);
	}
	return err ? tw_error__set(error, err, "%s", why.text) : 0;
}

int run_interface__open(const char *name, const char *instance, unsigned int queues, struct run_interface *ret,
			struct tw_error *error)
{
	struct run_interface veth = { .ours = false };
	struct tw_error why;
	const int err = look_up(&veth, name, &why);

	if (err == -ENODEV)
		return create(name, instance, queues, ret, error);
	if (err)
		return tw_error__set(error, err, "%s", why.text);
	*ret = veth;
	return 0;
}

enum tw_reach run_interface__reach(const char *name)
{
	struct tw_error ignored;
	struct tw_iface iface;
	const int err = tw_iface__find(name, &iface, &ignored);

	if (err)
		return err == -ENODEV ? TW_REACH_VETH : TW_REACH_NETWORK;
	return iface.reach;
}

int run_interface__sink(struct run_interface *veth, unsigned int thread, size_t frame_max, struct tw_sink **ret,
			struct tw_error *error)
{
	const bool has_queue = thread < veth->iface.queues;
	const struct tw_tx_options opts = {
		.ifname = veth->iface.tx_name,
		.queue = has_queue ? thread : 0,
		.frame_max = frame_max,
		.transport = has_queue ? TW_TRANSPORT_AUTO : TW_TRANSPORT_PACKET,
		.destination = veth->destination,
	};
	const int err = tw_tx__open(&opts, ret, error);

	if (!err && !veth->how[0])
		snprintf(veth->how, sizeof(veth->how), "%s", (*ret)->how);
	return err;
}

int run_interface__close(struct run_interface *veth, struct tw_error *error)
{
	int err = 0;

	if (veth->ours)
		err = tw_veth__remove(veth->name, error);
	veth->ours = false;
	return err == -ENODEV ? 0 : err;
}
