/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queueing disciplines in a live run: tells the user those of each interface, and applies --qdisc. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/latency/latency.h"
#include "cli/messages.h"

#define TOLD_MAX  8   /* interfaces in a message */
#define KINDS_MAX 128 /* bytes of the kinds of qdiscs of an interface */

bool latency__has_qdiscs(const struct tw_pair *pair)
{
	for (size_t i = 0; i < pair->n_events; i++)
		if (!strncmp(pair->events[i].event, "qdisc_", strlen("qdisc_")))
			return true;
	return false;
}

static bool any_has_qdiscs(const struct latency_task *task)
{
	for (size_t i = 0; i < task->n_pairs; i++)
		if (latency__has_qdiscs(task->pairs[i]))
			return true;
	return false;
}

/* Lists each interface, @verb, and the kinds of its qdiscs, as in "lo: noqueue". Return: to be freed; NULL without memory */
static char *list(const struct tw_qdiscs *qdiscs, const char *verb)
{
	const struct tw_qdisc *root = NULL;
	char *text = NULL, kinds[KINDS_MAX];
	size_t len, n = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	while ((root = tw_qdiscs__next(qdiscs, root))) {
		if (n++ < TOLD_MAX)
			fprintf(out, "%s%s%s %s", n > 1 ? "; " : "", root->device, verb,
				tw_qdiscs__describe(qdiscs, root, kinds, sizeof(kinds)));
	}
	if (n > TOLD_MAX)
		fprintf(out, "; and %zu more, which `tc qdisc` shows", n - TOLD_MAX);
	if (!n)
		fputs("no interface of this network namespace has one", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void tell(const struct tw_qdiscs *qdiscs)
{
	char *text = list(qdiscs, ":");

	if (text)
		note__say("queueing disciplines of this network namespace: %s", text);
	free(text);
}

static bool is_in_use(const struct tw_qdiscs *qdiscs, const char *kind)
{
	for (size_t i = 0; i < qdiscs->n; i++)
		if (!strcmp(qdiscs->items[i].kind, kind))
			return true;
	return false;
}

static int refuse(const struct tw_qdiscs *qdiscs, const char *kind, struct tw_error *error)
{
	const char *reason = "is not in use";
	char *text = list(qdiscs, " has");

	if (!text)
		return tw_error__set(error, -ENOMEM, "no memory for the list of interfaces");
	if (!strcmp(kind, "noqueue"))
		reason = "has no queue";
	else if (is_in_use(qdiscs, kind))
		reason = "has no events, because only the root qdisc of an interface and the queues of mq have some";
	tw_error__set(error, -ENOENT, "%s %s: %s", kind, reason, text);
	free(text);
	return -ENOENT;
}

/* Writes an expression that is true for packets in qdiscs of a kind, and for events that have no interface. Return: number of interfaces */
static size_t put_interfaces(FILE *out, const struct tw_qdiscs *qdiscs, const char *kind)
{
	const struct tw_qdisc *root = NULL;
	size_t n = 0;

	fputs("(not ifindex or ifindex in {", out);
	while ((root = tw_qdiscs__next(qdiscs, root)))
		if (tw_qdiscs__queues(qdiscs, root, kind))
			fprintf(out, "%s%d", n++ ? ", " : "", root->ifindex);
	fputs("})", out);
	return n;
}

/* Adds the condition of --qdisc to the filter. */
static int restrict_to(const char *kind, const struct tw_qdiscs *qdiscs, struct run_config *run, struct tw_error *error)
{
	struct tw_filter *filter = NULL;
	char *text = NULL;
	size_t len, n;
	FILE *out = open_memstream(&text, &len);
	int err;

	if (!out)
		return tw_error__set(error, -ENOMEM, "no memory for --qdisc");
	if (run->filter)
		fprintf(out, "(%s) and ", tw_filter__text(run->filter));
	n = put_interfaces(out, qdiscs, kind);
	if (fclose(out))
		err = tw_error__set(error, -ENOMEM, "no memory for --qdisc");
	else
		err = n ? tw_filter__parse(text, &filter, error) : refuse(qdiscs, kind, error);
	free(text);
	if (err)
		return err;
	tw_filter__free(run->filter);
	run->filter = filter;
	return 0;
}

int latency__find_qdiscs(struct latency_config *config, struct latency_task *task, struct tw_error *error)
{
	const char *kind = config->qdisc;
	struct tw_error reason;
	int err;

	if (kind && task->file)
		return tw_error__set(
			error, -EINVAL,
			"--qdisc looks up interfaces of this kernel, but %s is a capture: omit --qdisc, and select an interface with -f 'ifindex == N'",
			task->file);
	if (kind && !any_has_qdiscs(task))
		return tw_error__set(error, -EINVAL,
				     "--qdisc is for the pair qdisc, and pair %s has no events of qdiscs",
				     task->pairs[0]->name);
	for (size_t i = 0; kind && i < task->n_pairs; i++)
		if (tw_packets__has(task->pairs[i]))
			return tw_error__set(
				error, -EINVAL,
				"--qdisc is not possible with %s: leave out one of the two; --by kind divides the figures of "
				"qdisc-leaf",
				task->pairs[i]->name);
	if (task->file || !any_has_qdiscs(task))
		return 0;
	err = tw_qdiscs__read(&task->qdiscs, &reason);
	if (err && kind)
		return tw_error__set(error, err, "%s", reason.text);
	if (err) {
		note__say("%s; so interfaces are shown without their queueing disciplines", reason.text);
		return 0;
	}
	if (kind)
		return restrict_to(kind, &task->qdiscs, &config->run, error);
	if (!config->run.quiet)
		tell(&task->qdiscs);
	return 0;
}

const struct tw_qdisc *latency__qdisc(const struct tw_qdiscs *qdiscs, const char *ifindex)
{
	uint64_t number;

	if (!qdiscs || !tw_number__digits(&ifindex, &number) || *ifindex || number > INT_MAX)
		return NULL;
	return tw_qdiscs__root(qdiscs, (int)number);
}
