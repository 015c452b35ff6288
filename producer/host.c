/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/bytes.h"

static void add_text(struct tw_host_attrs *host, enum tw_host_attr attr, const char *text)
{
	char *copy = host->text[host->n];

	if (!text || !*text)
		return;
	snprintf(copy, sizeof(host->text[0]), "%s", text);
	host->attrs[host->n++] = (struct tw_attr_view){
		.attr = (uint16_t)attr,
		.value = (const uint8_t *)copy,
		.len = strlen(copy),
	};
}

/* Cut it would mean something else. */
static void add_filter(struct tw_host_attrs *host, const char *filter)
{
	if (filter)
		host->attrs[host->n++] = (struct tw_attr_view){
			.attr = TW_HOST_FILTER,
			.value = (const uint8_t *)filter,
			.len = strlen(filter),
		};
}

static void add_number(struct tw_host_attrs *host, enum tw_host_attr attr, uint64_t number)
{
	char *copy = host->text[host->n];

	tw_store_be64(copy, number);
	host->attrs[host->n++] = (struct tw_attr_view){
		.attr = (uint16_t)attr,
		.value = (const uint8_t *)copy,
		.len = sizeof(number),
	};
}

/* The first line of a file that begins with @key, what stands behind it without quotes; "" if there is none. */
static void read_line(const char *path, const char *key, char *buf, size_t size)
{
	FILE *file = fopen(path, "re");
	char line[256];

	buf[0] = '\0';
	while (file && !buf[0] && fgets(line, sizeof(line), file)) {
		const char *value = line + strlen(key);

		if (strncmp(line, key, strlen(key)))
			continue;
		value += *value == '"';
		snprintf(buf, size, "%.*s", (int)strcspn(value, "\"\n"), value);
	}
	if (file)
		fclose(file);
}

void tw_host_attrs__init(struct tw_host_attrs *host, const struct tw_host_stream *stream)
{
	char line[256];
	struct utsname uts;

	*host = (struct tw_host_attrs){ 0 };
	if (!uname(&uts)) {
		add_text(host, TW_HOST_NAME, uts.nodename);
		add_text(host, TW_HOST_RELEASE, uts.release);
		add_text(host, TW_HOST_MACHINE, uts.machine);
	}
	read_line("/proc/sys/kernel/random/boot_id", "", line, sizeof(line));
	add_text(host, TW_HOST_BOOT_ID, line);
	read_line("/etc/os-release", "PRETTY_NAME=", line, sizeof(line));
	add_text(host, TW_HOST_OS, line);
	add_text(host, TW_HOST_INSTANCE, stream->instance);
	add_text(host, TW_HOST_CLOCK, stream->clock);
	add_text(host, TW_HOST_EVENTS, stream->events);
	add_filter(host, stream->filter);
	add_text(host, TW_HOST_VERSION, "tracewire " TRACEWIRE_VERSION);
	add_text(host, TW_HOST_POINTERS, stream->pointers_hashed ? "hashed" : "raw");
	add_number(host, TW_HOST_CPUS, stream->cpus);
	add_number(host, TW_HOST_PAGE_SIZE, (uint64_t)sysconf(_SC_PAGESIZE));
	add_number(host, TW_HOST_LONG_SIZE, sizeof(long));
}

void tw_host_attrs__set_sync(struct tw_host_attrs *host, const char *how)
{
	if (host->n && host->attrs[host->n - 1].attr == TW_HOST_SYNC)
		host->n--;
	add_text(host, TW_HOST_SYNC, how);
}
