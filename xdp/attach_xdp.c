/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "xdp/log_capture.h"

/* Return: libxdp's dispatcher, which runs several XDP programs on an interface; NULL if the interface has no program or another one. */
static struct xdp_multiprog *find_dispatcher(int ifindex)
{
	struct xdp_multiprog *all = xdp_multiprog__get_from_ifindex(ifindex);

	if (libxdp_get_error(all))
		return NULL;
	if (!xdp_multiprog__is_legacy(all))
		return all;
	xdp_multiprog__close(all);
	return NULL;
}

static struct xdp_program *find_program(struct xdp_multiprog *all, uint32_t id)
{
	struct xdp_program *program = NULL;

	while ((program = xdp_multiprog__next_prog(program, all)))
		if (xdp_program__id(program) == id)
			return program;
	return NULL;
}

/* Whether the interface has a dispatcher that runs the program with that id; @id 0 = any program. */
static bool dispatcher__has(int ifindex, uint32_t id)
{
	struct tw_log_capture log;
	struct xdp_multiprog *all;
	bool has = false;

	tw_log_capture__begin(&log);
	all = find_dispatcher(ifindex);
	if (all)
		has = !id || find_program(all, id);
	xdp_multiprog__close(all);
	tw_log_capture__end(&log);
	return has;
}

static int dispatcher__detach(int ifindex, uint32_t id, struct tw_error *error)
{
	struct xdp_program *program = NULL;
	struct xdp_multiprog *all;
	struct tw_log_capture log;
	int err = 0;

	tw_log_capture__begin(&log);
	all = find_dispatcher(ifindex);
	if (all)
		program = find_program(all, id);
	if (program)
		err = xdp_program__detach(program, ifindex, xdp_multiprog__attach_mode(all), 0);
	xdp_multiprog__close(all);
	tw_log_capture__end(&log);
	return err ? tw_error__set(error, err, "libxdp cannot remove the program from its dispatcher: %s",
				   tw_log_capture__why(&log, err))
		   : 0;
}

/* Whether to try generic mode after native mode has failed with @err. After the errors listed here, generic mode would fail too. */
static bool may_be_generic(int err)
{
	return err && err != -EEXIST && err != -EBUSY && err != -EPERM;
}

int tw_xdp__leave(const struct tw_state *state, struct tw_loaded *opened, uint32_t *ret_id, struct tw_error *error)
{
	DECLARE_LIBBPF_OPTS(xdp_program_opts, opts, .obj = opened->object, .prog_name = TW_PROGRAM_NAME);
	struct xdp_program *program;
	struct tw_log_capture log;
	int err;

	tw_log_capture__begin(&log);
	program = xdp_program__create(&opts);
	err = (int)libxdp_get_error(program);
	if (!err) {
		err = xdp_program__attach(program, state->public.ifindex, XDP_MODE_NATIVE, 0);
		if (may_be_generic(err))
			err = xdp_program__attach(program, state->public.ifindex, XDP_MODE_SKB, 0);
		*ret_id = err ? 0 : xdp_program__id(program);
		xdp_program__close(program);
	}
	tw_log_capture__end(&log);
	return err ? tw_error__set(error, err, "libxdp cannot attach to %s: %s", state->public.ifname,
				   tw_log_capture__why(&log, err))
		   : 0;
}

static int query(int ifindex, struct bpf_xdp_query_opts *opts)
{
	memset(opts, 0, sizeof(*opts));
	opts->sz = sizeof(*opts);
	return bpf_xdp_query(ifindex, 0, opts);
}

/*
 * Return: id of the program that occupies the hook: with offload, the hook in the NIC; otherwise, the hook in the kernel. 0 = the hook is
 * free. For a permanent classifier, a hook with libxdp's dispatcher counts as free, because the dispatcher can run several programs.
 */
static uint32_t in_the_way(const struct tw_state *state, const struct bpf_xdp_query_opts *there)
{
	const uint32_t software = there->drv_prog_id ? there->drv_prog_id : there->skb_prog_id;

	if (state->public.offload)
		return there->hw_prog_id;
	return state->public.persist && dispatcher__has(state->public.ifindex, 0) ? 0 : software;
}

static int cannot_query(const struct tw_state *state, int err, struct tw_error *error)
{
	return tw_error__set(error, err, "cannot find out whether %s has an XDP program: %s", state->public.ifname,
			     strerror(-err));
}

