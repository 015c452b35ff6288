/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A classifier of this process. Used inside xdp/ only. */
#ifndef TW_CLASSIFIER_STATE_H
#define TW_CLASSIFIER_STATE_H

#include "xdp/attach_xdp.h"
#include "xdp/guardian.h"

struct tw_classifier {
	struct tw_state state;
	struct tw_state_file file;
	struct tw_guardian guardian;
	struct tw_filter *filters[TW_RULES_MAX + 1]; /* the last is true of every event */
	struct tw_maps maps;
	uint16_t udp_port;
	int link;    /* of XDP; -1 = none */
	int program; /* in a NIC; -1 = none */
};

#endif
