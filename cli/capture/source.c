/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the frames come from. */
#include <errno.h>
#include <string.h>

#include "cli/capture/capture.h"
#include "vnet/rx_packet.h"
#include "vnet/rx_udp.h"
#include "vnet/rx_xdp.h"
#include "vnet/veth.h"

#define RETIRE_MS \
	10 /* frames come in batches: a file is in no hurry, and who captures what he causes sees less of it */

/* A port, and before it an address if any: where frames come in, no name is looked for. */
static int check_udp(const char *udp, struct tw_error *err)
{
	struct tw_udp_address at;

	if (!strchr(udp, ':') && udp[strspn(udp, "0123456789")])
		return tw_error__set(
			err, -EINVAL,
			"--udp '%s' is no port to receive at, such as %u, nor does one stand behind it, as "
			"in 127.0.0.1:%u",
			udp, TW_UDP_PORT, TW_UDP_PORT);
	return tw_udp_address__parse(udp, &at, err);
}

int capture__check_source(const struct capture *capture, struct tw_error *err)
{
	if (!capture->interface && !capture->udp)
		return tw_error__set(
			err, -EINVAL,
			"nothing is given to receive from: name an interface with --interface, for example -i "
			"tw0, or a port with --udp, for example -u %u",
			TW_UDP_PORT);
	if (capture->interface && capture->udp)
		return tw_error__set(err, -EINVAL,
				     "--interface and --udp exclude each other: a capture receives from one of them");
	if (capture->udp && capture->xdp)
		return tw_error__set(err, -EINVAL, "--xdp is for --interface: UDP is received by sockets");
	return capture->udp ? check_udp(capture->udp, err) : 0;
}

static int open_packet(const struct capture *capture, struct tw_receiver **ret, struct tw_error *err)
{
	const struct tw_rx_packet_options options = {
		.ifname = capture->interface,
		.ring = RECEIVER_RING,
		.retire_ms = RETIRE_MS,
	};

	return tw_rx_packet__open(&options, ret, err);
}

static int open_udp(const struct capture *capture, struct tw_receiver **ret, struct tw_error *err)
{
	struct tw_rx_udp_options options = { .buffer = RECEIVER_RING };
	const int error = tw_udp_address__parse(capture->udp, &options.at, err);

	return error ? error : tw_rx_udp__open(&options, ret, err);
}

static int open_xdp(const struct capture *capture, struct tw_receiver **ret, struct tw_error *err)
{
	const struct tw_rx_xdp_options options = { .ifname = capture->interface };

	return tw_rx_xdp__open(&options, ret, err);
}

/* One that goes down later is waited for; but this may be a mistake. What is not there at all is said when it is opened. */
static int check_is_up(const struct capture *capture, struct tw_error *err)
{
	struct tw_iface iface;

	if (tw_iface__find(capture->interface, &iface, NULL) || iface.up)
		return 0;
	return tw_error__set(err, -ENETDOWN,
			     "cannot receive on %s: the interface is down; bring it up with ip link set %s up",
			     capture->interface, capture->interface);
}

int capture__open_rx(const struct capture *capture, struct tw_receiver **ret, struct tw_error *err)
{
	if (capture->udp)
		return open_udp(capture, ret, err);
	if (check_is_up(capture, err))
		return -ENETDOWN;
	return capture->xdp ? open_xdp(capture, ret, err) : open_packet(capture, ret, err);
}
