/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the packets' events and fields, and of the values of the fields. */
#include <arpa/inet.h>
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/line.h"
#include "base/nearest.h"
#include "producer/packets/impl.h"

#define TEXT_MAX 256

const char *const tw_packet_event_names[TW_PACKET_EVENTS] = {
	[TW_PACKET_ICMP_ECHO] = "icmp_echo",
	[TW_PACKET_ECN] = "ecn",
	[TW_PACKET_QDISC_LEAF] = "qdisc_leaf",
	[TW_PACKET_IP_START] = "ip_start",
	[TW_PACKET_TCP_START] = "tcp_start",
	[TW_PACKET_UDP_START] = "udp_start",
	[TW_PACKET_TCP_SOCKET_ENQUEUED] = "tcp_socket_enqueued",
	[TW_PACKET_UDP_SOCKET_ENQUEUED] = "udp_socket_enqueued",
	[TW_PACKET_TCP_SOCKET_READ] = "tcp_socket_read",
	[TW_PACKET_UDP_SOCKET_READ] = "udp_socket_read",
};

#define BIT(event) (1u << TW_PACKET_##event)
#define OF_READS   (BIT(TCP_SOCKET_READ) | BIT(UDP_SOCKET_READ))
#define OF_ECHOES  BIT(ICMP_ECHO)
#define OF_ADDRESS (BIT(ICMP_ECHO) | BIT(ECN))
#define OF_ECN     BIT(ECN)
#define OF_QDISCS  BIT(QDISC_LEAF)
#define OF_ALL     ((1u << TW_PACKET_EVENTS) - 1)

static const struct {
	const char *name;
	uint32_t bits;
	uint32_t events;
} fields_of_packets[] = {
	{ "family", TW_PACKET_FAMILY, OF_ALL & ~OF_QDISCS },
	{ "dev", TW_PACKET_DEV | TW_PACKET_NETNS, OF_ALL },
	{ "netns", TW_PACKET_NETNS, OF_ALL },
	{ "saddr", TW_PACKET_SADDR, OF_ADDRESS },
	{ "daddr", TW_PACKET_DADDR, OF_ADDRESS },
	{ "id", TW_PACKET_ID, OF_ECHOES },
	{ "seq", TW_PACKET_SEQ, OF_ECHOES },
	{ "direction", TW_PACKET_DIRECTION, OF_ECN },
	{ "protocol", TW_PACKET_PROTOCOL, OF_ECN },
	{ "sport", TW_PACKET_SPORT, OF_ECN },
	{ "dport", TW_PACKET_DPORT, OF_ECN },
	{ "source", TW_PACKET_SADDR | TW_PACKET_SPORT, OF_ECN },
	{ "destination", TW_PACKET_DADDR | TW_PACKET_DPORT, OF_ECN },
	{ "pid", TW_PACKET_PID, OF_READS },
	{ "comm", TW_PACKET_COMM, OF_READS },
	{ "cgroup", TW_PACKET_CGROUP, OF_READS },
	{ "kind", TW_PACKET_KIND, OF_QDISCS },
	{ "parent", TW_PACKET_PARENT, OF_QDISCS },
};

#define N_FIELDS (sizeof(fields_of_packets) / sizeof(fields_of_packets[0]))

const char *tw_packet_event__value(enum tw_packet_event event)
{
	return event == TW_PACKET_ICMP_ECHO ? "rtt" : event == TW_PACKET_ECN ? "codepoint" : "delay";
}

static int refuse_field(enum tw_packet_event event, const char *name, struct tw_error *error)
{
	struct tw_nearest nearest;
	char known[TEXT_MAX] = "";
	struct tw_line line = tw_line__on(known, sizeof(known) - 1);

	tw_nearest__init(&nearest, name);
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (!(fields_of_packets[i].events & 1u << event))
			continue;
		tw_nearest__offer(&nearest, fields_of_packets[i].name);
		tw_line__str(&line, tw_line__len(&line) ? ", " : "");
		tw_line__str(&line, fields_of_packets[i].name);
	}
	known[tw_line__len(&line)] = '\0';
	return tw_error__set(error, -EINVAL, "sockts:%s has no field '%s'%s%s; its fields are %s",
			     tw_packet_event_names[event], name, nearest.best ? ": did you mean " : "",
			     nearest.best ? nearest.best : "", known);
}

uint32_t tw_packet_field__find(enum tw_packet_event event, const char *name, struct tw_error *error)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (fields_of_packets[i].events & 1u << event && !strcmp(fields_of_packets[i].name, name))
			return fields_of_packets[i].bits;
	refuse_field(event, name, error);
	return 0;
}

static void put_address(struct tw_line *line, const uint8_t *address, uint8_t family)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family == TW_PACKET_IPV4 ? AF_INET : AF_INET6, address, text, sizeof(text));
	tw_line__str(line, text);
}

/* An address with a port. Packets without ports, and later fragments, have the port 0. */
static void put_end(struct tw_line *line, const uint8_t *address, uint16_t port, uint8_t family)
{
	const bool brackets = family == TW_PACKET_IPV6 && port;

	tw_line__str(line, brackets ? "[" : "");
	put_address(line, address, family);
	tw_line__str(line, brackets ? "]" : "");
	if (!port)
		return;
	tw_line__char(line, ':');
	tw_line__u64(line, port);
}

