/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/classifier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xdp/attach.h"
#include "xdp/cleanup.h"
#include "xdp/interface.h"

struct tw_classifier {
	struct tw_state state;
	struct tw_state_file file;
	struct tw_cleanup_helper helper;
	struct tw_filter *filters[TW_RULES_MAX + 1]; /* one for each rule, and after the last one TW_U32_ANY_EVENT */
	struct tw_maps maps;
	uint16_t udp_port;
	int link;    /* XDP: descriptor of the bpf_link; -1 = there is no link */
	int program; /* XDP with offload: descriptor of the attached program; -1 = there is no such program */
};

const char *tw_attach_place__name(uint8_t place)
{
	static const char *const names[TW_ATTACH_PLACES] = { "xdp", "tc", "u32" };

	return place < TW_ATTACH_PLACES ? names[place] : "?";
}

const char *tw_mode__text(uint8_t mode)
{
	static const char *const texts[] = {
		[TW_MODE_NONE] = "not attached",
		[TW_MODE_NATIVE] = "native XDP",
		[TW_MODE_GENERIC] = "generic XDP",
		[TW_MODE_DISPATCHER] = "native XDP, in libxdp's dispatcher",
		[TW_MODE_GENERIC_DISPATCHER] = "generic XDP, in libxdp's dispatcher",
		[TW_MODE_SOFTWARE] = "in software, not_in_hw",
		[TW_MODE_HARDWARE] = "in_hw",
	};

	return mode < sizeof(texts) / sizeof(texts[0]) ? texts[mode] : "?";
}

/*
 * Refuse redirect targets that cause an endless loop. For XDP, also refuse targets that do not send redirected frames: such frames would be
 * lost without being counted.
 */
static int check_target(const struct tw_classifier_options *options, uint32_t target, struct tw_error *error)
{
	const int index = tw_interface__index(options->ifname, error);
	char name[IFNAMSIZ] = "?";

	if (index < 0)
		return index;
	if_indextoname(target, name);
	if (tw_interface__leads_back(target, index))
		return tw_error__set(error, -EINVAL,
				     "frames redirected to %s would arrive on %s again, in an endless loop", name,
				     options->ifname);
	if (options->place != TW_ATTACH_XDP || tw_interface__takes_redirected(target))
		return 0;
	return tw_error__set(
		error, -EOPNOTSUPP,
		"%s does not send frames that XDP redirects to it. An end of a veth pair sends them if GRO is enabled "
		"on the other end (`ethtool -K PEER gro on`). --hook tc does not require this",
		name);
}

static int check_action(const struct tw_classifier_options *options, uint8_t action, uint32_t arg,
			struct tw_error *error)
{
	if (action == TW_ACTION_MARK && options->place == TW_ATTACH_XDP)
		return tw_error__set(error, -EINVAL,
				     "XDP cannot mark frames, because they have no mark yet: use --hook tc");
	if (action == TW_ACTION_REDIRECT && options->place == TW_ATTACH_XDP && options->offload)
		return tw_error__set(error, -EINVAL,
				     "XDP on a NIC cannot redirect frames: omit --offload, or use --hook u32");
	return action == TW_ACTION_REDIRECT ? check_target(options, arg, error) : 0;
}

static int check(const struct tw_classifier_options *options, struct tw_error *error)
{
	int err = check_action(options, options->default_action, options->default_arg, error);

	if (!options->n || options->n > TW_RULES_MAX)
		return tw_error__set(error, -EINVAL, "a classifier has 1 to %d rules, not %u", TW_RULES_MAX,
				     options->n);
	for (unsigned int i = 0; i < options->n && !err; i++)
		err = check_action(options, options->rules[i].action, options->rules[i].arg, error);
	if (!err && options->place == TW_ATTACH_U32 && options->udp_port)
		return tw_error__set(
			error, -EINVAL,
			"u32 filters can match frames only in Ethernet packets, not in UDP datagrams: use --hook tc");
	return err;
}

static int parse_rules(struct tw_classifier *c, const struct tw_classifier_options *options, struct tw_error *error)
{
	struct tw_error why;
	int err;

	for (unsigned int i = 0; i < options->n; i++) {
		err = tw_filter__parse(options->rules[i].expression, &c->filters[i], &why);
		if (err)
			return tw_error__set(error, err, "rule %u: %s", i + 1, why.text);
	}
	return tw_filter__parse(TW_U32_ANY_EVENT, &c->filters[options->n], error);
}

/* Fail if the place has an attached permanent classifier. */
static int refuse_permanent(const struct tw_classifier *c, struct tw_error *error)
{
	const char *ifname = c->state.public.ifname, *place = tw_attach_place__name(c->state.public.place);
	struct tw_state there;
	int err = tw_state__read(&c->file, &there, error), mode;

	if (err)
		return err == -ENODATA ? 0 : err;
	mode = there.public.persist ? tw_attached__mode(&there, error) : TW_MODE_NONE;
	tw_state__fini(&there);
	if (mode <= TW_MODE_NONE)
		return mode;
	return tw_error__set(
		error, -EBUSY,
		"%s has a permanent classifier in %s already; remove it with `tracewire filter detach -i %s --hook %s`",
		ifname, place, ifname, place);
}

