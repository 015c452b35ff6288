/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/native_ring.h"

#include <errno.h>
#include <stdlib.h>

#include "producer/tracing_dir.h"

static int check_page(const char *text, struct tw_error *error)
{
	const struct tw_page_layout *known = &tw_native_layout.page;
	struct tw_page_layout page;

	if (tw_page_layout__parse(text, strlen(text), &page, error))
		return -ENOTSUP;
	if (page.commit_offset != known->commit_offset || page.commit_size != known->commit_size ||
	    page.data_offset != known->data_offset)
		return tw_error__set(
			error, -ENOTSUP,
			"this kernel's rings cannot be read: the commit field has %u bytes at offset %u, and the events begin "
			"at offset %u; Tracewire supports only %u bytes at offset %u, and events at offset %u "
			"(events/header_page)",
			page.commit_size, page.commit_offset, page.data_offset, known->commit_size,
			known->commit_offset, known->data_offset);
	return 0;
}

static int check_entries(const char *text, struct tw_error *error)
{
	const struct tw_entry_layout *known = &tw_native_layout.entry;
	struct tw_entry_layout entry;

	if (tw_entry_layout__parse(text, strlen(text), &entry, error))
		return -ENOTSUP;
	if (entry.type_len_bits != known->type_len_bits || entry.data_max != known->data_max ||
	    entry.padding != known->padding || entry.time_extend != known->time_extend ||
	    entry.time_stamp != known->time_stamp)
		return tw_error__set(
			error, -ENOTSUP,
			"this kernel's rings cannot be read: the types of their entries are unknown (events/header_event)");
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

int tw_native_ring__check_layout(const char *tracing_dir, struct tw_error *error)
{
	const int err = check_text(tracing_dir, "events/header_page", check_page, error);

	return err ? err : check_text(tracing_dir, "events/header_event", check_entries, error);
}
