/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/classifier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter/u32/u32.h"
#include "xdp/attach_tc.h"
#include "xdp/classifier_state.h"
#include "xdp/features.h"
#include "xdp/interface.h"
#include "xdp/leftover.h"

/* Frames that go round for ever, or that an interface does not take: those would be lost, and nobody would count them. */
static int check_target(const struct tw_classifier_options *options, uint32_t target, struct tw_error *err)
{
	const int index = tw_interface__index(options->ifname, err);
	char name[IFNAMSIZ] = "?";

	if (index < 0)
		return index;
	if_indextoname(target, name);
	if (tw_features__leads_back(target, index))
		return tw_error__set(err, -EINVAL,
				     "what is redirected to %s arrives on %s again, and goes round for ever", name,
				     options->ifname);
	if (options->place != TW_PLACE_XDP || tw_features__takes_redirected(target))
		return 0;
	return tw_error__set(
		err, -EOPNOTSUPP,
		"%s does not send what XDP redirects to it; one end of a veth pair does while the other has GRO on "
		"(ethtool -K PEER gro on). --hook tc needs none of that",
		name);
}

static int check_action(const struct tw_classifier_options *options, uint8_t action, uint32_t arg, struct tw_error *err)
{
	if (action == TW_ACTION_MARK && options->place == TW_PLACE_XDP)
		return tw_error__set(err, -EINVAL,
				     "mark cannot be done in XDP, where frames have none yet: --hook tc can");
	if (action == TW_ACTION_REDIRECT && options->place == TW_PLACE_XDP && options->offload)
		return tw_error__set(err, -EINVAL, "redirect cannot be done by a NIC's XDP: --hook tc can");
	return action == TW_ACTION_REDIRECT ? check_target(options, arg, err) : 0;
}

static int check(const struct tw_classifier_options *options, struct tw_error *err)
{
	int error = check_action(options, options->default_action, options->default_arg, err);

	if (!options->n || options->n > TW_RULES_MAX)
		return tw_error__set(err, -EINVAL, "a classifier has 1 to %d rules, not %u", TW_RULES_MAX, options->n);
	for (unsigned int i = 0; i < options->n && !error; i++)
		error = check_action(options, options->rules[i].action, options->rules[i].arg, err);
	if (!error && options->place == TW_PLACE_U32 && options->udp_port)
		return tw_error__set(err, -EINVAL, "u32 finds frames behind Ethernet only, not in UDP: --hook tc does");
	return error;
}

static int parse_rules(struct tw_classifier *c, const struct tw_classifier_options *options, struct tw_error *err)
{
	struct tw_error why;
	int error;

	for (unsigned int i = 0; i < options->n; i++) {
		error = tw_filter__parse(options->rules[i].expression, &c->filters[i], &why);
		if (error)
			return tw_error__set(err, error, "rule %u: %s", i + 1, why.text);
	}
	return tw_filter__parse(TW_U32_ANY_EVENT, &c->filters[TW_RULES_MAX], err);
}

/* The place may have a file of a dead process, or of a classifier that stays. */
static int claim(struct tw_classifier *c, struct tw_error *err)
{
	struct tw_state there;
	bool stays = false;
	int error = tw_state__lock(&c->state, &c->file, err);

	if (error)
		return error;
	if (!tw_state__read(&c->file, &there)) {
		stays = there.public.persist && tw_attached__mode(&there) != TW_MODE_NONE;
		tw_state__fini(&there);
	}
	if (stays) {
		tw_state_file__close(&c->file);
		return tw_error__set(
			err, -EBUSY,
			"%s has a classifier in %s already, attached to stay; take it away with `tracewire filter "
			"detach -i %s`",
			c->state.public.ifname, tw_place__name(c->state.public.place), c->state.public.ifname);
	}
	error = tw_leftover__detach_file(&c->file, err);
	return error ? error : tw_state__write(&c->state, &c->file, err);
}

static int plan(struct tw_classifier *c, struct tw_error *err)
{
	int error = c->state.public.place == TW_PLACE_XDP ? tw_xdp__plan(&c->state, err) : tw_tc__plan(&c->state, err);

	if (!error)
		error = tw_state__write(&c->state, &c->file, err);
	return error;
}

int tw_classifier__new(const struct tw_classifier_options *options, struct tw_classifier **ret, struct tw_error *err)
{
	struct tw_classifier *c = calloc(1, sizeof(*c));
	int error;

	if (!c)
		return tw_error__set(err, -ENOMEM, "no memory for a classifier");
	c->file.fd = c->link = c->program = -1;
	c->udp_port = options->udp_port;
	tw_maps__none(&c->maps);
	error = check(options, err);
	if (!error)
		error = parse_rules(c, options, err);
	if (!error)
		error = tw_state__init(&c->state, options, err);
	if (!error)
		error = claim(c, err);
	if (!error && !options->persist)
		error = tw_guardian__start(&c->file, &c->guardian, err);
	if (!error)
		error = plan(c, err);
	if (error)
		tw_classifier__free(c);
	else
		*ret = c;
	return error;
}

/* A link ends when its descriptor is closed; what is to stay stays if it was attached at all. */
void tw_classifier__free(struct tw_classifier *c)
{
	if (!c)
		return;
	if (c->link >= 0)
		close(c->link);
	if (c->file.fd >= 0 && !(c->state.public.persist && c->state.public.schema_id))
		tw_leftover__remove(&c->file, NULL);
	tw_state_file__close(&c->file);
	tw_guardian__end(&c->guardian);
	tw_maps__fini(&c->maps);
	if (c->program >= 0)
		close(c->program);
	for (unsigned int i = 0; i <= TW_RULES_MAX; i++)
		tw_filter__free(c->filters[i]);
	tw_state__fini(&c->state);
	free(c);
}

int tw_classifier__attached(const struct tw_classifier *c,
			    int (*each)(const struct tw_attached *attached, void *ctx, struct tw_error *err), void *ctx,
			    struct tw_error *err)
{
	struct tw_state state = c->state;

	state.public.mode = tw_attached__mode(&state);
	state.public.state = &state;
	state.maps = &c->maps;
	return each(&state.public, ctx, err);
}
