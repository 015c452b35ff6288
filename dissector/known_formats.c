/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What filters can name before any frame is seen: built-in formats, the preference's format texts and the user's cache. All are registered
 * when a filter asks for the first name that begins with "trace." and is no field of the protocol.
 */
#include "dissector/known_formats.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dissector/builtin_formats.h"
#include "dissector/fields.h"
#include "dissector/packet-tracewire.h"
#include "schema/schema.h"

/* Small files, read whole: nothing that blocks, such as a FIFO, and nothing without an end, such as a device. */
static char *read_regular_file(const char *path, gsize max, gsize *ret_len)
{
	GStatBuf st;
	char *bytes;

	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || g_stat(path, &st) || (guint64)st.st_size > max ||
	    !g_file_get_contents(path, &bytes, ret_len, NULL))
		return NULL;
	return bytes;
}

static const char key[] = "system:";
#define KEY_LEN (sizeof(key) - 1)

static bool is_key_line(const char *at, const char *end)
{
	return (size_t)(end - at) >= KEY_LEN && !memcmp(at, key, KEY_LEN);
}

static const char *next_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

static const char *find_key_line(const char *at, const char *end)
{
	while (at < end && !is_key_line(at, end))
		at = next_line(at, end);
	return at;
}

/* A decimal number that is the rest of the line; -1 if there is none. */
static long read_length(const char *at, const char *end)
{
	long n = -1;

	for (; at < end && *at >= '0' && *at <= '9' && n < TW_SCHEMA_TEXT_MAX; at++)
		n = (n < 0 ? 0 : n) * 10 + (*at - '0');
	return at < end && *at == '\n' ? n : -1;
}

bool tw_formats_file__next(struct tw_formats_file *file, struct tw_schema_text *ret)
{
	const char *at = find_key_line(file->at, file->end);
	const char *const end = file->end, *const text = next_line(at, end);
	size_t n = 0;
	long len;

	if (at == end)
		return false;
	at += KEY_LEN;
	at += at < text && *at == ' '; /* just one: an empty name stands for no system */
	while (at + n < text && at[n] != ' ' && at[n] != '\n')
		n++;
	if (n >= sizeof(file->system))
		return false;
	memcpy(file->system, at, n);
	file->system[n] = 0;
	at += n;

	len = at < text && *at == ' ' ? read_length(at + 1, text) : -1;
	if (len > end - text)
		return false;
	file->at = len < 0 ? find_key_line(text, end) : text + len;
	*ret = (struct tw_schema_text){ .system = file->system, .text = text, .len = (size_t)(file->at - text) };
	return true;
}

#define SUFFIX   ".formats"
#define HEAD     "# tracewire formats 1 %s %u\n"
#define HEAD_LEN (sizeof("# tracewire formats 1 le 8\n") - 1)

static char *cache_folder(void)
{
	return g_build_filename(g_get_user_cache_dir(), "tracewire", NULL);
}

static char *file_of(const char *folder, uint64_t schema_id)
{
	char name[32];

	snprintf(name, sizeof(name), "%016" PRIx64 SUFFIX, schema_id);
	return g_build_filename(folder, name, NULL);
}

static uint64_t hash_file(const char *bytes, size_t len)
{
	struct tw_formats_file file = tw_formats_file__open(bytes, len);
	struct tw_schema_hash hash;
	struct tw_schema_text text;
	char order[3];
	unsigned int long_size;

	if (len < HEAD_LEN || sscanf(bytes, "# tracewire formats 1 %2s %u", order, &long_size) != 2)
		return 0;
	tw_schema_hash__init(&hash, !strcmp(order, "be"), (uint8_t)long_size);
	while (tw_formats_file__next(&file, &text))
		tw_schema_hash__text(&hash, text.system, text.text, text.len);
	return tw_schema_hash__fini(&hash);
}

static char *load_file(const char *path, uint64_t schema_id, size_t *ret_len)
{
	gsize len;
	char *bytes = read_regular_file(path, TW_CACHE_BYTES_MAX, &len);

	if (!bytes)
		return NULL;
	if (hash_file(bytes, len) != schema_id) {
		g_free(bytes);
		return NULL;
	}
	*ret_len = len;
	return bytes;
}

char *tw_cache__load(uint64_t schema_id, size_t *ret_len)
{
	char *folder = cache_folder();
	char *path = file_of(folder, schema_id);
	char *bytes = load_file(path, schema_id, ret_len);

	g_free(path);
	g_free(folder);
	return bytes;
}