/* Lock the state file of the place. Detach the classifier of a killed process. After an error, the file is closed and stays. */
static int claim(struct tw_classifier *c, struct tw_error *error)
{
	int err = tw_state__lock(&c->state, &c->file, error);

	if (err)
		return err;
	err = refuse_permanent(c, error);
	if (!err)
		err = tw_stale__detach_file(&c->file, error);
	if (err)
		tw_state_file__close(&c->file);
	return err ? err : tw_state__write(&c->state, &c->file, error);
}

static int plan(struct tw_classifier *c, struct tw_error *error)
{
	int err =
		c->state.public.place == TW_ATTACH_XDP ? tw_xdp__plan(&c->state, error) : tw_tc__plan(&c->state, error);

	return err ? err : tw_state__write(&c->state, &c->file, error);
}

int tw_classifier__new(const struct tw_classifier_options *options, struct tw_classifier **ret, struct tw_error *error)
{
	struct tw_classifier *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return tw_error__set(error, -ENOMEM, "no memory for a classifier");
	c->file.fd = c->link = c->program = -1;
	c->udp_port = options->udp_port;
	tw_maps__none(&c->maps);
	err = check(options, error);
	if (!err)
		err = parse_rules(c, options, error);
	if (!err)
		err = tw_state__init(&c->state, options, error);
	if (!err)
		err = claim(c, error);
	if (!err && !options->persist)
		err = tw_cleanup_helper__start(&c->file, &c->helper, error);
	if (!err)
		err = plan(c, error);
	if (err)
		tw_classifier__free(c, NULL);
	else
		*ret = c;
	return err;
}

/* Closing the link's descriptor detaches the program. */
static void close_link(struct tw_classifier *c)
{
	if (c->link >= 0)
		close(c->link);
	c->link = -1;
}

int tw_classifier__free(struct tw_classifier *c, struct tw_error *error)
{
	int err = 0;

	if (!c)
		return 0;
	close_link(c);
	if (c->file.fd >= 0 && !(c->state.public.persist && c->state.public.schema_id))
		err = tw_stale__remove(&c->file, error);
	tw_state_file__close(&c->file);
	tw_cleanup_helper__end(&c->helper, !err);
	tw_maps__fini(&c->maps);
	if (c->program >= 0)
		close(c->program);
	for (unsigned int i = 0; i <= TW_RULES_MAX; i++)
		tw_filter__free(c->filters[i]);
	tw_state__fini(&c->state);
	free(c);
	return err;
}

int tw_classifier__ask(struct tw_classifier *c, struct tw_error *error)
{
	const int mode = tw_attached__mode(&c->state, error);

	if (mode < 0)
		return mode;
	c->state.public.mode = (uint8_t)mode;
	return 0;
}

const struct tw_attached *tw_classifier__attached(struct tw_classifier *c)
{
	c->state.public.state = &c->state;
	c->state.maps = &c->maps;
	return &c->state.public;
}

/* The rules bound to a schema. */
struct bound_rules {
	struct tw_rule rules[TW_RULES_MAX + 1]; /* after the last rule, TW_U32_ANY_EVENT */
	struct tw_rules all;
};

static int bind_rules(const struct tw_classifier *c, const struct tw_classifier_schema *schema, struct bound_rules *ret,
		      struct tw_error *error)
{
	const struct tw_bind_options options = { .schema = schema->schema, .big_endian = schema->big_endian };
	const struct tw_attached *attached = &c->state.public;
	struct tw_error why;
	int err;

	*ret = (struct bound_rules){ .all = { .rules = ret->rules,
					      .n = attached->n,
					      .default_action = attached->default_action,
					      .default_arg = attached->default_arg,
					      .schema_id = schema->id,
					      .big_endian = schema->big_endian } };
	for (unsigned int i = 0; i <= attached->n; i++) {
		if (i < attached->n)
			ret->rules[i] =
				(struct tw_rule){ .action = attached->rules[i].action, .arg = attached->rules[i].arg };
		err = tw_filter__bind(c->filters[i], &options, &ret->rules[i].bound, &why);
		if (err)
			return tw_error__set(error, err, "rule %u: %s", i + 1, why.text);
	}
	return 0;
}