int tw_xdp__plan(const struct tw_state *state, struct tw_error *error)
{
	struct bpf_xdp_query_opts there;
	char name[BPF_OBJ_NAME_LEN];
	uint32_t id;
	int err = query(state->public.ifindex, &there);

	if (err)
		return cannot_query(state, err, error);
	id = in_the_way(state, &there);
	if (!id)
		return 0;
	tw_program__name_of(id, name);
	return tw_error__set(
		error, -EEXIST,
		"%s has an XDP program of another owner already (%s, id %u); use --hook tc, or remove that program",
		state->public.ifname, *name ? name : "without a name", id);
}

static int create_link(int program, int ifindex, uint32_t flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);

	return bpf_link_create(program, ifindex, BPF_XDP, &opts);
}

/* Attach in native mode if the driver supports it, otherwise in generic mode. Fail if the hook already has a program. */
static int hold_first(const struct tw_state *state, int program, int *link, struct tw_error *error)
{
	int fd = create_link(program, state->public.ifindex, XDP_FLAGS_DRV_MODE);

	if (fd < 0 && may_be_generic(fd))
		fd = create_link(program, state->public.ifindex, XDP_FLAGS_SKB_MODE);
	if (fd < 0)
		return tw_error__set(error, fd, "cannot attach to XDP of %s: %s", state->public.ifname, strerror(-fd));
	*link = fd;
	return 0;
}

int tw_xdp__hold(const struct tw_state *state, int program, int *link, struct tw_error *error)
{
	int err;

	if (*link < 0)
		return hold_first(state, program, link, error);
	err = bpf_link_update(*link, program, NULL);
	return err ? tw_error__set(error, err, "cannot replace the XDP program of %s: %s", state->public.ifname,
				   strerror(-err))
		   : 0;
}

int tw_xdp__offload(const struct tw_state *state, int program, int old, struct tw_error *error)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = old);
	const uint32_t flags = XDP_FLAGS_HW_MODE | (old < 0 ? XDP_FLAGS_UPDATE_IF_NOEXIST : XDP_FLAGS_REPLACE);
	struct tw_log_capture log;
	int err;

	tw_log_capture__begin(&log);
	err = bpf_xdp_attach(state->public.ifindex, program, flags, old < 0 ? NULL : &opts);
	tw_log_capture__end(&log);
	if (err)
		return tw_error__set(error, err,
				     "%s does not offload the program: %s. Without --offload, the kernel runs it",
				     state->public.ifname, tw_log_capture__why(&log, err));
	return 0;
}

/* Detach the program with the state's id. If another program was attached since then, that program stays. */
static int detach_single(const struct tw_state *state, uint32_t flags, struct tw_error *error)
{
	const int fd = bpf_prog_get_fd_by_id(state->public.program);
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = fd);
	int err;

	if (fd == -ENOENT) /* the program has gone */
		return 0;
	if (fd < 0)
		return tw_error__set(error, fd, "cannot open the XDP program of %s: %s", state->public.ifname,
				     strerror(-fd));
	err = bpf_xdp_detach(state->public.ifindex, flags | XDP_FLAGS_REPLACE, &opts);
	close(fd);
	return err ? tw_error__set(error, err, "cannot remove the XDP program from %s: %s", state->public.ifname,
				   strerror(-err))
		   : 0;
}

int tw_xdp__detach(const struct tw_state *state, struct tw_error *error)
{
	const int mode = state->held_by_link ? TW_MODE_NONE : tw_xdp__mode(state, error);

	switch (mode) {
	case TW_MODE_NATIVE:
		return detach_single(state, XDP_FLAGS_DRV_MODE, error);
	case TW_MODE_GENERIC:
		return detach_single(state, XDP_FLAGS_SKB_MODE, error);
	case TW_MODE_HARDWARE:
		return detach_single(state, XDP_FLAGS_HW_MODE, error);
	case TW_MODE_DISPATCHER:
	case TW_MODE_GENERIC_DISPATCHER:
		return dispatcher__detach(state->public.ifindex, state->public.program, error);
	default:
		return mode < 0 ? mode : 0;
	}
}

int tw_xdp__mode(const struct tw_state *state, struct tw_error *error)
{
	const uint32_t id = state->public.program;
	struct bpf_xdp_query_opts there;
	const int err = id ? query(state->public.ifindex, &there) : 0;

	if (err && err != -ENODEV) /* -ENODEV: the interface was removed */
		return cannot_query(state, err, error);
	if (!id || err)
		return TW_MODE_NONE;
	if (there.hw_prog_id == id)
		return TW_MODE_HARDWARE;
	if (there.drv_prog_id == id)
		return TW_MODE_NATIVE;
	if (there.skb_prog_id == id)
		return TW_MODE_GENERIC;
	if (!dispatcher__has(state->public.ifindex, id))
		return TW_MODE_NONE;
	return there.drv_prog_id ? TW_MODE_DISPATCHER : TW_MODE_GENERIC_DISPATCHER;
}
