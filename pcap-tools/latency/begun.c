/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/begun.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add_comm(struct tw_pair_names *names, const struct tw_pair_input *input)
{
	return input->comm ? tw_pair_names__add(names, input->comm, input->comm_len) : TW_PAIR_NO_NAME;
}

void tw_latency_begun__keep(struct tw_latency_begun *begun, const struct tw_read_event *event,
			    const struct tw_pair_input *input, struct tw_pair_names *names)
{
	tw_kept_event__keep(&begun->event, event);
	begun->comm = add_comm(names, input);
	begun->stack = TW_LATENCY_NO_STACK;
}

int tw_latency_begun__describe(const struct tw_latency_begun *begun, uint64_t begin_time,
			       const struct tw_read_event *end, const struct tw_pair_input *input, uint64_t end_time,
			       struct tw_pair_names *names, struct tw_latency_slow *ret)
{
	*ret = (struct tw_latency_slow){
		.ns = end_time - begin_time,
		.begin = { .time = begin_time, .pid = begun->event.pid, .cpu = begun->event.cpu, .comm = begun->comm },
		.end = { .time = end_time,
			 .pid = end->view.pid,
			 .cpu = end->frame->cpu,
			 .comm = add_comm(names, input) },
	};
	ret->begin.text = tw_kept_event__text(&begun->event, end->stream);
	ret->end.text = tw_read_event__text(end);
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
