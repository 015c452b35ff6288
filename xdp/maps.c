/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "xdp/classifier.h"

/* One map; value_size 0 stands for a set of rows. */
static const struct layout {
	const char *name;
	uint32_t type, key_size, value_size, entries;
} layouts[TW_BPF_MAPS] = {
	[TW_MAP_COUNTERS] = { "tw_counters", BPF_MAP_TYPE_PERCPU_HASH, sizeof(struct tw_counter_key), 0,
			      TW_COUNTED_MAX },
	[TW_MAP_BLANK] = { "tw_blank", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 0, 1 },
	[TW_MAP_OVERFLOW] = { "tw_overflow", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), 0, 1 },
	[TW_MAP_WINDOW] = { "tw_window", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), TW_BPF_WINDOW, 1 },
};

/* A NIC has only this one. */
static const struct layout offloaded = { "tw_counters", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 0, 1 };

void tw_maps__none(struct tw_maps *maps)
{
	for (size_t i = 0; i < TW_BPF_MAPS; i++)
		maps->fds[i] = -1;
}

static int make(const struct layout *layout, unsigned int rows, int offload_to, struct tw_error *err)
{
	/* Entries of a hash are made when streams come: 4096 of them at once would take a lot on machines with many CPUs. */
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_ifindex = (uint32_t)offload_to,
		    .map_flags = layout->type == BPF_MAP_TYPE_PERCPU_HASH ? BPF_F_NO_PREALLOC : 0);
	const uint32_t value = layout->value_size ? layout->value_size : rows * (uint32_t)sizeof(struct tw_counter);
	const int fd = bpf_map_create((enum bpf_map_type)layout->type, layout->name, layout->key_size, value,
				      layout->entries, &opts);

	if (fd >= 0)
		return fd;
	if (offload_to && fd != -EPERM)
		return tw_error__set(
			err, -EOPNOTSUPP,
			"the interface's driver does not take BPF into hardware: it refuses the counters' map (%s). "
			"Without --offload the kernel runs the program",
			strerror(-fd));
	return tw_error__set(err, fd, "cannot make the map %s of %u bytes: %s", layout->name, value,
			     fd == -EPERM ? "that takes root, or CAP_BPF and CAP_NET_ADMIN" : strerror(-fd));
}

int tw_maps__make(struct tw_maps *maps, unsigned int rows, int offload_to, struct tw_error *err)
{
	tw_maps__none(maps);
	for (size_t i = 0; i < TW_BPF_MAPS; i++) {
		if (offload_to && i != TW_MAP_COUNTERS)
			continue;
		maps->fds[i] = make(offload_to ? &offloaded : &layouts[i], rows, offload_to, err);
		if (maps->fds[i] < 0)
			return maps->fds[i];
	}
	return 0;
}

void tw_maps__fini(struct tw_maps *maps)
{
	for (size_t i = 0; i < TW_BPF_MAPS; i++)
		if (maps->fds[i] >= 0)
			close(maps->fds[i]);
	tw_maps__none(maps);
}

uint32_t tw_map__id(int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) ? info.id : 0;
}
