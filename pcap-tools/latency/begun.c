/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/begun.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

static uint32_t add_comm(struct tw_pair_names *names, const struct tw_pair_input *input)
{
	return input->comm ? tw_pair_names__add(names, input->comm, input->comm_len) : TW_PAIR_NO_NAME;
}

void tw_latency_begun__keep(struct tw_latency_begun *begun, const struct tw_read_event *event,
			    const struct tw_pair_input *input, struct tw_pair_names *names)
{
	const struct tw_record *record = &event->record;
	const size_t len = record->len < TW_LATENCY_RECORD_MAX ? record->len : TW_LATENCY_RECORD_MAX;

	begun->schema_id = event->frame->schema_id;
	begun->id = event->view.id;
	begun->pid = event->view.pid;
	begun->cpu = event->frame->cpu;
	begun->comm = add_comm(names, input);
	begun->stack = TW_LATENCY_NO_STACK;
	begun->len = (uint16_t)len;
	begun->big_endian = record->big_endian;
	begun->from_wire = record->from_wire;
	begun->cut = record->cut || len < record->len;
	memcpy(begun->record, record->data, len);
}

/* Return: "EVENT: TEXT", to be freed; NULL without memory */
static char *text_of(struct tw_stream *stream, struct tw_stream_event *known, const struct tw_record *record)
{
	char buf[TW_PRINT_LINE_MAX];
	struct tw_line line = tw_line__of(buf, sizeof(buf), TW_LINE_FLAT);
	const struct tw_print *print = known ? tw_stream__print(stream, known) : NULL;
	size_t len;

	if (known) {
		tw_line__str(&line, known->format->name);
		tw_line__str(&line, ": ");
	}
	if (print)
		tw_print__run(print, record, &stream->print_host, &line);
	tw_printable__escape(&line);
	len = tw_line__len(&line);
	return strndup(buf, len < TW_LATENCY_TEXT_MAX ? len : tw_printable__cut(buf, len, TW_LATENCY_TEXT_MAX));
}

int tw_latency_begun__describe(const struct tw_latency_begun *begun, uint64_t begin_time,
			       const struct tw_read_event *end, const struct tw_pair_input *input, uint64_t end_time,
			       struct tw_pair_names *names, struct tw_latency_slow *ret)
{
	const struct tw_record record = { .data = begun->record,
					  .len = begun->len,
					  .big_endian = begun->big_endian,
					  .from_wire = begun->from_wire,
					  .cut = begun->cut };
	struct tw_stream *stream = end->stream;

	*ret = (struct tw_latency_slow){
		.ns = end_time - begin_time,
		.begin = { .time = begin_time, .pid = begun->pid, .cpu = begun->cpu, .comm = begun->comm },
		.end = { .time = end_time,
			 .pid = end->view.pid,
			 .cpu = end->frame->cpu,
			 .comm = add_comm(names, input) },
	};
	ret->begin.text = text_of(stream, tw_stream__event(stream, begun->schema_id, begun->id), &record);
	ret->end.text = text_of(stream, end->known, &end->record);
	if (ret->begin.text && ret->end.text)
		return 0;
	free(ret->begin.text);
	free(ret->end.text);
	return -ENOMEM;
}

bool tw_latency_begun__is_stack(const struct tw_read_event *event)
{
	const struct tw_format *format = event->known->format;

	return !strcmp(format->name, "kernel_stack") && !strcmp(format->system, "ftrace");
}
