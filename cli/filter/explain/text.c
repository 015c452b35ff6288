/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints an explanation as text: which predicates each stage can evaluate, the reasons why a stage cannot evaluate a predicate, the routes
 * of the events, and the results of --live.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/filter/explain/explanation.h"
#include "cli/messages.h"

#define PREDICATE_MAX 36 /* largest width of a predicate in the table of stages, bytes */
#define NAMES_WIDTH   76 /* when a list of event names has this number of bytes, further events are only counted */
#define HITS_WIDTH    44 /* width of a predicate in the table of matches, bytes */

static void print_head(const struct filter_explanation *explanation, FILE *out)
{
	const struct cli_formats *formats = &explanation->expression->formats;

	say(out, "expression  %s\n", tw_filter__text(explanation->expression->filter));
	say(out, "formats     %zu events of %s, ", tw_schema__count(formats->schema),
	    explanation->source->file ? explanation->source->file : "this kernel");
	if (formats->schema_id)
		fprintf(out, "schema %016" PRIx64 "\n", formats->schema_id);
	else
		fputs("any schema\n", out);
}

/* Prints the number and the text of a predicate. The text is cut to @width bytes. */
static void print_predicate(const struct filter_explanation *explanation, unsigned int i, int width, FILE *out)
{
	size_t len;
	const char *text = tw_filter__predicate(explanation->expression->filter, i, &len);

	if (len > (size_t)width)
		say(out, "%3u  %.*s...", i + 1, width - 3, text);
	else
		say(out, "%3u  %-*.*s", i + 1, width, (int)len, text);
}

static int widest_predicate(const struct filter_explanation *explanation)
{
	size_t widest = strlen("predicate"), len;

	for (unsigned int i = 0; i < tw_filter__predicates(explanation->expression->filter); i++) {
		tw_filter__predicate(explanation->expression->filter, i, &len);
		widest = len > widest ? len : widest;
	}
	return widest > PREDICATE_MAX ? PREDICATE_MAX : (int)widest;
}

static void print_abilities(const struct filter_explanation *explanation, FILE *out)
{
	const int width = widest_predicate(explanation);

	fprintf(out, "\n     %-*s", width, "predicate");
	for (int stage = 0; stage < FILTER_STAGES; stage++)
		fprintf(out, "  %s", filter_stages[stage].name);
	for (unsigned int i = 0; i < tw_filter__predicates(explanation->expression->filter); i++) {
		fputc('\n', out);
		print_predicate(explanation, i, width, out);
		for (int stage = 0; stage < FILTER_STAGES; stage++) {
			const char *can = filter_can__name(explanation->abilities[i][stage].can);
			const bool is_last = stage == FILTER_STAGES - 1;

			fprintf(out, "  %-*s", is_last ? 0 : (int)strlen(filter_stages[stage].name), can);
		}
	}
	fputc('\n', out);
}

static bool same_reason(const struct filter_ability *a, const struct filter_ability *b)
{
	return a->why && b->why && !strcmp(a->why, b->why) && a->can == b->can;
}

/* Prints one line for each reason why stages cannot evaluate a predicate, with the names of the stages to which the reason applies. */
static void print_reasons(const filter_abilities *row, FILE *out)
{
	bool reported[FILTER_STAGES] = { false };

	for (int stage = 0; stage < FILTER_STAGES; stage++) {
		const struct filter_ability *ability = &(*row)[stage];

		if (!ability->why || reported[stage])
			continue;
		fprintf(out, "       %s", filter_stages[stage].name);
		for (int k = stage + 1; k < FILTER_STAGES; k++) {
			if (!same_reason(ability, &(*row)[k]))
				continue;
			fprintf(out, ", %s", filter_stages[k].name);
			reported[k] = true;
		}
		say(out, ": %s", ability->why);
		if (ability->can == FILTER_CAN_PARTLY)
			say(out, " (%s:%s)", ability->event->system, ability->event->name);
		fputc('\n', out);
	}
}

static bool has_reason(const filter_abilities *row)
{
	for (int stage = 0; stage < FILTER_STAGES; stage++)
		if ((*row)[stage].why)
			return true;
	return false;
}

static void print_why_not(const struct filter_explanation *explanation, FILE *out)
{
	bool began = false;
	size_t len;

	for (unsigned int i = 0; i < tw_filter__predicates(explanation->expression->filter); i++) {
		const char *text = tw_filter__predicate(explanation->expression->filter, i, &len);

		if (!has_reason(&explanation->abilities[i]))
			continue;
		if (!began)
			fputs("\nwhy not\n", out);
		began = true;
		say(out, "%3u  %.*s\n", i + 1, (int)len, text);
		print_reasons(&explanation->abilities[i], out);
	}
}

static void print_set(const struct predicate_set *set, FILE *out)
{
	const char *between = "";

	for (unsigned int i = 0; i < TW_FILTER_PREDICATES_MAX; i++) {
		if (!predicate_set__has(set, i))
			continue;
		fprintf(out, "%s%u", between, i + 1);
		between = ", ";
	}
}

static void print_step(const struct filter_explanation *explanation, const struct filter_route *route, unsigned int i,
		       FILE *out)
{
	const struct filter_step *step = &route->steps[i];
	const enum filter_stage stage = explanation->pipeline->stages[i];
	const char *refusal = explanation->routes.refusals[i].text;

	if (step->is_idle && (route->fate != FILTER_DEPENDS || !filter_stages[stage].whole))
		return;
	fprintf(out, "    %-9s ", filter_stages[stage].name);
	if (step->is_idle)
		fputs("nothing is left to evaluate", out);
	else if (*refusal)
		say(out, "nothing: %s", refusal);
	else if (predicate_set__is_empty(&step->does))
		fprintf(out, "nothing%s%s", step->entangled ? ": " : "", step->entangled ? step->entangled : "");
	else
		print_set(&step->does, out);
	if (stage == FILTER_IN_TRACEFS && route->kernel)
		say(out, "%s   %s", step->is_whole ? "" : " in part", route->kernel);
	fputc('\n', out);
}

