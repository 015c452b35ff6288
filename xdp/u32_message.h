/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One filter of u32 as a message to the kernel. Used inside xdp/ only. */
#ifndef TW_U32_MESSAGE_H
#define TW_U32_MESSAGE_H

#include "filter/rules.h"
#include "filter/u32/u32.h"
#include "xdp/netlink.h"

#define TW_U32_NODES_MAX 4095 /* filters of one priority */

struct tw_u32_node {
	uint32_t number; /* 1 to TW_U32_NODES_MAX: they are asked in this order */
	const struct tw_u32_match *match;
	uint8_t action; /* enum tw_action */
	uint32_t arg;
	const uint32_t *mirror_to; /* instead of the action: copies go to these interfaces, the frame passes */
	unsigned int n_mirrors;
	bool offload;
};

/** tw_u32_node__message() - @at has interface and priority. Return: NULL without memory */
struct nl_msg *tw_u32_node__message(const struct tw_tc_at *at, const struct tw_u32_node *node);

/** tw_u32_node__needs() - the tc action that it takes: "gact", ...; NULL = none */
const char *tw_u32_node__needs(const struct tw_u32_node *node);

#endif
