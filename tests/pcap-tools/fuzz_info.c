/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of an untrusted capture. Its texts must be printable and its sums consistent. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/printable.h"
#include "pcap-tools/info/info.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_text(const char *text, size_t size)
{
	char copy[1024];

	check(strnlen(text, size) < size && size <= sizeof(copy));
	tw_printable__copy(copy, sizeof(copy), text, strlen(text));
	check(!strcmp(copy, text));
}

static void check_interfaces(const struct tw_info *info)
{
	uint64_t packets = 0;

	for (uint32_t i = 0; i < info->interfaces.n; i++) {
		const struct tw_capture_interface *f = &info->interfaces.items[i];

		packets += f->packets;
		check_text(f->name, sizeof(f->name));
		check_text(f->description, sizeof(f->description));
		check_text(f->filter, sizeof(f->filter));
		check(f->section < info->sections);
		check(!f->stream || tw_streams__find(info->table, f->stream->id) == f->stream);
	}
	check(packets == info->packets);
}

static void check_streams(const struct tw_info *info)
{
	/* packets that belong to no stream; those truncated in the header of their frame are among info->snapped */
	uint64_t packets = info->refused + info->unreadable + info->versions + info->snapped;

	for (uint32_t i = 0; i < info->n_streams; i++) {
		const struct tw_info_stream *s = info->streams[i];
		char text[TW_LEDGER_TEXT_MAX];

		packets += s->packets;
		check(s->packets && s->received <= s->events);
		check_text(s->stream->identity.host, sizeof(s->stream->identity.host));
		check(s->n_hooks <= TW_INFO_HOOKS_MAX);
		for (uint32_t j = 0; j < s->n_hooks; j++)
			check_text(s->hooks[j], 256);
		check_text(s->stream->identity.events, sizeof(s->stream->identity.events));
		check(tw_ledger__comment(&s->counted, text, sizeof(text)) < sizeof(text) - 1);
		check(s->counted.place[TW_PLACE_DELIVERED] == s->received);
	}
	check(info->frames <= info->packets && packets >= info->frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct tw_error err = { "" };
	struct tw_counts events = { .total = 0 };
	struct tw_info info;
	int r;

	if (fd < 0)
		fd = memfd_create("capture", 0);
	check(pwrite(fd, data, size, 0) == (ssize_t)size && !ftruncate(fd, (off_t)size) && !lseek(fd, 0, SEEK_SET));
	r = tw_info__read(fd, "made.pcapng", &events, &info, &err);
	check(!r || (r < 0 && *err.text));
	check(events.others <= events.total && events.names.n <= TW_COUNTS_MAX);
	tw_counts__fini(&events);
	if (r)
		return 0;
	check_text(info.application, sizeof(info.application));
	check_text(info.comment, sizeof(info.comment));
	check_interfaces(&info);
	check_streams(&info);
	tw_info__fini(&info);
	return 0;
}
