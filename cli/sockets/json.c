/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result as one JSON object. Values that are unknown are null. */
#include <stdlib.h>
#include <string.h>

#include "cli/sockets/sockets.h"

static void put_comm(struct tw_json *json, const char *comm)
{
	if (comm[0])
		tw_json__text(json, "comm", comm, strnlen(comm, TW_SOCKTS_COMM_LEN));
	else
		tw_json__null(json, "comm");
}

static void put_stage(struct tw_json *json, const char *name, const struct tw_histogram *h)
{
	if (!h) {
		tw_json__null(json, name);
		return;
	}
	tw_json__open(json, name, '{');
	tw_json__u64(json, "count", h->n);
	tw_json__u64(json, "min", h->min);
	tw_json__u64(json, "p50", tw_histogram__quantile(h, 500));
	tw_json__u64(json, "p99", tw_histogram__quantile(h, 990));
	tw_json__u64(json, "max", h->max);
	tw_json__u64(json, "sum", h->sum);
	tw_json__close(json);
}

static void put_known(struct tw_json *json, const char *key, bool is_known, uint64_t value)
{
	tw_json__u64_or_null(json, key, is_known ? value : UINT64_MAX);
}

/* The waits of sent data, by their reasons. */
static void put_held(struct tw_json *json, const struct tw_socket_figures *f, bool is_known)
{
	if (!is_known) {
		tw_json__null(json, "held");
		return;
	}
	tw_json__open(json, "held", '{');
	for (size_t i = 0; i < TW_SOCKTS_HELD_END; i++) {
		if (!f->held[i].n)
			continue;
		tw_json__open(json, sockets__reason(i), '{');
		tw_json__u64(json, "count", f->held[i].n);
		tw_json__u64(json, "ns", f->held[i].ns);
		tw_json__close(json);
	}
	tw_json__close(json);
}

static void put_figures(struct tw_json *json, const struct sockets_row *row,
			const struct tw_socket_times_result *result)
{
	const struct tw_socket_figures *f = row->figures;
	const uint64_t sent = sockets_row__sent(row, result), received = sockets_row__read(row, result);

	tw_json__u64_or_null(json, "sent", sent);
	put_known(json, "bytes_sent", sent != UINT64_MAX, f->bytes_sent);
	put_known(json, "resent", sent != UINT64_MAX, f->resent);
	tw_json__u64_or_null(json, "read", received);
	put_known(json, "bytes_read", received != UINT64_MAX || f->bytes_received, f->bytes_received);
	put_known(json, "retransmits", f->stats, f->retransmits);
	put_known(json, "busy_us", f->stats, f->busy_us);
	put_known(json, "rwnd_limited_us", f->stats, f->rwnd_limited_us);
	put_known(json, "sndbuf_limited_us", f->stats, f->sndbuf_limited_us);
	tw_json__u64_or_null(json, "resets_sent", sockets_row__resets_sent(row, result));
	put_known(json, "resets_received", result->has[TW_SOCKET_RESET], f->resets_received);
	tw_json__u64_or_null(json, "drops", sockets_row__drops(row, result));
	put_held(json, f, result->has[TW_SOCKET_HELD]);
	tw_json__open(json, "stages_ns", '{');
	for (size_t i = 0; i < TW_SOCKET_STAGE_COUNT; i++)
		put_stage(json, tw_socket_stage__name((enum tw_socket_stage)i), f->stages[i]);
	tw_json__close(json);
}

static void put_connection(struct tw_json *json, const struct tw_socket_flow *flow)
{
	if (!flow->has_state) {
		tw_json__null(json, "connection");
		return;
	}
	tw_json__open(json, "connection", '{');
	tw_json__u64(json, "srtt_us", flow->state.srtt_us);
	tw_json__u64(json, "retransmits", flow->state.retransmits);
	tw_json__u64(json, "busy_us", flow->state.busy_us);
	tw_json__u64(json, "rwnd_limited_us", flow->state.rwnd_limited_us);
	tw_json__u64(json, "sndbuf_limited_us", flow->state.sndbuf_limited_us);
	tw_json__close(json);
}

static void put_flow(struct tw_json *json, const struct tw_socket_flow *flow)
{
	const struct tw_socket_flow_id *id = &flow->id;
	char buf[SOCKETS_NAME_MAX];

	tw_json__str(json, "flow", sockets_flow__name(id, buf));
	tw_json__u64(json, "protocol", id->protocol);
	tw_json__str(json, "local", sockets_flow__address(id, true, buf));
	tw_json__u64(json, "local_port", id->local_port);
	tw_json__str(json, "remote", sockets_flow__address(id, false, buf));
	tw_json__u64(json, "remote_port", id->remote_port);
	tw_json__id(json, "stream", id->stream);
	tw_json__u64_str(json, "netns_cookie", id->netns_cookie);
	if (flow->cookie)
		tw_json__u64_str(json, "cookie", flow->cookie);
	else
		tw_json__null(json, "cookie");
	put_comm(json, flow->comm);
	put_connection(json, flow);
}

static void put_row(struct tw_json *json, const struct sockets_row *row, const struct tw_socket_times_result *result)
{
	tw_json__open(json, NULL, '{');
	if (row->flow) {
		put_flow(json, row->flow);
	} else {
		put_comm(json, row->program->comm);
		tw_json__id(json, "stream", row->program->stream);
	}
	put_figures(json, row, result);
	tw_json__close(json);
}

static void put_rows(struct tw_json *json, const char *key, const struct sockets_config *config,
		     const struct sockets_row *rows, size_t n, const struct tw_socket_times_result *result)
{
	tw_json__open(json, key, '[');
	for (size_t i = 0; i < n && (!config->rows || i < config->rows); i++)
		put_row(json, &rows[i], result);
	tw_json__close(json);
}

static void put_others(struct tw_json *json, const char *key, const struct tw_socket_figures *f,
		       const struct tw_socket_times_result *result)
{
	const struct sockets_row row = { .figures = f };

	tw_json__open(json, key, '{');
	put_figures(json, &row, result);
	tw_json__close(json);
}

void sockets_json__print(const struct sockets_config *config, const struct sockets_subject *subject,
			 const struct tw_socket_times_result *result)
{
	struct sockets_row *flows = sockets_rows__of_flows(result, config->column);
	struct sockets_row *programs = sockets_rows__of_programs(result, config->column);
	struct tw_json json;

	tw_json__to_file(&json, stdout, !subject->end);
	tw_json__open(&json, NULL, '{');
	tw_json__str(&json, "file", subject->name);
	if (subject->end) {
		tw_json__u64(&json, "end_ns", subject->end);
		tw_json__u64(&json, "interval_ns", subject->ns);
	}
	tw_json__u64(&json, "sample_min", result->sample_min);
	tw_json__u64(&json, "sample_max", result->sample_max);
	put_rows(&json, "flows", config, flows, flows ? result->n_flows : 0, result);
	put_others(&json, "other_flows", result->other_flows, result);
	put_rows(&json, "programs", config, programs, programs ? result->n_programs : 0, result);
	put_others(&json, "other_programs", result->other_programs, result);
	tw_json__open(&json, "left_out", '{');
	tw_json__u64(&json, "flows", result->n_other_flows);
	tw_json__u64(&json, "messages", result->forgotten);
	tw_json__u64(&json, "backwards", result->backwards);
	tw_json__u64(&json, "drops_without_flow", result->stray_drops);
	tw_json__u64(&json, "unreadable", result->unreadable);
	tw_json__close(&json);
	tw_json__close(&json);
	free(flows);
	free(programs);
}
