/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of `tracewire latency`. */
#ifndef CLI_LATENCY_H
#define CLI_LATENCY_H

#include "cli/outcome.h"
#include "cli/output_file.h"
#include "cli/run_options.h"
#include "pcap-tools/latency/latency.h"
#include "producer/packets/packets.h"
#include "xdp/qdisc.h"

/* What a result is about. */
struct latency_subject {
	const char *name;               /* of the capture; "live" for a live run */
	uint64_t end;                   /* end of the interval, ns since 1970; 0 = no intervals */
	uint64_t ns;                    /* length of the interval in a live run */
	const struct tw_qdiscs *qdiscs; /* of this network namespace, in a live run; NULL = not known */
};

/* The values of the options of `latency`, `hist` and `top`. */
struct latency_config {
	struct run_config run; /* must be first: the options of the run groups store into it */
	const char *from, *to, *key, *qdisc;
	const char *by;
	uint64_t linear, memory;
	uint64_t interval;  /* ns; 0 = one result at the end */
	uint64_t intervals; /* number of results; 0 = until the end */
	uint64_t top;       /* --top; 0 = none */
	bool counts_types;  /* count the events of run.selection by their type */
	/* Prints a result instead of latency__print(); NULL = latency__print(). May call tw_latency__pass(). */
	void (*print)(const struct latency_config *config, const struct latency_subject *subject,
		      struct tw_latency *latency);
	const char *stacks, *svg;            /* files to be written at the end; NULL = none */
	struct tw_packets_selection packets; /* its pids are added later, from run.tracing.pids */
	bool as_json, list, in_kernel;
	char *by_names; /* @by, with NULs in place of commas */
	const char *by_list[TW_PAIR_KEYS_MAX];
	size_t n_by;
};

/* The files of --stacks and --svg, which get their names when they are complete. All zero: no files. */
struct latency_files {
	const char *stacks_path, *svg_path; /* as in the config */
	struct output_file stacks, svg;
};

/* What the arguments name: pairs, a capture, a command. */
struct latency_task {
	struct tw_pair_table *table;
	const struct tw_pair **pairs; /* @n_pairs of them, in the table */
	size_t n_pairs;
	const char *file;        /* the capture; NULL = a live run */
	char **command;          /* to be run in a live run; NULL-terminated, empty = none */
	struct tw_qdiscs qdiscs; /* of a live run, if a pair has events of qdiscs; otherwise empty */
};

/** latency__check() - check the options, and split --by. Return: 0 or -errno with @error filled */
int latency__check(struct latency_config *config, struct tw_error *error);

/** latency__split() - find the command after "--". Return: number of arguments before it */
size_t latency__split(char **args, struct latency_task *ret);

/** latency__take_file() - take the last of @n arguments as the capture if it is "-", has a slash or is a file. Return: number left */
size_t latency__take_file(char **args, size_t n, struct latency_task *ret);

/** latency__check_task() - refuse options, and a command, that do not fit the measurement: of a capture, live, or in the kernel */
int latency__check_task(const struct latency_config *config, const struct latency_task *task, struct tw_error *error);

/** latency__understand() - find the pairs, the capture and the command that the arguments name. @args is NULL-terminated */
int latency__understand(struct latency_config *config, char **args, struct latency_task *ret, struct tw_error *error);

/** latency__forget() - free the members of a task */
void latency__forget(struct latency_task *task);

/** latency__load_pairs() - read the table of pairs: built in, of the machine, of the user. Return: 0, or -errno with @error filled */
int latency__load_pairs(struct tw_pair_table **ret, struct tw_error *error);

/** latency__has_qdiscs() - whether a pair has events of queueing disciplines */
bool latency__has_qdiscs(const struct tw_pair *pair);

/**
 * latency__find_qdiscs() - for a live run of pairs with events of qdiscs: find the qdiscs, and restrict the filter to --qdisc or print them
 * Return: 0; -EINVAL if --qdisc is not possible; -ENOENT if its qdisc is not in use; another -errno.
 */
int latency__find_qdiscs(struct latency_config *config, struct latency_task *task, struct tw_error *error);

/** latency__qdisc() - the root qdisc of an interface. @ifindex: index of the interface, as text. Return: NULL if it is not known */
const struct tw_qdisc *latency__qdisc(const struct tw_qdiscs *qdiscs, const char *ifindex);

/** latency__options() - the options of the measurement; its texts are borrowed from @config and @task */
struct tw_latency_options latency__options(const struct latency_config *config, const struct latency_task *task);

extern const struct cli_option_group latency__result_group; /* --svg, -i, -c, -j; of `latency` and `hist` */

/**
 * latency__apply_interval(), latency__apply_count(), latency__apply_linear() - parse --interval, --count and --linear
 * @target: uint64_t, ns; number of results; width of the buckets
 */
int latency__apply_interval(void *target, const char *value, struct tw_error *error);
int latency__apply_count(void *target, const char *value, struct tw_error *error);
int latency__apply_linear(void *target, const char *value, struct tw_error *error);

/** latency__discard() - free what the options have allocated; @config is a struct latency_config */
void latency__discard(void *config);

/** latency__measure() - measure in a capture or in a live run. Return: exit status */
int latency__measure(const struct latency_config *config, const struct latency_task *task, struct tw_error *error);

/** latency__live() - measure in a live run. @files: written at the end; NULL = none. Return: exit status */
int latency__live(const struct latency_config *config, const struct latency_task *task, struct latency_files *files,
		  struct tw_error *error);

/** latency__in_kernel() - measure with BPF programs in the kernel. @files: written at the end. Return: exit status */
int latency__in_kernel(const struct latency_config *config, const struct latency_task *task,
		       struct latency_files *files, struct tw_error *error);

/** latency__add_outcome() - add to @outcome what happened to the events that were read */
void latency__add_outcome(const struct tw_latency_result *result, struct outcome *outcome);

/** latency__tell_missing() - print a note for each event of a pair that @name, a kernel or a capture, lacks: the figures may differ */
void latency__tell_missing(const struct tw_pair_figures *figures, const char *name);

/** latency__figure() - a figure of a pair: a time with three or four digits and its unit, "1.53 us"; or a number. Return: @buf */
const char *latency__figure(const struct tw_pair_figures *pair, uint64_t value, char *buf, size_t size);

/**
 * latency_files__open() - open the files of --stacks and --svg, before anything is measured
 * @capture: the argument that names the capture, which is not overwritten; NULL = a live run
 * Return: 0, or -errno with @error filled; @files must be closed also after a failure.
 */
int latency_files__open(struct latency_files *files, const struct latency_config *config, const char *capture,
			struct tw_error *error);

/** latency_files__write() - write the files, and give them their names. Return: 0 or -errno with @error filled */
int latency_files__write(struct latency_files *files, const struct tw_latency_result *result, struct tw_error *error);

/** latency_files__close() - close the files; those that were not written are removed */
void latency_files__close(struct latency_files *files);

/** latency__print() - print a result: text, or one JSON object with times in ns; nothing if a file of the config is standard output */
void latency__print(const struct latency_config *config, const struct latency_subject *subject,
		    const struct tw_latency_result *result);

#endif
