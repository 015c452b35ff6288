/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an interface can do in XDP, as the kernel tells since 6.3. Used inside xdp/ only. */
#ifndef TW_FEATURES_H
#define TW_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

/** tw_features__takes_redirected() - whether frames that XDP redirects to the interface are sent; true also if that is not told */
bool tw_features__takes_redirected(uint32_t ifindex);

#endif
