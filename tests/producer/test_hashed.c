/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two runs send the same events of this kernel, one raw and one with hashed pointers. The test checks which values differ, and that the
 * hashed run has no address of the kernel.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/hashed_pointers.h"
#include "run.h"
#include "schema/field.h"
#include "schema/print.h"
#include "schema/schema.h"
#include "schema/strings.h"

#define KERNEL_HALF 0xff00000000000000ull
#define ERRORS      4095
#define ROUNDS      50
#define INTERRUPTS \
	0x58 /* bits of common_flags for hard, soft and non-maskable interrupts; enum trace_flag_type of the kernel */
#define MARK 0x123456789abcull /* an address in a system call that no program makes */

/* Causes many kinds of events: memory, files, packets on lo, signals, children. */
static void work(void)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const int file = memfd_create("work", MFD_CLOEXEC);
	char bytes[4096] = "";

	signal(SIGUSR1, SIG_IGN);
	for (int i = 0; i < ROUNDS; i++) {
		char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memory[4096 * i] = 1;
		munmap(memory, 1 << 20);
		sendto(fd, bytes, 100, 0, (const struct sockaddr *)&to, sizeof(to));
		if (pwrite(file, bytes, sizeof(bytes), 4096 * i) < 0)
			break;
		kill(getpid(), SIGUSR1);
	}
	close(fd);
	close(file);
}

/* Waits until the child sleeps, so that neither run records its start. Otherwise, a run that begins meanwhile would record a part of it. */
static void await_asleep(pid_t pid)
{
	char path[64], *stat;
	bool asleep = false;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (int i = 0; i < 20000 && !asleep; i++) {
		stat = read_file(path);
		assert_non_null(stat);
		asleep = strstr(stat, ") S ") != NULL;
		free(stat);
		if (!asleep)
			usleep(1000);
	}
	assert_true(asleep);
}

/* Starts a child that works when it gets a byte, and then sends a byte. Return: its pid; @ret_word: this process's end of the socket */
static pid_t start_worker(int *ret_word)
{
	int ends[2];
	pid_t pid;
	char c;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		if (read(ends[0], &c, 1) == 1)
			work();
		if (write(ends[0], "x", 1) == 1 && read(ends[0], &c, 1) == 0)
			_exit(0);
		_exit(1);
	}
	assert_true(pid > 0);
	close(ends[0]);
	*ret_word = ends[1];
	await_asleep(pid);
	return pid;
}

/* Lets the worker work, and waits until it sleeps, because one of the runs ends before the other. */
static void let_work(pid_t pid, int word)
{
	char c;

	assert_int_equal(write(word, "x", 1), 1);
	assert_int_equal(read(word, &c, 1), 1);
	await_asleep(pid);
}

static void end_worker(pid_t pid, int word)
{
	int status;

	close(word);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Two runs with the same options at the same time, except that one hashes pointers. */
struct twins {
	struct run raw, hashed;
	uint32_t pid;
};

static void run_twins(struct twins *t, const char *spec, bool stacks)
{
	char text[16];
	const char *items[] = { text };
	struct run *const runs[] = { &t->raw, &t->hashed };
	int word;

	t->pid = (uint32_t)start_worker(&word);
	snprintf(text, sizeof(text), "%u", t->pid);
	for (int i = 0; i < 2; i++) {
		run__init(runs[i], spec, NULL);
		runs[i]->options.tracing.pids = (struct tw_words){ items, 1 };
		runs[i]->options.tracing.stacks = stacks;
		runs[i]->options.buffer_kib = 16 << 10;
		runs[i]->options.hash_pointers = runs[i] == &t->hashed;
		run__start(runs[i]);
	}
	let_work((pid_t)t->pid, word);
	run__stop(&t->hashed);
	run__stop(&t->raw);
	end_worker((pid_t)t->pid, word);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(runs[i]->result, 0);
		assert_int_equal(runs[i]->counters.lost_ring, 0);
		receiver__assert_sound(&runs[i]->got, 0);
	}
}

