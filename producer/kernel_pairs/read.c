/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the maps of a pair, and finds the names of its groups. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "producer/kernel_pairs/figures.h"
#include "producer/kernel_pairs/impl.h"

_Static_assert(TW_KERNEL_EPOCHS == 2 && TW_HISTOGRAM_BUCKETS < 0x10000, "an epoch and a bucket fit in the member cell");

static struct tw_kernel_role *find_role(struct tw_kernel_pairs *kernel, const struct tw_kernel_pair *pair,
					uint8_t number)
{
	for (size_t i = 0; i < kernel->plan.n_roles; i++)
		if (kernel->plan.roles[i]->pair == pair && kernel->plan.roles[i]->number == number)
			return kernel->plan.roles[i];
	return NULL;
}

/*
 * The name of a value, as in the measurement of a stream. It is made from a record in which only this value is set, because the text that a
 * print fmt has for a value depends on no other field.
 */
static uint32_t name_value(struct tw_kernel_pairs *kernel, struct tw_kernel_role *role, size_t by, uint64_t value)
{
	const struct tw_pair_binding binding = { .by = { role->binding.by[by] } };
	const struct tw_field *field = role->binding.by[by].field;
	const struct tw_record record = { .data = kernel->record,
					  .len = sizeof(kernel->record),
					  .big_endian = TW_HOST_BE };
	const struct tw_print_host host = { .symbols = kernel->kallsyms.table };
	struct tw_pair_input input = {
		.pid = (uint32_t)value, .cpu = (uint16_t)value, .record = &record, .host = &host
	};
	uint64_t name = TW_PAIR_NO_NAME;

	if (!role->print)
		role->print = tw_print__new(role->format);
	if (!role->print)
		return TW_PAIR_NO_NAME;
	input.print = role->print;
	if (field && TW_HOST_BE)
		value <<= 64 - 8 * field->size;
	if (field)
		memcpy(kernel->record + field->offset, &value, field->size);
	tw_pair_binding__group(&binding, &input, 1, kernel->names, &name);
	if (field)
		memset(kernel->record + field->offset, 0, field->size);
	return (uint32_t)name;
}

/* Finds the group of a cell. Return: NULL without memory */
static struct tw_histogram *find_group(struct tw_kernel_pairs *kernel, struct tw_kernel_pair *pair,
				       const struct tw_kernel_cell *cell)
{
	uint64_t names[TW_PAIR_KEYS_MAX] = { 0 };

	for (size_t i = 0; i < pair->figures.n_by; i++) {
		struct tw_kernel_role *role = find_role(kernel, pair, cell->by.from[i]);

		names[i] = role ? name_value(kernel, role, i, cell->by.values[i])
				: tw_pair_names__add(kernel->names, "", 0);
		if (names[i] == TW_PAIR_NO_NAME)
			return NULL;
	}
	return tw_pair_figures__group(&pair->figures, names);
}

static int add_cell(struct tw_kernel_pairs *kernel, struct tw_kernel_pair *pair, const struct tw_kernel_cell *cell,
		    const struct tw_kernel_samples *of_cpus)
{
	struct tw_histogram *group = find_group(kernel, pair, cell), *all = &pair->figures.all;

	for (size_t i = 0; i < kernel->maps.cpus && group; i++) {
		tw_kernel_samples__add(&of_cpus[i], cell->by.cell & 0xffff, group);
		tw_kernel_samples__add(&of_cpus[i], cell->by.cell & 0xffff, all);
	}
	return group ? 0 : -ENOMEM;
}

/* Reads the cells of an epoch. Meanwhile, programs may add cells of the other epoch. */
static int read_groups(struct tw_kernel_pairs *kernel, struct tw_kernel_pair *pair, uint32_t epoch, bool clear)
{
	const int fd = kernel->maps.pairs[pair->index].fds[TW_KERNEL_GROUPS];
	struct tw_kernel_samples *of_cpus = calloc(kernel->maps.cpus, sizeof(*of_cpus));
	struct tw_kernel_cell cell, next;
	bool has_next = !bpf_map_get_next_key(fd, NULL, &next);
	int err = of_cpus ? 0 : -ENOMEM;

	for (uint32_t n = 0; has_next && !err && n < 2 * kernel->maps.pairs[pair->index].max_cells; n++) {
		cell = next;
		has_next = !bpf_map_get_next_key(fd, &cell, &next);
		if (cell.by.cell >> 16 != epoch)
			continue;
		err = bpf_map_lookup_elem(fd, &cell, of_cpus) ? -errno : add_cell(kernel, pair, &cell, of_cpus);
		if (!err && clear)
			bpf_map_delete_elem(fd, &cell);
	}
	free(of_cpus);
	return err;
}

int tw_kernel_pairs__read(struct tw_kernel_pairs *kernel, struct tw_kernel_pair *pair, uint32_t epoch, bool clear)
{
	const int err = tw_kernel_figures__read(kernel->maps.pairs[pair->index].fds[TW_KERNEL_FIGURES], epoch,
						kernel->maps.cpus, clear, &pair->figures);

	return err || !pair->figures.n_by ? err : read_groups(kernel, pair, epoch, clear);
}
