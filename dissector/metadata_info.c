/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Info column of frames with metadata: a summary in words, because one frame may have hundreds of records. */
#include "dissector/packet-tracewire.h"

/* The types of records that are counted, in the order of the summary. */
static const struct {
	enum tw_tlv_type type;
	const char *one, *many;
} kinds[TW_METADATA_KINDS] = {
	{ TW_TLV_HOST, "host", "records of the host" }, { TW_TLV_CLOCK, "clock", "clock samples" },
	{ TW_TLV_SCHEMA, "format", "formats" },         { TW_TLV_COMM, "task name", "task names" },
	{ TW_TLV_SYMBOL, "symbol", "symbols" },         { TW_TLV_STATS, "counters", "records of counters" },
};

static void note_system(struct tw_metadata_info *m, const char *system, wmem_allocator_t *scope)
{
	size_t i = 0;

	while (i < G_N_ELEMENTS(m->systems) && m->systems[i] && strcmp(m->systems[i], system))
		i++;
	if (i == G_N_ELEMENTS(m->systems))
		m->more_systems = true;
	else if (!m->systems[i])
		m->systems[i] = wmem_strdup(scope, system);
}

/* Formats of the system `ftrace` are in each stream. They are counted separately, and shown only if the frame has no other formats. */
static void count_text(struct tw_dissect *d, const struct tw_schema_view *view)
{
	struct tw_metadata_info *m = &d->metadata;
	struct tw_schema_text text;

	if (view->kind != TW_SCHEMA_EVENT || tw_dissect__unpack_schema(d, view, &text, NULL))
		return;
	if (!strcmp(text.system, "ftrace")) {
		m->ftrace_formats++;
		return;
	}
	m->formats++;
	note_system(m, text.system, d->pinfo->pool);
}

static void count_texts(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	struct tw_schema_group group;
	struct tw_schema_view view;

	if (!tw_schema_tlv__parse(tlv, &view))
		return;
	if (view.kind != TW_SCHEMA_GROUP) {
		count_text(d, &view);
		return;
	}
	if (tw_dissect__unpack_group(d, &view, &group, NULL))
		return;
	while (tw_schema_group__next(&group, &view))
		count_text(d, &view);
}

bool tw_metadata_info__count(struct tw_dissect *d, const struct tw_tlv_view *tlv, const char *detail)
{
	struct tw_metadata_info *m = &d->metadata;

	for (size_t i = 0; i < TW_METADATA_KINDS; i++) {
		if (kinds[i].type != tlv->type)
			continue;
		if (!m->records[i]++)
			m->details[i] = wmem_strdup(d->pinfo->pool, detail);
		if (tlv->type == TW_TLV_SCHEMA)
			count_texts(d, tlv);
		return true;
	}
	return false;
}

/* "sched", "irq and sched", "irq, net and sched", "irq, net, sched and others" */
static void append_systems(const struct tw_metadata_info *m, struct tw_line *line)
{
	for (size_t i = 0; i < G_N_ELEMENTS(m->systems) && m->systems[i]; i++) {
		const bool is_last = i + 1 == G_N_ELEMENTS(m->systems) || !m->systems[i + 1];

		if (i)
			tw_line__str(line, is_last && !m->more_systems ? " and " : ", ");
		tw_line__str(line, m->systems[i]);
	}
	if (m->more_systems)
		tw_line__str(line, " and others");
}

/* Appends "26 formats of sched". If it has one record with one format, or no formats, appends the first record's summary instead. */
static void append_formats(const struct tw_metadata_info *m, size_t kind, struct tw_line *line)
{
	const uint32_t n = m->formats ? m->formats : m->ftrace_formats;

	if (!n || (n == 1 && m->records[kind] == 1)) {
		tw_line__str(line, kinds[kind].one);
		tw_line__str(line, m->details[kind]);
		return;
	}
	tw_line__u64(line, n);
	tw_line__str(line, n == 1 ? " format of " : " formats of ");
	if (m->formats)
		append_systems(m, line);
	else
		tw_line__str(line, "ftrace");
}

void tw_metadata_info__append(const struct tw_metadata_info *m, struct tw_line *line)
{
	const char *before = tw_line__len(line) ? ", metadata: " : "Metadata: ";

	for (size_t i = 0; i < TW_METADATA_KINDS; i++) {
		if (!m->records[i])
			continue;
		tw_line__str(line, before);
		before = ", ";
		if (kinds[i].type == TW_TLV_SCHEMA) {
			append_formats(m, i, line);
		} else if (m->records[i] == 1) {
			tw_line__str(line, kinds[i].one);
			tw_line__str(line, m->details[i]);
		} else {
			tw_line__u64(line, m->records[i]);
			tw_line__char(line, ' ');
			tw_line__str(line, kinds[i].many);
		}
	}
}
