/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of `trace-cmd report`, byte for byte. */
#include <time.h>

#include "pcap-tools/report/impl.h"

#define NS_PER_S     1000000000u
#define NS_PER_US    1000u
#define NAME_WIDTH   20 /* of the event's name; longer ones push the text */
#define COUNT_WIDTH  12
#define DELTA_WIDTH  8
#define COMM_WIDTH   16
#define COMM_LATENCY 8

/* Flags of common_flags: enum trace_flag_type of the kernel. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_IRQS_NOSUPPORT = 0x02,
	FLAG_NEED_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
};

const char *tw_report__comm(const struct tw_report_event *event, size_t *ret_len)
{
	const char *name;

	if (!event->view.pid) {
		*ret_len = 6;
		return "<idle>";
	}
	name = tw_task_table__name(&event->stream->tasks, event->view.pid, event->view.time, ret_len);
	if (name)
		return name;
	*ret_len = 5;
	return "<...>";
}

uint64_t tw_report__time(struct tw_report *report, const struct tw_known_stream *stream, uint64_t time)
{
	const struct tw_identity *id = &stream->identity;

	if (id->clock_mult)
		time = (uint64_t)(((unsigned __int128)time * id->clock_mult) >> id->clock_shift);
	if (report->options->time == TW_REPORT_WALL)
		return time + stream->wall_minus;
	if (report->options->time == TW_REPORT_CLOCK)
		return time;
	if (!report->any_time)
		report->first_time = time;
	report->any_time = true;
	return time - report->first_time;
}

void tw_report__flags(struct tw_line *line, const struct tw_event_view *view)
{
	const uint8_t flags = view->common_flags, depth = view->common_preempt_count & 0xf,
		      migrate = view->common_preempt_count >> 4;
	const bool hard = flags & FLAG_HARDIRQ, soft = flags & FLAG_SOFTIRQ;

	tw_line__char(line, flags & FLAG_IRQS_OFF ? 'd' : flags & FLAG_IRQS_NOSUPPORT ? 'X' : '.');
	tw_line__char(line, flags & FLAG_NEED_RESCHED ? 'N' : '.');
	tw_line__char(line, hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.');
	tw_line__char(line, depth ? "0123456789abcdef"[depth] : '.');
	tw_line__char(line, migrate ? "0123456789abcdef"[migrate] : '.');
}

/* Right-aligned, and cut to the width where @cut. */
static void put_comm(struct tw_line *line, const char *comm, size_t len, size_t width, bool cut)
{
	if (cut && len > width)
		len = width;
	if (len < width)
		tw_line__fill(line, ' ', width - len);
	tw_line__bytes(line, comm, len);
}

static void put_pid(struct tw_line *line, uint32_t pid)
{
	const char *begin = line->at;
	size_t len;

	tw_line__i64(line, (int32_t)pid);
	len = (size_t)(line->at - begin);
	if (len < 5)
		tw_line__fill(line, ' ', 5 - len);
}

/* Wall-clock time, as the clock on the wall here has it. */
static void put_wall(struct tw_line *line, uint64_t seconds)
{
	const time_t t = (time_t)seconds;
	char text[32];
	struct tm tm;

	if (localtime_r(&t, &tm) && strftime(text, sizeof(text), "%F %T", &tm))
		tw_line__str(line, text);
	else
		tw_line__u64(line, seconds);
}

/* Of a clock that counts something else, and no time: as wide as trace-cmd has it. */
static void put_count(struct tw_line *line, uint64_t count)
{
	tw_line__digits(line, count, COUNT_WIDTH, ' ');
	tw_line__char(line, ':');
}

static void put_time(struct tw_report *report, struct tw_line *line, uint64_t ns)
{
	const bool full = report->options->full_time;
	const uint64_t units = full ? ns : (ns + NS_PER_US / 2) / NS_PER_US;
	const uint64_t per_second = full ? NS_PER_S : NS_PER_S / NS_PER_US;

	if (report->options->time == TW_REPORT_WALL)
		put_wall(line, units / per_second);
	else
		tw_line__digits(line, units / per_second, 5, ' ');
	tw_line__char(line, '.');
	tw_line__digits(line, units % per_second, full ? 9 : 6, '0');
	tw_line__char(line, ':');
}

/* "(+N)" since the line before, in the unit that times have. */
static void put_delta(struct tw_report *report, struct tw_line *line, uint64_t ns)
{
	const uint64_t time = report->options->full_time ? ns : (ns + NS_PER_US / 2) / NS_PER_US;
	const char *begin;
	size_t len;

	tw_line__char(line, ' ');
	begin = line->at;
	if (report->any_last && report->last_time) {
		tw_line__str(line, "(+");
		tw_line__i64(line, (int64_t)(time - report->last_time));
		tw_line__char(line, ')');
	}
	report->any_last = true;
	report->last_time = time;
	len = (size_t)(line->at - begin);
	if (len < DELTA_WIDTH)
		tw_line__fill(line, ' ', DELTA_WIDTH - len);
}