static void print_route(const struct filter_explanation *explanation, const struct event_group *group,
			const struct filter_route *route, FILE *out)
{
	event_groups__print(&explanation->routes.groups, group, "  ", NAMES_WIDTH, out);
	if (route->fate == FILTER_MATCHES_NEVER)
		fprintf(out, "    %-9s none of them can match\n",
			explanation->pipeline->stages[0] == FILTER_IN_TRACEFS ? "off" : "none");
	else if (route->fate == FILTER_MATCHES_ALWAYS)
		fputs("    all       every one of them matches\n", out);
	else if (route->fate == FILTER_TURNED_AWAY)
		fputs("    off       not recorded: the filter needs task names, and the kernel cannot filter this event\n",
		      out);
	for (unsigned int i = 0; i < explanation->pipeline->n; i++)
		print_step(explanation, route, i, out);
	if (!predicate_set__is_empty(&route->left)) {
		fprintf(out, "    %-9s ", "left");
		print_set(&route->left, out);
		fprintf(out, ", %s\n", explanation->pipeline->then);
	}
}

/* Prints the routes. Events that cannot match come last, because there are usually many of them, and they matter least. */
static void print_routes(const struct filter_explanation *explanation, FILE *out)
{
	const struct filter_pipeline *pipeline = explanation->pipeline;
	const struct filter_routes *routes = &explanation->routes;

	fprintf(out, "\n%s:", pipeline->name);
	for (unsigned int i = 0; i < pipeline->n; i++)
		fprintf(out, "%s %s", i ? " ->" : "", filter_stages[pipeline->stages[i]].name);
	fputc('\n', out);
	for (int never = 0; never < 2; never++)
		for (size_t i = 0; i < routes->groups.n; i++)
			if ((routes->items[i].fate == FILTER_MATCHES_NEVER) == never)
				print_route(explanation, &routes->groups.items[i], &routes->items[i], out);
}

/* Prints the results of --live. */

static void print_hits(const struct filter_explanation *explanation, unsigned int i, FILE *out)
{
	const struct predicate_hits *hits = &explanation->live->predicates[i];

	print_predicate(explanation, i, HITS_WIDTH, out);
	fprintf(out, "  %10" PRIu64 "  %10" PRIu64 "\n", hits->asked, hits->matched);
}

static void print_line(const char *what, uint64_t n, FILE *out)
{
	fprintf(out, "     %-*s  %10" PRIu64 "\n", HITS_WIDTH, what, n);
}

static void print_verdict(const struct filter_live *live, FILE *out)
{
	const uint64_t all = live->all.matched, filtered = live->filtered.matched;

	if (all == filtered) {
		fputs("     both numbers of matches are equal\n", out);
		return;
	}
	fprintf(out, "     they differ by %" PRIu64 ": ", all > filtered ? all - filtered : filtered - all);
	if (live->own_seen)
		fputs("threads of this program are in the traces, because they could not be excluded\n", out);
	else
		fputs("some events were at the limits of the interval, or a task changed its name; see --help\n", out);
}

static void print_window(const struct filter_live *live, FILE *out)
{
	fprintf(out, "\n     %-*s  %10s\n", HITS_WIDTH, "in the same interval", "events");
	print_line("without the filter: arrived", live->all.events, out);
	print_line("  of which match, according to Tracewire", live->all.matched, out);
	print_line("with the filter: arrived", live->filtered.events, out);
	print_line("  of which match", live->filtered.matched, out);
	print_verdict(live, out);
}

static void print_stages(const struct filter_live *live, FILE *out)
{
	const struct tw_producer_counters *counters = &live->counters;

	fprintf(out, "\n     %-*s  %10s\n", HITS_WIDTH, "with the filter, from start to stop", "events");
	print_line("recorded by the kernel, after its filters", counters->recorded, out);
	print_line("rejected by the producer", counters->filtered, out);
	print_line("delivered", counters->delivered, out);
	if (live->places.refused)
		fprintf(out, "     the kernel refuses the filters of %zu event types; later stages evaluate them\n",
			live->places.refused);
}

static void print_losses(const struct filter_live *live, FILE *out)
{
	if (live->all.lost || live->filtered.lost)
		fprintf(out,
			"     lost at least %" PRIu64 " without the filter, at least %" PRIu64
			" with it: whether these events match is unknown\n",
			live->all.lost, live->filtered.lost);
}

static void print_live(const struct filter_explanation *explanation, FILE *out)
{
	const struct filter_live *live = explanation->live;

	fprintf(out, "\nmeasured for %.3f s\n     %-*s  %10s  %10s\n", live->seconds, HITS_WIDTH, "predicate alone",
		"tested", "matched");
	for (unsigned int i = 0; i < live->n; i++)
		print_hits(explanation, i, out);
	print_window(live, out);
	print_stages(live, out);
	print_losses(live, out);
}

void filter_explanation__print(const struct filter_explanation *explanation, FILE *out)
{
	print_head(explanation, out);
	print_abilities(explanation, out);
	print_why_not(explanation, out);
	print_routes(explanation, out);
	if (explanation->live)
		print_live(explanation, out);
}