static void end_twins(struct twins *t)
{
	run__fini(&t->raw);
	run__fini(&t->hashed);
}

static uint64_t load(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static bool is_kernel_address(uint64_t value)
{
	return value >= KERNEL_HALF && value < UINT64_MAX - ERRORS;
}

/* The symbols and the strings of a run, by address. */
struct book {
	struct tw_symbols *symbols;
	struct tw_strings *strings;
};

static void read_book(const struct receiver *got, struct book *ret)
{
	*ret = (struct book){ tw_symbols__new(), tw_strings__new() };
	assert_non_null(ret->symbols);
	assert_non_null(ret->strings);
	for (size_t i = 0; i < got->n_symbols; i++)
		assert_int_equal(tw_symbols__add(ret->symbols, got->symbols[i].address, got->symbols[i].size,
						 got->symbols[i].name, strlen(got->symbols[i].name), NULL, 0),
				 0);
	for (size_t i = 0; i < got->n_texts; i++)
		if (got->texts[i].kind == TW_SCHEMA_PRINTK)
			assert_int_equal(tw_strings__parse(ret->strings, got->texts[i].text,
							   strlen(got->texts[i].text)),
					 0);
}

struct metadata {
	struct tw_schema *schema; /* the schema of both runs */
	struct book raw, hashed;
};

static void read_metadata(const struct twins *t, struct metadata *ret)
{
	ret->schema = receiver__schema(&t->raw.got);
	read_book(&t->raw.got, &ret->raw);
	read_book(&t->hashed.got, &ret->hashed);
}

static void free_metadata(struct metadata *b)
{
	tw_schema__free(b->schema);
	tw_symbols__free(b->raw.symbols);
	tw_symbols__free(b->hashed.symbols);
	tw_strings__free(b->raw.strings);
	tw_strings__free(b->hashed.strings);
}

/* Raw values and the values that replace them. */
struct pairs {
	struct pair {
		uint64_t raw, hashed;
	} * items;
	size_t n, cap;
};

static void note_pair(struct pairs *pairs, uint64_t raw, uint64_t hashed)
{
	if (pairs->n == pairs->cap) {
		pairs->cap = pairs->cap ? 2 * pairs->cap : 4096;
		pairs->items = reallocarray(pairs->items, pairs->cap, sizeof(*pairs->items));
		assert_non_null(pairs->items);
	}
	pairs->items[pairs->n++] = (struct pair){ raw, hashed };
}

static int by_raw(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->raw > y->raw) - (x->raw < y->raw);
}

static int by_hashed(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->hashed > y->hashed) - (x->hashed < y->hashed);
}

/* Checks that equal values have equal replacements, and different values different replacements. Return: number of different values */
static size_t expect_one_to_one(struct pairs *pairs)
{
	size_t n = 0;

	qsort(pairs->items, pairs->n, sizeof(*pairs->items), by_hashed);
	for (size_t i = 1; i < pairs->n; i++)
		if (pairs->items[i].hashed == pairs->items[i - 1].hashed)
			assert_int_equal(pairs->items[i].raw, pairs->items[i - 1].raw);
	qsort(pairs->items, pairs->n, sizeof(*pairs->items), by_raw);
	for (size_t i = 1; i < pairs->n; i++) {
		if (pairs->items[i].raw == pairs->items[i - 1].raw)
			assert_int_equal(pairs->items[i].hashed, pairs->items[i - 1].hashed);
		else
			n++;
	}
	return n + (pairs->n != 0);
}

/* The worker's events of a run. An event that interrupts the recording of another may be before it in one run and after it in the other. */
struct ours {
	struct our_event {
		uint64_t kind; /* channel, event, and whether a task or an interrupt made it */
		size_t order;
		const struct got_event *event;
	} * events;
	size_t n;
};

