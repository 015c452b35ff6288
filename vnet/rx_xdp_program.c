/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_xdp_program.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <string.h>
#include <unistd.h>

#include "rx_xdp_code.skel.h"
#include "vnet/rx_xdp_queue.h"

static void read_name(uint32_t id, char name[BPF_OBJ_NAME_LEN])
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);
	const int fd = bpf_prog_get_fd_by_id(id);

	name[0] = '\0';
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		memcpy(name, info.name, BPF_OBJ_NAME_LEN);
	name[BPF_OBJ_NAME_LEN - 1] = '\0';
	close(fd);
}

struct rx_xdp_other rx_xdp_program__find_other(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, there);
	struct rx_xdp_other ret = { 0 };

	if (bpf_xdp_query(ifindex, 0, &there))
		return ret;
	ret.id = there.drv_prog_id ? there.drv_prog_id : there.skb_prog_id ? there.skb_prog_id : there.hw_prog_id;
	if (ret.id)
		read_name(ret.id, ret.name);
	return ret;
}

static int open_and_load(unsigned int queues, bool multi_buffer, struct rx_xdp_program *program)
{
	int err;

	program->code = rx_xdp_code__open();
	if (!program->code)
		return -errno;
	program->code->rodata->longest = RX_XDP_CHUNK_ROOM;
	program->code->rodata->pieces = multi_buffer;
	err = bpf_map__set_max_entries(program->code->maps.sockets, queues);
	return err ? err : rx_xdp_code__load(program->code);
}

int rx_xdp_program__load(unsigned int queues, bool multi_buffer, struct rx_xdp_program *ret)
{
	const libbpf_print_fn_t print = libbpf_set_print(NULL); /* the error is ours to tell */
	int err;

	*ret = (struct rx_xdp_program){ .link = -1 };
	err = open_and_load(queues, multi_buffer, ret);
	libbpf_set_print(print);
	return err;
}

int rx_xdp_program__serve(const struct rx_xdp_program *program, unsigned int queue, int socket)
{
	const uint32_t key = queue, value = (uint32_t)socket;

	return bpf_map_update_elem(bpf_map__fd(program->code->maps.sockets), &key, &value, BPF_ANY);
}

static int create_link(const struct rx_xdp_program *program, int ifindex, uint32_t flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);

	return bpf_link_create(bpf_program__fd(program->code->progs.tw_receive), ifindex, BPF_XDP, &opts);
}

int rx_xdp_program__attach(struct rx_xdp_program *program, int ifindex)
{
	int fd = create_link(program, ifindex, XDP_FLAGS_DRV_MODE);

	program->native = fd >= 0;
	if (fd < 0 && fd != -EEXIST && fd != -EBUSY && fd != -EPERM)
		fd = create_link(program, ifindex, XDP_FLAGS_SKB_MODE);
	if (fd < 0)
		return fd;
	program->link = fd;
	return 0;
}

uint64_t rx_xdp_program__missed(const struct rx_xdp_program *program)
{
	return __atomic_load_n(&program->code->bss->missed, __ATOMIC_RELAXED);
}

void rx_xdp_program__close(struct rx_xdp_program *program)
{
	if (program->link >= 0)
		close(program->link);
	rx_xdp_code__destroy(program->code);
}
