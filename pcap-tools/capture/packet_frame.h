/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the Tracewire frame in a captured packet: after Ethernet and VLAN tags, or in a UDP datagram. */
#ifndef TW_PACKET_FRAME_H
#define TW_PACKET_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "pcap-tools/capture/capture_file.h"
#include "wire/decode.h"

/**
 * tw_packet__frame() - find the frame in a packet
 * @linktype: LINKTYPE_ value; only Ethernet packets contain frames
 * @ret_len: number of bytes from the frame's header to the packet's end, including padding of the link
 * Return: the frame, whose bytes are not checked here; NULL if the packet contains no frame.
 */
const uint8_t *tw_packet__frame(uint32_t linktype, const uint8_t *packet, size_t len, size_t *ret_len);

/**
 * tw_packet__is_snapped() - whether the capturing program kept only the beginning of the packet's frame (dumpcap -s); such a frame is not
 * damaged
 * @status: result of tw_frame__parse() for the @frame_len captured bytes of the frame
 */
bool tw_packet__is_snapped(const struct tw_packet *packet, enum tw_frame_status status, size_t frame_len);

#endif
