/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/packets/packet_capture.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "pcap-tools/packets/stamp_clock.h"
#include "pcap-tools/pcapng/writer.h"

#define TIMEOUT_MS 10 /* longest time that a packet waits for its block of the kernel's buffer to be passed on */
#define AT_ONCE \
	4096 /* packets of an interface that are taken together: other interfaces and the events must not wait */

struct interface {
	pcap_t *pcap; /* NULL = it has gone */
	char *name;
	uint16_t linktype;
	uint64_t received; /* as libpcap counts, with packets that came before the filter was set */
	uint64_t dropped, taken;
	uint32_t last_received, last_dropped; /* the counters of libpcap, which have 32 bits and end with it */
	char gone[PCAP_ERRBUF_SIZE];
};

struct tw_packet_capture {
	char *filter;
	uint32_t snaplen;
	uint64_t buffer;
	struct tw_stamp_clock clock;
	int stamping;        /* a socket that requests receive time stamps; -1 = none */
	bool stopped, empty; /* empty: the buffers were, when they were last read */
	size_t n;
	struct interface interfaces[TW_PACKET_CAPTURE_MAX];
};

/* What pcap_loop() and its kind get: the packet goes to the caller's function. */
struct reading {
	struct tw_stamp_clock *clock;
	tw_packet_capture_take *take;
	void *ctx;
	size_t interface;
	pcap_t *pcap;
	uint64_t *taken;
	int err;
};

static int errno_of(int status)
{
	switch (status) {
	case PCAP_ERROR_NO_SUCH_DEVICE:
		return -ENODEV;
	case PCAP_ERROR_PERM_DENIED:
		return -EPERM;
	case PCAP_ERROR_IFACE_NOT_UP:
		return -ENETDOWN;
	default:
		return -EIO;
	}
}

/* Sets the error of an interface that cannot be captured. */
static int refuse(const struct interface *interface, int status, struct tw_error *error)
{
	const char *why = pcap_geterr(interface->pcap);
	const char *advice = "";

	if (status == PCAP_ERROR_NO_SUCH_DEVICE) {
		why = "there is no such interface";
		advice = "; `ip link` shows the interfaces";
	} else if (status == PCAP_ERROR_IFACE_NOT_UP) {
		why = "it is down";
		advice = "; `ip link set up` sets it up";
	} else if (!*why) {
		why = pcap_statustostr(status);
	}
	return tw_error__set(error, errno_of(status), "packets of %s cannot be captured: %s%s; the run did not start",
			     interface->name, why, advice);
}

/*
 * On a loopback interface, the kernel passes each packet twice. libpcap ignores the sent one, but it needs room in the buffer. If the kernel
 * refuses to leave it out (before Linux 4.20), there is less room.
 */
static void leave_out_sent(const struct interface *interface)
{
	const int fd = pcap_fileno(interface->pcap), on = 1;
	struct ifreq request = { 0 };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface->name);
	if (!ioctl(fd, SIOCGIFFLAGS, &request) && request.ifr_flags & IFF_LOOPBACK)
		setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
}

/* Sets the filter; an empty one, too: without a program, the kernel would copy whole packets, whatever the snaplen. */
static int set_filter(const struct tw_packet_capture *c, struct interface *interface, struct tw_error *error)
{
	struct bpf_program program;
	int status;

	if (pcap_compile(interface->pcap, &program, c->filter, 1, PCAP_NETMASK_UNKNOWN))
		return tw_error__set(error, -EINVAL, "'%s' is no capture filter for %s: %s; see pcap-filter(7)",
				     c->filter, interface->name, pcap_geterr(interface->pcap));
	status = pcap_setfilter(interface->pcap, &program);
	pcap_freecode(&program);
	return status ? refuse(interface, status, error) : 0;
}

/* Return: the LINKTYPE_ value of a DLT_ value: on Linux, they differ for packets that begin with an IP header, as those of tun */
static uint16_t linktype_of(int dlt)
{
	return dlt == DLT_RAW ? 101 : (uint16_t)dlt;
}

