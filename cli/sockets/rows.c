/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flows and programs of a result, sorted by a column, and the names of flows. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/sockets/sockets.h"

#define P99 990 /* per mille */

static uint64_t messages_of(const struct tw_socket_figures *f)
{
	return f->sent + f->received;
}

static uint64_t bytes_of(const struct tw_socket_figures *f)
{
	return f->bytes_sent + f->bytes_received;
}

static uint64_t limited_of(const struct tw_socket_figures *f)
{
	return f->rwnd_limited_us + f->sndbuf_limited_us;
}

static uint64_t retransmits_of(const struct tw_socket_figures *f)
{
	return f->retransmits;
}

static uint64_t resets_of(const struct tw_socket_figures *f)
{
	return f->resets_sent + f->resets_received;
}

static uint64_t drops_of(const struct tw_socket_figures *f)
{
	return f->drops;
}

static uint64_t held_of(const struct tw_socket_figures *f)
{
	return tw_socket_figures__held(f).ns;
}

static const struct sockets_column columns[] = { { "messages", 0, messages_of },
						 { "bytes", 0, bytes_of },
						 { "limited", 0, limited_of },
						 { "retransmits", 0, retransmits_of },
						 { "resets", 0, resets_of },
						 { "drops", 0, drops_of },
						 { "held", 0, held_of },
#define X(stage, name, text) { name, TW_SOCKET_STAGE_##stage, NULL },
						 TW_SOCKET_STAGES(X)
#undef X
};

int sockets_column__find(const char *name, const struct sockets_column **ret, struct tw_error *error)
{
	struct tw_nearest nearest;

	*ret = &columns[0];
	if (!name)
		return 0;
	tw_nearest__init(&nearest, name);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		tw_nearest__offer(&nearest, columns[i].name);
		*ret = &columns[i];
		if (!strcmp(columns[i].name, name))
			return 0;
	}
	return tw_error__set(
		error, -EINVAL, "--sort '%s' is no column%s%s%s", name,
		nearest.best ? "; did you mean "
			     : ": give messages, bytes, limited, retransmits, resets, drops, held, program or a stage",
		nearest.best ? nearest.best : "", nearest.best ? "?" : "");
}

static uint64_t value_of(const struct tw_socket_figures *figures, const struct sockets_column *column)
{
	if (column->value)
		return column->value(figures);
	return figures->stages[column->stage] ? tw_histogram__quantile(figures->stages[column->stage], P99) : 0;
}

/* The larger value first; of equal ones, the one with more messages, and then any fixed order. */
static int compare(const void *one, const void *two)
{
	const struct sockets_row *a = one, *b = two;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	if (messages_of(a->figures) != messages_of(b->figures))
		return messages_of(a->figures) < messages_of(b->figures) ? 1 : -1;
	return a->flow ? memcmp(&a->flow->id, &b->flow->id, sizeof(a->flow->id))
		       : memcmp(a->program->comm, b->program->comm, sizeof(a->program->comm));
}

struct sockets_row *sockets_rows__of_flows(const struct tw_socket_times_result *result,
					   const struct sockets_column *column)
{
	struct sockets_row *rows = calloc(result->n_flows + 1, sizeof(*rows));

	for (size_t i = 0; rows && i < result->n_flows; i++) {
		rows[i].flow = result->flows[i];
		rows[i].figures = &result->flows[i]->figures;
		rows[i].value = value_of(rows[i].figures, column);
	}
	if (rows)
		qsort(rows, result->n_flows, sizeof(*rows), compare);
	return rows;
}

struct sockets_row *sockets_rows__of_programs(const struct tw_socket_times_result *result,
					      const struct sockets_column *column)
{
	struct sockets_row *rows = calloc(result->n_programs + 1, sizeof(*rows));

	for (size_t i = 0; rows && i < result->n_programs; i++) {
		rows[i].program = result->programs[i];
		rows[i].figures = &result->programs[i]->figures;
		rows[i].value = value_of(rows[i].figures, column);
	}
	if (rows)
		qsort(rows, result->n_programs, sizeof(*rows), compare);
	return rows;
}

const char *sockets_flow__address(const struct tw_socket_flow_id *id, bool is_local, char buf[SOCKETS_NAME_MAX])
{
	struct in6_addr address;
	const bool is_ipv4 =
		(memcpy(&address, is_local ? id->local : id->remote, sizeof(address)), IN6_IS_ADDR_V4MAPPED(&address));

	if (is_ipv4)
		inet_ntop(AF_INET, &address.s6_addr[12], buf, SOCKETS_NAME_MAX);
	else
		inet_ntop(AF_INET6, &address, buf, SOCKETS_NAME_MAX);
	return buf;
}

