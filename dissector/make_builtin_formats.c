/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build tool: `make_builtin_formats EVENTS_DIR... > builtin_formats_table.c` converts trees of format files (SYSTEM/EVENT/format, as in
 * tracefs) to the constant table of builtin_formats.h. A field name gets the type of trace.any.NAME from the first tree that has the name.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dissector/builtin_formats.h"
#include "dissector/ftype.h"
#include "dissector/limits.h"
#include "schema/print.h"
#include "schema/syscalls.h"

#define EVENTS_MAX        8192
#define FIELDS_MAX        65536
#define VALUE_STRINGS_MAX 65536
#define POOL_MAX          (1024 * 1024)
#define SLOTS             131072 /* size of the pool's hash table; a power of two, larger than the number of names */

static struct {
	char pool[POOL_MAX];
	uint32_t pool_len;
	uint32_t slots[SLOTS]; /* offset in the pool + 1 */
	struct tw_builtin_event events[EVENTS_MAX];
	uint32_t n_events;
	struct tw_builtin_field fields[FIELDS_MAX];
	uint32_t n_fields;
	struct tw_builtin_name value_strings[VALUE_STRINGS_MAX];
	uint32_t n_names;
	struct tw_builtin_field any[FIELDS_MAX];
	uint32_t n_any;
	uint32_t n_any_before; /* from earlier trees */
} table;

static void die(const char *what, const char *on)
{
	fprintf(stderr, "make_builtin_formats: %s: %s\n", on, what);
	exit(1);
}