static int by_kind(const void *a, const void *b)
{
	const struct our_event *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void list_ours(const struct receiver *got, uint32_t pid, struct ours *ret)
{
	*ret = (struct ours){ .events = calloc(got->n_events + 1, sizeof(*ret->events)) };
	assert_non_null(ret->events);
	for (size_t i = 0; i < got->n_events; i++) {
		const struct got_event *event = &got->events[i];

		if (event->pid != pid)
			continue;
		ret->events[ret->n++] = (struct our_event){
			.kind = (uint64_t)event->channel << 32 | (uint64_t)event->id << 8 |
				(event->record[2] & INTERRUPTS),
			.order = i,
			.event = event,
		};
	}
	qsort(ret->events, ret->n, sizeof(*ret->events), by_kind);
}

/* Checks that a value of 8 bytes is unchanged, or replaces an address. Return: whether it is hashed */
static bool compare_value(struct pairs *pairs, const struct tw_format *format, const struct tw_field *field,
			  uint64_t raw, uint64_t hashed)
{
	if (raw == hashed)
		return false;
	if (raw < TW_POINTER_RANGES || raw >= UINT64_MAX - ERRORS + 1)
		fail_msg("%s:%s.%s: %lx is no address, and became %lx", format->system, format->name, field->name, raw,
			 hashed);
	note_pair(pairs, raw, hashed);
	return true;
}

static bool is_wide(const struct tw_field *field)
{
	return field->elem_size == 8 && (field->elem_kind == TW_FIELD_UINT || field->elem_kind == TW_FIELD_POINTER ||
					 field->elem_kind == TW_FIELD_INT);
}

static void compare_field(struct pairs *pairs, const struct tw_format *format, const struct tw_field *field,
			  const struct tw_record *raw, const struct tw_record *hashed)
{
	struct tw_value a, b;
	const bool is_there = !tw_field__read(field, raw, &a);

	assert_int_equal(is_there, !tw_field__read(field, hashed, &b));
	if (!is_there)
		return;
	assert_int_equal(a.offset, b.offset);
	assert_int_equal(a.len, b.len);
	if (!is_wide(field)) {
		if (a.kind >= TW_FIELD_STRING && a.len && memcmp(a.data, b.data, a.len) != 0)
			fail_msg("%s:%s.%s differs", format->system, format->name, field->name);
		if (a.kind < TW_FIELD_STRING && a.u != b.u)
			fail_msg("%s:%s.%s: %lx became %lx", format->system, format->name, field->name, a.u, b.u);
		return;
	}
	if (a.kind < TW_FIELD_STRING)
		compare_value(pairs, format, field, a.u, b.u);
	for (uint32_t i = 0; a.kind >= TW_FIELD_STRING && i + 8 <= a.len; i += 8)
		compare_value(pairs, format, field, load(a.data + i), load(b.data + i));
}

/* Checks that an address has the same symbol in both runs. Return: 1; 0 if it has no symbol in the raw run */
static size_t compare_name(const struct metadata *metadata, const char *where, uint64_t raw, uint64_t hashed)
{
	struct tw_symbol a, b;

	if (!tw_symbols__find(metadata->raw.symbols, raw, &a))
		return 0;
	if (!tw_symbols__find(metadata->hashed.symbols, hashed, &b))
		fail_msg("%s: %lx %s, hidden as %lx, has no name", where, raw, a.name, hashed);
	assert_string_equal(a.name, b.name);
	return 1;
}

/* Checks that addresses that are printed as symbols have the same symbol in both runs. Return: number of symbols */
static size_t compare_names(const struct metadata *metadata, const struct tw_format *format,
			    const struct tw_record *raw, const struct tw_record *hashed)
{
	struct tw_print *print = tw_print__new(format);
	const struct tw_field *const *fields;
	size_t n, named = 0;

	assert_non_null(print);
	fields = tw_print__addresses(print, &n);
	for (size_t i = 0; i < n; i++) {
		struct tw_value x, y;

		if (tw_field__read(fields[i], raw, &x) || tw_field__read(fields[i], hashed, &y))
			continue;
		if (x.kind < TW_FIELD_STRING)
			named += compare_name(metadata, format->name, x.u, y.u);
		for (uint32_t at = 0; x.kind >= TW_FIELD_STRING && at + 8 <= x.len; at += 8)
			named += compare_name(metadata, format->name, load(x.data + at), load(y.data + at));
	}
	tw_print__free(print);
	return named;
}

/* Checks that strings in the kernel's memory, which a record refers to, are equal in both runs. Return: number of strings */
static size_t compare_texts(const struct metadata *metadata, const struct tw_format *format,
			    const struct tw_record *raw, const struct tw_record *hashed)
{
	size_t texts = 0;

	for (size_t i = format->n_common; i < format->n_fields; i++) {
		struct tw_value x, y;
		const char *a, *b;

		if (format->fields[i].kind != TW_FIELD_POINTER || tw_field__read(&format->fields[i], raw, &x) ||
		    tw_field__read(&format->fields[i], hashed, &y))
			continue;
		a = tw_strings__find(metadata->raw.strings, x.u);
		b = tw_strings__find(metadata->hashed.strings, y.u);
		assert_int_equal(a != NULL, b != NULL);
		if (a)
			assert_string_equal(a, b);
		texts += a != NULL;
	}
	return texts;
}

struct tally {
	struct pairs pairs;
	size_t events, names, texts, kinds;
	bool seen[UINT16_MAX + 1];
};

static void compare_events(const struct metadata *metadata, const struct got_event *raw, const struct got_event *hashed,
			   struct tally *tally)
{
	const struct tw_record a = { .data = raw->record, .len = raw->len, .from_wire = true };
	const struct tw_record b = { .data = hashed->record, .len = hashed->len, .from_wire = true };
	const struct tw_format *format = tw_schema__by_id(metadata->schema, raw->id);

	assert_non_null(format);
	for (size_t i = format->n_common; i < format->n_fields; i++) /* common flags (need-resched) may differ */
		compare_field(&tally->pairs, format, &format->fields[i], &a, &b);
	tally->names += compare_names(metadata, format, &a, &b);
	tally->texts += compare_texts(metadata, format, &a, &b);
	tally->kinds += !tally->seen[raw->id];
	tally->seen[raw->id] = true;
	tally->events++;
}

/* Fails with the first event that one of the two sorted lists has more often than the other. */
static void fail_of_one(const struct metadata *metadata, const struct ours *raw, const struct ours *hashed, size_t at)
{
	const bool in_raw = at >= hashed->n || (at < raw->n && raw->events[at].kind < hashed->events[at].kind);
	const struct got_event *event = (in_raw ? raw : hashed)->events[at].event;
	const struct tw_format *format = tw_schema__by_id(metadata->schema, event->id);

	fail_msg("%zu events raw, %zu hashed: %s:%s with flags %x on CPU %u is in the %s run alone", raw->n, hashed->n,
		 format ? format->system : "?", format ? format->name : "?", event->record[2], event->channel - 1U,
		 in_raw ? "raw" : "hashed");
}

static void compare_all(const struct twins *t, const struct metadata *metadata, struct tally *tally)
{
	struct ours raw, hashed;

	list_ours(&t->raw.got, t->pid, &raw);
	list_ours(&t->hashed.got, t->pid, &hashed);
	for (size_t i = 0; i < raw.n || i < hashed.n; i++) {
		if (i >= raw.n || i >= hashed.n || raw.events[i].kind != hashed.events[i].kind)
			fail_of_one(metadata, &raw, &hashed, i);
		assert_int_equal(raw.events[i].event->len, hashed.events[i].event->len);
		compare_events(metadata, raw.events[i].event, hashed.events[i].event, tally);
	}
	free(raw.events);
	free(hashed.events);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Finds the start and the end of the kernel's code, without the product's code. */
static void find_text(uint64_t *start, uint64_t *end)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[1024], name[128];
	uint64_t address;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		assert_int_equal(sscanf(line, "%lx %*c %127s", &address, name), 2);
		*start = strcmp(name, "_stext") ? *start : address;
		*end = strcmp(name, "_etext") ? *end : address;
	}
	fclose(file);
}

