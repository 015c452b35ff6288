/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to sockets: what the programs are told before they are loaded. The verifier knows it, and removes code that a run does not need. */
#ifndef TW_SOCKET_SETTINGS_H
#define TW_SOCKET_SETTINGS_H

#include "producer/bpf_kernel.h"
#include "producer/sockets/record.h"
#include "producer/sockets/sockets.h"

/**
 * tw_socket_settings__make() - make the settings of a run
 * @ring_size: of each ring, bytes
 * @has_udp_entry: there is a hook where a task begins to send a datagram
 */
void tw_socket_settings__make(const struct tw_bpf_kernel *kernel, const struct tw_sockets_options *options,
			      size_t ring_size, bool has_udp_entry, struct tw_sockts_settings *ret);

/** tw_socket_settings__drop_filter() - remove the conditions of the filter, which the producer evaluates; those of @selected stay */
void tw_socket_settings__drop_filter(struct tw_sockts_settings *settings, const struct tw_socket_selected *selected);

#endif