/* An interface of another network namespace is shown by its number, as in if2@netns:4026531840, because its name cannot be found here. */
static void put_dev(struct tw_line *line, uint32_t ifindex, uint32_t netns)
{
	const bool is_own = netns == tw_netns__own();
	char name[IF_NAMESIZE];

	if (is_own && if_indextoname(ifindex, name)) {
		tw_line__str(line, name);
		return;
	}
	tw_line__str(line, "if");
	tw_line__u64(line, ifindex);
	if (is_own)
		return;
	tw_line__str(line, "@netns:");
	tw_line__u64(line, netns);
}

static void put_protocol(struct tw_line *line, uint8_t protocol)
{
	const struct protoent *entry = getprotobynumber(protocol);

	if (entry)
		tw_line__str(line, entry->p_name);
	else
		tw_line__u64(line, protocol);
}

/* The path of a cgroup below the mount point: the id is the inode of its folder. */
static void put_cgroup(struct tw_line *line, uint64_t id)
{
	char root[PATH_MAX], *const roots[] = { root, NULL };
	const int fd = tw_cgroup__open_root(root);
	FTS *tree = fd < 0 ? NULL : fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	const FTSENT *entry;
	bool found = false;

	while (tree && !found && (entry = fts_read(tree))) {
		found = entry->fts_info == FTS_D && entry->fts_statp->st_ino == id;
		if (found)
			tw_line__str(line, entry->fts_path[strlen(root)] ? entry->fts_path + strlen(root) : "/");
	}
	if (!found)
		tw_line__u64(line, id);
	if (tree)
		fts_close(tree);
	if (fd >= 0)
		close(fd);
}

/* A class, as tc prints it. */
static void put_class(struct tw_line *line, uint32_t handle)
{
	char text[16];

	if (TC_H_MIN(handle))
		snprintf(text, sizeof(text), "%x:%x", TC_H_MAJ(handle) >> 16, TC_H_MIN(handle));
	else
		snprintf(text, sizeof(text), "%x:", TC_H_MAJ(handle) >> 16);
	tw_line__str(line, text);
}

static void put_field(struct tw_line *line, uint32_t field, const struct tw_packet_fields *fields)
{
	switch (field) {
	case TW_PACKET_FAMILY:
		tw_line__str(line, fields->family == TW_PACKET_IPV4 ? "IPv4" : "IPv6");
		break;
	case TW_PACKET_PROTOCOL:
		put_protocol(line, fields->protocol);
		break;
	case TW_PACKET_DIRECTION:
		tw_line__str(line, fields->is_sent ? "out" : "in");
		break;
	case TW_PACKET_SADDR:
		put_address(line, fields->saddr, fields->family);
		break;
	case TW_PACKET_DADDR:
		put_address(line, fields->daddr, fields->family);
		break;
	case TW_PACKET_SPORT:
		tw_line__u64(line, fields->sport);
		break;
	case TW_PACKET_DPORT:
		tw_line__u64(line, fields->dport);
		break;
	case TW_PACKET_SADDR | TW_PACKET_SPORT:
		put_end(line, fields->saddr, fields->sport, fields->family);
		break;
	case TW_PACKET_DADDR | TW_PACKET_DPORT:
		put_end(line, fields->daddr, fields->dport, fields->family);
		break;
	case TW_PACKET_ID:
		tw_line__u64(line, fields->id);
		break;
	case TW_PACKET_SEQ:
		tw_line__u64(line, fields->seq);
		break;
	case TW_PACKET_DEV | TW_PACKET_NETNS:
		put_dev(line, fields->ifindex, fields->netns);
		break;
	case TW_PACKET_NETNS:
		tw_line__u64(line, fields->netns);
		break;
	case TW_PACKET_PID:
		tw_line__u64(line, fields->pid);
		break;
	case TW_PACKET_COMM:
		tw_line__bytes(line, fields->comm, strnlen(fields->comm, sizeof(fields->comm)));
		break;
	case TW_PACKET_CGROUP:
		put_cgroup(line, fields->cgroup);
		break;
	case TW_PACKET_KIND:
		tw_line__bytes(line, fields->kind, strnlen(fields->kind, sizeof(fields->kind)));
		break;
	case TW_PACKET_PARENT:
		put_class(line, fields->parent);
		break;
	}
}

uint32_t tw_packet_field__name(uint32_t field, const struct tw_packet_fields *fields, struct tw_pair_names *names)
{
	char text[TEXT_MAX] = "";
	struct tw_line line = tw_line__on(text, sizeof(text));
	uint32_t name;

	/* It takes long to find the path of a cgroup. */
	name = field == TW_PACKET_CGROUP ? tw_pair_names__cached(names, fields_of_packets, fields->cgroup)
					 : TW_PAIR_NO_NAME;
	if (name != TW_PAIR_NO_NAME)
		return name;
	put_field(&line, field, fields);
	name = tw_pair_names__add(names, text, tw_line__len(&line));
	if (field == TW_PACKET_CGROUP)
		tw_pair_names__cache(names, fields_of_packets, fields->cgroup, name);
	return name;
}

uint32_t tw_packet_codepoint__name(uint8_t codepoint, struct tw_pair_names *names)
{
	static const char *const texts[] = { "Not-ECT", "ECT(1)", "ECT(0)", "CE" };
	const char *text = texts[codepoint & 3];

	return tw_pair_names__add(names, text, strlen(text));
}
