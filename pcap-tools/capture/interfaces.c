/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/interfaces.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/printable.h"

static void copy_text(char *to, size_t size, const struct tw_capture_option *option)
{
	tw_printable__copy(to, size, option->value, option->len);
}

/* Copies a filter option if it is a text, that is, if its first byte is 0. */
static void copy_filter(struct tw_capture_interface *interface, struct tw_capture_option option)
{
	if (!option.len || *option.value)
		return;
	option.value++;
	option.len--;
	copy_text(interface->filter, sizeof(interface->filter), &option);
}

static void describe(struct tw_capture_interface *interface, struct tw_capture_options options)
{
	struct tw_capture_option option;

	while (tw_capture_options__next(&options, &option)) {
		if (option.code == TW_OPT_IF_NAME)
			copy_text(interface->name, sizeof(interface->name), &option);
		else if (option.code == TW_OPT_IF_DESCRIPTION)
			copy_text(interface->description, sizeof(interface->description), &option);
		else if (option.code == TW_OPT_IF_OS)
			copy_text(interface->os, sizeof(interface->os), &option);
		else if (option.code == TW_OPT_IF_FILTER)
			copy_filter(interface, option);
	}
}

/* Appends an interface, unless the list is full. The memory of the list is doubled when it is used up. */
static int add(struct tw_capture_interfaces *interfaces, const struct tw_capture_block *block)
{
	const uint32_t n = interfaces->n;

	if (n == TW_CAPTURE_INTERFACES_KEPT_MAX)
		return 0;
	if (!(n & (n - 1))) {
		struct tw_capture_interface *more =
			reallocarray(interfaces->items, n ? 2 * (size_t)n : 1, sizeof(*more));

		if (!more)
			return -ENOMEM;
		interfaces->items = more;
	}
	interfaces->n++;
	interfaces->items[n] = (struct tw_capture_interface){
		.section = interfaces->n_sections - 1,
		.number = block->interface,
		.linktype = block->linktype,
		.snaplen = block->snaplen,
	};
	describe(&interfaces->items[n], block->options);
	return 0;
}

static void take_statistics(struct tw_capture_interfaces *interfaces, const struct tw_capture_block *block)
{
	struct tw_capture_interface *interface = tw_capture_interfaces__find(interfaces, block->interface);
	struct tw_capture_options options = block->options;
	struct tw_capture_option option;

	if (!interface)
		return;
	interface->has_counters = true;
	interface->received = interface->dropped = UINT64_MAX;
	while (tw_capture_options__next(&options, &option)) {
		if (option.code == TW_OPT_ISB_RECEIVED && option.len == sizeof(uint64_t))
			interface->received = tw_load64(option.value, options.big_endian);
		else if (option.code == TW_OPT_ISB_DROPPED && option.len == sizeof(uint64_t))
			interface->dropped = tw_load64(option.value, options.big_endian);
		else if (option.code == TW_OPT_COMMENT)
			interface->has_ledger |=
				tw_ledger__parse((const char *)option.value, option.len, &interface->ledger);
	}
}

int tw_capture_interfaces__block(struct tw_capture_interfaces *interfaces, const struct tw_capture_block *block)
{
	switch (block->kind) {
	case TW_CAPTURE_SECTION:
		interfaces->section_begins = interfaces->n;
		interfaces->n_sections++;
		return 0;
	case TW_CAPTURE_INTERFACE:
		return add(interfaces, block);
	case TW_CAPTURE_STATISTICS:
		take_statistics(interfaces, block);
		return 0;
	}
	return 0;
}

struct tw_capture_interface *tw_capture_interfaces__find(const struct tw_capture_interfaces *interfaces,
							 uint32_t number)
{
	const uint32_t n = interfaces->n - interfaces->section_begins;

	return number < n ? &interfaces->items[interfaces->section_begins + number] : NULL;
}

void tw_capture_interfaces__join(const struct tw_capture_interfaces *interfaces, uint32_t number,
				 const struct tw_stream *stream)
{
	struct tw_capture_interface *interface = tw_capture_interfaces__find(interfaces, number);

	if (!interface)
		return;
	if (!interface->has_frames)
		interface->stream = stream;
	else if (interface->stream != stream)
		interface->stream = NULL;
	interface->has_frames = true;
}

const char *tw_capture_interfaces__filter(const struct tw_capture_interfaces *interfaces,
					  const struct tw_stream *stream)
{
	for (uint32_t i = 0; i < interfaces->n; i++) {
		const struct tw_capture_interface *f = &interfaces->items[i];

		if (f->has_frames && *f->filter && (f->stream == stream || !f->stream))
			return f->filter;
	}
	return "";
}

void tw_capture_interfaces__fini(struct tw_capture_interfaces *interfaces)
{
	free(interfaces->items);
	*interfaces = (struct tw_capture_interfaces){ 0 };
}
