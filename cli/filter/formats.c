/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/number.h"
#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/packet_frame.h"
#include "producer/schema_texts.h"
#include "producer/tracing_dir.h"

static int apply_schema(void *data, const char *value, struct tw_error *error)
{
	struct cli_formats_source *source = data;
	const char *end = value;

	if (!tw_number__hex(&end, &source->schema_id) || *end || !source->schema_id)
		return tw_error__set(error, -EINVAL, "--schema '%s' is not a schema id: an id is a hexadecimal number",
				     value);
	return 0;
}

static const struct cli_option options[] = {
	{ 'e', "event", "EVENT", CLI_ARG_EVENT,
	  "Use the formats of these events of this kernel: a system, an event or SYSTEM:EVENT, with wildcards; "
	  "separate several by commas (default: all). Classifiers and capture filters made for these events apply only to "
	  "streams with exactly the same events, because the id of a schema depends on all of its events",
	  .apply = cli_selection__add },
	{ 0, "from", "FILE", CLI_ARG_FILE, "Use the formats in this capture instead of those of this kernel",
	  .offset = offsetof(struct cli_formats_source, file),
	  .once = "a filter is made for the formats of one capture" },
	{ 0, "schema", "ID", CLI_ARG_TEXT, "Schema to use, if the capture has several", .apply = apply_schema },
	{ 0 },
};

const struct cli_option_group cli_formats_group = { "Formats", options };

/* Adds the formats in a SCHEMA record, except those added before: streams repeat these records for late receivers. */
static void take_record(struct cli_formats *formats, struct format_reader *reader, const struct tw_schema_view *record)
{
	struct format_texts texts;
	struct tw_schema_view view;

	if (!format_reader__open(reader, record, &texts, &formats->refused))
		return;
	while (format_reader__next(&texts, &view))
		if (!tw_schema__by_id(formats->schema, view.event_id))
			format_reader__add(reader, &view, formats->schema, &formats->refused);
}

static int take_texts(struct cli_formats *formats, const struct tw_schema_texts *texts, struct tw_error *error)
{
	struct format_reader reader;
	int err = format_reader__init(&reader);

	formats->schema = tw_schema__new();
	if (err || !formats->schema) {
		format_reader__fini(&reader);
		return tw_error__set(error, -ENOMEM, "no memory for formats");
	}
	tw_schema_texts__set_host(formats->schema);
	for (size_t i = 0; i < texts->records.n; i++)
		take_record(formats, &reader, &texts->records.items[i]);
	format_reader__fini(&reader);
	return 0;
}

/* Loads formats with the code that makes the schemas of streams, so that the schema id is the same as in a stream with these events. */
static int load_events(const char *dir, const struct tw_event_list *events, struct cli_formats *formats,
		       struct tw_error *error)
{
	const struct tw_schema_texts_request request = { .tracing_dir = dir, .events = events };
	struct tw_schema_texts texts = { 0 };
	int err = tw_schema_texts__load(&request, &texts, error);

	if (err)
		return err;
	err = take_texts(formats, &texts, error);
	formats->schema_id = texts.schema_id;
	formats->big_endian = TW_HOST_BE;
	tw_schema_texts__fini(&texts);
	return err;
}

static int load_kernel(const struct cli_selection *selection, struct cli_formats *formats, struct tw_error *error)
{
	struct tw_event_list all = { 0 }, selected = { 0 };
	struct tw_error why;
	const char *dir;
	int err = tw_tracing_dir__find(&dir, &why);

	if (err)
		return tw_error__set(error, err, "%s; or use the formats in a capture: --from FILE", why.text);
	err = tw_event_list__read(dir, &all, error);
	if (!err)
		err = cli_selection__resolve(selection, &all, &selected, error);
	if (!err)
		err = load_events(dir, selection->n ? &selected : &all, formats, error);
	if (!selection->n)
		formats->schema_id = 0; /* unknown: few streams have all events of the kernel */
	tw_event_list__fini(&selected);
	tw_event_list__fini(&all);
	return err;
}

/* Reads the formats of one schema from a capture. The formats may come from several streams that have this schema. */

#define OTHERS_MAX 3 /* number of schemas after the first that the error message names */

struct capture_search {
	struct cli_formats *formats;
	struct format_reader reader;
	bool chosen; /* --schema was given, so other schemas in the capture are not an error */
	uint64_t others[OTHERS_MAX];
	unsigned int n_others;
};

static void take_schema(struct capture_search *search, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_schema_view record;

	if (!tw_schema_tlv__parse(tlv, &record))
		return;
	search->formats->big_endian = frame->flags & TW_FLAG_BODY_BE;
	take_record(search->formats, &search->reader, &record);
}

