/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/leftover.h"

#include <errno.h>

#include "xdp/attach_tc.h"
#include "xdp/attach_u32.h"
#include "xdp/attach_xdp.h"

int tw_leftover__detach(const struct tw_state *state, struct tw_error *err)
{
	switch (state->public.place) {
	case TW_PLACE_XDP:
		return tw_xdp__detach(state, err);
	case TW_PLACE_TC:
		return tw_tc__detach(state, err);
	case TW_PLACE_U32:
		return tw_u32__detach(state, err);
	default:
		return 0;
	}
}

/* A file with nothing in it: whoever made it had not begun. */
int tw_leftover__detach_file(const struct tw_state_file *file, struct tw_error *err)
{
	struct tw_state state;
	int error = tw_state__read(file, &state);

	if (error)
		return error == -ENODATA ? 0 : error;
	error = tw_leftover__detach(&state, err);
	tw_state__fini(&state);
	return error;
}

int tw_leftover__remove(struct tw_state_file *file, struct tw_error *err)
{
	int error;

	if (tw_state_file__has_gone(file))
		return 0;
	error = tw_leftover__detach_file(file, err);
	if (!error)
		tw_state_file__remove(file);
	return error;
}
