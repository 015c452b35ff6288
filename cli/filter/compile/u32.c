/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression as commands of tc, which make what `filter attach --hook u32` makes without them. */
#include <errno.h>
#include <string.h>

#include "cli/filter/compile/targets.h"
#include "filter/rules.h"
#include "filter/u32/u32.h"
#include "wire/tracewire.h"

#define MATCH_MAX 8192 /* bytes of one match as text: 128 keys */

/* What passes needs no action, and so nothing but u32 of the kernel. */
static void print_action(const struct filter_action *action, FILE *out)
{
	switch (action->action) {
	case TW_ACTION_DROP:
		fputs("action drop\n", out);
		break;
	case TW_ACTION_MARK:
		fprintf(out, "action skbedit mark %u\n", action->arg);
		break;
	case TW_ACTION_REDIRECT:
		fprintf(out, "action mirred egress redirect dev %s\n", action->interface);
		break;
	default:
		fputs("flowid 1:1\n", out);
	}
}

static void print_match(const struct filter_classifier *classifier, const struct tw_u32_match *match, FILE *out)
{
	char buf[MATCH_MAX];
	struct tw_line line = tw_line__on(buf, sizeof(buf));

	tw_u32_match__emit(match, &line);
	fprintf(out, "tc filter add dev %s ingress pref 1 protocol 0x%04x u32 %.*s ", classifier->interface,
		TW_ETHERTYPE, (int)tw_line__len(&line), buf);
}

static void print_rule(const struct filter_classifier *classifier, const struct tw_u32 *u32,
		       const struct filter_action *action, FILE *out)
{
	for (unsigned int i = 0; i < u32->n; i++) {
		print_match(classifier, &u32->matches[i], out);
		print_action(action, out);
	}
}

/* Control frames go both ways. */
static void print_control(const struct filter_classifier *classifier, FILE *out)
{
	const char *first = classifier->action.interface, *second = classifier->otherwise.interface;

	if (!first && !second)
		return;
	print_match(classifier, tw_u32__control(), out);
	if (first && second && strcmp(first, second) != 0)
		fprintf(out, "action mirred egress mirror dev %s pipe ", second);
	fprintf(out, "action mirred egress mirror dev %s pass\n", first ? first : second);
}

/* Every event of the schema, for what becomes of those that do not match. */
static int compile_any(const struct filter_expression *expression, struct tw_u32 *ret, struct tw_error *err)
{
	struct tw_bound *bound = NULL;
	struct tw_filter *filter;
	int error = tw_filter__parse(TW_U32_ANY_EVENT, &filter, err);

	if (error)
		return error;
	error = tw_filter__bind(filter, &expression->bound->options, &bound, err);
	if (!error)
		error = tw_u32__compile(bound, expression->formats.schema_id, ret, err);
	tw_bound__free(bound);
	tw_filter__free(filter);
	return error;
}

static void print_commands(const struct filter_classifier *classifier, const struct tw_u32 *matches,
			   const struct tw_u32 *any, FILE *out)
{
	fprintf(out, "tc qdisc add dev %s clsact\n", classifier->interface);
	print_control(classifier, out);
	print_rule(classifier, matches, &classifier->action, out);
	if (classifier->otherwise.action != TW_ACTION_PASS)
		print_rule(classifier, any, &classifier->otherwise, out);
}

int filter_u32__print(const struct filter_expression *expression, const struct filter_classifier *classifier, FILE *out,
		      struct tw_error *err)
{
	struct tw_u32 matches, any;
	int error = tw_u32__compile(expression->bound, expression->formats.schema_id, &matches, err);

	if (error)
		return error;
	error = compile_any(expression, &any, err);
	if (!error) {
		print_commands(classifier, &matches, &any, out);
		tw_u32__fini(&any);
	}
	tw_u32__fini(&matches);
	return error;
}
