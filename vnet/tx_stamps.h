/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time stamps of a socket's frames (SO_TIMESTAMPING, Documentation/networking/timestamping.rst): transmit stamps, and receive stamps of
 * network cards. No function changes whether a card makes stamps: other programs do this (SIOCSHWTSTAMP).
 *
 * The kernel makes a transmit stamp only for frames whose message requests it, and returns the stamp on the socket's error queue, with the
 * number of the frame among these frames. A stamp of the card is a further message there, and comes later. A stamp in the error queue makes
 * poll(2) return POLLERR at once, so the owner of the socket calls tx_stamps__read() before it waits. Used inside vnet/ only.
 */
#ifndef TW_TX_STAMPS_H
#define TW_TX_STAMPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "transport/receiver.h"

#define TX_STAMPS_MAX     16                  /* latest frames whose stamps are accepted */
#define TX_STAMPS_WAITING (2 * TX_STAMPS_MAX) /* limit of stamps that wait for tx_stamps__take() */

/* Room for the ancillary data of a request for a stamp. */
#define TX_STAMPS_REQUEST CMSG_SPACE(sizeof(uint32_t))
#define TX_STAMPS_REPORT  512 /* room for the ancillary data of a message of the error queue, bytes */

/* Belongs to one thread. */
struct tx_stamps {
	int fd;
	bool on;
	const bool *card;                /* request stamps of network cards, too: struct tw_receiver.card_stamps */
	uint32_t interface;              /* of a packet socket; 0 = a socket of IP */
	uint32_t next;                   /* the kernel's number of the next frame with a stamp */
	uint32_t cookies[TX_STAMPS_MAX]; /* of the latest frames with a stamp; index: number modulo TX_STAMPS_MAX */
	struct tw_sent_stamp stamps[TX_STAMPS_WAITING]; /* a ring, from @tail to @head */
	unsigned int head, tail;
};

/**
 * tx_stamps__enable() - let the socket report transmit stamps, and receive stamps of network cards, as far as the kernel can
 * @interface: index of the interface of a packet socket; 0 = a socket of IP, which has IP_PKTINFO or IPV6_RECVPKTINFO set
 * @card: whether to request transmit stamps of cards; read before each request
 */
void tx_stamps__enable(struct tx_stamps *stamps, int fd, int interface, const bool *card);

/** tx_stamps__receive() - only let the socket report receive stamps of network cards, as far as the kernel can */
void tx_stamps__receive(int fd);

/** tx_stamps__of_card() - note a part of the card's stamp in the ancillary data of a received frame. Return: false = @c has another type */
bool tx_stamps__of_card(const struct cmsghdr *c, struct tw_card_stamp *ret);

/**
 * tx_stamps__request() - add a request for a stamp to the ancillary data of a message
 * @msg: msg_control has TX_STAMPS_REQUEST bytes of room at the end; msg_controllen, the length of the other data, is updated
 */
void tx_stamps__request(const struct tx_stamps *stamps, struct msghdr *msg);

/** tx_stamps__requested() - note the result of sending a message with a request; @err: 0 or -errno */
void tx_stamps__requested(struct tx_stamps *stamps, uint32_t cookie, int err);

/** tx_stamps__note() - note a message of the error queue. Return: whether it was a stamp */
bool tx_stamps__note(struct tx_stamps *stamps, struct msghdr *msg);

/** tx_stamps__read() - read all messages of the error queue, and discard those that are not stamps */
void tx_stamps__read(struct tx_stamps *stamps);

/** tx_stamps__take() - get the oldest stamp. Return: false if there is none */
bool tx_stamps__take(struct tx_stamps *stamps, struct tw_sent_stamp *ret);

#endif
