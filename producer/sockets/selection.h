/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user selects of socket events, apart from the events themselves and the filter. */
#ifndef TW_SOCKET_SELECTION_H
#define TW_SOCKET_SELECTION_H

#include <stdint.h>

/* All zero: everything is selected. */
struct tw_socket_selection {
	uint64_t sample; /* one in this number of messages of each socket has events; 0 = all have */
};

#endif
