/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/formats.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/tracing_dir.h"

/* A field of a record. */
struct field {
	const char *type, *name;
	size_t offset, size;
	size_t n; /* number of elements of an array; 0 = not an array */
	bool is_signed;
};

/* The fields that each event has first: the kernel's common fields. */
static const struct field common[] = {
	{ "unsigned short", "common_type", offsetof(struct tw_sockts_common, common_type), 2, 0, false },
	{ "unsigned char", "common_flags", offsetof(struct tw_sockts_common, common_flags), 1, 0, false },
	{ "unsigned char", "common_preempt_count", offsetof(struct tw_sockts_common, common_preempt_count), 1, 0,
	  false },
	{ "int", "common_pid", offsetof(struct tw_sockts_common, common_pid), 4, 0, true },
};

static const uint16_t ids[TW_SOCKTS_EVENTS] = {
#define X(id, event) [TW_SOCKTS_##event] = (id),
	TW_SOCKTS_LIST(X)
#undef X
};

static const char *const names[TW_SOCKTS_EVENTS] = {
#define X(id, event) [TW_SOCKTS_##event] = #event,
	TW_SOCKTS_LIST(X)
#undef X
};

/* A choice of texts for a number, as an argument of a print format. */
#define SYMBOL(num, name, text) ", { " #num ", \"" text "\" }"
#define SYMBOLS(field, list)    "__print_symbolic(REC->" #field list(SYMBOL) ")"

#define SOCKET_TEXT                                                                                    \
	"family=%s protocol=%s sport=%hu dport=%hu saddr=%pI4 daddr=%pI4 saddrv6=%pI6c daddrv6=%pI6c " \
	"cookie=0x%llx "
#define SOCKET_VALUES                                                                       \
	"__print_symbolic(REC->family, { 2, \"AF_INET\" }, { 10, \"AF_INET6\" }), "         \
	"__print_symbolic(REC->protocol, { 1, \"IPPROTO_ICMP\" }, { 6, \"IPPROTO_TCP\" }, " \
	"{ 17, \"IPPROTO_UDP\" }, { 58, \"IPPROTO_ICMPV6\" }, { 132, \"IPPROTO_SCTP\" }), " \
	"REC->sport, REC->dport, REC->saddr, REC->daddr, REC->saddrv6, REC->daddrv6, REC->cookie, "

/*
 * The print formats. @reason: a conversion and its argument, for events with a field `reason`, whose names are those of a trace event of the
 * kernel
 */
static const struct {
	const char *text;   /* before the reason */
	const char *values; /* before the reason */
	const char *kernel; /* format file of the trace event; NULL = no reason */
} prints[TW_SOCKTS_EVENTS] = {
	[TW_SOCKTS_egress_ts] = {
		SOCKET_TEXT "type=%s key=%u key_base=%s seq=%u bytes=%u transmission=%hu software=%llu hardware=%llu phc=%d "
			    "ifindex=%u pid=%d comm=%s cgroup=%llu sample=%hu hook=%s",
		SOCKET_VALUES SYMBOLS(type, TW_SOCKTS_EGRESS_LIST) ", REC->key, "
			      SYMBOLS(key_base, TW_SOCKTS_KEY_BASE_LIST) ", REC->seq, REC->bytes, REC->transmission, "
			      "REC->software, REC->hardware, REC->phc, REC->ifindex, REC->pid, REC->comm, REC->cgroup, "
			      "REC->sample, "
			      SYMBOLS(hook, TW_SOCKTS_HOOK_LIST),
		NULL,
	},
	[TW_SOCKTS_egress_stats] = {
		SOCKET_TEXT "key=%u seq=%u srtt_us=%u min_rtt_us=%u cwnd=%u ssthresh=%u delivered=%u lost=%u retransmits=%u "
			    "busy_us=%llu rwnd_limited_us=%llu sndbuf_limited_us=%llu bytes_acked=%llu bytes_sent=%llu "
			    "bytes_retrans=%llu hook=%s",
		SOCKET_VALUES "REC->key, REC->seq, REC->srtt_us, REC->min_rtt_us, REC->cwnd, REC->ssthresh, REC->delivered, "
			      "REC->lost, REC->retransmits, REC->busy_us, REC->rwnd_limited_us, REC->sndbuf_limited_us, "
			      "REC->bytes_acked, REC->bytes_sent, REC->bytes_retrans, "
			      SYMBOLS(hook, TW_SOCKTS_HOOK_LIST),
		NULL,
	},
	[TW_SOCKTS_ingress_ts] = {
		SOCKET_TEXT "type=%s key=%u seq=%u bytes=%u software=%llu hardware=%llu phc=%d dev=%s hole=%u backlog=%u "
			    "ksoftirqd=%u pid=%d comm=%s cgroup=%llu sample=%hu hook=%s",
		SOCKET_VALUES SYMBOLS(type, TW_SOCKTS_INGRESS_LIST) ", REC->key, REC->seq, REC->bytes, REC->software, "
			      "REC->hardware, REC->phc, REC->dev, REC->hole, REC->backlog, REC->ksoftirqd, REC->pid, "
			      "REC->comm, REC->cgroup, REC->sample, " SYMBOLS(hook, TW_SOCKTS_HOOK_LIST),
		NULL,
	},
	[TW_SOCKTS_held] = {
		SOCKET_TEXT "reason=%s seq=%u bytes=%u since=%llu waited=%llu hook=%s",
		SOCKET_VALUES SYMBOLS(reason, TW_SOCKTS_HELD_LIST) ", REC->seq, REC->bytes, REC->since, REC->waited, "
			      SYMBOLS(hook, TW_SOCKTS_HOOK_LIST),
		NULL,
	},
	[TW_SOCKTS_icmp_echo] = {
		SOCKET_TEXT "type=%s id=%hu seq=%hu rtt=%llu bytes=%u ifindex=%u hook=%s",
		SOCKET_VALUES SYMBOLS(type, TW_SOCKTS_ECHO_LIST) ", REC->id, REC->seq, REC->rtt, REC->bytes, "
			      "REC->ifindex, " SYMBOLS(hook, TW_SOCKTS_HOOK_LIST),
		NULL,
	},
	[TW_SOCKTS_ecn_ce] = {
		SOCKET_TEXT "direction=%s bytes=%u segments=%hu ifindex=%u hook=%s",
		SOCKET_VALUES SYMBOLS(direction, TW_SOCKTS_DIRECTION_LIST) ", REC->bytes, REC->segments, REC->ifindex, "
			      SYMBOLS(hook, TW_SOCKTS_HOOK_LIST),
		NULL,
	},
	[TW_SOCKTS_tcp_reset] = {
		SOCKET_TEXT "direction=%s seq=%u hook=%s reason=",
		SOCKET_VALUES SYMBOLS(direction, TW_SOCKTS_DIRECTION_LIST) ", REC->seq, "
			      SYMBOLS(hook, TW_SOCKTS_HOOK_LIST) ", ",
		"events/tcp/tcp_send_reset/format",
	},
	[TW_SOCKTS_drop] = {
		SOCKET_TEXT "ifindex=%u bytes=%u location=%pS hook=%s reason=",
		SOCKET_VALUES "REC->ifindex, REC->bytes, REC->location, " SYMBOLS(hook, TW_SOCKTS_HOOK_LIST) ", ",
		"events/skb/kfree_skb/format",
	},
};

