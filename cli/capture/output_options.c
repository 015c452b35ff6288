/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/capture/output_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KILOBYTE  1000u /* the unit of dumpcap's filesize */
#define COUNT_MAX ((uint64_t)1 << 48)

enum unit { UNIT_COUNT, UNIT_KILOBYTES, UNIT_SECONDS };

struct condition_key {
	const char *name; /* NULL ends a table */
	enum unit unit;
	size_t offset; /* offset in a struct output_request */
	uint64_t max;  /* largest value, in the unit; 0 = COUNT_MAX */
};

#define AT(field) offsetof(struct output_request, field)

static const struct condition_key ring_keys[] = {
	{ "duration", UNIT_SECONDS, AT(file_ns), 0 },
	{ "filesize", UNIT_KILOBYTES, AT(file_bytes), 0 },
	{ "files", UNIT_COUNT, AT(files_max), TW_OUTPUT_FILES_MAX },
	{ "interval", UNIT_SECONDS, AT(interval_ns), 0 },
	{ "packets", UNIT_COUNT, AT(file_packets), 0 },
	{ 0 },
};

static const struct condition_key autostop_keys[] = {
	{ "duration", UNIT_SECONDS, AT(stop_ns), 0 }, { "filesize", UNIT_KILOBYTES, AT(stop_bytes), 0 },
	{ "files", UNIT_COUNT, AT(stop_files), 0 },   { "packets", UNIT_COUNT, AT(stop_events), 0 },
	{ "events", UNIT_COUNT, AT(stop_events), 0 }, { 0 },
};

static int parse_value(const struct condition_key *key, const char *value, uint64_t *ret, struct tw_error *error)
{
	const uint64_t unit = key->unit == UNIT_KILOBYTES ? KILOBYTE : 0, max = key->max ? key->max : COUNT_MAX;
	const struct tw_number_rule rule = { .min = unit ? unit : 1, .max = unit ? max * unit : max, .unit = unit };

	if (key->unit != UNIT_SECONDS)
		return tw_number__parse(value, &rule, ret, error);
	if (cli_seconds__parse(value, ret))
		return tw_error__set(error, -EINVAL, "'%s': give a number of seconds above 0, such as 60 or 0.5",
				     value);
	return 0;
}

static int unknown_key(const char *option, const char *text, const struct condition_key *keys, struct tw_error *error)
{
	char list[128] = "";
	size_t len = 0;

	for (; keys->name; keys++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", len ? ", " : "", keys->name);
	return tw_error__set(error, -EINVAL, "%s '%s' is not KEY:VALUE; the keys are %s", option, text, list);
}

static int parse(struct output_request *request, const struct condition_key *keys, const char *option, const char *text,
		 struct tw_error *error)
{
	const char *colon = strchr(text, ':');
	const size_t len = colon ? (size_t)(colon - text) : 0;
	const struct condition_key *key = keys;
	struct tw_error why;
	uint64_t value = 0;

	while (key->name && (strlen(key->name) != len || strncmp(key->name, text, len) != 0))
		key++;
	if (!key->name)
		return unknown_key(option, text, keys, error);
	if (parse_value(key, colon + 1, &value, &why))
		return tw_error__set(error, -EINVAL, "%s '%s': %s", option, text, why.text);
	memcpy((char *)request + key->offset, &value, sizeof(value));
	return 0;
}

int output_request__ring(void *request, const char *text, struct tw_error *error)
{
	return parse(request, ring_keys, "--ring-buffer", text, error);
}

int output_request__autostop(void *request, const char *text, struct tw_error *error)
{
	return parse(request, autostop_keys, "--autostop", text, error);
}

bool output_request__rotates(const struct output_request *request)
{
	return request->file_bytes || request->file_packets || request->file_ns || request->interval_ns ||
	       (request->files_max && request->stop_bytes);
}

int output_request__check(const struct output_request *request, struct tw_error *error)
{
	if (output_request__rotates(request))
		return 0;
	if (request->files_max)
		return tw_error__set(
			error, -EINVAL,
			"--ring-buffer files:%llu does not say when to begin the next file: add filesize:, duration:, "
			"interval: or packets: with another --ring-buffer",
			(unsigned long long)request->files_max);
	if (request->stop_files)
		return tw_error__set(
			error, -EINVAL,
			"--autostop files:%llu needs more than one file: give --ring-buffer with filesize:, "
			"duration:, interval: or packets:",
			(unsigned long long)request->stop_files);
	return 0;
}

void output_request__apply(const struct output_request *request, struct tw_output_options *ret)
{
	ret->file_bytes = request->file_bytes;
	ret->file_packets = request->file_packets;
	ret->file_ns = request->file_ns;
	ret->interval_ns = request->interval_ns;
	ret->files_max = (uint32_t)request->files_max;
	if (output_request__rotates(request) && request->stop_bytes &&
	    (!ret->file_bytes || request->stop_bytes < ret->file_bytes))
		ret->file_bytes = request->stop_bytes;
}

static const struct cli_option output_options[] = {
	{ 'b', "ring-buffer", "KEY:VALUE", CLI_ARG_NEXT_FILE,
	  "Begin the next file after filesize:KB (or with a unit: filesize:64M), duration:SECONDS or packets:N, or "
	  "when the time since 1970 (UTC) is a multiple of interval:SECONDS. files:N keeps only the newest N files. "
	  "May be given many times",
	  .apply = output_request__ring },
	{ 'a', "autostop", "KEY:VALUE", CLI_ARG_AUTOSTOP,
	  "Stop after duration:SECONDS, filesize:KB (or with a unit: filesize:64M), files:N or events:N (counted as by "
	  "--count); packets:N is the same as events:N. With --ring-buffer, filesize:KB does not stop the capture, but begins "
	  "the next file. May be given many times",
	  .apply = output_request__autostop },
	{ 0 },
};

const struct cli_option_group output_group = { "Files", output_options };
