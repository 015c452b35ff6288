/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From rules and a schema to what is attached. */
#include <errno.h>
#include <unistd.h>

#include "xdp/attach_tc.h"
#include "xdp/attach_u32.h"
#include "xdp/classifier_state.h"

/* The rules as a schema has them. */
struct bound_rules {
	struct tw_bound *bounds[TW_RULES_MAX + 1];
	struct tw_rule rules[TW_RULES_MAX];
	struct tw_rules all;
};

static void unbind(struct bound_rules *bound)
{
	for (unsigned int i = 0; i <= TW_RULES_MAX; i++)
		tw_bound__free(bound->bounds[i]);
}

static int bind_one(const struct tw_classifier *c, unsigned int i, const struct tw_classifier_schema *schema,
		    struct bound_rules *ret, struct tw_error *err)
{
	const struct tw_bind_options options = { .schema = schema->schema, .big_endian = schema->big_endian };
	struct tw_error why;
	int error;

	if (!c->filters[i])
		return 0;
	error = tw_filter__bind(c->filters[i], &options, &ret->bounds[i], &why);
	return error ? tw_error__set(err, error, "rule %u: %s", i + 1, why.text) : 0;
}

static int bind_rules(const struct tw_classifier *c, const struct tw_classifier_schema *schema, struct bound_rules *ret,
		      struct tw_error *err)
{
	const struct tw_attached *public = &c->state.public;
	int error = 0;

	*ret = (struct bound_rules){ 0 };
	for (unsigned int i = 0; i <= TW_RULES_MAX && !error; i++)
		error = bind_one(c, i, schema, ret, err);
	for (unsigned int i = 0; i < public->n; i++)
		ret->rules[i] = (struct tw_rule){ .bound = ret->bounds[i],
						  .action = public->rules[i].action,
						  .arg = public->rules[i].arg };
	ret->all = (struct tw_rules){ .rules = ret->rules,
				      .n = public->n,
				      .default_action = public->default_action,
				      .default_arg = public->default_arg,
				      .schema_id = schema->id,
				      .big_endian = schema->big_endian };
	return error;
}

static int hold_xdp(struct tw_classifier *c, const struct tw_load_options *options, struct tw_error *err)
{
	struct tw_loaded loaded;
	int error = tw_loaded__load(options, &loaded, err);

	if (!error)
		error = tw_xdp__hold(&c->state, tw_loaded__fd(&loaded), &c->link, err);
	if (!error) {
		c->state.held_by_link = true;
		c->state.public.program = tw_program__id(tw_loaded__fd(&loaded));
	}
	tw_loaded__fini(&loaded);
	return error;
}

static int offload_xdp(struct tw_classifier *c, const struct tw_load_options *options, struct tw_error *err)
{
	struct tw_loaded loaded;
	int fd, error = tw_loaded__load(options, &loaded, err);

	/* Written first: whoever is killed in between leaves no riddle. */
	if (!error) {
		c->state.public.program = tw_program__id(tw_loaded__fd(&loaded));
		error = tw_state__write(&c->state, &c->file, err);
	}
	if (!error)
		error = tw_xdp__offload(&c->state, tw_loaded__fd(&loaded), c->program, err);
	if (!error) {
		fd = dup(tw_loaded__fd(&loaded));
		if (c->program >= 0)
			close(c->program);
		c->program = fd;
	}
	tw_loaded__fini(&loaded);
	return error;
}

static int leave_xdp(struct tw_classifier *c, const struct tw_load_options *options, struct tw_error *err)
{
	struct tw_loaded loaded;
	int error = tw_loaded__open(options, &loaded, err);

	if (!error)
		error = tw_xdp__leave(&c->state, &loaded, &c->state.public.program, err);
	tw_loaded__fini(&loaded);
	return error;
}

static int attach_tc(struct tw_classifier *c, const struct tw_load_options *options, struct tw_error *err)
{
	struct tw_loaded loaded;
	int error = tw_loaded__load(options, &loaded, err);

	if (!error)
		error = tw_tc__attach(&c->state, tw_loaded__fd(&loaded), err);
	if (!error)
		c->state.public.program = tw_program__id(tw_loaded__fd(&loaded));
	tw_loaded__fini(&loaded);
	return error;
}

static int attach_program(struct tw_classifier *c, const struct tw_bpf_program *code, struct tw_error *err)
{
	const struct tw_attached *public = &c->state.public;
	const struct tw_load_options options = {
		.code = code,
		.maps = &c->maps,
		.hook = public->place == TW_PLACE_XDP ? TW_HOOK_XDP : TW_HOOK_TC,
		.offload_to = public->offload ? public->ifindex : 0,
	};

	if (public->place == TW_PLACE_TC)
		return attach_tc(c, &options, err);
	if (public->offload)
		return offload_xdp(c, &options, err);
	return public->persist ? leave_xdp(c, &options, err) : hold_xdp(c, &options, err);
}

static int make_maps(struct tw_classifier *c, unsigned int rows, struct tw_error *err)
{
	int error;

	if (c->maps.fds[TW_MAP_COUNTERS] >= 0)
		return 0;
	error = tw_maps__make(&c->maps, rows, c->state.public.offload ? c->state.public.ifindex : 0, err);
	if (error)
		tw_maps__fini(&c->maps);
	c->state.counters = tw_map__id(c->maps.fds[TW_MAP_COUNTERS]);
	c->state.overflow = tw_map__id(c->maps.fds[TW_MAP_OVERFLOW]);
	return error;
}

/* What the kernel or a driver calls invalid is nothing that the user has mistyped. */
static int kernels(int error)
{
	return error == -EINVAL || error == -E2BIG || error == -ENODATA ? -EOPNOTSUPP : error;
}

static int build(struct tw_classifier *c, const struct tw_rules *rules, struct tw_error *err)
{
	const struct tw_bpf_options options = {
		.hook = c->state.public.place == TW_PLACE_XDP ? TW_HOOK_XDP : TW_HOOK_TC,
		.offload = c->state.public.offload,
		.udp_port = c->udp_port,
	};
	struct tw_bpf_program code;
	int error = tw_bpf__generate(rules, &options, &code, err);

	if (error)
		return error;
	error = make_maps(c, tw_rules__rows(rules), err);
	if (!error)
		error = kernels(attach_program(c, &code, err));
	tw_bpf_program__fini(&code);
	return error;
}

int tw_classifier__bind(struct tw_classifier *c, const struct tw_classifier_schema *schema, struct tw_error *err)
{
	struct bound_rules bound;
	int error = bind_rules(c, schema, &bound, err);

	if (!error)
		error = c->state.public.place == TW_PLACE_U32
				? kernels(tw_u32__attach(&c->state, &bound.all, bound.bounds[TW_RULES_MAX], err))
				: build(c, &bound.all, err);
	unbind(&bound);
	if (error)
		return error;
	c->state.public.schema_id = schema->id;
	if (c->state.public.persist)
		c->state.public.pid = 0;
	return tw_state__write(&c->state, &c->file, err);
}
