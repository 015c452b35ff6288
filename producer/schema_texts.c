/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/schema_texts.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/bytes.h"
#include "producer/tracing_dir.h"
#include "schema/format.h"
#include "schema/print.h"
#include "wire/schema_text.h"

#define FTRACE_FORMATS_MAX 64 /* limit of formats of the system `ftrace`; Linux 6.18 has up to 19 */

/* @text: allocated; owned by the source */
static struct tw_schema_source source_of(enum tw_schema_kind kind, uint16_t id, const char *system, char *text)
{
	return (struct tw_schema_source){
		.kind = kind,
		.event_id = id,
		.text = { .system = system, .text = text, .len = strlen(text) },
	};
}

/* Compares by the order of the texts, which determines the schema id: header_page, header_event, printk_formats, events by id. */
static int by_id(const void *a, const void *b)
{
	const struct tw_schema_source *x = a, *y = b;

	if (x->kind == y->kind)
		return x->event_id - y->event_id;
	if (x->kind == TW_SCHEMA_EVENT || y->kind == TW_SCHEMA_EVENT)
		return x->kind == TW_SCHEMA_EVENT ? 1 : -1;
	return x->kind < y->kind ? -1 : 1;
}

static int read_format(const char *tracing_dir, const char *system, const char *name, struct tw_schema_source *ret)
{
	const char *line;
	unsigned int id;
	char *text;
	int err;

	err = tw_event_format__read(tracing_dir, system, name, &text, NULL);
	if (err)
		return err;
	line = strstr(text, "\nID: ");
	if (!line || sscanf(line, "\nID: %u", &id) != 1 || id > UINT16_MAX) {
		free(text);
		return -EINVAL;
	}
	*ret = source_of(TW_SCHEMA_EVENT, (uint16_t)id, system, text);
	return 0;
}

/* Determines which fields are printed as symbols, and which contain addresses to be hashed. Return: 0 or -ENOMEM */
static int look_at_fields(const struct tw_schema_texts_request *request, const struct tw_format *format)
{
	struct tw_print *print = tw_print__new(format);
	const struct tw_field *const *fields;
	size_t n;
	int err = 0;

	if (!print)
		return -ENOMEM;
	fields = tw_print__addresses(print, &n);
	if (request->addresses)
		err = tw_addresses__set_fields(request->addresses, format, fields, n);
	if (!err && request->pointers)
		err = tw_hashed_pointers__set_format(request->pointers, format, print);
	tw_print__free(print);
	return err;
}

/*
 * Whether an event prints strings to which its record has pointers. The records of system calls have pointers to strings too, but these
 * events print the pointers as numbers.
 */
static bool prints_kernel_strings(const struct tw_format *format)
{
	if (!strstr(format->print_fmt, "%s"))
		return false;
	for (size_t i = format->n_common; i < format->n_fields; i++)
		if (format->fields[i].kind == TW_FIELD_POINTER && strstr(format->fields[i].type, "char"))
			return true;
	return false;
}

/* Parses a format and passes it to the objects of @request. @strings: set if the event needs printk_formats. Return: 0 or -ENOMEM */
static int look_at_format(const struct tw_schema_texts_request *request, const struct tw_schema_source *source,
			  bool *strings)
{
	const struct tw_schema_text *text = &source->text;
	struct tw_format *format;
	int err = tw_format__parse(text->text, text->len, text->system, &format, NULL);

	if (err == -ENOMEM)
		return err;
	if (err)
		return request->pointers ? tw_hashed_pointers__set_unknown(request->pointers, source->event_id) : 0;
	err = look_at_fields(request, format);
	if (!err && request->schema &&
	    tw_schema__add(request->schema, text->system, text->text, text->len, NULL, NULL) == -ENOMEM)
		err = -ENOMEM;
	*strings |= prints_kernel_strings(format);
	tw_format__free(format);
	return err;
}

static int look_at_formats(const struct tw_schema_texts_request *request, const struct tw_schema_source *sources,
			   size_t n, bool *strings)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		if (sources[i].kind == TW_SCHEMA_EVENT)
			err = look_at_format(request, &sources[i], strings);
	return err;
}

/* Removes the last lines of a text that is too long for a SCHEMA record. */
static void cut(char *text)
{
	char *end;

	if (strlen(text) <= TW_SCHEMA_TEXT_MAX)
		return;
	text[TW_SCHEMA_TEXT_MAX] = 0;
	end = strrchr(text, '\n');
	*(end ? end + 1 : text) = 0;
}

/*
 * Reads printk_formats, with hashed addresses if the stream has hashed addresses. Return: NULL if the file has no lines or cannot be read,
 * or if there is no memory
 */
