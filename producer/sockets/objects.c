/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/objects.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "producer/missed.h"
#include "producer/sockets/tasks.h"

#include "codepoint_programs.skel.h"
#include "drop_programs.skel.h"
#include "echo_programs.skel.h"
#include "egress_programs.skel.h"
#include "egress_tcp_function_programs.skel.h"
#include "egress_udp_function_programs.skel.h"
#include "egress_udp_programs.skel.h"
#include "held_programs.skel.h"
#include "ingress_programs.skel.h"
#include "reset_programs.skel.h"

#define RING_SIZE_MAX ((size_t)1 << 30)
#define CPUS_SIZE     (TW_SOCKTS_CPUS_MAX * sizeof(struct tw_sockts_cpu))

static const struct {
	uint32_t events;
	const char *part; /* of the events that its programs make, for people: " of TCP"; "" = all */
	const void *(*bytes)(size_t *size);
} files[TW_SOCKET_OBJECTS] = {
	{ 1u << TW_SOCKTS_egress_ts | 1u << TW_SOCKTS_egress_stats, " of TCP", egress_programs__elf_bytes },
	{ 1u << TW_SOCKTS_egress_ts | 1u << TW_SOCKTS_egress_stats, " of TCP",
	  egress_tcp_function_programs__elf_bytes },
	{ 1u << TW_SOCKTS_egress_ts, " of UDP", egress_udp_programs__elf_bytes },
	{ 1u << TW_SOCKTS_egress_ts, " of UDP", egress_udp_function_programs__elf_bytes },
	{ 1u << TW_SOCKTS_ingress_ts, "", ingress_programs__elf_bytes },
	{ 1u << TW_SOCKTS_held, "", held_programs__elf_bytes },
	{ 1u << TW_SOCKTS_tcp_reset, "", reset_programs__elf_bytes },
	{ 1u << TW_SOCKTS_drop, "", drop_programs__elf_bytes },
	{ 1u << TW_SOCKTS_icmp_echo, "", echo_programs__elf_bytes },
	{ 1u << TW_SOCKTS_ecn_ce, "", codepoint_programs__elf_bytes },
};

uint32_t tw_socket_objects__events(size_t i)
{
	return files[i].events;
}

const char *tw_socket_objects__part(size_t i)
{
	return files[i].part;
}

/* The number of slots is a power of two. */
static size_t round_size(size_t wanted)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < wanted && size < RING_SIZE_MAX)
		size *= 2;
	return size;
}

static int make_ring(const struct tw_socket_objects *o)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "sockts", sizeof(uint32_t), TW_SOCKTS_SLOT_SIZE,
			      (uint32_t)(o->ring_size / TW_SOCKTS_SLOT_SIZE), &options);
}

static int make_doorbell(const struct tw_socket_objects *o)
{
	(void)o;
	return bpf_map_create(BPF_MAP_TYPE_RINGBUF, "sockts_doorbell", 0, 0, (uint32_t)sysconf(_SC_PAGESIZE), NULL);
}

/* Makes a map for each CPU, and the map that has them. @ret, @ret_map: their descriptors. Return: 0 or -errno */
static int make_each(const struct tw_socket_objects *o, int (*make)(const struct tw_socket_objects *o),
		     const char *name, int *ret, int *ret_map)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);

	for (uint32_t cpu = 0; cpu < o->n_cpus; cpu++) {
		const int map = make(o);

		if (map < 0)
			return map;
		ret[cpu] = map;
		options.inner_map_fd = (uint32_t)map;
		if (*ret_map < 0)
			*ret_map = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, name, sizeof(cpu), sizeof(map),
						  (uint32_t)o->n_cpus, &options);
		if (*ret_map < 0)
			return *ret_map;
		if (bpf_map_update_elem(*ret_map, &cpu, &map, BPF_ANY))
			return -errno;
	}
	return 0;
}

static int make_rings(struct tw_socket_objects *o)
{
	int err;

	o->rings = calloc(o->n_cpus, sizeof(*o->rings));
	o->doorbells = calloc(o->n_cpus, sizeof(*o->doorbells));
	if (!o->rings || !o->doorbells)
		return -ENOMEM;
	err = make_each(o, make_ring, "rings", o->rings, &o->rings_map);
	return err ? err : make_each(o, make_doorbell, "doorbells", o->doorbells, &o->doorbells_map);
}

