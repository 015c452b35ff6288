/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints an explanation as one JSON object. */
#include <stdlib.h>

#include "base/json.h"
#include "cli/filter/explain/explanation.h"

static void put_predicate(struct tw_json *json, const struct filter_explanation *explanation, unsigned int i)
{
	size_t len;
	const char *text = tw_filter__predicate(explanation->expression->filter, i, &len);

	tw_json__open(json, NULL, '{');
	tw_json__text(json, "text", text, len);
	tw_json__open(json, "stages", '{');
	for (int stage = 0; stage < FILTER_STAGES; stage++) {
		const struct filter_ability *ability = &explanation->abilities[i][stage];

		tw_json__open(json, filter_stages[stage].name, '{');
		tw_json__str(json, "can", filter_can__name(ability->can));
		if (ability->why)
			tw_json__str(json, "why", ability->why);
		tw_json__close(json);
	}
	tw_json__close(json);
	tw_json__close(json);
}

/* Writes the numbers of the predicates in a set, counted from 1 as in the text output. */
static void put_set(struct tw_json *json, const char *name, const struct predicate_set *set)
{
	tw_json__open(json, name, '[');
	for (unsigned int i = 0; i < TW_FILTER_PREDICATES_MAX; i++)
		if (predicate_set__has(set, i))
			tw_json__u64(json, NULL, i + 1);
	tw_json__close(json);
}

static void put_step(struct tw_json *json, const struct filter_explanation *explanation,
		     const struct filter_route *route, unsigned int i)
{
	const struct filter_step *step = &route->steps[i];
	const enum filter_stage stage = explanation->pipeline->stages[i];
	const char *refusal = explanation->routes.refusals[i].text;

	tw_json__open(json, NULL, '{');
	tw_json__str(json, "stage", filter_stages[stage].name);
	put_set(json, "does", &step->does);
	if (!step->is_idle && (*refusal || step->entangled))
		tw_json__str(json, "why", *refusal ? refusal : step->entangled);
	if (stage == FILTER_IN_TRACEFS && route->kernel)
		tw_json__str(json, "filter", route->kernel);
	tw_json__close(json);
}

static void put_events(struct tw_json *json, const struct event_group *group)
{
	char name[2 * TW_SCHEMA_NAME_MAX];

	tw_json__open(json, "events", '[');
	for (size_t i = 0; i < group->n; i++) {
		snprintf(name, sizeof(name), "%s:%s", group->formats[i]->system, group->formats[i]->name);
		tw_json__str(json, NULL, name);
	}
	tw_json__close(json);
}

static void put_route(struct tw_json *json, const struct filter_explanation *explanation, size_t i)
{
	static const char *const fates[] = {
		[FILTER_MATCHES_NEVER] = "never",
		[FILTER_MATCHES_ALWAYS] = "always",
		[FILTER_DEPENDS] = "depends",
		[FILTER_TURNED_AWAY] = "turned away",
	};
	const struct filter_route *route = &explanation->routes.items[i];

	tw_json__open(json, NULL, '{');
	put_events(json, &explanation->routes.groups.items[i]);
	tw_json__str(json, "match", fates[route->fate]);
	tw_json__open(json, "stages", '[');
	for (unsigned int stage = 0; stage < explanation->pipeline->n; stage++)
		put_step(json, explanation, route, stage);
	tw_json__close(json);
	put_set(json, "left", &route->left);
	tw_json__close(json);
}

static void put_counts(struct tw_json *json, const char *name, const struct filter_hits *counts)
{
	tw_json__open(json, name, '{');
	tw_json__u64(json, "events", counts->events);
	tw_json__u64(json, "matched", counts->matched);
	tw_json__u64(json, "lost", counts->lost);
	tw_json__close(json);
}

static void put_live(struct tw_json *json, const struct filter_live *live)
{
	char seconds[32];

	tw_json__open(json, "live", '{');
	snprintf(seconds, sizeof(seconds), "%.6f", live->seconds);
	tw_line__str(tw_json__value(json, "seconds"), seconds);
	tw_json__open(json, "predicates", '[');
	for (unsigned int i = 0; i < live->n; i++) {
		tw_json__open(json, NULL, '{');
		tw_json__u64(json, "asked", live->predicates[i].asked);
		tw_json__u64(json, "matched", live->predicates[i].matched);
		tw_json__close(json);
	}
	tw_json__close(json);
	put_counts(json, "unfiltered", &live->all);
	put_counts(json, "filtered", &live->filtered);
	tw_json__u64(json, "recorded", live->counters.recorded);
	tw_json__u64(json, "rejected", live->counters.filtered);
	tw_json__u64(json, "delivered", live->counters.delivered);
	tw_json__close(json);
}

void filter_explanation__print_json(const struct filter_explanation *explanation, FILE *out)
{
	struct tw_json json;

	tw_json__to_file(&json, out, false);
	tw_json__open(&json, NULL, '{');
	tw_json__str(&json, "expression", tw_filter__text(explanation->expression->filter));
	tw_json__id(&json, "schema", explanation->expression->formats.schema_id);
	tw_json__open(&json, "predicates", '[');
	for (unsigned int i = 0; i < tw_filter__predicates(explanation->expression->filter); i++)
		put_predicate(&json, explanation, i);
	tw_json__close(&json);
	tw_json__str(&json, "for", explanation->pipeline->name);
	tw_json__open(&json, "ways", '[');
	for (size_t i = 0; i < explanation->routes.groups.n; i++)
		put_route(&json, explanation, i);
	tw_json__close(&json);
	if (explanation->live)
		put_live(&json, explanation->live);
	tw_json__close(&json);
}
