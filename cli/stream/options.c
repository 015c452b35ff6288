/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `stream` that say where events go, and how fast. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cli/stream/options.h"
#include "cli/stream/stream.h"

#define RATE_LEAST  1000u /* bits per second */
#define RATE_MOST   UINT64_C(1000000000000000)
#define LATENCY_MAX 10000 /* ms */

static bool read_ethernet(const char *text, uint8_t ret[ETH_ALEN])
{
	for (int i = 0; i < ETH_ALEN; i++) {
		const char *const begin = text;
		uint64_t byte;

		if (!tw_number__hex(&text, &byte) || text - begin > 2 || *text != (i < ETH_ALEN - 1 ? ':' : '\0'))
			return false;
		ret[i] = (uint8_t)byte;
		text++;
	}
	return true;
}

static int set_destination(void *data, const char *text, struct tw_error *err)
{
	static const uint8_t group[ETH_ALEN] = TW_TX_GROUP;
	struct stream *stream = data;

	if (!strcmp(text, "group"))
		memcpy(stream->destination, group, sizeof(group));
	else if (!read_ethernet(text, stream->destination))
		return tw_error__set(
			err, -EINVAL,
			"--destination '%s' is no Ethernet address, such as 52:54:00:12:34:56, and not the "
			"word group",
			text);
	stream->has_destination = true;
	return 0;
}

/* What a unit behind a number stands for; 0 if it is none. */
static uint64_t unit_of(const char *unit)
{
	static const struct {
		const char *unit;
		uint64_t times;
	} units[] = { { "", 1 }, { "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].unit))
			return units[i].times;
	return 0;
}

static bool read_rate(const char *text, uint64_t *ret)
{
	uint64_t whole, unit;
	uint32_t fraction;

	if (!tw_number__decimal(&text, &whole, &fraction))
		return false;
	unit = unit_of(text);
	if (!unit || __builtin_mul_overflow(whole, unit, &whole) || whole > RATE_MOST)
		return false;
	*ret = whole + fraction * unit / 1000000000;
	return *ret >= RATE_LEAST && *ret <= RATE_MOST;
}

static int set_rate(void *data, const char *text, struct tw_error *err)
{
	struct stream *stream = data;

	if (read_rate(text, &stream->rate))
		return 0;
	return tw_error__set(err, -EINVAL,
			     "--rate '%s' is no number of bits per second, such as 100M; k, M and G stand for "
			     "1000, a million and a thousand million, and 1k is the least",
			     text);
}

static int set_latency(void *data, const char *text, struct tw_error *err)
{
	static const struct tw_number_rule rule = { .min = 1, .max = LATENCY_MAX };
	struct stream *stream = data;

	if (tw_number__parse(text, &rule, &stream->latency_ms, NULL))
		return tw_error__set(err, -EINVAL, "--latency '%s' is no number from 1 to %d, in ms", text,
				     LATENCY_MAX);
	return 0;
}

static const struct cli_option options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE,
	  "Send on this interface. A wire made by vnet up is fed at its other end, so that captures on NAME see the events; a "
	  "name that is not there becomes a wire for this run",
	  offsetof(struct run_config, interface), NULL },
	{ 0, "destination", "MAC|group", CLI_ARG_TEXT,
	  "With --interface: send to this Ethernet address, or to a group address that switches flood; has to be said for an "
	  "interface that leads out of this host",
	  0, set_destination },
	{ 'u', "udp", "HOST[:PORT]", CLI_ARG_TEXT,
	  "Send to this host over UDP, port 18101 if none is given; an IPv6 address stands in brackets",
	  offsetof(struct stream, host), NULL },
	{ 0, "raw-pointers", NULL, CLI_ARG_NONE,
	  "Send addresses as they are. Else those that leave this host are hashed with a key of the stream: equal ones stay equal, "
	  "and symbols keep their names, but nobody learns where the kernel lies in memory. On virtual wires they are as they are",
	  offsetof(struct stream, raw_pointers), NULL },
	{ 0, "rate", "BITS[k|M|G]", CLI_ARG_TEXT,
	  "Send no more than so many bits per second; what the kernel's rings cannot hold meanwhile is lost, and counted",
	  0, set_rate },
	{ 0, "latency", "MS", CLI_ARG_NUMBER,
	  "The longest that an event may wait before it is sent (default: 20, for packed frames 40)", 0, set_latency },
	{ 0 },
};

const struct cli_option_group stream_output_group = { "Output", options };