static int offload_xdp(struct tw_classifier *c, int fd, uint32_t id, struct tw_error *error)
{
	const uint32_t old = c->state.public.program;
	int err;

	/* Write the file before the program is attached, so that cleanup finds the program if this process is killed in between. */
	c->state.public.program = id;
	err = tw_state__write(&c->state, &c->file, error);
	if (!err)
		err = tw_xdp__offload(&c->state, fd, c->program, error);
	if (err) { /* the old program is still attached, so the file must name it again */
		c->state.public.program = old;
		tw_state__write(&c->state, &c->file, NULL);
		return err;
	}
	if (c->program >= 0)
		close(c->program);
	c->program = dup(fd);
	return 0;
}

static int attach_loaded(struct tw_classifier *c, int fd, struct tw_error *error)
{
	struct tw_attached *attached = &c->state.public;
	uint32_t id;
	int err = tw_program__id(fd, &id, error);

	if (err)
		return err;
	if (attached->place == TW_ATTACH_TC) {
		err = tw_tc__attach(&c->state, fd, error);
	} else if (attached->offload) {
		err = offload_xdp(c, fd, id, error);
	} else {
		err = tw_xdp__hold(&c->state, fd, &c->link, error);
		c->state.held_by_link = c->link >= 0;
	}
	if (!err)
		attached->program = id;
	return err;
}

static int attach_program(struct tw_classifier *c, const struct tw_bpf_program *code, uint8_t hook,
			  struct tw_error *error)
{
	struct tw_attached *public = &c->state.public;
	const struct tw_load_options options = {
		.code = code,
		.maps = &c->maps,
		.hook = hook,
		.offload_to = public->offload ? public->ifindex : 0,
	};
	struct tw_loaded loaded;
	int err;

	if (hook == TW_HOOK_XDP && public->persist && !public->offload) {
		err = tw_loaded__open(&options, &loaded, error);
		if (!err)
			err = tw_xdp__leave(&c->state, &loaded, &public->program, error);
	} else {
		err = tw_loaded__load(&options, &loaded, error);
		if (!err)
			err = attach_loaded(c, tw_loaded__fd(&loaded), error);
	}
	tw_loaded__fini(&loaded);
	return err;
}

static int make_maps(struct tw_classifier *c, unsigned int rows, struct tw_error *error)
{
	int err;

	if (c->maps.fds[TW_MAP_COUNTERS] >= 0)
		return 0;
	err = tw_maps__make(&c->maps, rows, c->state.public.offload ? c->state.public.ifindex : 0, error);
	if (!err)
		err = tw_map__id(c->maps.fds[TW_MAP_COUNTERS], &c->state.counters, error);
	if (!err)
		err = tw_map__id(c->maps.fds[TW_MAP_OVERFLOW], &c->state.overflow, error);
	if (err)
		tw_maps__fini(&c->maps);
	return err;
}

/* Convert an error of the kernel or a driver to -EOPNOTSUPP, because the command treats -EINVAL as a usage error. */
static int kernels(int err)
{
	return err == -EINVAL || err == -E2BIG || err == -ENODATA ? -EOPNOTSUPP : err;
}

static int build(struct tw_classifier *c, const struct tw_rules *rules, struct tw_error *error)
{
	const struct tw_bpf_options options = {
		.hook = c->state.public.place == TW_ATTACH_XDP ? TW_HOOK_XDP : TW_HOOK_TC,
		.offload = c->state.public.offload,
		.udp_port = c->udp_port,
	};
	struct tw_bpf_program code;
	int err = tw_bpf__generate(rules, &options, &code, error);

	if (err)
		return err;
	err = make_maps(c, tw_rules__rows(rules), error);
	if (!err)
		err = kernels(attach_program(c, &code, options.hook, error));
	tw_bpf_program__fini(&code);
	return err;
}

/* Write the state of the attached rules to the file, and ask how they are attached. If this fails for the first rules, detach them. */
static int confirm(struct tw_classifier *c, uint64_t schema_id, struct tw_error *error)
{
	const bool is_first = !c->state.public.schema_id;
	int err;

	c->state.public.schema_id = schema_id;
	if (c->state.public.persist)
		c->state.public.pid = 0;
	err = tw_state__write(&c->state, &c->file, error);
	if (!err)
		err = tw_classifier__ask(c, error);
	if (!err || !is_first)
		return err;
	close_link(c);
	tw_stale__detach(&c->state, NULL);
	c->state.public.schema_id = 0;
	return err;
}

int tw_classifier__bind(struct tw_classifier *c, const struct tw_classifier_schema *schema, struct tw_error *error)
{
	struct bound_rules bound;
	int err = bind_rules(c, schema, &bound, error);

	if (!err)
		err = c->state.public.place == TW_ATTACH_U32
			      ? kernels(tw_u32__attach(&c->state, &bound.all, bound.rules[bound.all.n].bound, error))
			      : build(c, &bound.all, error);
	for (unsigned int i = 0; i <= TW_RULES_MAX; i++)
		tw_bound__free(bound.rules[i].bound);
	return err ? err : confirm(c, schema->id, error);
}