static char *read_printk_formats(const struct tw_schema_texts_request *request)
{
	char *text, *hashed;

	if (tw_tracing_file__read(request->tracing_dir, "printk_formats", &text, NULL))
		return NULL;
	if (request->pointers) {
		hashed = tw_hashed_pointers__hash_strings(request->pointers, text);
		free(text);
		text = hashed;
	}
	if (text)
		cut(text);
	if (text && *text)
		return text;
	free(text);
	return NULL;
}

/* Adds the format of an event, if there is one. */
static int add_format(const char *tracing_dir, const char *system, const char *name, struct tw_schema_source *sources,
		      int *n, struct tw_error *error)
{
	const int err = read_format(tracing_dir, system, name, &sources[*n]);

	if (err == -ENOENT)
		return 0;
	if (err)
		return tw_error__set(error, err, "the format of %s:%s cannot be read: %s", system, name,
				     strerror(-err));
	++*n;
	return 0;
}

/* Adds the formats in events/ftrace, for example of tracer records. available_events does not list them. */
static int read_ftrace(const char *tracing_dir, struct tw_schema_source *sources, int *n, struct tw_error *error)
{
	const int most = *n + FTRACE_FORMATS_MAX;
	char path[PATH_MAX];
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events/ftrace", tracing_dir);
	dir = opendir(path);
	if (!dir)
		return tw_error__set(error, -errno, "cannot open %s: %s", path, strerror(errno));
	while (!err && *n < most && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			err = add_format(tracing_dir, "ftrace", entry->d_name, sources, n, error);
	}
	closedir(dir);
	return err;
}

/* Reads all texts. Return: number of texts, or -errno. */
static int read_sources(const struct tw_schema_texts_request *request, struct tw_schema_source *sources,
			struct tw_error *error)
{
	const struct tw_event_list *events = request->events;
	const char *tracing_dir = request->tracing_dir;
	bool strings = false;
	int n = 0, err;
	char *text;

	for (; n < 2; n++) {
		err = tw_tracing_file__read(tracing_dir, n ? "events/header_event" : "events/header_page", &text,
					    error);
		if (err)
			return err;
		sources[n] = source_of(n ? TW_SCHEMA_HEADER_EVENT : TW_SCHEMA_HEADER_PAGE, 0, "", text);
	}
	if (request->tracers)
		err = read_ftrace(tracing_dir, sources, &n, error);
	else
		err = add_format(tracing_dir, "ftrace", "print", sources, &n, error);
	for (size_t i = 0; i < events->n && !err; i++)
		err = add_format(tracing_dir, events->names[i].system, events->names[i].name, sources, &n, error);
	if (err)
		return err;
	err = look_at_formats(request, sources, (size_t)n, &strings);
	if (err)
		return tw_error__set(error, err, "out of memory");
	text = strings ? read_printk_formats(request) : NULL;
	if (text)
		sources[n++] = source_of(TW_SCHEMA_PRINTK, 0, "", text);
	qsort(sources, (size_t)n, sizeof(*sources), by_id);
	return n;
}

/* Hashes and compresses all texts. */
static int make_records(const struct tw_schema_source *sources, size_t n, struct tw_schema_texts *ret,
			struct tw_error *error)
{
	struct tw_schema_hash hash;

	tw_schema_hash__init(&hash, TW_HOST_BE, sizeof(long));
	for (size_t i = 0; i < n; i++)
		tw_schema_hash__text(&hash, sources[i].text.system, sources[i].text.text, sources[i].text.len);
	ret->schema_id = tw_schema_hash__fini(&hash);
	return tw_schema_records__make(sources, n, &ret->records, error);
}

void tw_schema_texts__set_host(struct tw_schema *schema)
{
	struct utsname uts;

	tw_schema__set_long_size(schema, sizeof(long));
	if (!uname(&uts))
		tw_schema__set_machine(schema, tw_machine__of(uts.machine, strlen(uts.machine)));
}

int tw_schema_texts__load(const struct tw_schema_texts_request *request, struct tw_schema_texts *ret,
			  struct tw_error *error)
{
	const size_t most = request->events->n + 3 + FTRACE_FORMATS_MAX;
	struct tw_schema_source *sources = calloc(most, sizeof(*sources));
	struct tw_schema_texts texts = { 0 };
	int n, err;

	if (!sources)
		return tw_error__set(error, -ENOMEM, "out of memory");
	n = read_sources(request, sources, error);
	err = n < 0 ? n : make_records(sources, (size_t)n, &texts, error);
	for (size_t i = 0; i < most; i++)
		free((void *)(uintptr_t)sources[i].text.text);
	free(sources);
	if (!err)
		*ret = texts;
	return err;
}

void tw_schema_texts__fini(struct tw_schema_texts *texts)
{
	tw_schema_records__fini(&texts->records);
}
