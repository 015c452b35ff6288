/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/dispatcher.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "xdp/attach_xdp.h"
#include "xdp/quiet.h"

/* NULL = there is none: no program, or one that somebody has attached without libxdp. */
static struct xdp_multiprog *find(int ifindex)
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

bool tw_dispatcher__is_there(int ifindex)
{
	struct tw_quiet quiet;
	struct xdp_multiprog *all;

	tw_quiet__begin(&quiet);
	all = find(ifindex);
	xdp_multiprog__close(all);
	tw_quiet__end(&quiet);
	return all;
}

bool tw_dispatcher__has(int ifindex, uint32_t id)
{
	struct tw_quiet quiet;
	struct xdp_multiprog *all;
	bool has = false;

	tw_quiet__begin(&quiet);
	all = find(ifindex);
	if (all)
		has = find_program(all, id);
	xdp_multiprog__close(all);
	tw_quiet__end(&quiet);
	return has;
}

int tw_dispatcher__detach(int ifindex, uint32_t id, struct tw_error *err)
{
	struct xdp_program *program = NULL;
	struct xdp_multiprog *all;
	struct tw_quiet quiet;
	int error = 0;

	tw_quiet__begin(&quiet);
	all = find(ifindex);
	if (all)
		program = find_program(all, id);
	if (program)
		error = xdp_program__detach(program, ifindex, xdp_multiprog__attach_mode(all), 0);
	xdp_multiprog__close(all);
	tw_quiet__end(&quiet);
	return error ? tw_error__set(err, error, "libxdp cannot take the program out of its dispatcher: %s",
				     tw_quiet__why(&quiet, error))
		     : 0;
}

static int attach(struct xdp_program *program, int ifindex)
{
	int error = xdp_program__attach(program, ifindex, XDP_MODE_NATIVE, 0);

	if (error && error != -EEXIST && error != -EBUSY && error != -EPERM)
		error = xdp_program__attach(program, ifindex, XDP_MODE_SKB, 0);
	return error;
}

int tw_xdp__leave(const struct tw_state *state, struct tw_loaded *opened, uint32_t *ret_id, struct tw_error *err)
{
	DECLARE_LIBBPF_OPTS(xdp_program_opts, opts, .obj = opened->object, .prog_name = TW_PROGRAM_NAME);
	struct xdp_program *program;
	struct tw_quiet quiet;
	int error;

	tw_quiet__begin(&quiet);
	program = xdp_program__create(&opts);
	error = (int)libxdp_get_error(program);
	if (!error) {
		error = attach(program, state->public.ifindex);
		*ret_id = error ? 0 : xdp_program__id(program);
		xdp_program__close(program);
	}
	tw_quiet__end(&quiet);
	return error ? tw_error__set(err, error, "libxdp cannot attach to %s: %s", state->public.ifname,
				     tw_quiet__why(&quiet, error))
		     : 0;
}
