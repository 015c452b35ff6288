/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/outcome.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/ledger_table.h"
#include "cli/messages.h"
#include "cli/summary.h"

enum place_kind {
	SENT,     /* events lost at the producer */
	LOST,     /* events lost elsewhere */
	MISSING,  /* events that were either rejected by a filter or lost */
	UNKNOWN,  /* losses with an unknown number of events */
	NOTE,     /* no loss, but unexpected */
	REJECTED, /* events rejected by filters */
};

static const struct {
	enum place_kind kind;
	const char *text, *remedy;
} places[] = {
#define X(name, kind, text, remedy) { kind, text, remedy },
	OUTCOME_PLACES(X)
#undef X
};

/* Raises the number of a place to @n. The producer and the file may both report the same loss, so the numbers are not added. */
static void raise_to(struct outcome *o, enum outcome_place place, uint64_t n)
{
	if (n > o->place[place])
		o->place[place] = n;
}

void outcome__add_producer(struct outcome *o, const struct tw_producer_counters *counters,
			   const struct tw_filter_places *filter)
{
	o->events = counters->delivered;
	o->seconds = counters->seconds;
	o->producer = counters;
	raise_to(o, OUTCOME_RING, counters->lost_ring);
	raise_to(o, OUTCOME_SHED, counters->shed);
	raise_to(o, OUTCOME_TX, counters->lost_tx);
	raise_to(o, OUTCOME_TX_FRAMES, counters->dropped_unseen);
	raise_to(o, OUTCOME_TASKS, counters->bookkeeping_lost);
	raise_to(o, OUTCOME_BY_PRODUCER, counters->filtered);
	raise_to(o, OUTCOME_UNFOLLOWED, counters->unfollowed);
	raise_to(o, OUTCOME_UNSAMPLED, counters->unsampled);
	raise_to(o, OUTCOME_THINNED, counters->thinned);
	raise_to(o, OUTCOME_GIVEN_UP, counters->given_up);
	if (filter)
		raise_to(o, OUTCOME_LEFT_OUT, filter->left_out);
}

void outcome__add_ledger(struct outcome *o, const struct tw_ledger *ledger)
{
	static const struct {
		enum tw_ledger_place from;
		enum outcome_place to;
	} pairs[] = {
		{ TW_PLACE_RING, OUTCOME_RING },
		{ TW_PLACE_SHED, OUTCOME_SHED },
		{ TW_PLACE_TX, OUTCOME_TX },
		{ TW_PLACE_WIRE, OUTCOME_WIRE },
		{ TW_PLACE_RECEIVER, OUTCOME_RECEIVER },
		{ TW_PLACE_DAMAGED, OUTCOME_DAMAGED },
		{ TW_PLACE_DISK, OUTCOME_DISK },
		{ TW_PLACE_PRODUCER_FILTER, OUTCOME_BY_PRODUCER },
		{ TW_PLACE_CLASSIFIER, OUTCOME_BY_CLASSIFIER },
		{ TW_PLACE_CAPTURE_FILTER, OUTCOME_BY_CAPTURE },
	};

	o->events = ledger->place[TW_PLACE_DELIVERED] + ledger->place[TW_PLACE_ELSEWHERE];
	o->ledger = *ledger;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		raise_to(o, pairs[i].to, ledger->place[pairs[i].from]);
	raise_to(o, OUTCOME_CONTROL, ledger->fact[TW_FACT_CONTROL_GAPS]);
	raise_to(o, OUTCOME_MALFORMED, ledger->fact[TW_FACT_MALFORMED]);
	raise_to(o, OUTCOME_LOSSES, ledger->fact[TW_FACT_UNKNOWN]);
	raise_to(o, OUTCOME_TX_FRAMES, ledger->fact[TW_FACT_TX_FRAMES]);
	/* If the ledger is closed, the other places include the events of losses whose size was unknown when they occurred. */
	if (ledger->state == TW_LEDGER_CLOSED)
		o->place[OUTCOME_LOSSES] = o->place[OUTCOME_TX_FRAMES] = o->place[OUTCOME_RX_FRAMES] = 0;
}

void outcome__add_filter(struct outcome *o, const struct tw_capture_filter_stats *filtered)
{
	raise_to(o, OUTCOME_UNFILTERED, filtered->unknown);
	raise_to(o, OUTCOME_UNDECIDED, filtered->undecided);
	raise_to(o, OUTCOME_GIVEN_UP, filtered->given_up);
}

void outcome__add_read(struct outcome *o, const struct tw_event_reader_stats *read,
		       const struct tw_capture_filter_stats *filtered)
{
	outcome__add_ledger(o, &read->ledger);
	outcome__add_filter(o, filtered);
	o->events = read->events - filtered->rejected;
	o->place[OUTCOME_BY_CAPTURE] += filtered->rejected;
	o->place[OUTCOME_CUT] = read->cut;
	o->place[OUTCOME_TRUNCATED] = read->snapped;
	o->place[OUTCOME_MALFORMED] = read->malformed;
	o->place[OUTCOME_VERSION] = read->versions;
}

void outcome__add_archive(struct outcome *o, const struct tw_archive_stats *stats)
{
	outcome__add_ledger(o, &stats->ledger);
	outcome__add_filter(o, &stats->capture_filter);
	raise_to(o, OUTCOME_FORCED, stats->merge.forced);
	raise_to(o, OUTCOME_MALFORMED, stats->merge.malformed);
	raise_to(o, OUTCOME_CROWDED, stats->merge.refused);
	raise_to(o, OUTCOME_REMOVED, stats->removed_early);
	o->bytes = stats->bytes;
}