struct entry {
	char *path;
	uint64_t schema_id;
	int64_t made, used; /* ns */
	uint64_t size;
};

static void free_entry(gpointer data)
{
	struct entry *entry = data;

	g_free(entry->path);
	g_free(entry);
}

static int64_t ns_of(const struct timespec *time)
{
	return time->tv_sec * (int64_t)1000000000 + time->tv_nsec;
}

static void add_entry(GPtrArray *entries, const char *folder, const char *name)
{
	char *path = g_build_filename(folder, name, NULL);
	char *end;
	const uint64_t schema_id = g_ascii_strtoull(name, &end, 16);
	struct entry *entry;
	GStatBuf st;

	if (end != name + 16 || strcmp(end, SUFFIX) || g_stat(path, &st)) {
		g_free(path);
		return;
	}
	entry = g_new(struct entry, 1);
	*entry = (struct entry){
		.path = path,
		.schema_id = schema_id,
		.made = ns_of(&st.st_mtim),
		.used = ns_of(&st.st_atim),
		.size = (uint64_t)st.st_size,
	};
	g_ptr_array_add(entries, entry);
}

static int by_use(gconstpointer a, gconstpointer b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	return (x->used > y->used) - (x->used < y->used);
}

static int by_age(gconstpointer a, gconstpointer b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	return (x->made > y->made) - (x->made < y->made);
}

/* Not used for the longest time first. */
static GPtrArray *list_entries(void)
{
	GPtrArray *entries = g_ptr_array_new_with_free_func(free_entry);
	char *folder = cache_folder();
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		add_entry(entries, folder, name);
	if (dir)
		g_dir_close(dir);
	g_free(folder);
	g_ptr_array_sort(entries, by_use);
	return entries;
}

/* The first entry of the newest ones that fit the limits together. */
static guint first_kept(const GPtrArray *entries)
{
	uint64_t bytes = 0;
	guint i = entries->len;

	while (i && entries->len - i < TW_CACHE_FILES_MAX) {
		const struct entry *entry = g_ptr_array_index(entries, i - 1);

		bytes += entry->size;
		if (bytes > TW_CACHE_BYTES_MAX)
			break;
		i--;
	}
	return i;
}

static void prune(void)
{
	GPtrArray *entries = list_entries();
	const guint keep = first_kept(entries);

	for (guint i = 0; i < keep; i++)
		g_unlink(((struct entry *)g_ptr_array_index(entries, i))->path);
	g_ptr_array_free(entries, TRUE);
}

/* For every schema in the cache, first seen first, so that names keep their meaning. */
static void each_cached(void (*each)(const char *bytes, size_t len))
{
	GPtrArray *entries = list_entries();
	const guint stale = first_kept(entries);

	if (stale)
		g_ptr_array_remove_range(entries, 0, stale);
	g_ptr_array_sort(entries, by_age);
	for (guint i = 0; i < entries->len; i++) {
		const struct entry *entry = g_ptr_array_index(entries, i);
		size_t len;
		char *bytes = load_file(entry->path, entry->schema_id, &len);

		if (bytes)
			each(bytes, len);
		g_free(bytes);
	}
	g_ptr_array_free(entries, TRUE);
}

static GString *make_file(bool big_endian, uint8_t long_size, const struct tw_schema_text *texts, size_t n)
{
	GString *file = g_string_new(NULL);

	g_string_append_printf(file, HEAD, big_endian ? "be" : "le", long_size);
	for (size_t i = 0; i < n; i++) {
		g_string_append_printf(file, "system: %s %zu\n", texts[i].system, texts[i].len);
		g_string_append_len(file, texts[i].text, (gssize)texts[i].len);
	}
	return file;
}

