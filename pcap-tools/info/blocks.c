/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file says besides its packets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/printable.h"
#include "pcap-tools/info/state.h"

static void copy_text(char *to, size_t size, const struct tw_capture_option *option)
{
	tw_printable__copy(to, size, option->value, option->len);
}

static void begin_section(struct tw_info_reader *r, const struct tw_capture_block *block)
{
	struct tw_capture_options options = block->options;
	struct tw_capture_option option;
	struct tw_info *info = r->info;

	r->section_begins = info->n_interfaces;
	if (info->sections++)
		return;
	while (tw_capture_options__next(&options, &option)) {
		if (option.code == TW_OPT_SHB_APPLICATION)
			copy_text(info->application, sizeof(info->application), &option);
		else if (option.code == TW_OPT_SHB_HARDWARE)
			copy_text(info->hardware, sizeof(info->hardware), &option);
		else if (option.code == TW_OPT_SHB_OS)
			copy_text(info->os, sizeof(info->os), &option);
		else if (option.code == TW_OPT_COMMENT && !*info->comment)
			copy_text(info->comment, sizeof(info->comment), &option);
	}
}

/* A filter begins with a byte that says in which language; 0 is a text. */
static void copy_filter(struct tw_info_interface *interface, struct tw_capture_option option)
{
	if (!option.len || *option.value)
		return;
	option.value++;
	option.len--;
	copy_text(interface->filter, sizeof(interface->filter), &option);
}

static void describe(struct tw_info_interface *interface, struct tw_capture_options options)
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

/* Room for one more, or for twice as many. Return: NULL beyond the limit, or without memory */
static struct tw_info_interface *add_interface(struct tw_info_reader *r)
{
	struct tw_info *info = r->info;
	const uint32_t n = info->n_interfaces;

	if (n == TW_INFO_INTERFACES_MAX)
		return NULL;
	if (!(n & (n - 1))) {
		struct tw_info_interface *more = reallocarray(info->interfaces, n ? 2 * (size_t)n : 1, sizeof(*more));

		if (!more) {
			r->code = -ENOMEM;
			return NULL;
		}
		info->interfaces = more;
	}
	info->n_interfaces++;
	return &info->interfaces[n];
}

static void begin_interface(struct tw_info_reader *r, const struct tw_capture_block *block)
{
	struct tw_info_interface *interface = add_interface(r);

	if (!interface)
		return;
	*interface = (struct tw_info_interface){
		.section = (uint32_t)r->info->sections - 1,
		.number = block->interface,
		.linktype = block->linktype,
		.snaplen = block->snaplen,
		.stream = TW_INFO_NONE,
	};
	describe(interface, block->options);
}

struct tw_info_interface *tw_info_reader__interface(const struct tw_info_reader *r, uint32_t number)
{
	const uint32_t n = r->info->n_interfaces - r->section_begins;

	return number < n ? &r->info->interfaces[r->section_begins + number] : NULL;
}

static void take_statistics(struct tw_info_reader *r, const struct tw_capture_block *block)
{
	struct tw_info_interface *interface = tw_info_reader__interface(r, block->interface);
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

void tw_info_reader__block(void *ctx, const struct tw_capture_block *block)
{
	struct tw_info_reader *r = ctx;

	if (block->kind == TW_CAPTURE_SECTION)
		begin_section(r, block);
	else if (block->kind == TW_CAPTURE_INTERFACE)
		begin_interface(r, block);
	else
		take_statistics(r, block);
}
