/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. Addresses of IPv4, IPv6 and sockets. */
#ifndef TW_PRINT_PUT_IP_H
#define TW_PRINT_PUT_IP_H

#include "schema/print/put.h"

/** tw_put__ip() - a TW_POINTER_IP4, _IP6 or _SOCKADDR */
void tw_put__ip(struct tw_line *line, const struct tw_pointer *pointer, const struct tw_put_bytes *bytes);

#endif
