/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats out of a capture: those of one schema, whichever streams have announced it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/filter/format_reader.h"
#include "cli/filter/formats.h"
#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/packet_frame.h"

#define OTHERS_MAX 3 /* schemas that are named, of those that were not chosen */

struct search {
	struct cli_formats *formats;
	struct format_reader reader;
	bool chosen; /* by the user: others are no matter */
	uint64_t others[OTHERS_MAX];
	unsigned int n_others;
};

/* Repeated for those who join late: what is there stays. */
static void take_schema(struct search *search, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct cli_formats *formats = search->formats;
	struct tw_schema_view view;
	struct tw_error why;

	if (!tw_schema_tlv__parse(tlv, &view) || view.kind != TW_SCHEMA_EVENT ||
	    tw_schema__by_id(formats->schema, view.event_id))
		return;
	formats->big_endian = frame->flags & TW_FLAG_BODY_BE;
	if (format_reader__add(&search->reader, &view, formats->schema, &why))
		cli_formats__refuse(formats, &why);
}

static void note_other(struct search *search, uint64_t id)
{
	for (unsigned int i = 0; i < search->n_others && i < OTHERS_MAX; i++)
		if (search->others[i] == id)
			return;
	if (search->n_others < OTHERS_MAX)
		search->others[search->n_others] = id;
	search->n_others++;
}

/* Whether a frame's schema is the one that is looked for: the first, if none was named. */
static bool is_ours(struct search *search, uint64_t id)
{
	if (!id)
		return false;
	if (!search->formats->schema_id)
		search->formats->schema_id = id;
	if (search->formats->schema_id == id)
		return true;
	if (!search->chosen)
		note_other(search, id);
	return false;
}

static void take_tlv(struct search *search, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_tlv_view whole;

	if (!format_reader__whole(&search->reader, frame, tlv, &whole))
		return;
	if (whole.type == TW_TLV_SCHEMA)
		take_schema(search, frame, &whole);
	else if (whole.type == TW_TLV_HOST)
		format_reader__host(&whole, search->formats->schema);
}

static void take_packet(struct search *search, const struct tw_packet *packet)
{
	size_t len;
	const uint8_t *data = tw_packet__frame(packet->linktype, packet->data, packet->len, &len);
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	if (!data)
		return;
	status = tw_frame__parse(data, len, &info, &tlvs);
	if ((status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED) || info.channel != TW_CHANNEL_CONTROL ||
	    !is_ours(search, info.schema_id))
		return;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status))
		take_tlv(search, &info, &tlv);
}

static int take_packets(struct search *search, struct tw_capture_file *file, struct tw_error *err)
{
	struct tw_packet packet;
	int r;

	while ((r = tw_capture_file__next(file, &packet, err)) > 0)
		take_packet(search, &packet);
	return r;
}

static int several(const struct search *search, const char *name, struct tw_error *err)
{
	char list[OTHERS_MAX * 20] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < search->n_others && i < OTHERS_MAX; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, ", %016" PRIx64, search->others[i]);
	return tw_error__set(err, -EINVAL, "%s has several schemas: choose with --schema %016" PRIx64 "%s%s", name,
			     search->formats->schema_id, list, search->n_others > OTHERS_MAX ? ", ..." : "");
}

static int check(const struct search *search, const char *name, struct tw_error *err)
{
	if (search->n_others)
		return several(search, name, err);
	if (tw_schema__count(search->formats->schema))
		return 0;
	if (search->chosen)
		return tw_error__set(err, -ENODATA, "%s has no formats of schema %016" PRIx64, name,
				     search->formats->schema_id);
	return tw_error__set(err, -ENODATA,
			     "%s has no formats of events: no frames of Tracewire, or their beginning is missing",
			     name);
}

static int search_file(struct search *search, int fd, const char *name, struct tw_error *err)
{
	struct tw_capture_file *file;
	int error = tw_capture_file__open(fd, name, &file, err);

	if (error)
		return error;
	error = take_packets(search, file, err);
	tw_capture_file__close(file);
	return error ? error : check(search, name, err);
}

static int init(struct search *search, struct tw_error *err)
{
	search->formats->schema = tw_schema__new();
	if (format_reader__init(&search->reader) || !search->formats->schema)
		return tw_error__set(err, -ENOMEM, "no memory for formats");
	return 0;
}

int cli_formats__load_capture(const struct cli_formats_source *source, struct cli_formats *formats,
			      struct tw_error *err)
{
	struct search search = { .formats = formats, .chosen = source->schema_id };
	const int fd = open(source->file, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return tw_error__set(err, -errno, "cannot open %s: %s", source->file, strerror(errno));
	formats->schema_id = source->schema_id;
	error = init(&search, err);
	if (!error)
		error = search_file(&search, fd, source->file, err);
	format_reader__fini(&search.reader);
	close(fd);
	return error;
}