static void note_other(struct capture_search *search, uint64_t id)
{
	for (unsigned int i = 0; i < search->n_others && i < OTHERS_MAX; i++)
		if (search->others[i] == id)
			return;
	if (search->n_others < OTHERS_MAX)
		search->others[search->n_others] = id;
	search->n_others++;
}

/* Whether @id is the selected schema. If the user has not selected a schema, the first one of the capture is selected. */
static bool is_ours(struct capture_search *search, uint64_t id)
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

static void take_tlv(struct capture_search *search, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_tlv_view whole;

	if (!format_reader__whole(&search->reader, frame, tlv, &whole))
		return;
	if (whole.type == TW_TLV_SCHEMA)
		take_schema(search, frame, &whole);
	else if (whole.type == TW_TLV_HOST)
		format_reader__host(&whole, search->formats->schema);
}

static void take_packet(struct capture_search *search, const struct tw_packet *packet)
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

static int several(const struct capture_search *search, const char *name, struct tw_error *error)
{
	char list[OTHERS_MAX * 20] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < search->n_others && i < OTHERS_MAX; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, ", %016" PRIx64, search->others[i]);
	return tw_error__set(error, -EINVAL, "%s has several schemas: choose one with --schema %016" PRIx64 "%s%s",
			     name, search->formats->schema_id, list, search->n_others > OTHERS_MAX ? ", ..." : "");
}

static int check_schemas(const struct capture_search *search, const char *name, struct tw_error *error)
{
	if (search->n_others)
		return several(search, name, error);
	if (tw_schema__count(search->formats->schema))
		return 0;
	if (search->chosen)
		return tw_error__set(error, -ENODATA, "%s has no formats of schema %016" PRIx64, name,
				     search->formats->schema_id);
	return tw_error__set(
		error, -ENODATA,
		"%s has no formats of events: it has no frames of Tracewire, or lacks the frames with metadata", name);
}

static int search_file(struct capture_search *search, int fd, const char *name, struct tw_error *error)
{
	struct tw_capture_file *file;
	struct tw_packet packet;
	int got, err = tw_capture_file__open(fd, name, &file, error);

	if (err)
		return err;
	while ((got = tw_capture_file__next(file, &packet, error)) > 0)
		take_packet(search, &packet);
	tw_capture_file__close(file);
	return got ? got : check_schemas(search, name, error);
}

static int load_capture(const struct cli_formats_source *source, struct cli_formats *formats, struct tw_error *error)
{
	struct capture_search search = { .formats = formats, .chosen = source->schema_id };
	const int fd = open(source->file, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return tw_error__set(error, -errno, "cannot open %s: %s", source->file, strerror(errno));
	formats->schema_id = source->schema_id;
	formats->schema = tw_schema__new();
	if (format_reader__init(&search.reader) || !formats->schema)
		err = tw_error__set(error, -ENOMEM, "no memory for formats");
	else
		err = search_file(&search, fd, source->file, error);
	format_reader__fini(&search.reader);
	close(fd);
	return err;
}

static int check(const struct cli_formats_source *source, struct tw_error *error)
{
	if (source->file && source->selection.n)
		return tw_error__set(
			error, -EINVAL,
			"--event takes the formats of this kernel, and --from those of a capture: omit one of the two");
	if (source->schema_id && !source->file)
		return tw_error__set(error, -EINVAL,
				     "--schema chooses among the schemas of a capture: name the capture with --from");
	return 0;
}

int cli_formats__load(const struct cli_formats_source *source, struct cli_formats *ret, struct tw_error *error)
{
	struct cli_formats formats = { 0 };
	int err = check(source, error);

	if (err)
		return err;
	err = source->file ? load_capture(source, &formats, error) : load_kernel(&source->selection, &formats, error);
	if (err)
		cli_formats__fini(&formats);
	else
		*ret = formats;
	return err;
}

void cli_formats__tell_refused(const struct cli_formats *formats)
{
	if (formats->refused.n)
		fprintf(stderr,
			"%u formats cannot be read, so the filter does not know the fields of their events; the "
			"reason for the first one: %s\n",
			formats->refused.n, formats->refused.why.text);
}

void cli_formats__fini(struct cli_formats *formats)
{
	tw_schema__free(formats->schema);
	*formats = (struct cli_formats){ 0 };
}

void cli_formats_source__fini(void *data)
{
	struct cli_formats_source *source = data;

	cli_selection__fini(&source->selection);
}
