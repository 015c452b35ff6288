/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/attach_xdp.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <string.h>
#include <unistd.h>

#include "xdp/dispatcher.h"
#include "xdp/quiet.h"

static int query(int ifindex, struct bpf_xdp_query_opts *opts)
{
	memset(opts, 0, sizeof(*opts));
	opts->sz = sizeof(*opts);
	return bpf_xdp_query(ifindex, 0, opts);
}

/* Which program is in the way: any in software, or any in the NIC. With --persist libxdp decides: its dispatcher has room. */
static uint32_t in_the_way(const struct tw_state *state, const struct bpf_xdp_query_opts *there)
{
	const uint32_t software = there->drv_prog_id ? there->drv_prog_id : there->skb_prog_id;

	if (state->public.offload)
		return there->hw_prog_id;
	return state->public.persist && tw_dispatcher__is_there(state->public.ifindex) ? 0 : software;
}

int tw_xdp__plan(const struct tw_state *state, struct tw_error *err)
{
	struct bpf_xdp_query_opts there;
	char name[BPF_OBJ_NAME_LEN];
	uint32_t id;
	int error = query(state->public.ifindex, &there);

	if (error)
		return tw_error__set(err, error, "cannot ask %s for its XDP program: %s", state->public.ifname,
				     strerror(-error));
	id = in_the_way(state, &there);
	if (!id)
		return 0;
	tw_program__name_of(id, name);
	return tw_error__set(
		err, -EEXIST,
		"%s has an XDP program already, %s with id %u, which is not ours to replace; --hook tc does not "
		"need its place",
		state->public.ifname, *name ? name : "without a name", id);
}

static int create_link(int program, int ifindex, uint32_t flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);

	return bpf_link_create(program, ifindex, BPF_XDP, &opts);
}

/* By the driver if it can, else behind it: what was done shows in the mode. Not if somebody came first. */
static int hold_first(const struct tw_state *state, int program, int *link, struct tw_error *err)
{
	int fd = create_link(program, state->public.ifindex, XDP_FLAGS_DRV_MODE);

	if (fd < 0 && fd != -EEXIST && fd != -EBUSY && fd != -EPERM)
		fd = create_link(program, state->public.ifindex, XDP_FLAGS_SKB_MODE);
	if (fd < 0)
		return tw_error__set(err, fd, "cannot attach to XDP of %s: %s", state->public.ifname, strerror(-fd));
	*link = fd;
	return 0;
}

int tw_xdp__hold(const struct tw_state *state, int program, int *link, struct tw_error *err)
{
	int error;

	if (*link < 0)
		return hold_first(state, program, link, err);
	error = bpf_link_update(*link, program, NULL);
	return error ? tw_error__set(err, error, "cannot replace the XDP program of %s: %s", state->public.ifname,
				     strerror(-error))
		     : 0;
}

int tw_xdp__offload(const struct tw_state *state, int program, int old, struct tw_error *err)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = old);
	const uint32_t flags = XDP_FLAGS_HW_MODE | (old < 0 ? XDP_FLAGS_UPDATE_IF_NOEXIST : XDP_FLAGS_REPLACE);
	struct tw_quiet quiet;
	int error;

	tw_quiet__begin(&quiet);
	error = bpf_xdp_attach(state->public.ifindex, program, flags, old < 0 ? NULL : &opts);
	tw_quiet__end(&quiet);
	if (error)
		return tw_error__set(
			err, error,
			"%s does not take the program into hardware: %s. Without --offload the kernel runs it",
			state->public.ifname, tw_quiet__why(&quiet, error));
	return 0;
}

/* By its id, so that what came there after us stays. */
static int detach_single(const struct tw_state *state, uint32_t flags, struct tw_error *err)
{
	const int fd = bpf_prog_get_fd_by_id(state->public.program);
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = fd);
	int error;

	if (fd < 0)
		return 0;
	error = bpf_xdp_detach(state->public.ifindex, flags | XDP_FLAGS_REPLACE, &opts);
	close(fd);
	return error ? tw_error__set(err, error, "cannot take the XDP program off %s: %s", state->public.ifname,
				     strerror(-error))
		     : 0;
}

int tw_xdp__detach(const struct tw_state *state, struct tw_error *err)
{
	if (state->held_by_link)
		return 0;
	switch (tw_xdp__mode(state)) {
	case TW_MODE_NATIVE:
		return detach_single(state, XDP_FLAGS_DRV_MODE, err);
	case TW_MODE_GENERIC:
		return detach_single(state, XDP_FLAGS_SKB_MODE, err);
	case TW_MODE_HARDWARE:
		return detach_single(state, XDP_FLAGS_HW_MODE, err);
	case TW_MODE_DISPATCHER:
	case TW_MODE_GENERIC_DISPATCHER:
		return tw_dispatcher__detach(state->public.ifindex, state->public.program, err);
	default:
		return 0;
	}
}

uint8_t tw_xdp__mode(const struct tw_state *state)
{
	const uint32_t id = state->public.program;
	struct bpf_xdp_query_opts there;

	if (!id || query(state->public.ifindex, &there))
		return TW_MODE_NONE;
	if (there.hw_prog_id == id)
		return TW_MODE_HARDWARE;
	if (there.drv_prog_id == id)
		return TW_MODE_NATIVE;
	if (there.skb_prog_id == id)
		return TW_MODE_GENERIC;
	if (!tw_dispatcher__has(state->public.ifindex, id))
		return TW_MODE_NONE;
	return there.drv_prog_id ? TW_MODE_DISPATCHER : TW_MODE_GENERIC_DISPATCHER;
}
