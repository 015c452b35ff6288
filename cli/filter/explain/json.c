/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An explanation as one JSON object. */
#include <inttypes.h>
#include <string.h>

#include "cli/filter/explain/explanation.h"
#include "cli/json.h"

static void put_string(const char *text, size_t len, FILE *out)
{
	fputc('"', out);
	cli_json__bytes(text, len, out);
	fputc('"', out);
}

static void put_text(const char *name, const char *text, FILE *out)
{
	fprintf(out, "\"%s\":", name);
	put_string(text, strlen(text), out);
}

static void put_ability(const struct filter_ability *ability, const char *stage, FILE *out)
{
	fprintf(out, "\"%s\":{", stage);
	put_text("can", filter_can__name(ability->can), out);
	if (ability->why) {
		fputc(',', out);
		put_text("why", ability->why, out);
	}
	fputc('}', out);
}

static void put_predicate(const struct filter_explanation *explanation, unsigned int i, FILE *out)
{
	size_t len;
	const char *text = tw_filter__predicate(explanation->expression->filter, i, &len);

	fputs("{\"text\":", out);
	put_string(text, len, out);
	fputs(",\"stages\":{", out);
	for (int stage = 0; stage < FILTER_STAGES; stage++) {
		if (stage)
			fputc(',', out);
		put_ability(&explanation->abilities[i][stage], filter_stages[stage].name, out);
	}
	fputs("}}", out);
}

static void put_predicates(const struct filter_explanation *explanation, FILE *out)
{
	fputs("\"predicates\":[", out);
	for (unsigned int i = 0; i < tw_filter__predicates(explanation->expression->filter); i++) {
		if (i)
			fputc(',', out);
		put_predicate(explanation, i, out);
	}
	fputc(']', out);
}

/* Numbers of predicates, the first is 1, as in the text. */
static void put_set(const char *name, const struct predicate_set *set, FILE *out)
{
	const char *between = "";

	fprintf(out, "\"%s\":[", name);
	for (unsigned int i = 0; i < TW_FILTER_PREDICATES_MAX; i++) {
		if (!predicate_set__has(set, i))
			continue;
		fprintf(out, "%s%u", between, i + 1);
		between = ",";
	}
	fputc(']', out);
}

static void put_step(const struct filter_explanation *explanation, const struct filter_route *route, unsigned int i,
		     FILE *out)
{
	const struct filter_step *step = &route->steps[i];
	const enum filter_stage stage = explanation->pipeline->stages[i];
	const char *refusal = explanation->routes.refusals[i].text;

	fputc('{', out);
	put_text("stage", filter_stages[stage].name, out);
	fputc(',', out);
	put_set("does", &step->does, out);
	if (!step->is_idle && (*refusal || step->entangled)) {
		fputc(',', out);
		put_text("why", *refusal ? refusal : step->entangled, out);
	}
	if (stage == FILTER_IN_TRACEFS && route->kernel) {
		fputc(',', out);
		put_text("filter", route->kernel, out);
	}
	fputc('}', out);
}

static void put_events(const struct event_group *group, FILE *out)
{
	fputs("\"events\":[", out);
	for (size_t i = 0; i < group->n; i++) {
		fputs(i ? ",\"" : "\"", out);
		cli_json__bytes(group->formats[i]->system, strlen(group->formats[i]->system), out);
		fputc(':', out);
		cli_json__bytes(group->formats[i]->name, strlen(group->formats[i]->name), out);
		fputc('"', out);
	}
	fputs("],", out);
}

static void put_route(const struct filter_explanation *explanation, const struct event_group *group,
		      const struct filter_route *route, FILE *out)
{
	static const char *const fates[] = {
		[FILTER_MATCHES_NEVER] = "never",
		[FILTER_MATCHES_ALWAYS] = "always",
		[FILTER_DEPENDS] = "depends",
		[FILTER_TURNED_AWAY] = "turned away",
	};

	fputc('{', out);
	put_events(group, out);
	put_text("match", fates[route->fate], out);
	fputs(",\"stages\":[", out);
	for (unsigned int i = 0; i < explanation->pipeline->n; i++) {
		if (i)
			fputc(',', out);
		put_step(explanation, route, i, out);
	}
	fputs("],", out);
	put_set("left", &route->left, out);
	fputc('}', out);
}

static void put_routes(const struct filter_explanation *explanation, FILE *out)
{
	fputs("\"ways\":[", out);
	for (size_t i = 0; i < explanation->routes.groups.n; i++) {
		if (i)
			fputc(',', out);
		put_route(explanation, &explanation->routes.groups.items[i], &explanation->routes.items[i], out);
	}
	fputc(']', out);
}

static void put_counts(const char *name, const struct filter_hits_counts *counts, FILE *out)
{
	fprintf(out, ",\"%s\":{\"events\":%" PRIu64 ",\"matched\":%" PRIu64 ",\"lost\":%" PRIu64 "}", name,
		counts->events, counts->matched, counts->lost);
}

static void put_live(const struct filter_explanation *explanation, FILE *out)
{
	const struct filter_live *live = explanation->live;
	const struct filter_hits_counts all = filter_hits__counts(live->all);
	const struct filter_hits_counts filtered = filter_hits__counts(live->filtered);
	const struct tw_producer_counters *books = &live->filtered_books;

	fprintf(out, ",\"live\":{\"seconds\":%.6f,\"predicates\":[", live->seconds);
	for (unsigned int i = 0; i < tw_filter__predicates(explanation->expression->filter); i++) {
		const struct predicate_hits *hits = filter_hits__predicate(live->all, i);

		fprintf(out, "%s{\"asked\":%" PRIu64 ",\"matched\":%" PRIu64 "}", i ? "," : "", hits->asked,
			hits->matched);
	}
	fputc(']', out);
	put_counts("unfiltered", &all, out);
	put_counts("filtered", &filtered, out);
	fprintf(out, ",\"recorded\":%" PRIu64 ",\"rejected\":%" PRIu64 ",\"delivered\":%" PRIu64 "}", books->recorded,
		books->filtered, books->delivered);
}

void filter_explanation__print_json(const struct filter_explanation *explanation, FILE *out)
{
	fputc('{', out);
	put_text("expression", tw_filter__text(explanation->expression->filter), out);
	fprintf(out, ",\"schema\":\"%016" PRIx64 "\",", explanation->expression->formats.schema_id);
	put_predicates(explanation, out);
	fputc(',', out);
	put_text("for", explanation->pipeline->name, out);
	fputc(',', out);
	put_routes(explanation, out);
	if (explanation->live)
		put_live(explanation, out);
	fputs("}\n", out);
}