static int make_counters(struct tw_socket_objects *o)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	void *mapped;

	o->cpus_map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sockts_cpus", sizeof(uint32_t), CPUS_SIZE, 1, &options);
	if (o->cpus_map < 0)
		return o->cpus_map;
	mapped = mmap(NULL, CPUS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, o->cpus_map, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	o->cpus = mapped;
	return 0;
}

static int make_tasks(struct tw_socket_objects *o)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);

	o->tasks_map = bpf_map_create(BPF_MAP_TYPE_HASH, "tasks", sizeof(uint32_t), sizeof(uint32_t),
				      TW_SOCKET_TASKS_MAX, &options);
	return o->tasks_map < 0 ? o->tasks_map : 0;
}

/* One more than the highest number of a CPU; numbers in between can be missing. The file has ranges, as "0-3,8-11". */
static int find_end_of_cpus(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	const char *last;
	char line[4096];
	int end = libbpf_num_possible_cpus();

	if (file && fgets(line, sizeof(line), file)) {
		last = strrchr(line, ',');
		last = last ? last + 1 : line;
		last = strchr(last, '-') ? strchr(last, '-') + 1 : last;
		end = atoi(last) + 1 > end ? atoi(last) + 1 : end;
	}
	if (file)
		fclose(file);
	return end;
}

int tw_socket_objects__init(struct tw_socket_objects *o, size_t ring_size)
{
	const int cpus = find_end_of_cpus();
	int err;

	*o = (struct tw_socket_objects)TW_SOCKET_OBJECTS_NONE;
	if (cpus < 0)
		return cpus;
	o->n_cpus = cpus < TW_SOCKTS_CPUS_MAX ? (size_t)cpus : TW_SOCKTS_CPUS_MAX;
	o->ring_size = round_size(ring_size);
	err = make_counters(o);
	if (!err)
		err = make_tasks(o);
	if (!err)
		err = make_rings(o);
	return err ? err : tw_socket_phcs__init(&o->phcs);
}

static void close_map(int map)
{
	if (map >= 0)
		close(map);
}

static void close_each(int *maps, size_t n)
{
	for (size_t i = 0; maps && i < n; i++)
		if (maps[i] > 0)
			close(maps[i]);
	free(maps);
}

void tw_socket_objects__fini(struct tw_socket_objects *o)
{
	for (size_t i = 0; i < TW_SOCKET_OBJECTS; i++)
		bpf_object__close(o->loaded[i]);
	if (o->cpus)
		munmap(o->cpus, CPUS_SIZE);
	close_map(o->cpus_map);
	close_map(o->rings_map);
	close_map(o->doorbells_map);
	close_map(o->tasks_map);
	close_each(o->rings, o->n_cpus);
	close_each(o->doorbells, o->n_cpus);
	tw_socket_phcs__fini(&o->phcs);
	*o = (struct tw_socket_objects)TW_SOCKET_OBJECTS_NONE;
}

size_t tw_socket_objects__drop(size_t i, const struct tw_socket_hook **hooks, size_t n_hooks)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct bpf_object *object;
	const void *bytes;
	size_t size, n = 0;

	bytes = files[i].bytes(&size);
	object = bpf_object__open_mem(bytes, size, NULL);
	for (size_t at = 0; at < n_hooks; at++)
		if (object ? !bpf_object__find_program_by_name(object, hooks[at]->program)
			   : hooks[at]->events != files[i].events)
			hooks[n++] = hooks[at];
	bpf_object__close(object);
	libbpf_set_print(print);
	return n;
}

static bool is_hooked(const struct tw_socket_hook *const *hooks, size_t n_hooks, const char *program)
{
	for (size_t i = 0; i < n_hooks; i++)
		if (!strcmp(hooks[i]->program, program))
			return true;
	return false;
}

