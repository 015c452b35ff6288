/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where frames may be redirected to. Used inside xdp/ only. */
#ifndef TW_FEATURES_H
#define TW_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

/** tw_features__takes_redirected() - whether it sends what XDP redirects to it; true also where kernels do not tell, before 6.3 */
bool tw_features__takes_redirected(uint32_t ifindex);

/** tw_features__leads_back() - whether what it sends arrives on @ifindex: it is the other end of that veth pair */
bool tw_features__leads_back(uint32_t target, int ifindex);

#endif
