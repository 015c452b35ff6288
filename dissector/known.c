/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What filters can name before any frame is seen, registered when the first name beginning with "trace." is asked for that
 * is not one of the fixed ones: the built-in table, the preference's format texts, the user's cache.
 */
#include <glib.h>
#include <string.h>

#include "dissector/builtin_formats.h"
#include "dissector/cache.h"
#include "dissector/formats_file.h"
#include "dissector/packet-tracewire.h"
#include "dissector/regular_file.h"
#include "dissector/words.h"

static void give_builtin_words(struct tw_name *name, const struct tw_builtin_field *field)
{
	const struct tw_builtin_word *known = &tw_builtin_words[field->first_word];
	struct tw_print_name words[TW_WORDS_PER_NAME_MAX];

	for (uint32_t i = 0; i < field->n_words; i++)
		words[i] = (struct tw_print_name){ known[i].value, tw_builtin_pool + known[i].name };
	tw_words__give(name, words, field->n_words);
}

static void register_builtin_field(const struct tw_builtin_event *event, const struct tw_builtin_field *field)
{
	const char *system = tw_builtin_pool + event->system, *name = tw_builtin_pool + event->name;
	struct tw_name *made = tw_fields__name(system, name, tw_builtin_pool + field->name, (enum tw_type)field->type);

	give_builtin_words(made, field);
	if (field->words_flags)
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
		tw_fields__any(tw_builtin_pool + tw_builtin_any[i].name, (enum tw_type)tw_builtin_any[i].type);
}

static void register_text(const char *system, const char *text, size_t len)
{
	struct tw_format *format;

	if (tw_format__parse(text, len, system, &format, NULL))
		return;
	tw_words__register_format(format);
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
	char *bytes = tw_regular_file__read(path, TW_SCHEMA_TEXT_MAX, &len);

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
	bytes = tw_regular_file__read(path, TW_FORMATS_FILE_MAX, &len);
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
		tw_cache__each(register_file);
}
