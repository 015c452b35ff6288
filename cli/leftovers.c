/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/leftovers.h"

#include <string.h>

#include "producer/instance.h"
#include "producer/tracing_dir.h"
#include "xdp/classifier.h"

struct removal {
	bool dry_run;
	void (*tell)(void *ctx, const char *what, const char *name);
	void *ctx;
	int error; /* the first, with its sentence in err */
	struct tw_error *err;
};

static bool is_left_over(const struct tw_wire *wire)
{
	return wire->name[0] && !strncmp(wire->owner, RUN_OWNER, strlen(RUN_OWNER)) &&
	       !tw_instance__is_alive(wire->owner + strlen(RUN_OWNER));
}

static void remove_wire(const struct tw_wire *wire, void *ctx)
{
	struct removal *removal = ctx;
	int error;

	if (removal->error || !is_left_over(wire))
		return;
	error = removal->dry_run ? 0 : tw_wire__remove(wire->name, removal->err);
	if (error)
		removal->error = error;
	else
		removal->tell(removal->ctx, "interface", wire->name);
}

static void tell_instance(void *ctx, const char *name)
{
	struct removal *removal = ctx;

	removal->tell(removal->ctx, "trace instance", name);
}

/* Without tracefs in sight no run could be seen to live: that is an error, not a reason to remove its wire. */
int leftovers__remove(bool dry_run, void (*tell)(void *ctx, const char *what, const char *name), void *ctx,
		      struct tw_error *err)
{
	struct removal removal = { .dry_run = dry_run, .tell = tell, .ctx = ctx, .err = err };
	const char *dir;
	int error = tw_classifier__cleanup(dry_run, tell, ctx, err);

	if (!error)
		error = tw_tracing_dir__find(&dir, err);
	if (!error)
		error = tw_wire__list(remove_wire, &removal, err);
	if (error || removal.error)
		return error ? error : removal.error;
	error = tw_instance__cleanup(dry_run, tell_instance, &removal, err);
	return error < 0 ? error : 0;
}
