/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The XDP program of the AF_XDP receiver (rx_xdp.bpf.c), held by a bpf_link: it goes with us. Used inside vnet/ only. */
#ifndef TW_RX_XDP_PROGRAM_H
#define TW_RX_XDP_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

struct rx_xdp_program {
	struct rx_xdp_code *code; /* its skeleton; NULL = not loaded */
	int link;                 /* -1 = not attached */
	bool native;              /* attached to the driver, else behind it */
};

/* A program that is there already. */
struct rx_xdp_other {
	uint32_t id; /* 0 = there is none */
	char name[BPF_OBJ_NAME_LEN];
};

/** rx_xdp_program__find_other() - the program that an interface has in XDP */
struct rx_xdp_other rx_xdp_program__find_other(int ifindex);

/**
 * rx_xdp_program__load() - load it, with places for sockets
 * @queues: how many
 * @multi_buffer: they take packets of several pieces; else packets that are in one, of RX_XDP_CHUNK_ROOM bytes at most
 * Return: 0 or -errno; @ret is to be closed in any case
 */
int rx_xdp_program__load(unsigned int queues, bool multi_buffer, struct rx_xdp_program *ret);

/** rx_xdp_program__serve() - what comes on a queue goes to this socket. Return: 0 or -errno */
int rx_xdp_program__serve(const struct rx_xdp_program *program, unsigned int queue, int socket);

/** rx_xdp_program__attach() - from now on. Return: 0; -EEXIST or -EBUSY if another program is there; another -errno */
int rx_xdp_program__attach(struct rx_xdp_program *program, int ifindex);

/** rx_xdp_program__missed() - frames of ours that it had to leave to others so far; no syscall */
uint64_t rx_xdp_program__missed(const struct rx_xdp_program *program);

void rx_xdp_program__close(struct rx_xdp_program *program);

#endif