/* Return: number of 8-byte values in the events of a run, at all multiples of 4 */
static size_t count_places(const struct receiver *got)
{
	size_t n = 0;

	for (size_t i = 0; i < got->n_events; i++)
		for (uint32_t at = 8; at + 8 <= got->events[i].len; at += 4)
			n++;
	return n;
}

/*
 * Lists the kernel's addresses in the raw run: those that were replaced, and values anywhere in a record that are addresses of code. The
 * hashed run is not searched, because a value there may consist of halves of a replacement and of its neighbour.
 * Return: their number; @ret is sorted.
 */
static size_t list_addresses(const struct receiver *raw, const struct pairs *pairs, uint64_t **ret)
{
	uint64_t *list = calloc(pairs->n + count_places(raw) + 1, sizeof(*list)), start = 0, end = 0;
	size_t n = 0;

	assert_non_null(list);
	for (size_t i = 0; i < pairs->n; i++)
		if (is_kernel_address(pairs->items[i].raw))
			list[n++] = pairs->items[i].raw;
	find_text(&start, &end);
	for (size_t i = 0; i < raw->n_events; i++)
		for (uint32_t at = 8; at + 8 <= raw->events[i].len; at += 4) {
			const uint64_t value = load(raw->events[i].record + at);

			if (value >= start && value < end)
				list[n++] = value;
		}
	qsort(list, n, sizeof(*list), by_value);
	*ret = list;
	return n;
}