static uint32_t intern(const char *name)
{
	const size_t size = strlen(name) + 1;
	uint32_t hash = 2166136261u, at;

	for (const char *p = name; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619u;
	for (at = hash % SLOTS; table.slots[at]; at = (at + 1) % SLOTS)
		if (!strcmp(table.pool + table.slots[at] - 1, name))
			return table.slots[at] - 1;
	if (size > POOL_MAX - table.pool_len)
		die("the pool of names is full", name);
	memcpy(table.pool + table.pool_len, name, size);
	table.slots[at] = table.pool_len + 1;
	table.pool_len += (uint32_t)size;
	return table.slots[at] - 1;
}

static void add_any(uint32_t name, enum tw_ftype type)
{
	for (uint32_t i = 0; i < table.n_any; i++) {
		if (table.any[i].name == name) {
			if (i >= table.n_any_before)
				table.any[i].type = (uint8_t)tw_ftype__merge((enum tw_ftype)table.any[i].type, type);
			return;
		}
	}
	table.any[table.n_any++] = (struct tw_builtin_field){ .name = name, .type = (uint8_t)tw_ftype__any(type) };
}

/* Finds equal value strings in the table, because many events have the same. Return: their index; n_names if there are none */
static uint32_t place_of(const struct tw_builtin_name *value_strings, uint32_t n)
{
	uint32_t at = 0;

	while (at + n <= table.n_names && memcmp(&table.value_strings[at], value_strings, n * sizeof(*value_strings)))
		at++;
	return at + n <= table.n_names ? at : table.n_names;
}

static void add_value_strings(struct tw_builtin_field *field, const struct tw_print_names *names)
{
	static struct tw_builtin_name value_strings[TW_VALUE_STRINGS_MAX];

	uint32_t n = names->n;

	if (n >= TW_VALUE_STRINGS_MAX)
		return;
	memset(value_strings, 0, sizeof(value_strings)); /* padding is compared too, so it must be cleared */
	for (uint32_t i = 0; i < names->n; i++) {
		value_strings[i].value = names->names[i].value;
		value_strings[i].name = intern(names->names[i].name);
	}
	if (names->zero)
		value_strings[n++].name = intern(names->zero);
	field->first_name = place_of(value_strings, n);
	field->n_names = (uint16_t)n;
	field->has_names = names->flags;
	if (field->first_name < table.n_names)
		return;
	if (n > VALUE_STRINGS_MAX - table.n_names)
		die("too many names of values", table.pool + field->name);
	memcpy(&table.value_strings[table.n_names], value_strings, n * sizeof(*value_strings));
	table.n_names += n;
}

static void add_field(const struct tw_format *format, const struct tw_field *field, const struct tw_print *print)
{
	struct tw_builtin_field *added = &table.fields[table.n_fields++];
	const enum tw_ftype type = tw_ftype__of(field);
	struct tw_print_names names;

	*added = (struct tw_builtin_field){ .name = intern(field->name),
					    .type = (uint8_t)type,
					    .has_names = tw_syscalls__is_number(format, field) };
	if (tw_print__names(print, field, &names) && tw_print_names__can_compare(&names, field))
		add_value_strings(added, &names);
	add_any(added->name, type);
}

static void add_format(const struct tw_format *format)
{
	struct tw_print *print = tw_print__new(format);

	if (!print)
		die("no memory", format->name);
	if (table.n_events == EVENTS_MAX || table.n_fields + format->n_fields > FIELDS_MAX)
		die("too many events or fields", format->name);
	table.events[table.n_events++] = (struct tw_builtin_event){
		.system = intern(format->system),
		.name = intern(format->name),
		.first_field = table.n_fields,
		.n_fields = (uint32_t)(format->n_fields - format->n_common),
	};
	for (unsigned int i = format->n_common; i < format->n_fields; i++)
		add_field(format, &format->fields[i], print);
	tw_print__free(print);
}

static void read_format(const char *dir, const char *system, const char *event)
{
	static char text[TW_FORMAT_TEXT_MAX];
	char path[4096];
	struct tw_format *format;
	struct tw_error err;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s/format", dir, system, event);
	f = fopen(path, "r");
	if (!f) {
		if (errno == ENOENT || errno == ENOTDIR)
			return; /* not an event, but a file of the system, such as enable or filter */
		die(strerror(errno), path);
	}
	len = fread(text, 1, sizeof(text), f);
	fclose(f);
	if (tw_format__parse(text, len, system, &format, &err))
		die(err.text, path);
	add_format(format);
	tw_format__free(format);
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Calls @each for the entries of dir/sub, sorted by name, so that the output does not depend on the file system. */
static void for_entries(const char *dir, const char *sub,
			void (*each)(const char *dir, const char *sub, const char *name))
{
	struct dirent **entries;
	char path[4096];
	int n;

	snprintf(path, sizeof(path), "%s/%s", dir, sub);
	n = scandir(path, &entries, no_dots, alphasort);
	if (n < 0) {
		if (errno == ENOTDIR)
			return;
		die(strerror(errno), path);
	}
	for (int i = 0; i < n; i++) {
		each(dir, sub, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static void read_system(const char *dir, const char *sub, const char *system)
{
	(void)sub;
	for_entries(dir, system, read_format);
}

static int by_name(const void *a, const void *b)
{
	const struct tw_builtin_field *x = a, *y = b;

	return strcmp(table.pool + x->name, table.pool + y->name);
}

static void print_fields(const char *name, const struct tw_builtin_field *fields, uint32_t n)
{
	printf("const struct tw_builtin_field %s[] = {\n", name);
	for (uint32_t i = 0; i < n; i++)
		printf("\t{ %u, %u, %u, %u, %u },\n", fields[i].name, fields[i].first_name, fields[i].n_names,
		       fields[i].type, fields[i].has_names);
	printf("};\n");
}

static void print_value_strings(void)
{
	printf("const struct tw_builtin_name tw_builtin_names[] = {\n");
	for (uint32_t i = 0; i < table.n_names; i++)
		printf("\t{ %" PRIu64 "u, %u },\n", table.value_strings[i].value, table.value_strings[i].name);
	printf("\t{ 0, 0 },\n};\n");
}

static void print_pool(void)
{
	printf("const char tw_builtin_pool[] =\n");
	for (uint32_t at = 0; at < table.pool_len; at += (uint32_t)strlen(table.pool + at) + 1) {
		printf("\t\"");
		for (const char *p = table.pool + at; *p; p++)
			printf(*p == '"' || *p == '\\' || *p == '?' ? "\\%c" : "%c", *p);
		printf("\\0\"\n");
	}
	printf("\t;\n");
}

static void print_table(void)
{
	printf("/* Made by make_builtin_formats. */\n#include \"dissector/builtin_formats.h\"\n");
	print_pool();
	printf("const struct tw_builtin_event tw_builtin_events[] = {\n");
	for (uint32_t i = 0; i < table.n_events; i++)
		printf("\t{ %u, %u, %u, %u },\n", table.events[i].system, table.events[i].name,
		       table.events[i].first_field, table.events[i].n_fields);
	printf("};\nconst uint32_t tw_builtin_n_events = %u;\n", table.n_events);
	print_fields("tw_builtin_fields", table.fields, table.n_fields);
	print_value_strings();
	print_fields("tw_builtin_any", table.any, table.n_any);
	printf("const uint32_t tw_builtin_n_any = %u;\n", table.n_any);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		die("usage: make_builtin_formats EVENTS_DIR...", "arguments");
	for (int i = 1; i < argc; i++) {
		const uint32_t before = table.n_events;

		table.n_any_before = table.n_any;
		for_entries(argv[i], ".", read_system);
		if (table.n_events == before)
			die("no formats found", argv[i]);
	}
	qsort(table.any, table.n_any, sizeof(table.any[0]), by_name);
	print_table();
	return fflush(stdout) ? 1 : 0;
}
