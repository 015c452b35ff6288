/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/summary.h"

#include <inttypes.h>

#include "base/time.h"
#include "cli/messages.h"

static uint64_t value_of(const struct summary_row *row, const void *from)
{
	uint64_t value;

	memcpy(&value, (const char *)from + row->offset, sizeof(value));
	return value;
}

static void print_row(const struct summary_row *row, uint64_t value, FILE *out)
{
	fprintf(out, "%-8s ", row->label);
	say__count(out, value, row->text);
	fputc('\n', out);
}

void summary__print_rows(const struct summary_row *rows, const void *from, FILE *out)
{
	for (; rows->key || rows->label; rows++)
		if (rows->label && value_of(rows, from))
			print_row(rows, value_of(rows, from), out);
}

void summary__put_rows(const struct summary_row *rows, const void *from, struct tw_json *json)
{
	for (; rows->key || rows->label; rows++)
		if (rows->key)
			tw_json__u64(json, rows->key, value_of(rows, from));
}

void summary__print_places(const struct tw_filter_places *places, FILE *out)
{
	fprintf(out, "filter   in the kernel for %zu event types, in the producer for %zu, in the recorder for %zu",
		places->kernel, places->producer, places->later);
	if (places->off)
		fprintf(out, "; %zu cannot match and are disabled", places->off);
	if (places->refused)
		fprintf(out, "; the kernel refused the filters of %zu", places->refused);
	fputs("\n", out);
}

/* Prints the number of events that the producer rejected by the filter. The kernel does not count the events that it rejects. */
static void print_filtered(const struct tw_producer_counters *counters, const struct tw_filter_places *places,
			   FILE *out)
{
	fprintf(out, "filtered %" PRIu64 " by the producer%s\n", counters->filtered,
		places->kernel || places->off ? "; events rejected by the kernel are not counted" : "");
	if (counters->given_up)
		fprintf(out,
			"given up %" PRIu64
			" events: in the producer, `matches` reached its limit, so the comparison counts as false\n",
			counters->given_up);
	if (places->left_out)
		fprintf(out,
			"disabled %zu event type%s added while tracing, because the filter cannot be applied to them\n",
			places->left_out, places->left_out == 1 ? "" : "s");
}

/* Prints the counters of clock requests from capture hosts, but only if one of them shows a problem. */
static void print_questions(const struct tw_time_sync_responder_stats *questions, FILE *out)
{
	if (questions->strange || questions->unsent || questions->dropped)
		fprintf(out,
			"clock    %" PRIu64 " requests answered; %" PRIu64
			" frames were not requests to this stream, %" PRIu64 " answers could not be sent, %" PRIu64
			" frames exceeded the limit of %u a second and were dropped\n",
			questions->answered, questions->strange, questions->unsent, questions->dropped,
			TW_TIME_SYNC_RESPONSES_PER_SECOND);
}

/* Prints the number of rings with unsure counters. The cause may be another process or a bug in Tracewire, so the text names both. */
static void print_unsure(const struct tw_unsure *unsure, FILE *out)
{
	if (!unsure->rings)
		return;
	fprintf(out,
		"unsure   %" PRIu64 " rings: the kernel's counters do not match Tracewire's, or cannot be read "
		"(%" PRIu64 " events read by the kernel's count, %" PRIu64
		" by Tracewire's); the numbers of events recorded and lost in these rings are unknown\n",
		unsure->rings, unsure->kernel_read, unsure->read);
	fputs("unsure   another process cleared, resized or read these rings, or Tracewire has a fault; if there "
	      "was no such process, please report the fault\n",
	      out);
}

bool summary__print_alarms(const struct tw_producer_counters *counters, FILE *out)
{
	print_unsure(&counters->unsure, out);
	if (counters->bookkeeping_unsure)
		fprintf(out,
			"unsure   %" PRIu64
			" rings of fork, exec and rename events: the kernel's counters cannot be read; "
			"an unknown number was lost, and some tasks may have old names\n",
			counters->bookkeeping_unsure);
	if (counters->switched_off)
		fputs("others   another process disabled tracing before the end: later events were not recorded\n",
		      out);
	if (!counters->balanced)
		fputs("the counters do not balance: the number of recorded events is not the sum of sent, filtered "
		      "and lost events; please report this\n",
		      out);
	return counters->unsure.rings || counters->bookkeeping_unsure || counters->switched_off || !counters->balanced;
}

#define AT(member) offsetof(struct tw_producer_counters, member)

static const struct summary_row producer_rows[] = {
	{ NULL, AT(dropped_unseen), "dropped",
	  "packed frames in transmission, with an unknown number of events; receivers see gaps in the event numbers" },
	{ NULL, AT(unnamed), "unnamed", "events of tasks without a known name" },
	{ NULL, AT(bookkeeping_lost), "tasks", "fork, exec and rename events lost: some tasks may have old names" },
	{ 0 },
};

void summary__print(const struct tw_producer_counters *counters, const struct tw_filter_places *places, FILE *out)
{
	fprintf(out, "events   %" PRIu64 " recorded%s, %" PRIu64 " read, %" PRIu64 " sent, in %.3f s\n",
		counters->recorded, counters->unsure.rings ? " at least" : "", counters->read, counters->delivered,
		counters->seconds);
	if (places)
		print_filtered(counters, places, out);
	fprintf(out, "lost     %" PRIu64 " in the ring, %" PRIu64 " by the producer, %" PRIu64 " in transmission\n",
		counters->lost_ring, counters->shed, counters->lost_tx);
	fprintf(out, "frames   %" PRIu64 ", %" PRIu64 " bytes\n", counters->frames, counters->bytes);
	summary__print_rows(producer_rows, counters, out);
	if (counters->symbols_hidden)
		fputs("symbols  none: the kernel hides addresses (/proc/sys/kernel/kptr_restrict); functions are shown as numbers\n",
		      out);
	if (counters->nameless_too_many)
		fprintf(out,
			"symbols  %" PRIu64
			" times an address was not looked up, because the table of addresses was full\n",
			counters->nameless_too_many);
	print_questions(&counters->questions, out);
	summary__print_alarms(counters, out);
}