/* Checks that no kernel address is in the events of the hashed run, at any multiple of 4. Return: number of places checked */
static size_t expect_none_left(const struct twins *t, const struct metadata *metadata, const struct pairs *pairs)
{
	const struct receiver *got = &t->hashed.got;
	uint64_t *list;
	const size_t n = list_addresses(&t->raw.got, pairs, &list);
	size_t looked = 0;

	for (size_t i = 0; i < got->n_events; i++) {
		for (uint32_t at = 8; at + 8 <= got->events[i].len; at += 4, looked++) {
			const uint64_t value = load(got->events[i].record + at);
			const struct tw_format *format = tw_schema__by_id(metadata->schema, got->events[i].id);

			if (bsearch(&value, list, n, sizeof(*list), by_value))
				fail_msg("%s:%s: %lx at %u is left", format->system, format->name, value, at);
		}
	}
	free(list);
	return looked;
}

static void compare_twins(const struct twins *t, struct tally *tally)
{
	struct metadata metadata;
	size_t looked, different;

	*tally = (struct tally){ 0 };
	read_metadata(t, &metadata);
	compare_all(t, &metadata, tally);
	looked = expect_none_left(t, &metadata, &tally->pairs);
	different = expect_one_to_one(&tally->pairs);
	printf("%zu events of %zu kinds, %zu names, %zu texts; %zu addresses, %zu different; no kernel address at %zu places\n",
	       tally->events, tally->kinds, tally->names, tally->texts, tally->pairs.n, different, looked);
	free(tally->pairs.items);
	free_metadata(&metadata);
}

static void test_memory_and_packets(void **state)
{
	struct twins t;
	struct tally tally;

	(void)state;
	run_twins(&t, "kmem,skb,net,sock,raw_syscalls,signal,sched,timer,workqueue", false);
	compare_twins(&t, &tally);
	assert_true(tally.pairs.n > 1000);
	assert_true(tally.names > 100);
	end_twins(&t);
}

static void test_stacks(void **state)
{
	struct twins t;
	struct tally tally;

	(void)state;
	run_twins(&t, "kmem:kmalloc,net", true);
	compare_twins(&t, &tally);
	assert_true(tally.pairs.n > 500);
	assert_true(tally.names > 500);
	end_twins(&t);
}

static void test_all(void **state)
{
	struct twins t;
	struct tally tally;

	(void)state;
	run_twins(&t, "all", false);
	compare_twins(&t, &tally);
	assert_true(tally.kinds > 50);
	assert_true(tally.texts > 0);
	end_twins(&t);
}