/* Return: sum of the places of one kind; saturates */
static uint64_t sum_of(const struct outcome *o, enum place_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < OUTCOME_PLACE_COUNT; i++)
		if (places[i].kind == kind && __builtin_add_overflow(sum, o->place[i], &sum))
			return UINT64_MAX;
	return sum;
}

/* Whether the kernel's counters of some ring do not match the producer's. If so, the number of lost events is a lower bound. */
static bool is_unsure(const struct outcome *o)
{
	return o->producer && o->producer->unsure.rings;
}

static bool is_known(const struct outcome *o)
{
	return !is_unsure(o) && !sum_of(o, UNKNOWN) && tw_ledger__is_known(&o->ledger);
}

static void print_lost(const struct outcome *o, FILE *out)
{
	const uint64_t sent = sum_of(o, SENT), elsewhere = sum_of(o, LOST);
	const uint64_t lost = sent > UINT64_MAX - elsewhere ? UINT64_MAX : sent + elsewhere;

	if (is_known(o))
		fprintf(out, ", %" PRIu64 " lost", lost);
	else if (lost)
		fprintf(out, ", at least %" PRIu64 " lost", lost);
	else
		fputs(", an unknown number lost", out);
}

/* Prints the first line: the number of events, the duration, and the numbers of lost, rejected and missing events. */
static void print_events(const struct outcome *o, FILE *out)
{
	const uint64_t rejected = sum_of(o, REJECTED), missing = sum_of(o, MISSING);

	if (o->of > o->events)
		fprintf(out, "%" PRIu64 " of ", o->events);
	say__count(out, o->of > o->events ? o->of : o->events, "{event|events}");
	if (o->streams > 1)
		fprintf(out, " of %zu streams", o->streams);
	if (o->packets.interfaces) {
		fputs(" and ", out);
		say__count(out, o->packets.written, "{packet|packets}");
	}
	if (o->seconds > 0)
		fprintf(out, " in %.*f s", o->seconds < 1 ? 3 : 1, o->seconds);
	print_lost(o, out);
	if (rejected)
		fprintf(out, ", %" PRIu64 " rejected by filters", rejected);
	if (missing)
		fprintf(out, ", %" PRIu64 " missing: filtered or lost", missing);
	fputc('\n', out);
}

/* Prints a line for each place that is not 0, except those of kind REJECTED. Return: whether there is one */
static bool print_places(const struct outcome *o, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < OUTCOME_PLACE_COUNT; i++) {
		const char *remedy = o->remedy[i] ? o->remedy[i] : places[i].remedy;
		const char *where = places[i].kind == SENT && !o->traces ? "at the sender, " : "";

		if (!o->place[i] || places[i].kind == REJECTED)
			continue;
		any = true;
		say__count(out, o->place[i], places[i].text);
		if (remedy)
			fprintf(out, ": %s%s", where, remedy);
		fputc('\n', out);
	}
	return any;
}

/*
 * Explains the difference of the ledger if it is unknown or not 0. Prints nothing if summary__print_alarms() explains the difference.
 * Return: whether it printed
 */
static bool print_difference(const struct outcome *o, FILE *out)
{
	if (is_unsure(o) || (tw_ledger__is_known(&o->ledger) && !tw_ledger__difference(&o->ledger)))
		return false;
	ledger__print_difference(&o->ledger, out);
	return true;
}

static void format_size(uint64_t bytes, char *ret, size_t size)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB" };
	double value = (double)bytes / 1000;
	size_t unit = 0;

	if (bytes < 1000) {
		snprintf(ret, size, "%" PRIu64 " bytes", bytes);
		return;
	}
	for (; value >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		value /= 1000;
	snprintf(ret, size, "%.1f %s", value, units[unit]);
}

/* Writes a file name as one word of a shell command. A pattern is not quoted, so that the shell expands it. */
static void quote(const char *name, bool is_pattern, char *ret, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,.@%/";
	const char *special = name + strspn(name, plain);
	size_t len = 0;

	if (is_pattern || !*special) {
		snprintf(ret, size, "%s", name);
		return;
	}
	ret[len++] = '\'';
	for (; *name && len + 6 < size; name++)
		len += (size_t)snprintf(ret + len, size - len, *name == '\'' ? "'\\''" : "%c", *name);
	snprintf(ret + len, size - len, "'");
}

/* Whether the file can be read again: a pipe or a device cannot */
static bool can_be_read(const struct outcome *o)
{
	struct stat st;

	if (!o->file || !strcmp(o->file, "-"))
		return false;
	return o->many || stat(o->file, &st) || S_ISREG(st.st_mode);
}

/* Prints the size of the written file, and the commands that read it. */
static void print_file(const struct outcome *o, const char *word, FILE *out)
{
	char size[32];

	format_size(o->bytes, size, sizeof(size));
	if (o->many)
		say(out, "%s (%s in all): read them with `tracewire info %s`\n", o->file, size, word);
	else
		say(out, "%s (%s): read it with `tracewire report %s` or `wireshark %s`\n", o->file, size, word, word);
}

void outcome__print(const struct outcome *o, FILE *out)
{
	const bool is_file = can_be_read(o);
	char word[2 * PATH_MAX] = "";
	bool more;

	print_events(o, out);
	more = print_places(o, out);
	more |= print_difference(o, out);
	if (o->producer && !o->verbose) /* with --verbose, the alarms are in the detailed lines */
		more |= summary__print_alarms(o->producer, out);
	if (is_file)
		quote(o->file, o->many, word, sizeof(word));
	if (is_file && !o->reads && o->bytes)
		print_file(o, word, out);
	if (!more || o->verbose)
		return;
	if (is_file)
		say(out, "details: add -v, or see `tracewire info %s`\n", word);
	else
		fputs("details: add -v\n", out);
}
