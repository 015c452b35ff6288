/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xdp/interface.h"

#define HEAD "tracewire classifier 1\n"

/* The members of struct tw_state that are numbers: the file has a line for each. Rows and rules have other lines. */
#define FIELD(name)                                                                             \
	{                                                                                       \
#name, offsetof(struct tw_state, name), sizeof(((struct tw_state *)NULL)->name) \
	}
#define PUBLIC(name)                                                                                          \
	{                                                                                                     \
#name, offsetof(struct tw_state, public.name), sizeof(((struct tw_state *)NULL)->public.name) \
	}
static const struct {
	const char *name;
	size_t offset, size;
} numbers[] = {
	FIELD(netns),    PUBLIC(ifindex),   PUBLIC(place),   PUBLIC(offload),        PUBLIC(persist),
	PUBLIC(pid),     PUBLIC(schema_id), PUBLIC(program), PUBLIC(default_action), PUBLIC(default_arg),
	FIELD(counters), FIELD(overflow),   FIELD(prio),     FIELD(held_by_link),    FIELD(made_clsact),
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

#define NETNS "/proc/thread-self/ns/net"

int tw_netns__inode(uint64_t *ret, struct tw_error *error)
{
	struct stat st;

	if (stat(NETNS, &st))
		return tw_error__set(error, -errno, "cannot read " NETNS ", the network namespace: %s",
				     strerror(errno));
	*ret = st.st_ino;
	return 0;
}

static int copy_rule(struct tw_state *state, uint8_t action, uint32_t arg, const char *text, size_t len)
{
	struct tw_attached *public = &state->public;
	char *copy;

	if (public->n == TW_RULES_MAX)
		return -ENODATA;
	copy = strndup(text, len);
	if (!copy)
		return -ENOMEM;
	public->rules[public->n++] = (struct tw_classifier_rule){ .expression = copy, .action = action, .arg = arg };
	return 0;
}

int tw_state__init(struct tw_state *state, const struct tw_classifier_options *options, struct tw_error *error)
{
	int err;

	*state = (struct tw_state){
		.public = { .ifindex = tw_interface__index(options->ifname, error),
			    .place = options->place,
			    .offload = options->offload,
			    .persist = options->persist,
			    .pid = getpid(), /* becomes 0 when a permanent classifier is attached */
			    .default_action = options->default_action,
			    .default_arg = options->default_arg },
	};
	if (state->public.ifindex < 0)
		return state->public.ifindex;
	err = tw_netns__inode(&state->netns, error);
	if (err)
		return err;
	snprintf(state->public.ifname, sizeof(state->public.ifname), "%s", options->ifname);
	for (unsigned int i = 0; i < options->n && !err; i++)
		err = copy_rule(state, options->rules[i].action, options->rules[i].arg, options->rules[i].expression,
				strlen(options->rules[i].expression));
	return err ? tw_error__set(error, err, "no memory for the rules") : 0;
}

void tw_state__fini(struct tw_state *state)
{
	for (unsigned int i = 0; i < state->public.n; i++)
		free((char *)state->public.rules[i].expression);
	state->public.n = 0;
}

static uint64_t get_number(const struct tw_state *state, size_t i)
{
	const void *at = (const char *)state + numbers[i].offset;

	if (numbers[i].size == sizeof(uint64_t))
		return *(const uint64_t *)at;
	return numbers[i].size == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint8_t *)at;
}

static void set_number(struct tw_state *state, const char *name, uint64_t value)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		void *at = (char *)state + numbers[i].offset;

		if (strcmp(name, numbers[i].name) != 0)
			continue;
		if (numbers[i].size == sizeof(uint64_t))
			*(uint64_t *)at = value;
		else if (numbers[i].size == sizeof(uint32_t))
			*(uint32_t *)at = (uint32_t)value;
		else
			*(uint8_t *)at = (uint8_t)value;
	}
}

static void emit(const struct tw_state *state, FILE *out)
{
	const struct tw_attached *public = &state->public;

	fprintf(out, HEAD "ifname %s\n", public->ifname);
	for (size_t i = 0; i < NUMBERS; i++)
		fprintf(out, "%s %" PRIu64 "\n", numbers[i].name, get_number(state, i));
	for (unsigned int i = 0; i < TW_ROWS_MAX; i++)
		if (state->rows[i].n || state->rows[i].carried)
			fprintf(out, "row %u %u %u %" PRIu64 "\n", i, state->rows[i].first, state->rows[i].n,
				state->rows[i].carried);
	for (unsigned int i = 0; i < public->n; i++)
		fprintf(out, "rule %u %u %zu %s\n", public->rules[i].action, public->rules[i].arg,
			strlen(public->rules[i].expression), public->rules[i].expression);
}

