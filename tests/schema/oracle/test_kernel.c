/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_kernel DIFFERENCES: records a mixed load on this kernel, and compares Tracewire's text of every record with the kernel's text, which
 * it reads from `trace` of the same instance. In both texts, addresses are first written as libtraceevent writes them. A difference that is
 * not on the list fails the test.
 */
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "listed.h"
#include "live.h"
#include "oracle.h"
#include "schema/print.h"

#define SHOWN_MAX 2 /* differences shown for each event */
#define TEXT_MAX  (2 * TW_PRINT_LINE_MAX)
#define ADDRESS   16 /* number of digits of an address */

/* The kernel's output for one CPU, and the reading position. */
struct kernel_text {
	char *all, *at;
	bool lost; /* the text of the previous record differed: search for the name of the next event */
};

struct state {
	struct tw_schema *schema;
	struct tw_print_host host;
	struct tw_print *prints[65536];
	struct kernel_text kernel;
	unsigned long seen[65536], wrong[65536], records, equal, listed, different;
};

/* Return: number of lower-case hexadecimal digits at @text */
static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

/* Skips the size and the module of `+0x12/0x34 [module]`, which only the kernel prints. */
static const char *skip_size(const char *at)
{
	const char *end;

	if (strncmp(at, "/0x", 3) || !count_digits(at + 3))
		return at;
	at += 3 + count_digits(at + 3);
	end = at[0] == ' ' && at[1] == '[' ? strchr(at, ']') : NULL;
	return end ? end + 1 : at;
}

/* Copies an address of 16 digits as 0x... without leading zeros, or as (nil). */
static const char *copy_address(const char *at, char **to)
{
	const char *digits = strncmp(at, "0x", 2) ? at : at + 2;

	if (count_digits(digits) != ADDRESS)
		return NULL;
	for (at = digits; *at == '0'; at++)
		;
	if (at >= digits + ADDRESS)
		*to += sprintf(*to, "(nil)");
	else
		*to += sprintf(*to, "0x%.*s", (int)(digits + ADDRESS - at), at);
	return digits + ADDRESS;
}

/* Skips the brackets around an address of user space, as in `=>  <0123456789abcdef>`. */
static const char *skip_brackets(const char *at)
{
	if (!strncmp(at, " <", 2) && count_digits(at + 2) == ADDRESS && at[2 + ADDRESS] == '>')
		return at + 2;
	return at[0] == '>' && at[1] == '\n' ? at + 1 : at;
}

/* Copies a text, with addresses as libtraceevent prints them. @to has twice the size of @from. */
static void normalize(const char *from, char *to)
{
	const char *behind;
	bool word = false; /* the previous character belongs to a word */

	while (*from) {
		from = skip_brackets(from);
		behind = word ? NULL : copy_address(from, &to);
		if (behind) {
			from = behind;
			continue;
		}
		if (!strncmp(from, "+0x", 3) && count_digits(from + 3)) {
			const size_t len = 3 + count_digits(from + 3);

			memcpy(to, from, len);
			to += len;
			from = skip_size(from + len);
			continue;
		}
		word = isalnum((unsigned char)*from) || *from == '_';
		*to++ = *from++;
	}
	*to = '\0';
}

/* Writes what `trace` has before the text of an event: usually the event's name, but no name for events of tracers. */
static void put_head(const struct tw_format *format, struct tw_line *line)
{
	if (!strcmp(format->system, "syscalls")) {
		tw_line__str(line, "sys_"); /* sys_enter_read is sys_read(...), sys_exit_read is sys_read -> ... */
		tw_line__str(line, strchr(format->name + strlen("sys_"), '_') + 1);
		tw_line__char(line, ' ');
	} else if (strcmp(format->system, "ftrace")) {
		tw_line__str(line, format->name);
		tw_line__str(line, ": ");
	} else if (!strcmp(format->name, "kernel_stack")) {
		tw_line__str(line, "<stack trace>\n");
	} else if (!strcmp(format->name, "user_stack")) {
		tw_line__str(line, "<user stack trace>\n");
	}
}

