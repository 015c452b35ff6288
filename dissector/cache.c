/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/cache.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dissector/formats_file.h"
#include "dissector/regular_file.h"
#include "schema/hash.h"

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
	char *bytes = tw_regular_file__read(path, TW_CACHE_BYTES_MAX, &len);

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

void tw_cache__each(void (*each)(const char *bytes, size_t len))
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
