/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/numbers.h"

#include "pcap-tools/merge/channel.h"

bool tw_numbers__see(struct tw_numbers *n, uint64_t seq, uint64_t *gaps)
{
	const uint64_t back = n->next - 1 - seq, ahead = seq - n->next;

	if (!n->known) {
		*n = (struct tw_numbers){ .next = seq + 1, .recent = UINT64_MAX, .known = true };
	} else if (seq < n->next) {
		if (back < 64 && !(n->recent >> back & 1)) {
			n->recent |= 1ull << back;
			--*gaps;
		}
	} else if (ahead < TW_CHANNEL_JUMP) {
		n->recent = ahead < 63 ? n->recent << (ahead + 1) | 1 : 1;
		*gaps += ahead;
		n->next = seq + 1;
	} else {
		return false;
	}
	return true;
}
