/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/formats.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/number.h"
#include "cli/filter/format_reader.h"
#include "producer/schema_texts.h"
#include "producer/tracing_dir.h"

static int apply_schema(void *data, const char *value, struct tw_error *err)
{
	struct cli_formats_source *source = data;
	const char *end = value;

	if (!tw_number__hex(&end, &source->schema_id) || *end || !source->schema_id)
		return tw_error__set(err, -EINVAL, "--schema '%s' is no schema id: it is a hexadecimal number", value);
	return 0;
}

static const struct cli_option options[] = {
	{ 'e', "event", "EVENT", CLI_ARG_EVENT,
	  "The events of this kernel that are meant: a system, an event, SYSTEM:EVENT, either with wildcards, or several with "
	  "commas between (default: all). The result is for a stream of just these",
	  0, cli_selection__add },
	{ 0, "from", "FILE", CLI_ARG_FILE, "Take the formats of events from this capture instead of this kernel",
	  offsetof(struct cli_formats_source, file), NULL },
	{ 0, "schema", "ID", CLI_ARG_TEXT, "Which schema, where the capture has several", 0, apply_schema },
	{ 0 },
};

const struct cli_option_group cli_formats_group = { "Formats", options };

void cli_formats__refuse(struct cli_formats *formats, const struct tw_error *why)
{
	if (formats->refused++)
		return;
	formats->why = *why;
}

static void take_text(struct cli_formats *formats, const struct tw_schema_view *view, struct format_reader *reader)
{
	struct tw_error why;

	if (view->kind == TW_SCHEMA_EVENT && format_reader__add(reader, view, formats->schema, &why))
		cli_formats__refuse(formats, &why);
}

static int take_texts(struct cli_formats *formats, const struct tw_schema_texts *texts, struct tw_error *err)
{
	struct format_reader reader;
	int error = format_reader__init(&reader);

	formats->schema = tw_schema__new();
	if (error || !formats->schema) {
		format_reader__fini(&reader);
		return tw_error__set(err, -ENOMEM, "no memory for formats");
	}
	tw_schema__set_long_size(formats->schema, sizeof(long));
	for (size_t i = 0; i < texts->n; i++)
		take_text(formats, &texts->items[i], &reader);
	format_reader__fini(&reader);
	return 0;
}

/* By the code that makes a stream's schema, so that the id is the one that its frames have. */
static int load_events(const char *dir, const struct tw_event_list *events, struct cli_formats *formats,
		       struct tw_error *err)
{
	const struct tw_schema_texts_request request = { .tracing_dir = dir, .events = events };
	struct tw_schema_texts texts = { 0 };
	int error = tw_schema_texts__load(&request, &texts, err);

	if (error)
		return error;
	error = take_texts(formats, &texts, err);
	formats->schema_id = texts.schema_id;
	formats->big_endian = TW_HOST_BE;
	tw_schema_texts__fini(&texts);
	return error;
}

static int find_tracing_dir(const char **ret, struct tw_error *err)
{
	struct tw_error why;
	const int error = tw_tracing_dir__find(ret, &why);

	return error ? tw_error__set(err, error, "%s; or give a capture that has the formats with --from", why.text)
		     : 0;
}

static int load_kernel(const struct cli_selection *selection, struct cli_formats *formats, struct tw_error *err)
{
	struct tw_event_list all = { 0 }, selected = { 0 };
	const char *dir;
	int error = find_tracing_dir(&dir, err);

	if (!error)
		error = tw_event_list__read(dir, &all, err);
	if (!error)
		error = cli_selection__resolve(selection, &all, &selected, err);
	if (!error)
		error = load_events(dir, selection->n ? &selected : &all, formats, err);
	if (!selection->n)
		formats->schema_id = 0; /* of a stream of which nobody has said what it carries */
	tw_event_list__fini(&selected);
	tw_event_list__fini(&all);
	return error;
}

static int check(const struct cli_formats_source *source, struct tw_error *err)
{
	if (source->file && source->selection.n)
		return tw_error__set(
			err, -EINVAL,
			"--event chooses among the events of this kernel, --from takes those of a capture: "
			"give one of them");
	if (source->schema_id && !source->file)
		return tw_error__set(err, -EINVAL,
				     "--schema chooses among the schemas of a capture: give it with --from");
	return 0;
}

int cli_formats__load(const struct cli_formats_source *source, struct cli_formats *ret, struct tw_error *err)
{
	struct cli_formats formats = { 0 };
	int error = check(source, err);

	if (error)
		return error;
	error = source->file ? cli_formats__load_capture(source, &formats, err)
			     : load_kernel(&source->selection, &formats, err);
	if (error)
		cli_formats__fini(&formats);
	else
		*ret = formats;
	return error;
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
