/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/settings.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "producer/sockets/conditions.h"

#if defined(__x86_64__) || defined(__i386__)
#define STORES_IN_ORDER 1
#else
#define STORES_IN_ORDER 0
#endif

/* The length of a jiffy: clocks named COARSE advance once in each. */
static uint32_t us_per_jiffy(void)
{
	struct timespec length;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &length) ? 0 : (uint32_t)(length.tv_nsec / 1000);
}

/* Bits of skb_shared_info.tx_flags */
static uint32_t tx_flags_of_sockets(const struct tw_bpf_kernel *kernel)
{
	static const char *const names[] = { "SKBTX_HW_TSTAMP_NOBPF", "SKBTX_HW_TSTAMP" /* before Linux 6.15 */,
					     "SKBTX_SW_TSTAMP", "SKBTX_SCHED_TSTAMP", "SKBTX_COMPLETION_TSTAMP" };
	uint32_t flags = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		flags |= tw_bpf_kernel__enumerator(kernel, names[i]);
	return flags;
}

/* @conditions: of the filter; NULL = none. @selected: NULL = everything */
static void set_conditions(struct tw_sockts_settings *settings, const struct tw_sockts_conditions *conditions,
			   const struct tw_socket_selected *selected)
{
	memset(settings->conditions, 0, sizeof(settings->conditions));
	if (conditions)
		memcpy(settings->conditions, conditions, sizeof(settings->conditions));
	for (enum tw_sockts_event event = 0; event < TW_SOCKTS_EVENTS && selected; event++)
		tw_sockts_conditions__select(event, selected, &settings->conditions[event]);
}

static void set_end(const struct sockaddr_storage *end, uint32_t *ret_address, uint16_t *ret_port)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)end;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)end;

	if (end->ss_family == AF_INET6) {
		memcpy(ret_address, &v6->sin6_addr, sizeof(v6->sin6_addr));
		*ret_port = ntohs(v6->sin6_port);
		return;
	}
	ret_address[2] = htonl(0xffff);
	ret_address[3] = v4->sin_addr.s_addr;
	*ret_port = ntohs(v4->sin_port);
}

/* If the ends of the socket are not known, its datagrams have events. */
static void set_own_flow(struct tw_sockts_own_flow *flow, int fd)
{
	struct sockaddr_storage ends[2] = { { 0 } };
	socklen_t sizes[] = { sizeof(ends[0]), sizeof(ends[1]) };

	if (!fd || getsockname(fd, (struct sockaddr *)&ends[0], &sizes[0]) ||
	    getpeername(fd, (struct sockaddr *)&ends[1], &sizes[1]))
		return;
	for (size_t i = 0; i < 2; i++)
		set_end(&ends[i], flow->addresses[i], &flow->ports[i]);
}

void tw_socket_settings__make(const struct tw_bpf_kernel *kernel, const struct tw_sockets_options *options,
			      size_t ring_size, bool has_udp_entry, struct tw_sockts_settings *ret)
{
	*ret = (struct tw_sockts_settings){
		.clock = options->clock,
		.own_tgid = options->own_tgid,
		.events = options->events,
		.has_wakes = options->wakes,
		.has_udp_entry = has_udp_entry,
		.tx_flags_of_sockets = tx_flags_of_sockets(kernel),
		.us_per_jiffy = us_per_jiffy(),
		.has_samples = options->sample > 1 || options->max_cpu,
		.has_tasks = options->has_tasks,
		.last_slot = (uint32_t)(ring_size / TW_SOCKTS_SLOT_SIZE - 1),
		.stores_in_order = STORES_IN_ORDER,
	};
	set_own_flow(&ret->own_flow, options->own_socket);
	set_conditions(ret, options->conditions, options->selected);
	if (options->selected) {
		ret->n_cgroups = options->selected->n_cgroups;
		memcpy(ret->cgroups, options->selected->cgroups, sizeof(ret->cgroups));
	}
}

void tw_socket_settings__drop_filter(struct tw_sockts_settings *settings, const struct tw_socket_selected *selected)
{
	set_conditions(settings, NULL, selected);
}
