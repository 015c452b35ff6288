/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which PTP hardware clock (PHC) an interface has, as a map for BPF programs: they see the interface of a packet, but not its clock. The map
 * has the interfaces with hardware of their own, in all network namespaces. Interfaces that the map lacks have no clock, or it is unknown.
 */
#ifndef TW_SOCKET_PHCS_H
#define TW_SOCKET_PHCS_H

struct tw_socket_phcs {
	int map;   /* struct tw_sockts_device -> __s32, N of /dev/ptpN; -1 = none */
	int links; /* a netlink socket, which says when links change; -1 = none */
};

/** tw_socket_phcs__init() - create the map, and find the clocks. Return: 0 or -errno; call the next in either case */
int tw_socket_phcs__init(struct tw_socket_phcs *phcs);
void tw_socket_phcs__fini(struct tw_socket_phcs *phcs);

/**
 * tw_socket_phcs__update() - if links of this network namespace have changed, find the clocks again; to be called once a second
 * New hardware is first in the namespace in which the machine has started. If this process is in another one, it finds only the clocks that
 * were there at the start.
 */
void tw_socket_phcs__update(struct tw_socket_phcs *phcs);

#endif
