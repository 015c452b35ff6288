/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the filter room. One test in libpcap's language. Its arithmetic is that of unsigned 32-bit words, loads are big-endian, and a
 * load from beyond the packet rejects it: so the length of the record is asked for in front of each test on a field.
 *
 * All return whether what they append needs parentheses beside others.
 */
#ifndef TW_PCAP_TEST_H
#define TW_PCAP_TEST_H

#include <stddef.h>

#include "base/line.h"
#include "filter/tree.h"
#include "wire/tracewire.h"

#define TW_PCAP_FRAME 14u /* where a frame begins in an Ethernet packet, and its first TLV */
#define TW_PCAP_EVENT (TW_PCAP_FRAME + (unsigned int)sizeof(struct tw_frame_hdr))
#define TW_PCAP_FALSE "len < 1"

/** tw_pcap_number__refuses() - see tw_refuses(), for numbers */
const char *tw_pcap_number__refuses(const struct tw_test *test);
bool tw_pcap_number__write(const struct tw_test *test, struct tw_line *line);

/** tw_pcap_bytes__refuses() - see tw_refuses(), for text and bytes */
const char *tw_pcap_bytes__refuses(const struct tw_test *test);
bool tw_pcap_bytes__write(const struct tw_test *test, struct tw_line *line);

/** tw_pcap__load() - append `ether[AT:SIZE]`; @size is 1, 2 or 4 */
void tw_pcap__load(struct tw_line *line, uint32_t at, unsigned int size);

/** tw_pcap__hex() - append a number as 0x... */
void tw_pcap__hex(struct tw_line *line, uint64_t value);

/** tw_pcap__reaches() - append that the EVENT TLV has at least that many bytes, with its header */
void tw_pcap__reaches(struct tw_line *line, uint32_t bytes);

#endif