int tw_state__write(const struct tw_state *state, const struct tw_state_file *file, struct tw_error *error)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int err = 0;

	if (out)
		emit(state, out);
	if (!out || fclose(out))
		err = -ENOMEM;
	else
		err = tw_state_file__write(file, text, len);
	free(text);
	return err ? tw_error__set(error, err, "cannot write %s, the state file of the classifier: %s", file->path,
				   strerror(-err))
		   : 0;
}

/*
 * Parse one entry: a line, or a rule whose text has several lines. @ret_end: the byte after the entry
 * Return: 0; -ENODATA if the entry is invalid; -ENOMEM.
 */
static int parse_line(struct tw_state *state, const char *at, const char **ret_end)
{
	char name[32];
	uint64_t value;
	unsigned int row, action, arg;
	struct tw_state_row entry;
	size_t len;
	int used = 0, err = 0;

	if (sscanf(at, "ifname %15s%n", state->public.ifname, &used) == 1 && used) {
		*ret_end = at + used;
		return 0;
	}
	if (sscanf(at, "row %u %" SCNu32 " %" SCNu32 " %" SCNu64 "%n", &row, &entry.first, &entry.n, &entry.carried,
		   &used) == 4 &&
	    row < TW_ROWS_MAX) {
		state->rows[row] = entry;
		*ret_end = at + used;
		return 0;
	}
	if (sscanf(at, "rule %u %u %zu%n", &action, &arg, &len, &used) == 3 && at[used] == ' ') {
		at += used + 1;
		err = strnlen(at, len) < len ? -ENODATA : copy_rule(state, (uint8_t)action, arg, at, len);
		*ret_end = at + len;
		return err;
	}
	if (sscanf(at, "%31s %" SCNu64 "%n", name, &value, &used) != 2)
		return -ENODATA;
	set_number(state, name, value);
	*ret_end = at + used;
	return 0;
}

static int parse(struct tw_state *state, const char *text)
{
	const char *at = text + strlen(HEAD);
	int err = strncmp(text, HEAD, strlen(HEAD)) != 0 ? -ENODATA : 0;

	while (!err && *at) {
		err = parse_line(state, at, &at);
		if (!err && *at++ != '\n')
			err = -ENODATA;
	}
	return err;
}

static int cannot_read(const struct tw_state_file *file, int err, struct tw_error *error)
{
	return err == -ENODATA ? err
			       : tw_error__set(error, err, "cannot read %s, the state file of a classifier: %s",
					       file->path, strerror(-err));
}

int tw_state__read(const struct tw_state_file *file, struct tw_state *ret, struct tw_error *error)
{
	char *text;
	int err;

	*ret = (struct tw_state){ 0 };
	err = tw_state_file__read(file, &text);
	if (err)
		return cannot_read(file, err, error);
	err = parse(ret, text);
	free(text);
	if (err)
		tw_state__fini(ret);
	ret->public.state = ret;
	return err ? cannot_read(file, err, error) : 0;
}

/*
 * Make the error for a place whose state file another process has locked. If that process has not written the file yet, its pid is unknown.
 */
static int busy(const char *name, const struct tw_state *state, struct tw_error *error)
{
	struct tw_state_file file;
	struct tw_state other = { 0 };
	char holder[32] = "a process";

	if (!tw_state_file__open(name, &file) && !tw_state__read(&file, &other, NULL) && other.public.pid)
		snprintf(holder, sizeof(holder), "process %d", (int)other.public.pid);
	tw_state__fini(&other);
	tw_state_file__close(&file);
	return tw_error__set(
		error, -EBUSY,
		"%s has a classifier in %s already, held by %s; `tracewire filter detach -i %s --hook %s` removes it and ends "
		"that process",
		state->public.ifname, tw_attach_place__name(state->public.place), holder, state->public.ifname,
		tw_attach_place__name(state->public.place));
}

int tw_state__lock(const struct tw_state *state, struct tw_state_file *ret, struct tw_error *error)
{
	char name[96];
	int err;

	snprintf(name, sizeof(name), TW_STATE_FILES "%" PRIu64 "-%d-%s", state->netns, state->public.ifindex,
		 tw_attach_place__name(state->public.place));
	err = tw_state_file__lock(name, ret, error);
	return err == -EBUSY ? busy(name, state, error) : err;
}
