/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/socket_options.h"

#include <errno.h>
#include <string.h>

#include "cli/run_options.h"
#include "producer/sockets/record.h"

static int apply_sample(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .max = TW_SOCKTS_SAMPLE_MAX };

	return cli_number__parse("sample", value, &rule, target, error);
}

static int apply_max_cpu(void *target, const char *value, struct tw_error *error)
{
	uint64_t *limit = target;

	/* a decimal number in units of 1e-9, as seconds in ns */
	if (value[strspn(value, "0123456789.")] || cli_seconds__parse(value, limit) || *limit > 100 * 1000000000ull)
		return tw_error__set(error, -EINVAL,
				     "--max-cpu '%s' is not a number of percent above 0 and up to 100, such as 1.5",
				     value);
	return 0;
}

static const struct cli_option options[] = {
	{ 0, "cgroup", "PATH", CLI_ARG_TEXT,
	  "Only sockets of this cgroup and of those below it: a path as in /proc/PID/cgroup, such as "
	  "/system.slice/nginx.service. May be given up to 4 times",
	  .offset = offsetof(struct run_config, sockets.cgroups), .apply = run_words__add },
	{ 0, "container", "NAME", CLI_ARG_TEXT,
	  "The same for the cgroup of a container: its name (systemd-nspawn, LXC, crun, runc, ctr), or its id or the first "
	  "digits of it (Docker, Podman, Kubernetes)",
	  .offset = offsetof(struct run_config, sockets.containers), .apply = run_words__add },
	{ 0, "netns", "NAME", CLI_ARG_TEXT,
	  "Only events in this network namespace: a name of `ip netns`, or a path such as /proc/PID/ns/net. May be given up "
	  "to 4 times",
	  .offset = offsetof(struct run_config, sockets.netns), .apply = run_words__add },
	{ 0, "netdev", "IFACE", CLI_ARG_INTERFACE,
	  "Only events at this interface of Tracewire's own network namespace. May be given up to 4 times",
	  .offset = offsetof(struct run_config, sockets.devices), .apply = run_words__add },
	{ 0, "sample", "N", CLI_ARG_NUMBER,
	  "Make the events egress_ts, egress_stats and ingress_ts of one in N messages of each socket, with all stages of this "
	  "message, and none of the others. N is 1 (default: all messages) to 65535. Other events are not sampled",
	  .offset = offsetof(struct run_config, sockets.sample), .apply = apply_sample },
	{ 0, "max-cpu", "PERCENT", CLI_ARG_TEXT,
	  "Limit the time that the BPF programs of socket events take, in percent of the time of all CPUs: if they take more, fewer "
	  "messages have the events of --sample",
	  .offset = offsetof(struct run_config, sockets.max_cpu), .apply = apply_max_cpu },
	{ 0 },
};

const struct cli_option_group run_socket_group = { "Socket events", options };