static void put_stream(const struct tw_report *report, struct tw_line *line, const struct tw_known_stream *stream)
{
	const char *name = stream->identity.instance;
	const size_t len = strlen(name);

	if (!report->width)
		return;
	if (len < report->width)
		tw_line__fill(line, ' ', report->width - len);
	tw_line__bytes(line, name, len);
	tw_line__str(line, len ? ": " : "  ");
}

static void put_bytes(struct tw_line *line, const struct tw_record *record)
{
	for (uint32_t i = TW_RECORD_COMMON; i < record->len; i++) {
		tw_line__char(line, ' ');
		tw_line__char(line, "0123456789abcdef"[record->data[i] >> 4]);
		tw_line__char(line, "0123456789abcdef"[record->data[i] & 0xf]);
	}
}

void tw_report__event_text(const struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	const struct tw_print_host *host = &event->stream->print_host;

	if (report->options->fields || !event->print)
		tw_print__fields(event->known->format, &event->record, line);
	else if (event->leave)
		tw_print__graph_leaf(event->print, &event->record, event->leave->print, &event->leave->record, host,
				     line);
	else
		tw_print__run(event->print, &event->record, host, line);
}

static void put_event(const struct tw_report *report, struct tw_line *line, const struct tw_report_event *event)
{
	const char *begin = line->at;
	size_t len;

	if (!event->known) {
		tw_line__str(line, "[unknown event ");
		tw_line__u64(line, event->view.id);
		tw_line__str(line, "]:");
		put_bytes(line, &event->record);
		return;
	}
	tw_line__str(line, event->known->format->name);
	len = (size_t)(line->at - begin);
	tw_line__bytes(line, ": ", 2);
	if (len < NAME_WIDTH)
		tw_line__fill(line, ' ', NAME_WIDTH - len);
	tw_report__event_text(report, event, line);
}

static void put_task(const struct tw_report *report, struct tw_line *line, const struct tw_report_event *event)
{
	const bool latency = report->options->latency;
	size_t len;
	const char *comm = tw_report__comm(event, &len);

	put_comm(line, comm, len, latency ? COMM_LATENCY : COMM_WIDTH, latency);
	tw_line__char(line, '-');
	put_pid(line, event->view.pid);
	if (latency) {
		tw_line__char(line, ' ');
		tw_line__digits(line, event->cpu, 3, ' ');
		tw_report__flags(line, &event->view);
	} else {
		tw_line__bytes(line, " [", 2);
		tw_line__digits(line, event->cpu, 3, '0');
		tw_line__char(line, ']');
	}
}

/* Control characters from strangers are not for a terminal; stacks have lines of their own. */
static void make_printable(char *at, const char *end)
{
	for (; at < end; at++) {
		if (((unsigned char)*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f)
			*at = '.';
	}
}

void tw_report__text_line(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	const uint64_t time = tw_report__time(report, event->stream, event->view.time);
	char *begin = line->at;

	put_stream(report, line, event->stream);
	put_task(report, line, event);
	if (tw_identity__counts(&event->stream->identity) && report->options->time != TW_REPORT_WALL) {
		put_count(line, time);
	} else {
		tw_line__char(line, ' ');
		put_time(report, line, time);
	}
	if (report->options->delta)
		put_delta(report, line, time);
	tw_line__char(line, ' ');
	put_event(report, line, event);
	if (report->options->printable)
		make_printable(begin, line->at);
	if (line->at == line->end)
		line->at--;
	if (line->at[-1] != '\n') /* stacks, and what was written to trace_marker, end their line themselves */
		tw_line__char(line, '\n');
}

void tw_report__text_lost(struct tw_report *report, const struct tw_known_stream *stream, uint16_t cpu,
			  const struct tw_lost_view *lost, struct tw_line *line)
{
	put_stream(report, line, stream);
	tw_line__str(line, "CPU:");
	tw_line__u64(line, cpu);
	tw_line__str(line, " [");
	if (!lost->unknown) {
		tw_line__u64(line, lost->count);
		tw_line__char(line, ' ');
	}
	tw_line__str(line, "EVENTS DROPPED]\n");
}

/* Names before the lines where there are several streams; the widest decides. */
void tw_report__head(struct tw_report *report, struct tw_line *line)
{
	const struct tw_known_stream *stream = tw_knowledge__first(report->knowledge);
	const bool several = stream && stream->next;
	uint64_t cpus = 0;

	report->width = 0;
	for (; stream; stream = stream->next) {
		const size_t len = strlen(stream->identity.instance);

		if (several && len > report->width)
			report->width = (unsigned int)len;
		if (stream->cpus > cpus)
			cpus = stream->cpus;
	}
	if (report->began || report->options->json || !cpus)
		return;
	tw_line__str(line, "cpus=");
	tw_line__u64(line, cpus);
	tw_line__char(line, '\n');
}