/* Chooses the programs that are loaded. Return: whether there are any */
static bool choose_programs(struct bpf_object *object, const struct tw_socket_hook *const *hooks, size_t n_hooks)
{
	struct bpf_program *program;
	bool any = false;

	bpf_object__for_each_program(program, object)
	{
		const bool hooked = is_hooked(hooks, n_hooks, bpf_program__name(program));

		bpf_program__set_autoload(program, hooked);
		any |= hooked;
	}
	program =
		bpf_object__find_program_by_name(object, "ingress_ip"); /* the libbpf of Debian 12 knows no netfilter */
	if (program) {
		bpf_program__set_type(program, (enum bpf_prog_type)TW_BPF_PROG_NETFILTER);
		bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)TW_BPF_ATTACH_NETFILTER);
	}
	return any;
}

/* Lets the object use the maps of this process, and tells it the settings. */
static int share(const struct tw_socket_objects *o, struct bpf_object *object,
		 const struct tw_sockts_settings *settings)
{
	int err = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, "rings"), o->rings_map);

	if (!err)
		err = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, "doorbells"), o->doorbells_map);
	if (!err)
		err = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, ".data.cpus"), o->cpus_map);
	if (!err)
		err = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, "tasks"), o->tasks_map);
	if (!err)
		err = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, "phcs"), o->phcs.map);
	if (!err)
		err = bpf_map__set_initial_value(bpf_object__find_map_by_name(object, ".rodata.settings"), settings,
						 sizeof(*settings));
	return err;
}

int tw_socket_objects__load(struct tw_socket_objects *o, size_t i, const struct tw_sockts_settings *settings,
			    const struct tw_socket_hook *const *hooks, size_t n_hooks)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL); /* libbpf prints nothing; the caller reports the error */
	struct bpf_object *object;
	const void *bytes;
	size_t size;
	int err = 0;

	bytes = files[i].bytes(&size);
	object = bpf_object__open_mem(bytes, size, NULL);
	if (!object)
		err = -errno;
	else if (choose_programs(object, hooks, n_hooks)) {
		err = share(o, object, settings);
		if (!err)
			err = bpf_object__load(object);
		if (!err)
			o->loaded[i] = object;
	}
	if (!o->loaded[i])
		bpf_object__close(object);
	libbpf_set_print(print);
	return err;
}

int tw_socket_objects__program(const struct tw_socket_objects *o, const char *name)
{
	for (size_t i = 0; i < TW_SOCKET_OBJECTS; i++) {
		const struct bpf_program *program =
			o->loaded[i] ? bpf_object__find_program_by_name(o->loaded[i], name) : NULL;

		if (program)
			return bpf_program__fd(program);
	}
	return -ENOENT;
}

int tw_socket_objects__map(const struct tw_socket_objects *o, const char *name)
{
	for (size_t i = 0; i < TW_SOCKET_OBJECTS; i++) {
		const struct bpf_map *map = o->loaded[i] ? bpf_object__find_map_by_name(o->loaded[i], name) : NULL;

		if (map)
			return bpf_map__fd(map);
	}
	return -ENOENT;
}

static uint64_t missed_in(const struct bpf_object *object)
{
	struct bpf_program *program;
	uint64_t missed = 0;

	bpf_object__for_each_program(program, object)
	{
		if (bpf_program__fd(program) >= 0) /* it was loaded */
			missed = tw_missed__add(missed, tw_missed__of(bpf_program__fd(program)));
	}
	return missed;
}

uint64_t tw_socket_objects__missed(const struct tw_socket_objects *o)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < TW_SOCKET_OBJECTS; i++)
		if (o->loaded[i])
			missed = tw_missed__add(missed, missed_in(o->loaded[i]));
	return missed;
}

static uint64_t run_time_in(const struct bpf_object *object)
{
	struct bpf_program *program;
	uint64_t sum = 0;

	bpf_object__for_each_program(program, object)
	{
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (bpf_program__fd(program) >= 0 && !bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &len))
			sum += info.run_time_ns;
	}
	return sum;
}

uint64_t tw_socket_objects__run_time(const struct tw_socket_objects *o)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TW_SOCKET_OBJECTS; i++)
		if (o->loaded[i])
			sum += run_time_in(o->loaded[i]);
	return sum;
}
