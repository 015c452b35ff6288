/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with formats: the files of the user's cache, and the file or directory that the preference "formats" names. */
#include "dissector/format_files.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dissector/limits.h"
#include "schema/schema.h"

/* Reads a regular file of at most @max bytes. Other files are refused, because reading may block or never end. Return: NULL on failure */
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

static const char *next_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

static const char *find_key_line(const char *at, const char *end)
{
	while (at < end && ((size_t)(end - at) < KEY_LEN || memcmp(at, key, KEY_LEN) != 0))
		at = next_line(at, end);
	return at;
}

/* Return: the decimal number from @at to the end of the line; -1 if there is none */
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
	at += at < text && *at == ' '; /* one blank only, because the name may be empty */
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

struct cache_file {
	char *path;
	uint64_t schema_id;
	int64_t made, used; /* ns */
	uint64_t size;
};

static void free_entry(gpointer data)
{
	struct cache_file *entry = data;

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
	struct cache_file *entry;
	GStatBuf st;

	if (end != name + 16 || strcmp(end, SUFFIX) || g_stat(path, &st)) {
		g_free(path);
		return;
	}
	entry = g_new(struct cache_file, 1);
	*entry = (struct cache_file){
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
	const struct cache_file *x = *(struct cache_file *const *)a, *y = *(struct cache_file *const *)b;

	return (x->used > y->used) - (x->used < y->used);
}

static int by_age(gconstpointer a, gconstpointer b)
{
	const struct cache_file *x = *(struct cache_file *const *)a, *y = *(struct cache_file *const *)b;

	return (x->made > y->made) - (x->made < y->made);
}

/* Lists the files of the cache, the least recently used first. */
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

/* Return: index of the first entry to keep. This entry and the entries after it, which were used more recently, are within the limits. */
static guint first_kept(const GPtrArray *entries)
{
	uint64_t bytes = 0;
	guint i = entries->len;

	while (i && entries->len - i < TW_CACHE_FILES_MAX) {
		const struct cache_file *entry = g_ptr_array_index(entries, i - 1);

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
		g_unlink(((struct cache_file *)g_ptr_array_index(entries, i))->path);
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

static void each_text(const char *bytes, size_t len, tw_format_files_each *each)
{
	struct tw_formats_file file = tw_formats_file__open(bytes, len);
	struct tw_schema_text text;

	while (tw_formats_file__next(&file, &text))
		each(text.system, text.text, text.len);
}

void tw_cache__each(tw_format_files_each *each)
{
	GPtrArray *entries = list_entries();
	const guint stale = first_kept(entries);

	if (stale)
		g_ptr_array_remove_range(entries, 0, stale);
	g_ptr_array_sort(entries, by_age);
	for (guint i = 0; i < entries->len; i++) {
		const struct cache_file *entry = g_ptr_array_index(entries, i);
		size_t len;
		char *bytes = load_file(entry->path, entry->schema_id, &len);

		if (bytes)
			each_text(bytes, len, each);
		g_free(bytes);
	}
	g_ptr_array_free(entries, TRUE);
}

static void each_of_system(const char *folder, const char *system, unsigned int *left, tw_format_files_each *each)
{
	char *path = g_build_filename(folder, system, NULL);
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *event;

	for (; dir && *left && (event = g_dir_read_name(dir)); --*left) {
		char *file = g_build_filename(path, event, "format", NULL);
		gsize len;
		char *bytes = read_regular_file(file, TW_SCHEMA_TEXT_MAX, &len);

		if (bytes)
			each(system, bytes, len);
		g_free(bytes);
		g_free(file);
	}
	if (dir)
		g_dir_close(dir);
	g_free(path);
}

void tw_format_files__each(const char *path, tw_format_files_each *each)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	unsigned int left = TW_FORMATS_FOLDER_MAX;
	const char *system;
	char *bytes;
	gsize len;

	while (dir && left && (system = g_dir_read_name(dir)))
		each_of_system(path, system, &left, each);
	if (dir) {
		g_dir_close(dir);
		return;
	}
	bytes = read_regular_file(path, TW_FORMATS_FILE_MAX, &len);
	if (bytes)
		each_text(bytes, len, each);
	g_free(bytes);
}