const char *sockets_flow__end(const struct tw_socket_flow_id *id, bool is_local, char buf[SOCKETS_NAME_MAX])
{
	const unsigned int port = is_local ? id->local_port : id->remote_port;
	char address[SOCKETS_NAME_MAX];

	sockets_flow__address(id, is_local, address);
	if (strchr(address, ':'))
		snprintf(buf, SOCKETS_NAME_MAX, "[%.*s]:%u", INET6_ADDRSTRLEN, address, port);
	else
		snprintf(buf, SOCKETS_NAME_MAX, "%.*s:%u", INET6_ADDRSTRLEN, address, port);
	return buf;
}

const char *sockets_flow__protocol(const struct tw_socket_flow_id *id, char buf[SOCKETS_NAME_MAX])
{
	if (id->protocol == IPPROTO_TCP)
		return "tcp";
	if (id->protocol == IPPROTO_UDP)
		return "udp";
	snprintf(buf, SOCKETS_NAME_MAX, "%u", id->protocol);
	return buf;
}

const char *sockets_flow__name(const struct tw_socket_flow_id *id, char buf[SOCKETS_NAME_MAX])
{
	char local[SOCKETS_NAME_MAX], remote[SOCKETS_NAME_MAX], protocol[SOCKETS_NAME_MAX];

	snprintf(buf, SOCKETS_NAME_MAX, "%.8s %.64s > %.64s", sockets_flow__protocol(id, protocol),
		 sockets_flow__end(id, true, local), sockets_flow__end(id, false, remote));
	return buf;
}

/* Whether two texts are equal except for blanks. */
static bool are_alike(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

bool sockets_flow__is(const struct tw_socket_flow_id *id, const char *name)
{
	char buf[SOCKETS_NAME_MAX];

	sockets_flow__name(id, buf);
	if (are_alike(buf, name) || are_alike(strchr(buf, ' '), name))
		return true;
	return are_alike(sockets_flow__end(id, true, buf), name) || are_alike(sockets_flow__end(id, false, buf), name);
}

const char *sockets__reason(size_t reason)
{
	static const char *const names[] = { [TW_SOCKET_REASON_OTHER] = "other",
#define X(num, name, text) [num] = text,
					     TW_SOCKTS_HELD_LIST(X)
#undef X
	};

	return names[reason];
}

/*
 * Whether only the messages of some tasks were recorded (--pid, --follow): received ones then have no event before a task reads them. Other
 * tasks may have sent and read others, so a number of 0 means nothing.
 */
static bool has_some_tasks(const struct tw_socket_times_result *result)
{
	return result->has_reads && !result->has_arrivals;
}

/* A number other than 0 is known in any case. Return: UINT64_MAX if it is unknown */
static uint64_t known_number(uint64_t number, bool is_known)
{
	return number || is_known ? number : UINT64_MAX;
}

uint64_t sockets_row__sent(const struct sockets_row *row, const struct tw_socket_times_result *result)
{
	return known_number(row->figures->sent, result->has[TW_SOCKET_EGRESS] && !has_some_tasks(result));
}

uint64_t sockets_row__read(const struct sockets_row *row, const struct tw_socket_times_result *result)
{
	return known_number(row->figures->received, result->has[TW_SOCKET_INGRESS] && !has_some_tasks(result));
}

/*
 * Whether only the events of some sockets were recorded (--cgroup, --container, a filter for tasks): received data then have no event
 * before their socket is known. Drops and resets of packets whose socket is unknown are missing, so a number of 0 means nothing.
 */
static bool has_some_sockets(const struct tw_socket_times_result *result)
{
	return (result->has_arrivals || result->has_reads) && !result->has_devices;
}

uint64_t sockets_row__resets_sent(const struct sockets_row *row, const struct tw_socket_times_result *result)
{
	return known_number(row->figures->resets_sent, result->has[TW_SOCKET_RESET] && !has_some_sockets(result));
}

uint64_t sockets_row__drops(const struct sockets_row *row, const struct tw_socket_times_result *result)
{
	return known_number(row->figures->drops, result->has[TW_SOCKET_DROP] && !has_some_sockets(result));
}
