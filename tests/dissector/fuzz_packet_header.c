/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The input: the link type, the number of missing bytes, then a packet. A header that is read has only parts of the packet. */
#include <stdlib.h>

#include "dissector/packet_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_packet_header header;
	struct tw_cursor bytes;

	if (size < 2)
		return 0;
	bytes = (struct tw_cursor){ .at = data + 2, .left = size - 2 };
	if (!tw_packet_header__parse(bytes, data[1], (enum tw_link_type)(data[0] % (TW_LINK_SLL2 + 1)), &header))
		return 0;
	if (header.len > bytes.left + data[1] || header.flow.zero)
		abort();
	if (header.flow.protocol != TW_IP_TCP && header.flow.protocol != TW_IP_UDP)
		abort();
	return 0;
}
