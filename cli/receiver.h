/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that receive frames on an interface, bring them into order and write pcapng to a viewer. */
#ifndef CLI_RECEIVER_H
#define CLI_RECEIVER_H

#include "cli/viewer.h"
#include "pcap-tools/record/recorder.h"
#include "vnet/rx.h"

struct receiver;

/**
 * receiver__start() - receive from now on
 * @viewer: borrowed until receiver__finish(); when it goes away, stop__request() is called
 */
int receiver__start(const char *ifname, const struct viewer *viewer, struct receiver **ret, struct tw_error *err);

/* What its threads are called by the kernel: the one that receives, and the one that writes to the viewer. */
pid_t receiver__tid(const struct receiver *receiver);
pid_t receiver__writer_tid(const struct receiver *receiver);

/**
 * receiver__finish() - take what is still in the receiving ring, let everything out, end the thread
 * @ret, @ret_rx: the books, also after a failure
 * Return: 0, also when the viewer went away; else the first failure.
 */
int receiver__finish(struct receiver *receiver, struct tw_archive_stats *ret, struct tw_rx_stats *ret_rx,
		     struct tw_error *err);

#endif