static int activate(const struct tw_packet_capture *c, struct interface *interface, struct tw_error *error)
{
	char why[PCAP_ERRBUF_SIZE];
	int status, err;

	pcap_set_snaplen(interface->pcap, (int)c->snaplen);
	pcap_set_timeout(interface->pcap, TIMEOUT_MS);
	pcap_set_buffer_size(interface->pcap, (int)c->buffer);
	pcap_set_tstamp_precision(interface->pcap, PCAP_TSTAMP_PRECISION_NANO);
	status = pcap_activate(interface->pcap);
	if (status < 0)
		return refuse(interface, status, error);
	leave_out_sent(interface);
	err = set_filter(c, interface, error);
	if (err)
		return err;
	status = pcap_setnonblock(interface->pcap, 1, why);
	interface->linktype = linktype_of(pcap_datalink(interface->pcap));
	return status ? refuse(interface, status, error) : 0;
}

static int open_interface(struct tw_packet_capture *c, const char *name, struct tw_error *error)
{
	struct interface *interface = &c->interfaces[c->n];
	char why[PCAP_ERRBUF_SIZE];

	interface->name = strdup(name);
	interface->pcap = interface->name ? pcap_create(name, why) : NULL;
	c->n++;
	if (!interface->pcap)
		return tw_error__set(error, -ENOMEM, "no memory to capture packets of %s", name);
	return activate(c, interface, error);
}

static int check(const struct tw_packet_capture_options *options, struct tw_error *error)
{
	if (options->n > TW_PACKET_CAPTURE_MAX)
		return tw_error__set(error, -EINVAL, "packets of at most %d interfaces can be captured",
				     TW_PACKET_CAPTURE_MAX);
	for (size_t i = 1; i < options->n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(options->interfaces[i], options->interfaces[k]))
				return tw_error__set(error, -EINVAL, "the interface %s is named twice",
						     options->interfaces[i]);
		}
	}
	return 0;
}

/*
 * Makes the kernel stamp received packets as soon as they come from the device, until the socket is closed. Otherwise it stamps them when
 * they are passed to the capture, after the event netif_receive_skb. Return: -1 if that cannot be requested: the stamps are then later
 */
static int begin_stamping(void)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int tw_packet_capture__open(const struct tw_packet_capture_options *options, struct tw_packet_capture **ret,
			    struct tw_error *error)
{
	struct tw_packet_capture *c;
	int err = check(options, error);

	if (err)
		return err;
	c = calloc(1, sizeof(*c));
	if (c)
		c->filter = strdup(options->filter ? options->filter : "");
	if (!c || !c->filter) {
		free(c);
		return tw_error__set(error, -ENOMEM, "no memory to capture packets");
	}
	c->stamping = begin_stamping();
	c->snaplen = options->snaplen ? options->snaplen : (uint32_t)TW_PCAPNG_PACKET_MAX;
	c->buffer = options->buffer ? options->buffer : TW_PACKET_CAPTURE_BUFFER;
	for (size_t i = 0; i < options->n && !err; i++)
		err = open_interface(c, options->interfaces[i], error);
	if (err)
		tw_packet_capture__close(c);
	else
		*ret = c;
	return err;
}

void tw_packet_capture__close(struct tw_packet_capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		if (c->interfaces[i].pcap)
			pcap_close(c->interfaces[i].pcap);
		free(c->interfaces[i].name);
	}
	if (c->stamping >= 0)
		close(c->stamping);
	free(c->filter);
	free(c);
}

size_t tw_packet_capture__n(const struct tw_packet_capture *c)
{
	return c->n;
}

void tw_packet_capture__interface(const struct tw_packet_capture *c, size_t i, struct tw_packet_interface *ret)
{
	*ret = (struct tw_packet_interface){
		.name = c->interfaces[i].name,
		.filter = c->filter,
		.linktype = c->interfaces[i].linktype,
		.snaplen = c->snaplen,
	};
}

