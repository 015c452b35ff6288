/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a captured packet a Tracewire frame begins: behind Ethernet and VLAN tags, or in a UDP datagram. */
#ifndef TW_PACKET_FRAME_H
#define TW_PACKET_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "pcap-tools/capture/capture_file.h"
#include "wire/decode.h"

/**
 * tw_packet__frame() - find the frame in a packet
 * @linktype: LINKTYPE_; only Ethernet has frames
 * @ret_len: bytes from the frame's header on, padding of the link included
 *
 * Return: the frame, not looked into; NULL if the packet is something else.
 */
const uint8_t *tw_packet__frame(uint32_t linktype, const uint8_t *packet, size_t len, size_t *ret_len);

/**
 * tw_packet__is_snapped() - whether whoever captured kept only the beginning of the packet's frame (dumpcap -s), which is no damage
 * @status: what tw_frame__parse() says of the @frame_len bytes of it that are there
 */
bool tw_packet__is_snapped(const struct tw_packet *packet, enum tw_frame_status status, size_t frame_len);

#endif