void summary__print_troubles(const struct tw_archive_stats *stats, FILE *out)
{
	const struct tw_merge_stats *merge = &stats->merge;
	const uint64_t missing = stats->ledger.place[TW_PLACE_WIRE] + stats->ledger.place[TW_PLACE_RECEIVER];

	if (missing || merge->control_gaps || merge->stale)
		fprintf(out,
			"missing  events: %" PRIu64 ", control frames: %" PRIu64
			"; dropped because they arrived too late: %" PRIu64 " frames without events\n",
			missing, merge->control_gaps, merge->stale);
	if (merge->late || merge->forced)
		fprintf(out,
			"order    events that follow newer events: %" PRIu64 ", written early to limit memory: %" PRIu64
			"\n",
			merge->late, merge->forced);
	if (merge->malformed || merge->incomplete || merge->duplicates)
		fprintf(out,
			"damaged  unreadable frames: %" PRIu64 ", incomplete events: %" PRIu64 ", duplicates: %" PRIu64
			"\n",
			merge->malformed, merge->incomplete, merge->duplicates);
}

const char *summary__offset_method(unsigned int method)
{
	static const char *const names[] = {
#define X(num, name, text, what) [num] = text,
		TW_OFFSET_METHOD_LIST(X)
#undef X
	};

	return method < sizeof(names) / sizeof(names[0]) ? names[method] : "unknown";
}

static const char *name_of(uint8_t by)
{
	static const char *const names[] = {
#define X(num, name, text, what) [num] = text,
		TW_STAMP_LIST(X)
#undef X
	};

	return by && by < sizeof(names) / sizeof(names[0]) ? names[by] : "unknown";
}

void summary__stamps(const struct tw_stamp_sources *by, char ret[SUMMARY_STAMPS_MAX])
{
	if (by->asked == by->received && by->received == by->answered && by->answered == by->arrived)
		snprintf(ret, SUMMARY_STAMPS_MAX, "%s stamps", name_of(by->asked));
	else
		snprintf(ret, SUMMARY_STAMPS_MAX, "stamps: asked %s, received %s, answered %s, arrived %s",
			 name_of(by->asked), name_of(by->received), name_of(by->answered), name_of(by->arrived));
}

void summary__put_stamps(const struct tw_stamp_sources *by, struct tw_json *json)
{
	if (!by->asked)
		return;
	tw_json__open(json, "stamps", '{');
	tw_json__str(json, "asked", name_of(by->asked));
	tw_json__str(json, "received", name_of(by->received));
	tw_json__str(json, "answered", name_of(by->answered));
	tw_json__str(json, "arrived", name_of(by->arrived));
	tw_json__close(json);
}

void summary__time(uint64_t ns, char *ret, size_t size)
{
	const time_t seconds = (time_t)(ns / TW_NS_PER_SECOND);
	struct tm tm;

	if (!ns || !gmtime_r(&seconds, &tm) || !strftime(ret, size, "%Y-%m-%d %H:%M:%S UTC", &tm))
		snprintf(ret, size, "an unknown time");
}

bool summary__print_changes(const char *before, const uint64_t changes[TW_OFFSET_KINDS], FILE *out)
{
	static const char *const texts[TW_OFFSET_KINDS] = {
		[TW_OFFSET_STEP] = "the producer's wall clock was set",
		[TW_OFFSET_SUSPEND] = "the producer's machine was suspended",
		[TW_OFFSET_LEAP] = "the producer's wall clock had a leap second",
		[TW_OFFSET_TAI] = "the producer's TAI offset was changed",
		[TW_OFFSET_REFERENCE] = "the reference was set",
	};
	bool any = false;

	for (size_t i = 0; i < TW_OFFSET_KINDS; i++) {
		if (!texts[i] || !changes[i])
			continue;
		fprintf(out, "%s%s %" PRIu64 " %s", any ? "; " : before, texts[i], changes[i],
			changes[i] == 1 ? "time" : "times");
		any = true;
	}
	return any;
}

void summary__put_changes(const uint64_t changes[TW_OFFSET_KINDS], struct tw_json *json)
{
	tw_json__u64(json, "steps", changes[TW_OFFSET_STEP]);
	tw_json__u64(json, "suspends", changes[TW_OFFSET_SUSPEND]);
	tw_json__u64(json, "leap_seconds", changes[TW_OFFSET_LEAP]);
	tw_json__u64(json, "tai_changes", changes[TW_OFFSET_TAI]);
}

void summary__print_file(const struct tw_archive_stats *stats, FILE *out)
{
	fprintf(out, "file     %" PRIu64 " events in %" PRIu64 " packets, %" PRIu64 " bytes\n",
		stats->ledger.place[TW_PLACE_DELIVERED], stats->packets, stats->bytes);
}

void summary__print_ledger(const struct tw_ledger *ledger, FILE *out)
{
	char line[TW_LEDGER_TEXT_MAX];

	if (!ledger->place[TW_PLACE_DISK] && tw_ledger__is_known(ledger))
		return;
	tw_ledger__line(ledger, line, sizeof(line));
	fprintf(out, "ledger   %s\n", line);
}
