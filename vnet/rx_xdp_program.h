/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The XDP program of the AF_XDP receiver (rx_xdp.bpf.c). A bpf_link removes it with the process. Used inside vnet/ only.
 */
#ifndef TW_RX_XDP_PROGRAM_H
#define TW_RX_XDP_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

struct rx_xdp_program {
	struct rx_xdp_code *code; /* its skeleton; NULL = not loaded */
	int link;                 /* -1 = not attached */
	bool native;              /* attached in the driver; otherwise generic XDP */
};

/* An XDP program that is already attached. */
struct rx_xdp_other {
	uint32_t id; /* 0 = there is none */
	char name[BPF_OBJ_NAME_LEN];
};

/** rx_xdp_program__find_other() - the XDP program of an interface */
struct rx_xdp_other rx_xdp_program__find_other(int ifindex);

/**
 * rx_xdp_program__load() - load the program, with entries for sockets
 * @queues: number of sockets
 * @multi_buffer: the sockets accept packets of several fragments; otherwise linear packets of at most RX_XDP_CHUNK_ROOM bytes
 * Return: 0 or -errno; close @ret in either case
 */
int rx_xdp_program__load(unsigned int queues, bool multi_buffer, struct rx_xdp_program *ret);

/** rx_xdp_program__serve() - redirect frames of a queue to this socket. Return: 0 or -errno */
int rx_xdp_program__serve(const struct rx_xdp_program *program, unsigned int queue, int socket);

/**
 * rx_xdp_program__attach() - attach the program. Return: 0; -EEXIST or -EBUSY if there is another program; another -errno
 */
int rx_xdp_program__attach(struct rx_xdp_program *program, int ifindex);

/** rx_xdp_program__missed() - number of Tracewire's frames that no socket accepted; makes no system call */
uint64_t rx_xdp_program__missed(const struct rx_xdp_program *program);

void rx_xdp_program__close(struct rx_xdp_program *program);

#endif