/* Adds the line break that `trace` has. The text of a stack has one already, and has "\t=> name" where `trace` has " => name". */
static void end_text(const struct tw_format *format, char *text)
{
	const size_t len = strlen(text);

	if (strcmp(format->system, "ftrace") || !len || text[len - 1] != '\n')
		strcpy(text + len, "\n");
	if (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack"))
		for (char *tab = text; (tab = strchr(tab, '\t'));)
			*tab = ' ';
}

static void print_ours(const struct state *s, const struct tw_format *format, const struct tep_record *record,
		       char *ret)
{
	const struct tw_record ours = { .data = record->data, .len = (uint32_t)record->size };
	struct tw_line line = tw_line__on(ret, TW_PRINT_LINE_MAX);

	put_head(format, &line);
	tw_print__run(s->prints[format->id], &ours, &s->host, &line);
	*line.at = '\0';
	end_text(format, ret);
}

/* Skips lines that the kernel adds between events. */
static void skip_notes(struct kernel_text *kernel)
{
	while (!strncmp(kernel->at, "CPU:", 4) || !strncmp(kernel->at, "#####", 5)) {
		const char *end = strchr(kernel->at, '\n');

		if (!end)
			return;
		kernel->at += end + 1 - kernel->at;
	}
}

/* Takes as many lines of the kernel's text as Tracewire's text @ours has. */
static void take_lines(struct kernel_text *kernel, const char *ours, char *ret)
{
	size_t len = 0;

	for (; *ours; ours++) {
		if (*ours != '\n')
			continue;
		len += strcspn(kernel->at + len, "\n");
		len += kernel->at[len] == '\n';
	}
	if (len > TW_PRINT_LINE_MAX)
		len = TW_PRINT_LINE_MAX;
	memcpy(ret, kernel->at, len);
	ret[len] = '\0';
	kernel->at += len;
}

/* After a text that differed, perhaps in its number of lines: finds the next line that can be this event. Return: false if there is none */
static bool find_again(struct kernel_text *kernel, const char *ours)
{
	const size_t head = strcspn(ours, ": \n");

	while (*kernel->at && (strncmp(kernel->at, ours, head) || !strchr(": \n(", kernel->at[head]))) {
		kernel->at += strcspn(kernel->at, "\n");
		kernel->at += *kernel->at == '\n';
	}
	kernel->lost = false;
	return *kernel->at;
}

static int compare(struct state *s, const struct tw_format *format, const struct tep_record *record)
{
	static char ours[TEXT_MAX], theirs[TEXT_MAX], our_line[2 * TEXT_MAX], their_line[2 * TEXT_MAX];

	print_ours(s, format, record, ours);
	skip_notes(&s->kernel);
	if (s->kernel.lost && !find_again(&s->kernel, ours)) {
		printf("the kernel's text ends before %s:%s\n", format->system, format->name);
		return -1;
	}
	take_lines(&s->kernel, ours, theirs);
	normalize(ours, our_line);
	normalize(theirs, their_line);
	s->records++;
	if (!strcmp(our_line, their_line)) {
		s->equal++;
		return 0;
	}
	s->kernel.lost = true;
	if (listed__has("%s:%s", format->system, format->name)) {
		s->listed++;
		return 0;
	}
	s->different++;
	if (s->wrong[format->id]++ < SHOWN_MAX)
		printf("%s:%s\n  ours   %s  kernel %s", format->system, format->name, our_line, their_line);
	return 0;
}

static int visit(struct tep_event *event, struct tep_record *record, int cpu, void *context)
{
	struct state *s = context;
	const struct tw_format *format = live__format(s->schema, event);

	(void)cpu;
	if (!format)
		return -1;
	if (!s->prints[format->id])
		s->prints[format->id] = tw_print__new(format);
	if (!s->prints[format->id])
		return -1;
	s->seen[format->id]++;
	return compare(s, format, record);
}

static int load_symbols(struct state *s)
{
	struct tw_symbols *symbols = tw_symbols__new();
	size_t len;
	char *text = read_file("/proc/kallsyms", &len);
	int err = !symbols || !text || tw_symbols__parse(symbols, text, len);

	free(text);
	s->host.symbols = symbols;
	return err;
}

static int compare_cpu(struct state *s, struct tep_handle *tep, struct tracefs_instance *instance, unsigned int cpu)
{
	cpu_set_t cpus;
	char file[64];
	int err;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace", cpu);
	s->kernel = (struct kernel_text){ .all = tracefs_instance_file_read(instance, file, NULL) };
	if (!s->kernel.all) {
		perror(file);
		return -1;
	}
	s->kernel.at = s->kernel.all;
	while (!strncmp(s->kernel.at, "#\n", 2) || !strncmp(s->kernel.at, "# tracer:", 9))
		s->kernel.at += strcspn(s->kernel.at, "\n") + 1;
	err = tracefs_iterate_raw_events(tep, instance, &cpus, sizeof(cpus), visit, s);
	free(s->kernel.all);
	return err;
}

static int prepare(struct state *s, struct tracefs_instance *instance)
{
	static const char *const off[] = { "annotate", "context-info", "hash-ptr" };

	s->schema = tw_schema__new();
	if (!s->schema || load_symbols(s))
		return -1;
	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
		char file[64];

		snprintf(file, sizeof(file), "options/%s", off[i]);
		if (tracefs_instance_file_write(instance, file, "0") < 0) {
			perror(file);
			return -1;
		}
	}
	return live__record(instance);
}

static int test(struct tracefs_instance *instance)
{
	static struct state s;
	struct tep_handle *tep = tracefs_local_events(NULL);
	unsigned long events = 0;
	int err = !tep || prepare(&s, instance);

	for (unsigned int cpu = 0; !err && cpu < (unsigned int)sysconf(_SC_NPROCESSORS_CONF); cpu++)
		err = compare_cpu(&s, tep, instance, cpu);
	for (size_t id = 0; id < sizeof(s.prints) / sizeof(s.prints[0]); id++) {
		events += s.seen[id] != 0;
		if (s.wrong[id])
			printf("%s: %lu of %lu records differ\n", tw_schema__by_id(s.schema, (uint16_t)id)->name,
			       s.wrong[id], s.seen[id]);
		tw_print__free(s.prints[id]);
	}
	printf("%lu records of %lu events: %lu as the kernel prints them, %lu listed, %lu different\n", s.records,
	       events, s.equal, s.listed, s.different);
	tep_free(tep);
	tw_symbols__free((struct tw_symbols *)s.host.symbols);
	tw_schema__free(s.schema);
	return err || s.different || s.equal < LIVE_EVENTS_MIN / 2;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	listed__load(argv[1]);
	return live__run(test);
}
