/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of `tracewire sockets`. */
#ifndef CLI_SOCKETS_H
#define CLI_SOCKETS_H

#include "base/json.h"
#include "cli/outcome.h"
#include "cli/run_options.h"
#include "pcap-tools/sockets/times.h"

#define SOCKETS_NAME_MAX 160 /* of a flow: protocol, two addresses and ports */

/* A column by which rows are sorted: a number, or the 99th percentile of a stage. */
struct sockets_column {
	const char *name;
	enum tw_socket_stage stage;                           /* if @value is NULL */
	uint64_t (*value)(const struct tw_socket_figures *f); /* UINT64_MAX = unknown */
};

/* The values of the options of `sockets`. */
struct sockets_config {
	struct run_config run;        /* must be first: the options of the run groups store into it */
	uint64_t interval, intervals; /* ns; number of results */
	uint64_t rows;                /* 0 = as many as fit the terminal */
	const struct sockets_column *column;
	const char *sort, *flow;
	bool as_json, wakeups;
};

/* What a result is about. */
struct sockets_subject {
	const char *name; /* of the capture; "live" for a live run */
	uint64_t end, ns; /* of a live run: end of the interval, ns since 1970, and its length; 0 = a capture */
};

/* A flow or a program, as a row of a table. */
struct sockets_row {
	const struct tw_socket_flow *flow;       /* NULL = a program */
	const struct tw_socket_program *program; /* NULL = a flow */
	const struct tw_socket_figures *figures;
	uint64_t value; /* of the column by which rows are sorted; 0 = unknown */
};

/** sockets_column__find() - find the column of --sort; NULL = the default. Return: 0, or -EINVAL with @error filled */
int sockets_column__find(const char *name, const struct sockets_column **ret, struct tw_error *error);

/** sockets_rows__of_flows(), sockets_rows__of_programs() - make the rows, the largest value first. Return: to be freed; NULL without memory */
struct sockets_row *sockets_rows__of_flows(const struct tw_socket_times_result *result,
					   const struct sockets_column *column);
struct sockets_row *sockets_rows__of_programs(const struct tw_socket_times_result *result,
					      const struct sockets_column *column);

/**
 * sockets_flow__name() - the name of a flow, "tcp 10.0.0.1:443 > 10.0.0.2:51234", as --flow takes it
 * sockets_flow__end(): one of its two ends, "10.0.0.1:443"; sockets_flow__address(): its address only. Return: @buf
 */
const char *sockets_flow__name(const struct tw_socket_flow_id *id, char buf[SOCKETS_NAME_MAX]);
const char *sockets_flow__end(const struct tw_socket_flow_id *id, bool is_local, char buf[SOCKETS_NAME_MAX]);
const char *sockets_flow__address(const struct tw_socket_flow_id *id, bool is_local, char buf[SOCKETS_NAME_MAX]);

/** sockets_flow__protocol() - "tcp", "udp", or the number of another protocol. Return: @buf, or a constant text */
const char *sockets_flow__protocol(const struct tw_socket_flow_id *id, char buf[SOCKETS_NAME_MAX]);

/** sockets_flow__is() - whether --flow names a flow: by both ends, with or without the protocol and blanks, or by one of them */
bool sockets_flow__is(const struct tw_socket_flow_id *id, const char *name);

/** sockets__reason() - name of a reason for which data were held. @reason: less than TW_SOCKTS_HELD_END */
const char *sockets__reason(size_t reason);

/* Numbers of a row that may be unknown, because their events were not selected or are incomplete: UINT64_MAX. */
uint64_t sockets_row__sent(const struct sockets_row *row, const struct tw_socket_times_result *result);
uint64_t sockets_row__read(const struct sockets_row *row, const struct tw_socket_times_result *result);
uint64_t sockets_row__resets_sent(const struct sockets_row *row, const struct tw_socket_times_result *result);
uint64_t sockets_row__drops(const struct sockets_row *row, const struct tw_socket_times_result *result);

/** sockets_table__print(), sockets_json__print() - print a result on standard output */
void sockets_table__print(const struct sockets_config *config, const struct sockets_subject *subject,
			  const struct tw_socket_times_result *result);
void sockets_json__print(const struct sockets_config *config, const struct sockets_subject *subject,
			 const struct tw_socket_times_result *result);

/* Prints the events of the flow that --flow names, one line each. */
struct sockets_timeline {
	const char *flow;
	uint64_t begin;                  /* time of the first event that was printed, ns */
	uint64_t events;                 /* number of events that were printed */
	struct tw_socket_flow_id latest; /* the flow of the event that was printed last */
};

/** sockets_timeline__step() - print an event, if it is one of the flow; for struct tw_socket_times_options. @ctx: a struct sockets_timeline */
void sockets_timeline__step(void *ctx, const struct tw_socket_step *step);

/** sockets__file(), sockets__live() - make the table of a capture, or of a live run. Return: exit status */
int sockets__file(const struct sockets_config *config, const char *file, struct tw_error *error);
int sockets__live(const struct sockets_config *config, char **command, struct tw_error *error);

/** sockets__print() - print a result as the options say; nothing for a timeline. @result: NULL without memory */
void sockets__print(const struct sockets_config *config, const struct sockets_subject *subject,
		    const struct tw_socket_times_result *result);

/** sockets__add_outcome() - add to @outcome what happened to the events that were read */
void sockets__add_outcome(const struct tw_socket_times_result *result, struct outcome *outcome);

#endif