void tw_cache__store(uint64_t schema_id, bool big_endian, uint8_t long_size, const struct tw_schema_text *texts,
		     size_t n)
{
	char *folder = cache_folder();
	static const struct timespec used_now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };
	char *path = file_of(folder, schema_id);
	GString *file;

	if (g_file_test(path, G_FILE_TEST_EXISTS)) {
		utimensat(AT_FDCWD, path, used_now, 0);
		goto out;
	}
	file = make_file(big_endian, long_size, texts, n);
	if (file->len <= TW_CACHE_BYTES_MAX && hash_file(file->str, file->len) == schema_id &&
	    !g_mkdir_with_parents(folder, 0700) &&
	    g_file_set_contents_full(path, file->str, (gssize)file->len, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
		prune();
	g_string_free(file, TRUE);
out:
	g_free(path);
	g_free(folder);
}

enum tw_ftype tw_builtin__any_type(const char *field, enum tw_ftype otherwise)
{
	uint32_t low = 0, high = tw_builtin_n_any;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;
		const int order = strcmp(field, tw_builtin_pool + tw_builtin_any[mid].name);

		if (!order)
			return (enum tw_ftype)tw_builtin_any[mid].type;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return otherwise;
}

/*
 * What filters can name before any frame is seen, registered when the first name beginning with "trace." is asked for that
 * is not one of the fixed ones: the built-in table, the preference's format texts, the user's cache.
 */

static void add_builtin_value_strings(struct tw_name *name, const struct tw_builtin_field *field)
{
	const struct tw_builtin_name *known = &tw_builtin_names[field->first_name];
	struct tw_print_name value_strings[TW_VALUE_STRINGS_MAX];

	for (uint32_t i = 0; i < field->n_names; i++)
		value_strings[i] = (struct tw_print_name){ known[i].value, tw_builtin_pool + known[i].name };
	tw_value_strings__add(name, value_strings, field->n_names);
}

static void register_builtin_field(const struct tw_builtin_event *event, const struct tw_builtin_field *field)
{
	const char *system = tw_builtin_pool + event->system, *name = tw_builtin_pool + event->name;
	struct tw_name *made = tw_fields__name(system, name, tw_builtin_pool + field->name, (enum tw_ftype)field->type);

	add_builtin_value_strings(made, field);
	if (field->names_flags)
		tw_fields__flags(system, name, tw_builtin_pool + field->name);
}

static void register_builtin(void)
{
	for (uint32_t i = 0; i < tw_builtin_n_events; i++) {
		const struct tw_builtin_event *event = &tw_builtin_events[i];
		const struct tw_builtin_field *field = &tw_builtin_fields[event->first_field];

		for (uint32_t n = event->n_fields; n; n--, field++)
			register_builtin_field(event, field);
	}
	for (uint32_t i = 0; tw_preferences.any && i < tw_builtin_n_any; i++)
		tw_fields__any(tw_builtin_pool + tw_builtin_any[i].name, (enum tw_ftype)tw_builtin_any[i].type);
}

static void register_text(const char *system, const char *text, size_t len)
{
	struct tw_format *format;

	if (tw_format__parse(text, len, system, &format, NULL))
		return;
	tw_fields__register_format(format);
	tw_format__free(format);
}

static void register_file(const char *bytes, size_t len)
{
	struct tw_formats_file file = tw_formats_file__open(bytes, len);
	struct tw_schema_text text;

	while (tw_formats_file__next(&file, &text))
		register_text(text.system, text.text, text.len);
}

static void register_format_file(const char *folder, const char *system, const char *event)
{
	char *path = g_build_filename(folder, system, event, "format", NULL);
	gsize len;
	char *bytes = read_regular_file(path, TW_SCHEMA_TEXT_MAX, &len);

	if (bytes)
		register_text(system, bytes, len);
	g_free(bytes);
	g_free(path);
}

static void register_system_folder(const char *folder, const char *system, unsigned int *left)
{
	char *path = g_build_filename(folder, system, NULL);
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *event;

	while (dir && *left && (event = g_dir_read_name(dir))) {
		register_format_file(folder, system, event);
		--*left;
	}
	if (dir)
		g_dir_close(dir);
	g_free(path);
}

static void register_folder(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	unsigned int left = TW_FORMATS_FOLDER_MAX;
	const char *system;

	while (dir && left && (system = g_dir_read_name(dir)))
		register_system_folder(folder, system, &left);
	if (dir)
		g_dir_close(dir);
}

static void register_preference(const char *path)
{
	char *bytes;
	gsize len;

	if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
		register_folder(path);
		return;
	}
	bytes = read_regular_file(path, TW_FORMATS_FILE_MAX, &len);
	if (bytes)
		register_file(bytes, len);
	g_free(bytes);
}

void tw_fields__register_known(const char *match)
{
	(void)match;
	register_builtin();
	if (tw_preferences.formats && *tw_preferences.formats)
		register_preference(tw_preferences.formats);
	if (tw_preferences.cache)
		each_cached(register_file);
}
