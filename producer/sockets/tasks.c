/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/tasks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "task_programs.skel.h"

struct tw_socket_tasks {
	struct task_programs *programs;
	int map;
};

static int load(struct tw_socket_tasks *tasks)
{
	int err;

	tasks->programs = task_programs__open();
	err = tasks->programs ? bpf_map__reuse_fd(tasks->programs->maps.tasks, tasks->map) : -errno;
	if (!err)
		err = task_programs__load(tasks->programs);
	return err ? err : task_programs__attach(tasks->programs);
}

int tw_socket_tasks__new(int map, struct tw_socket_tasks **ret, struct tw_error *error)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct tw_socket_tasks *tasks = calloc(1, sizeof(*tasks));
	int err = -ENOMEM;

	if (tasks) {
		tasks->map = map;
		err = load(tasks);
	}
	libbpf_set_print(print);
	if (err) {
		tw_socket_tasks__free(tasks);
		return tw_error__set(
			error, err,
			"--pid and --follow cannot select socket events: the kernel refuses the BPF programs: %s",
			strerror(-err));
	}
	*ret = tasks;
	return 0;
}

int tw_socket_tasks__add(const struct tw_socket_tasks *tasks, uint32_t pid)
{
	const uint32_t selected = 1;

	return bpf_map_update_elem(tasks->map, &pid, &selected, BPF_ANY) ? -errno : 0;
}

uint64_t tw_socket_tasks__not_selected(const struct tw_socket_tasks *tasks)
{
	return __atomic_load_n(&tasks->programs->bss->not_selected, __ATOMIC_RELAXED);
}

void tw_socket_tasks__free(struct tw_socket_tasks *tasks)
{
	if (!tasks)
		return;
	task_programs__destroy(tasks->programs);
	free(tasks);
}
