/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/ring_page.h"

#include <errno.h>
#include <stdlib.h>

#include "producer/tracing_dir.h"
#include "schema/format.h"

static int check_page(const char *text, struct tw_error *error)
{
	struct tw_page_layout page;

	if (tw_page_layout__parse(text, strlen(text), &page, error))
		return -ENOTSUP;
	if (page.commit_offset != TW_SUBBUF_TIME || page.commit_size != sizeof(long) ||
	    page.data_offset != TW_SUBBUF_DATA)
		return tw_error__set(error, -ENOTSUP,
				     "this kernel's rings cannot be read: their sub-buffers have %u bytes at %u before "
				     "the events at %u, where %zu at %d before %zu are known (events/header_page)",
				     page.commit_size, page.commit_offset, page.data_offset, sizeof(long),
				     TW_SUBBUF_TIME, TW_SUBBUF_DATA);
	return 0;
}

static int check_entries(const char *text, struct tw_error *error)
{
	struct tw_entry_layout entry;

	if (tw_entry_layout__parse(text, strlen(text), &entry, error))
		return -ENOTSUP;
	if (entry.type_len_bits != TW_ENTRY_TYPE_BITS || entry.data_max != TW_ENTRY_DATA_MAX ||
	    entry.padding != TW_ENTRY_PADDING || entry.time_extend != TW_ENTRY_TIME_EXTEND ||
	    entry.time_stamp != TW_ENTRY_TIME_STAMP)
		return tw_error__set(
			error, -ENOTSUP,
			"this kernel's rings cannot be read: the types of their entries are not those that "
			"are known (events/header_event)");
	return 0;
}

static int check_text(const char *tracing_dir, const char *name, int (*check)(const char *text, struct tw_error *error),
		      struct tw_error *error)
{
	char *text;
	int err = tw_tracing_file__read(tracing_dir, name, &text, error);

	if (err)
		return err;
	err = check(text, error);
	free(text);
	return err;
}

int tw_subbuf__check_layout(const char *tracing_dir, struct tw_error *error)
{
	const int err = check_text(tracing_dir, "events/header_page", check_page, error);

	return err ? err : check_text(tracing_dir, "events/header_event", check_entries, error);
}
