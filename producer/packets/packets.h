/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the system `sockts` whose values the kernel has in no trace event, so BPF programs of Tracewire make the events from
 * packets. The events are only counted in the kernel: they are in no stream and in no capture.
 *
 * | event | value | attached to: the first that the kernel permits |
 * |---|---|---|
 * | icmp_echo | rtt: from the device queue of a request to the receipt of its reply, ns | tracepoints net_dev_queue, netif_receive_skb |
 * | ecn | codepoint: the ECN bits of a packet; a GSO packet counts once for each segment | the same |
 * | qdisc_leaf | delay: of a packet in a queueing discipline below the root, ns | fentry, and tracepoints qdisc_dequeue, kfree_skb |
 * | ip_start | delay: from the receive time stamp of a packet to this stage, ns; also of all events below | fentry; a netfilter hook |
 * | tcp_start, udp_start | | fentry; the ingress hook of the root cgroup |
 * | tcp_socket_enqueued, udp_socket_enqueued | | fexit; tracepoint sk_data_ready |
 * | tcp_socket_read | | tracepoint skb_copy_datagram_iovec |
 * | udp_socket_read | | fentry |
 *
 * While a delay is measured, a socket of this process makes the kernel stamp all received packets.
 */
#ifndef TW_PACKETS_H
#define TW_PACKETS_H

#include "pairs/figures.h"

#define TW_PACKETS_PIDS_MAX 16

/* Packets that are measured. */
struct tw_packets_selection {
	const char *dev;    /* name of the interface; NULL = all, as below */
	const char *netns;  /* network namespace: a name of ip-netns(8), or a path */
	const char *cgroup; /* of the task that reads: a path, absolute or below the mount point of cgroup2 */
	uint32_t pids[TW_PACKETS_PIDS_MAX]; /* threads or processes that read; @n_pids of them, 0 = all */
	size_t n_pids;
	bool nonempty_queue; /* only reads after which the socket still has data */
	bool blocked_reads;  /* also reads of TCP data that waited for an earlier segment */
};

struct tw_packets;

/** tw_packets__has() - whether a pair has an event of the system `sockts` that is not recorded, but only counted in the kernel */
bool tw_packets__has(const struct tw_pair *pair);

/**
 * tw_packets__new() - resolve the names of a selection
 * Return: 0; -EINVAL if @selection has an interface and a network namespace; -ENOENT if a name does not exist; -EOPNOTSUPP if the kernel
 * has no BTF; another -errno.
 */
int tw_packets__new(const struct tw_packets_selection *selection, struct tw_packets **ret, struct tw_error *error);

/**
 * tw_packets__add() - add the event of a pair to the events that are measured
 * Return: 0; -EINVAL if the pair names an event or a field that does not exist, or if another pair has the event; -EOPNOTSUPP if this
 * kernel permits no program for the event.
 */
int tw_packets__add(struct tw_packets *packets, struct tw_pair_figures *figures, struct tw_error *error);

/**
 * tw_packets__load() - load the programs
 * @memory: limit of the map of groups, bytes; the map has room for at least 64 buckets of groups
 * Return: 0; -EINVAL if the selection needs a read and none is measured; -EPERM; another -errno.
 */
int tw_packets__load(struct tw_packets *packets, size_t memory, struct tw_error *error);

/** tw_packets__attach() - attach the programs. They measure nothing before tw_packets__set_epoch(). Return: 0 or -errno */
int tw_packets__attach(struct tw_packets *packets, struct tw_error *error);

/** tw_packets__detach() - remove the programs; the figures can still be read */
void tw_packets__detach(struct tw_packets *packets);

/** tw_packets__set_epoch() - set the epoch that the programs fill from now on, or TW_KERNEL_CLOSED */
void tw_packets__set_epoch(struct tw_packets *packets, uint32_t epoch);

/**
 * tw_packets__follow() - to be called several times a second while the programs measure
 * Follows changes of CLOCK_TAI minus CLOCK_REALTIME, and attaches programs to queueing disciplines whose module was loaded since.
 */
void tw_packets__follow(struct tw_packets *packets);

/** tw_packets__hook() - Return: what the programs of a pair are attached to, for people; @pair is one that was added */
const char *tw_packets__hook(const struct tw_packets *packets, const struct tw_pair *pair);

/**
 * tw_packets__read() - add what the programs counted in an epoch to the figures of a pair
 * @clear: also remove this epoch from the maps; no program may use this epoch
 * Return: 0 or -errno.
 */
int tw_packets__read(struct tw_packets *packets, struct tw_pair_figures *figures, uint32_t epoch, bool clear,
		     struct tw_pair_names *names);

/** tw_packets__missed() - Return: number of events for which the kernel has skipped a program (producer/missed.h) */
uint64_t tw_packets__missed(const struct tw_packets *packets);

/**
 * tw_packets__size() - add the number of programs and their instructions to *@programs and *@instructions
 * @memory: to this, the bytes of the maps of figures and groups are added
 */
void tw_packets__size(const struct tw_packets *packets, size_t *programs, size_t *instructions, size_t *memory);

/** tw_packets__free() - remove the programs and free everything; @packets may be NULL */
void tw_packets__free(struct tw_packets *packets);

#endif
