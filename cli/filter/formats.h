/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of the formats for a filter: this kernel, or a capture. */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include "cli/filter/format_reader.h"
#include "cli/options.h"
#include "cli/selection.h"

/* The values of the options in cli_formats_group; 0 = not given. The config of each command with this group begins with this struct. */
struct cli_formats_source {
	struct cli_selection selection; /* must be first, for its apply functions; no items = all events */
	const char *file;               /* path of a capture */
	uint64_t schema_id;             /* the schema to use, if the capture has several */
};

extern const struct cli_option_group cli_formats_group; /* -e, --from, --schema */

struct cli_formats {
	struct tw_schema *schema;
	uint64_t schema_id; /* schema id in frames with these formats; 0 = unknown: filters apply to any schema */
	bool big_endian;    /* byte order of the fields of events */
	struct refused_formats refused;
};

/**
 * cli_formats__load() - read the formats from the source
 * @ret: to be freed with cli_formats__fini()
 *
 * With --from, the schema id is that of the frames in the capture. With -e, it is the schema id of a stream of this kernel that has exactly
 * these events and no tracer. Without --from and -e, it is 0.
 *
 * Return: 0; or -errno with @error filled: -EINVAL for invalid options, a file that is no capture, or a capture with several schemas;
 * -ENOENT for an event or a file that does not exist; -ENODATA for a capture without formats; -EBADMSG for a damaged capture.
 */
int cli_formats__load(const struct cli_formats_source *source, struct cli_formats *ret, struct tw_error *error);

/** cli_formats__tell_refused() - if formats cannot be read, say so on standard error, with the reason for the first one */
void cli_formats__tell_refused(const struct cli_formats *formats);

/** cli_formats__fini() - free the members of @formats, which may be all-zero */
void cli_formats__fini(struct cli_formats *formats);

/** cli_formats_source__fini() - free what the options have allocated; @source is a struct cli_formats_source */
void cli_formats_source__fini(void *source);

#endif
