/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_PREFERENCES_H
#define TW_PREFERENCES_H

#include "dissector/compat.h"

struct tw_preferences {
	tw_ws_bool cache;    /* read and write the cache of schemas */
	tw_ws_bool any;      /* trace.any.FIELD */
	const char *formats; /* file or folder with format texts; "" for none */
};

extern struct tw_preferences tw_preferences;

/** tw_preferences__register() - at start */
void tw_preferences__register(int proto);

#endif