/*
 * Marks the bytes of an event that belong to a field, including bytes to which a location field refers. Return: false if the format does
 * not describe all bytes.
 */
static bool mark_fields(const struct tw_format *format, const struct got_event *event, bool *is_fields, size_t n)
{
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];
		uint32_t word;

		if (field->place == TW_PLACE_REST || !strcmp(format->system, "ftrace"))
			return false;
		for (uint32_t at = field->offset; at < field->offset + field->size && at < n; at++)
			is_fields[at] = true;
		if (field->place == TW_PLACE_FIXED)
			continue;
		memcpy(&word, event->record + field->offset, sizeof(word));
		assert_int_equal(field->place, TW_PLACE_DATA_LOC);
		for (uint32_t at = word & 0xffff; at < (word & 0xffff) + (word >> 16) && at < n; at++)
			is_fields[at] = true;
	}
	return true;
}

/* Return: number of bytes of an event that belong to no field and are not 0 */
static size_t count_leftovers(const struct tw_format *format, const struct got_event *event)
{
	bool is_fields[4096] = { false };
	size_t n = 0;

	if (!mark_fields(format, event, is_fields, sizeof(is_fields)))
		return 0;
	for (uint32_t at = 8; at < event->len && at < sizeof(is_fields); at++)
		n += !is_fields[at] && event->record[at];
	return n;
}

/* Return: number of such bytes in a run whose rings were overwritten more than once */
static size_t run_on_used_rings(bool hashed)
{
	struct tw_schema *schema;
	struct run run;
	size_t n = 0;
	int word;

	run__init(&run, "kmem,skb,net,sched,timer,workqueue", NULL);
	run.options.buffer_kib = 64;
	run.options.subbuf_kib = 4;
	run.options.hash_pointers = hashed;
	run__start(&run);
	for (int i = 0; i < ROUNDS; i++) {
		const pid_t pid = start_worker(&word);

		let_work(pid, word);
		end_worker(pid, word);
	}
	run__stop(&run);
	schema = receiver__schema(&run.got);
	for (size_t i = 0; i < run.got.n_events; i++)
		n += count_leftovers(tw_schema__by_id(schema, run.got.events[i].id), &run.got.events[i]);
	tw_schema__free(schema);
	run__fini(&run);
	return n;
}

/* If pointers are hashed, old content of the rings, in bytes that belong to no field, is not sent. */
static void test_leftovers(void **state)
{
	const size_t raw = run_on_used_rings(false);

	(void)state;
	printf("%zu bytes of earlier records in a raw run\n", raw);
	assert_true(raw > 0);
	assert_int_equal(run_on_used_rings(true), 0);
}

/* The producer's part of a filter is evaluated before hashing. */
static void test_filter(void **state)
{
	struct tw_filter *filter;
	struct tw_filter_places places;
	char expression[64];
	struct run run;
	uint64_t first = 0;

	(void)state;
	snprintf(expression, sizeof(expression), "sys_enter.args == 0x%llx", MARK);
	assert_int_equal(tw_filter__parse(expression, &filter, NULL), 0);
	run__init(&run, "raw_syscalls:sys_enter", NULL);
	run.options.filter = filter;
	run.options.hash_pointers = true;
	run__start(&run);
	tw_producer__filter_places(run.producer, &places);
	for (int i = 0; i < ROUNDS; i++)
		syscall(SYS_getppid, MARK);
	run__stop(&run);
	assert_int_equal(places.producer, 1);
	assert_int_equal(run.got.n_events, ROUNDS);
	for (size_t i = 0; i < run.got.n_events; i++) {
		const uint64_t args = load(run.got.events[i].record + 16); /* after the number of the system call */

		first = first ? first : args;
		assert_true(args != MARK);
		assert_int_equal(args, first);
	}
	run__fini(&run);
	tw_filter__free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_and_packets),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_leftovers),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
