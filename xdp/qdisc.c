/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/qdisc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xdp/tc.h"

#define QDISCS_MAX 65536

/* State while the kernel's answer is read, one qdisc after the other. */
struct reading {
	struct tw_qdiscs *qdiscs;
	size_t size; /* allocated items */
	int err;
};

static int make_room(struct reading *reading)
{
	struct tw_qdisc *items;

	if (reading->qdiscs->n < reading->size)
		return 0;
	if (reading->size >= QDISCS_MAX)
		return -E2BIG;
	reading->size = reading->size ? 2 * reading->size : 16;
	items = realloc(reading->qdiscs->items, reading->size * sizeof(*items));
	if (!items)
		return -ENOMEM;
	reading->qdiscs->items = items;
	return 0;
}

static void add(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx)
{
	struct reading *reading = ctx;
	struct tw_qdisc qdisc = { .ifindex = head->tcm_ifindex,
				  .handle = head->tcm_handle,
				  .parent = head->tcm_parent };

	/* clsact and ingress have filters, but no queue. */
	if (reading->err || !attrs[TCA_KIND] || head->tcm_parent == TC_H_INGRESS)
		return;
	nla_strlcpy(qdisc.kind, attrs[TCA_KIND], sizeof(qdisc.kind));
	if (!if_indextoname((unsigned int)qdisc.ifindex, qdisc.device)) /* the interface was removed meanwhile */
		return;
	reading->err = make_room(reading);
	if (!reading->err)
		reading->qdiscs->items[reading->qdiscs->n++] = qdisc;
}

static int compare(const void *a, const void *b)
{
	const struct tw_qdisc *x = a, *y = b;

	if (x->ifindex != y->ifindex)
		return x->ifindex < y->ifindex ? -1 : 1;
	if ((x->parent == TC_H_ROOT) != (y->parent == TC_H_ROOT))
		return x->parent == TC_H_ROOT ? -1 : 1;
	return x->parent < y->parent ? -1 : x->parent > y->parent;
}

int tw_qdiscs__read(struct tw_qdiscs *ret, struct tw_error *error)
{
	struct tw_qdiscs qdiscs = { .n = 0 };
	struct reading reading = { .qdiscs = &qdiscs };
	struct nl_sock *sk;
	int err = tw_tc__open(&sk, error);

	if (err)
		return err;
	err = tw_qdiscs__each(sk, add, &reading, error);
	nl_socket_free(sk);
	if (!err && reading.err)
		err = tw_error__set(error, reading.err, "cannot list the queueing disciplines: %s",
				    strerror(-reading.err));
	if (err) {
		tw_qdiscs__fini(&qdiscs);
		return err;
	}
	if (qdiscs.n)
		qsort(qdiscs.items, qdiscs.n, sizeof(*qdiscs.items), compare);
	*ret = qdiscs;
	return 0;
}

void tw_qdiscs__fini(struct tw_qdiscs *qdiscs)
{
	free(qdiscs->items);
	*qdiscs = (struct tw_qdiscs){ .n = 0 };
}

const struct tw_qdisc *tw_qdiscs__next(const struct tw_qdiscs *qdiscs, const struct tw_qdisc *root)
{
	for (size_t i = root ? (size_t)(root - qdiscs->items) + 1 : 0; i < qdiscs->n; i++)
		if (qdiscs->items[i].parent == TC_H_ROOT)
			return &qdiscs->items[i];
	return NULL;
}

const struct tw_qdisc *tw_qdiscs__root(const struct tw_qdiscs *qdiscs, int ifindex)
{
	const struct tw_qdisc *root = NULL;

	while ((root = tw_qdiscs__next(qdiscs, root)))
		if (root->ifindex == ifindex)
			return root;
	return NULL;
}

/* Whether a kind has a qdisc for each transmit queue instead of a queue. */
static bool has_queues(const char *kind)
{
	static const char *const kinds[] = { "mq", "mqprio", "taprio" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i]))
			return true;
	return false;
}

/* Whether a qdisc is the child of a root: its parent is a class of the root. */
static bool is_child(const struct tw_qdisc *qdisc, const struct tw_qdisc *root)
{
	return qdisc->ifindex == root->ifindex && qdisc->parent != TC_H_ROOT &&
	       TC_H_MAJ(qdisc->parent) == TC_H_MAJ(root->handle);
}

bool tw_qdiscs__queues(const struct tw_qdiscs *qdiscs, const struct tw_qdisc *root, const char *kind)
{
	if (!has_queues(root->kind))
		return !strcmp(root->kind, kind) && strcmp(kind, "noqueue") != 0;
	for (size_t i = 0; i < qdiscs->n; i++)
		if (is_child(&qdiscs->items[i], root) && !strcmp(qdiscs->items[i].kind, kind))
			return true;
	return false;
}

/* Whether an earlier qdisc of the interface, other than the root, has the kind of qdisc @i. */
static bool is_known(const struct tw_qdiscs *qdiscs, const struct tw_qdisc *root, size_t i)
{
	for (size_t k = (size_t)(root - qdiscs->items) + 1; k < i; k++)
		if (!strcmp(qdiscs->items[k].kind, qdiscs->items[i].kind))
			return true;
	return false;
}

const char *tw_qdiscs__describe(const struct tw_qdiscs *qdiscs, const struct tw_qdisc *root, char *buf, size_t size)
{
	size_t len = (size_t)snprintf(buf, size, "%s", root->kind), first = (size_t)(root - qdiscs->items) + 1;
	const char *before = " with ";

	for (size_t i = first; i < qdiscs->n && qdiscs->items[i].ifindex == root->ifindex && len < size; i++) {
		if (is_known(qdiscs, root, i))
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", before, qdiscs->items[i].kind);
		before = ", ";
	}
	return buf;
}