/* Return: the stamp by CLOCK_MONOTONIC, ns */
static uint64_t time_of(struct tw_stamp_clock *clock, const struct pcap_pkthdr *header)
{
	/* With PCAP_TSTAMP_PRECISION_NANO, tv_usec has ns. */
	const uint64_t stamp = (uint64_t)header->ts.tv_sec * TW_NS_PER_SECOND + (uint64_t)header->ts.tv_usec;

	if (!tw_stamp_clock__covers(clock, stamp))
		tw_stamp_clock__read(clock);
	return tw_stamp_clock__convert(clock, stamp);
}

static void take_packet(u_char *arg, const struct pcap_pkthdr *header, const u_char *data)
{
	struct reading *reading = (struct reading *)(void *)arg;
	const struct tw_captured_packet packet = {
		.interface = reading->interface,
		.time = time_of(reading->clock, header),
		.error = tw_stamp_clock__error(reading->clock),
		.data = data,
		.len = header->caplen < TW_PCAPNG_PACKET_MAX ? header->caplen : (uint32_t)TW_PCAPNG_PACKET_MAX,
		.original = header->len,
	};

	if (reading->err)
		return;
	++*reading->taken;
	reading->err = reading->take(reading->ctx, &packet);
	if (reading->err)
		pcap_breakloop(reading->pcap);
}

static void update_counters(struct interface *interface)
{
	struct pcap_stat stat;

	if (!interface->pcap || pcap_stats(interface->pcap, &stat))
		return;
	interface->received += (uint32_t)(stat.ps_recv - interface->last_received);
	interface->dropped += (uint32_t)(stat.ps_drop - interface->last_dropped);
	interface->last_received = stat.ps_recv;
	interface->last_dropped = stat.ps_drop;
}

/* Ends the capture of an interface that does not exist any more, or is down. */
static void leave(struct interface *interface)
{
	update_counters(interface);
	snprintf(interface->gone, sizeof(interface->gone), "%s",
		 if_nametoindex(interface->name) ? pcap_geterr(interface->pcap) : "it does not exist any more");
	pcap_close(interface->pcap);
	interface->pcap = NULL;
}

int tw_packet_capture__read(struct tw_packet_capture *c, tw_packet_capture_take *take, void *ctx, bool *ret_all)
{
	*ret_all = true;
	for (size_t i = 0; i < c->n; i++) {
		struct interface *interface = &c->interfaces[i];
		struct reading reading = {
			.clock = &c->clock,
			.take = take,
			.ctx = ctx,
			.interface = i,
			.pcap = interface->pcap,
			.taken = &interface->taken,
		};
		int n;

		if (!interface->pcap)
			continue;
		tw_stamp_clock__read(&c->clock);
		n = pcap_dispatch(interface->pcap, AT_ONCE, take_packet, (u_char *)&reading);
		if (reading.err)
			return reading.err;
		*ret_all &= n < AT_ONCE;
		if (n < 0)
			leave(interface);
	}
	c->empty = *ret_all;
	return 0;
}

/* The filter of the socket, not that of libpcap, which would also be applied to the packets that wait. */
void tw_packet_capture__stop(struct tw_packet_capture *c)
{
	struct sock_filter reject = BPF_STMT(BPF_RET | BPF_K, 0);
	const struct sock_fprog program = { .len = 1, .filter = &reject };

	c->stopped = true;
	for (size_t i = 0; i < c->n; i++) {
		if (c->interfaces[i].pcap)
			setsockopt(pcap_fileno(c->interfaces[i].pcap), SOL_SOCKET, SO_ATTACH_FILTER, &program,
				   sizeof(program));
	}
}

void tw_packet_capture__counters(struct tw_packet_capture *c, size_t i, struct tw_packet_counters *ret)
{
	struct interface *interface = &c->interfaces[i];
	const bool is_empty = (c->stopped && c->empty) || !interface->pcap;
	uint64_t known;

	update_counters(interface);
	known = interface->taken + interface->dropped;
	*ret = (struct tw_packet_counters){
		.dropped = interface->dropped,
		.unread = is_empty || interface->received <= known ? 0 : interface->received - known,
		.gone = *interface->gone ? interface->gone : NULL,
	};
	ret->received = known + ret->unread;
}
