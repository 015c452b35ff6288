/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the formats come from that a filter is bound to: this kernel, or a capture. */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "cli/selection.h"
#include "schema/schema.h"

/* Begins the config of each command that has cli_formats_group. Zero means: not given. */
struct cli_formats_source {
	struct cli_selection selection; /* first, for its apply functions: of this kernel's events; none = all */
	const char *file;               /* a capture */
	uint64_t schema_id;             /* the one of several that a capture has */
};

extern const struct cli_option_group cli_formats_group; /* -e, --from, --schema */

struct cli_formats {
	struct tw_schema *schema;
	uint64_t schema_id;   /* as frames with such events name it; 0 = not known, any will do */
	bool big_endian;      /* bodies of the events */
	unsigned int refused; /* formats that cannot be read: nothing is known of their events */
	struct tw_error why;  /* of the first of them */
};

/**
 * cli_formats__load() - read the formats
 * @ret: the caller's; cli_formats__fini()
 *
 * The schema id is a capture's own, or that of a stream of this kernel with just the events of -e and no tracer.
 *
 * Return: 0; -EINVAL for options or a file that cannot be, -ENOENT for an event that is not there, -ENODATA for a capture without
 * formats, or another -errno; with @error filled.
 */
int cli_formats__load(const struct cli_formats_source *source, struct cli_formats *ret, struct tw_error *error);

/** cli_formats__fini() - an all-zero one is fine */
void cli_formats__fini(struct cli_formats *formats);

/** cli_formats_source__fini() - free what the options have left; @source is a struct cli_formats_source */
void cli_formats_source__fini(void *source);

#endif
