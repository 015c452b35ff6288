/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/pcap.h"

#include <errno.h>

#include "filter/groups.h"
#include "filter/pcap_test.h"

#define HEADER(field) (TW_PCAP_FRAME + (unsigned int)offsetof(struct tw_frame_hdr, field))
#define EVENT(field)  (TW_PCAP_EVENT + (unsigned int)offsetof(struct tw_event, field))

void tw_pcap__load(struct tw_line *line, uint32_t at, unsigned int size)
{
	tw_line__str(line, "ether[");
	tw_line__u64(line, at);
	if (size > 1) {
		tw_line__char(line, ':');
		tw_line__u64(line, size);
	}
	tw_line__char(line, ']');
}

void tw_pcap__hex(struct tw_line *line, uint64_t value)
{
	tw_line__str(line, "0x");
	tw_line__hex(line, value);
}

void tw_pcap__reaches(struct tw_line *line, uint32_t bytes)
{
	tw_pcap__load(line, EVENT(tlv.length), 2);
	tw_line__str(line, " >= ");
	tw_line__u64(line, bytes);
}

const char *tw_pcap__refuses(const struct tw_test *test)
{
	if (test->compared == TW_AS_NUMBER)
		return tw_pcap_number__refuses(test);
	return tw_pcap_bytes__refuses(test);
}

static bool put_test(const void *format, const struct tw_test *test, struct tw_line *line)
{
	(void)format;
	if (test->compared == TW_AS_NUMBER)
		return tw_pcap_number__write(test, line);
	return tw_pcap_bytes__write(test, line);
}

static void put_unless(struct tw_line *line, uint32_t at, unsigned int size, const char *op, uint64_t value)
{
	tw_pcap__load(line, at, size);
	tw_line__str(line, op);
	if (size == 4)
		tw_pcap__hex(line, value);
	else
		tw_line__u64(line, value);
	tw_line__str(line, " or ");
}

/* Each of these makes it something else than a frame of one event of that schema, and keeps what follows from loading too far. */
static void put_others(struct tw_line *line, bool big_endian, uint64_t schema_id)
{
	const unsigned int least = TW_PCAP_EVENT + (unsigned int)sizeof(struct tw_event);

	tw_line__str(line, "len < ");
	tw_line__u64(line, least);
	tw_line__str(line, " or ");
	put_unless(line, HEADER(magic), 4, " != ", TW_MAGIC);
	put_unless(line, HEADER(version), 1, " != ", TW_VERSION);
	put_unless(line, HEADER(events), 2, " != ", 1);
	put_unless(line, EVENT(tlv.type), 2, " != ", TW_TLV_EVENT);
	tw_pcap__load(line, HEADER(flags), 1);
	tw_line__str(line, big_endian ? " & 1 = 0 or " : " & 1 != 0 or ");
	if (schema_id) {
		put_unless(line, HEADER(schema_id), 4, " != ", schema_id >> 32);
		put_unless(line, HEADER(schema_id) + 4, 4, " != ", schema_id & UINT32_MAX);
	}
	tw_pcap__load(line, HEADER(length), 2);
	tw_line__str(line, " + 14 > len or ");
	put_unless(line, EVENT(tlv.length), 2, " < ", sizeof(struct tw_event));
	tw_pcap__load(line, EVENT(tlv.length), 2);
	tw_line__str(line, " + 48 > ");
	tw_pcap__load(line, HEADER(length), 2);
}

static void put_id(struct tw_line *line, const char *op, uint16_t id)
{
	tw_pcap__load(line, EVENT(event_id), 2);
	tw_line__str(line, op);
	tw_line__u64(line, id);
}

/* Ids of a group's events, or of all others of the schema; neighbours as a range. Return: how many alternatives */
static uint32_t put_ids(const struct tw_groups *g, uint32_t group, bool others, struct tw_line *line)
{
	const struct tw_bound_event *events = g->bound->events;
	const size_t n = g->bound->n_events;
	uint32_t alternatives = 0;

	for (size_t i = 0, last; i < n; i = last + 1) {
		last = i;
		if ((g->group_of[i] == group + 1) == others)
			continue;
		while (last + 1 < n && (g->group_of[last + 1] == group + 1) != others &&
		       events[last + 1].format->id == events[last].format->id + 1)
			last++;
		tw_line__str(line, alternatives++ ? " or " : "");
		if (last == i) {
			put_id(line, " = ", events[i].format->id);
			continue;
		}
		tw_line__char(line, '(');
		put_id(line, " >= ", events[i].format->id);
		tw_line__str(line, " and ");
		put_id(line, " <= ", events[last].format->id);
		tw_line__char(line, ')');
	}
	return alternatives;
}

/* Which events a group is about. Return: whether anything had to be said */
static bool put_events(const struct tw_groups *g, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];
	char *const begin = line->at;

	if (group->has_unknown && tw_group__knows(group) == g->bound->n_events)
		return false;
	if (put_ids(g, i, group->has_unknown, line) > 1 || group->has_unknown) {
		tw_line__insert(line, begin, group->has_unknown ? "not (" : "(");
		tw_line__char(line, ')');
	}
	return true;
}

static void put_group(const struct tw_groups *g, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];

	tw_line__str(line, " or (");
	if (put_events(g, i, line) && group->len)
		tw_line__str(line, " and (");
	else if (group->len)
		tw_line__char(line, '(');
	tw_line__bytes(line, g->pool + group->at, group->len);
	tw_line__str(line, group->len ? "))" : ")");
}

static bool matches_all(const struct tw_groups *g)
{
	return g->n == 1 && !g->groups[0].len && g->groups[0].n == g->bound->n_events + 1;
}

int tw_pcap__emit(const struct tw_bound *bound, uint64_t schema_id, struct tw_line *line, struct tw_error *err)
{
	static const struct tw_expression_style style = {
		.and = " and ",
		.or = " or ",
		.not = "not ",
		.nests_ands = true,
		.test = put_test,
	};
	const size_t room = (size_t)(line->end - line->at);
	struct tw_groups groups;
	int error = tw_groups__make(bound, &style, tw_pcap__refuses, "pcap", room, &groups, err);

	if (!error)
		tw_line__str(line, "ether proto 0x88b5");
	if (!error && !matches_all(&groups)) {
		tw_line__str(line, " and (");
		put_others(line, bound->options.big_endian, schema_id);
		for (uint32_t i = 0; i < groups.n && !line->cut; i++)
			put_group(&groups, i, line);
		tw_line__char(line, ')');
	}
	if (!error && line->cut)
		error = tw_error__set(err, -E2BIG, "for pcap this is longer than %zu bytes", room);
	tw_groups__fini(&groups);
	return error;
}