const char *tw_sockts__name(enum tw_sockts_event event)
{
	return names[event];
}

const char *tw_sockts__names(uint32_t events, char *ret, size_t size)
{
	size_t len = 0;

	ret[0] = '\0';
	for (uint32_t i = 0; i < TW_SOCKTS_EVENTS; i++)
		if (events & 1u << i && len < size)
			len += (size_t)snprintf(ret + len, size - len, "%s" TW_SOCKTS_SYSTEM ":%s", len ? " and " : "",
						names[i]);
	return ret;
}

enum tw_sockts_event tw_sockts__find(const char *name)
{
	enum tw_sockts_event event = 0;

	while (event < TW_SOCKTS_EVENTS && strcmp(names[event], name) != 0)
		event++;
	return event;
}

static void write_field(FILE *text, const struct field *field)
{
	fprintf(text, "\tfield:%s %s", field->type, field->name);
	if (field->n)
		fprintf(text, "[%zu]", field->n);
	fprintf(text, ";\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", field->offset, field->size, field->is_signed);
}

static void write_fields(FILE *text, const struct field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		write_field(text, &fields[i]);
}

#define PLACE(name)      offsetof(record, name), sizeof(((record *)NULL)->name)
#define IS_SIGNED(type)  ((type)-1 < (type)1)
#define S(type, name)    { #type, #name, PLACE(name), 0, IS_SIGNED(type) },
#define A(type, name, n) { #type, #name, PLACE(name), n, false },
#define P(name)          { "const void *", #name, PLACE(name), 0, false },
#define X(id, event)                                                                        \
	case TW_SOCKTS_##event: {                                                           \
		typedef struct tw_sockts_##event record;                                    \
		static const struct field fields[] = { TW_SOCKTS_FIELDS_##event(S, A, P) }; \
		write_fields(text, fields, sizeof(fields) / sizeof(fields[0]));             \
		break;                                                                      \
	}

static void write_own_fields(FILE *text, enum tw_sockts_event of)
{
	switch (of) {
		TW_SOCKTS_LIST(X)
	default:
		break;
	}
}

#undef X
#undef P
#undef A
#undef S

/*
 * Copies the call "__print_symbolic(REC->reason, ...)" from a format of the kernel. Return: NULL if there is none, or without memory. The
 * names in it contain no parentheses.
 */
static char *copy_reasons(const char *tracing_dir, const char *file)
{
	char *text, *begin, *copy = NULL;

	if (tw_tracing_file__read(tracing_dir, file, &text, NULL))
		return NULL;
	begin = strstr(text, "__print_symbolic(REC->reason,");
	if (begin && strchr(begin, ')'))
		copy = strndup(begin, (size_t)(strchr(begin, ')') + 1 - begin));
	free(text);
	return copy;
}

static void write_print(FILE *text, const char *tracing_dir, enum tw_sockts_event event)
{
	const char *const file = prints[event].kernel;
	char *reasons = file ? copy_reasons(tracing_dir, file) : NULL;

	fprintf(text, "\nprint fmt: \"%s%s\", %s%s\n", prints[event].text,
		!file     ? ""
		: reasons ? "%s"
			  : "%u",
		prints[event].values,
		!file     ? ""
		: reasons ? reasons
			  : "REC->reason");
	free(reasons);
}

int tw_sockts_format__make(const char *tracing_dir, enum tw_sockts_event event, char **ret)
{
	char *made = NULL;
	size_t len;
	FILE *text = open_memstream(&made, &len);

	if (!text)
		return -ENOMEM;
	fprintf(text, "name: %s\nID: %u\nformat:\n", names[event], ids[event]);
	write_fields(text, common, sizeof(common) / sizeof(common[0]));
	fputc('\n', text);
	write_own_fields(text, event);
	write_print(text, tracing_dir, event);
	if (fclose(text)) {
		free(made);
		return -ENOMEM;
	}
	*ret = made;
	return 0;
}
