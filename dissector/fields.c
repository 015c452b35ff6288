/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/fields.h"

#include <stdlib.h>
#include <string.h>

#include "dissector/builtin_formats.h"
#include "dissector/format_files.h"
#include "dissector/packet-tracewire.h"

static const struct {
	enum ftenum ft;
	int base;
} types[TW_FTYPE_COUNT] = {
#define X(name, type, display) [TW_FTYPE_##name] = { .ft = type, .base = display },
	TW_FTYPE_LIST(X)
#undef X
};

static const char *const class_suffix[] = {
	[TW_CLASS_NUMBER] = "number", [TW_CLASS_TEXT] = "text", [TW_CLASS_BYTES] = "bytes",
	[TW_CLASS_IPV4] = "ipv4",     [TW_CLASS_IPV6] = "ipv6",
};

static GHashTable *names; /* filter name -> the first struct tw_name */
static unsigned int n_names;

static void free_names(void)
{
	if (names)
		g_hash_table_destroy(names);
	names = NULL;
}

void tw_fields__init(void)
{
	register_shutdown_routine(free_names);
}

static struct tw_name *register_name(const char *abbrev, const char *label, enum tw_ftype type)
{
	struct {
		struct tw_name name;
		int id;
		hf_register_info reg;
	} * made;

	if (n_names >= TW_NAMES_MAX)
		return NULL;
	n_names++;
	made = wmem_alloc0(wmem_epan_scope(), sizeof(*made));
	made->id = -1;
	made->reg = (hf_register_info){
		&made->id,
		{ tw_shown__dup(wmem_epan_scope(), label, strlen(label)), wmem_strdup(wmem_epan_scope(), abbrev),
		  types[type].ft, types[type].base, NULL, 0, NULL, HFILL },
	};
	proto_register_field_array(proto_trace, &made->reg, 1);
	made->name.hf = &made->reg.hfinfo;
	made->name.type = (uint8_t)type;
	return &made->name;
}

static struct tw_name *with_type(struct tw_name *name, enum tw_ftype type)
{
	while (name && name->type != type)
		name = name->next;
	return name;
}

static struct tw_name *name_of_type(const char *const *parts, const char *label, enum tw_ftype type)
{
	char plain[TW_FIELD_NAME_MAX], suffixed[TW_FIELD_NAME_MAX];
	const char *abbrev = plain;
	struct tw_name *first, *name;

	if (!names)
		names = g_hash_table_new(g_str_hash, g_str_equal);
	tw_field_name__join(parts, plain);
	snprintf(suffixed, sizeof(suffixed), "%.*s.%s", TW_FIELD_NAME_MAX - 16, plain,
		 class_suffix[tw_ftype__class(type)]);
	/* The plain name is used if it is free, or if its types have the class of @type. Otherwise, the class is appended to the name. */
	first = g_hash_table_lookup(names, plain);
	if (first && tw_ftype__class(first->type) != tw_ftype__class(type))
		first = g_hash_table_lookup(names, suffixed);
	name = with_type(first, type);
	if (name)
		return name;
	/* Wireshark parses a number in a filter with the type that was registered last. So each type after the first is a wide one. */
	type = first ? tw_ftype__any(type) : type;
	name = with_type(first, type);
	if (name)
		return name;
	if (first)
		abbrev = first->hf->abbrev;
	else if (g_hash_table_contains(names, plain))
		abbrev = suffixed;

	name = register_name(abbrev, label, type);
	if (!name)
		return NULL;
	name->first = first ? first : name;
	if (first) {
		name->next = first->next;
		first->next = name;
	} else {
		g_hash_table_insert(names, (gpointer)name->hf->abbrev, name);
	}
	return name;
}

struct tw_name *tw_fields__name(const char *system, const char *event, const char *field, enum tw_ftype type)
{
	const char *const parts[] = { system, event, field, NULL };

	return name_of_type(parts, field, type);
}

static int compare_name(const void *name, const void *field)
{
	return strcmp(name, tw_builtin_pool + ((const struct tw_builtin_field *)field)->name);
}

struct tw_name *tw_fields__any(const char *field, enum tw_ftype type)
{
	const char *const parts[] = { "any", field, NULL };
	const struct tw_builtin_field *builtin;
	char abbrev[TW_FIELD_NAME_MAX];
	struct tw_name *name;

	tw_field_name__join(parts, abbrev);
	name = names ? g_hash_table_lookup(names, abbrev) : NULL;
	if (name)
		return name;
	builtin = bsearch(field, tw_builtin_any, tw_builtin_n_any, sizeof(*builtin), compare_name);
	return name_of_type(parts, field, builtin ? (enum tw_ftype)builtin->type : tw_ftype__any(type));
}

struct tw_name *tw_fields__names(const char *system, const char *event, const char *field)
{
	const char *const parts[] = { system, event, field, "names", NULL };

	return name_of_type(parts, field, TW_FTYPE_TEXT);
}

#define VALUE_STRING_MAX 128 /* bytes of one value string, including the NUL */

static size_t value_strings_size; /* bytes, limited by TW_VALUE_STRINGS_BYTES_MAX */

static const char *copy_value_string(const char *text)
{
	char buf[VALUE_STRING_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	tw_line__str(&line, text);
	return wmem_strdup(wmem_epan_scope(), tw_shown__end(&line));
}

static const value_string *strings32(const struct tw_print_names *from)
{
	value_string *strings = wmem_alloc0_array(wmem_epan_scope(), value_string, from->n + 2);

	for (uint32_t i = 0; i < from->n; i++)
		strings[i] = (value_string){ (uint32_t)from->names[i].value, copy_value_string(from->names[i].name) };
	if (from->zero)
		strings[from->n].strptr = copy_value_string(from->zero);
	return strings;
}

static const val64_string *strings64(const struct tw_print_names *from)
{
	val64_string *strings = wmem_alloc0_array(wmem_epan_scope(), val64_string, from->n + 2);

	for (uint32_t i = 0; i < from->n; i++)
		strings[i] = (val64_string){ from->names[i].value, copy_value_string(from->names[i].name) };
	if (from->zero)
		strings[from->n].strptr = copy_value_string(from->zero);
	return strings;
}

/* Wireshark reads hf->strings and hf->display when it compiles a filter or fills a column, so they can be set after registration. */
void tw_value_strings__add(struct tw_name *name, const struct tw_print_names *value_strings)
{
	header_field_info *hf = name ? name->hf : NULL;
	const uint32_t n = value_strings->n;
	size_t size = (n + 2) * sizeof(val64_string) + VALUE_STRING_MAX;

	if (!hf || hf->strings || !n || n > TW_VALUE_STRINGS_MAX || name->type > TW_FTYPE_I64)
		return;
	for (uint32_t i = 0; i < n; i++)
		size += MIN(strlen(value_strings->names[i].name) + 1, VALUE_STRING_MAX);
	if (size > TW_VALUE_STRINGS_BYTES_MAX - value_strings_size)
		return;
	value_strings_size += size;
	if (name->type == TW_FTYPE_U64 || name->type == TW_FTYPE_I64) {
		hf->strings = strings64(value_strings);
		hf->display |= BASE_VAL64_STRING;
	} else {
		hf->strings = strings32(value_strings);
	}
}

static void add_value_strings(const struct tw_format *format, const struct tw_print *print,
			      const struct tw_field *field, struct tw_name *name)
{
	struct tw_print_names value_strings;

	if (tw_syscalls__is_number(format, field))
		tw_fields__names(format->system, format->name, field->name);
	if (!print || !tw_print__names(print, field, &value_strings))
		return;
	if (tw_print_names__can_compare(&value_strings, field))
		tw_value_strings__add(name, &value_strings);
	if (value_strings.flags)
		tw_fields__names(format->system, format->name, field->name);
}

static void register_builtin_field(const struct tw_builtin_event *event, const struct tw_builtin_field *field)
{
	const char *system = tw_builtin_pool + event->system, *name = tw_builtin_pool + event->name;
	const struct tw_builtin_name *known = &tw_builtin_names[field->first_name];
	struct tw_print_name words[TW_VALUE_STRINGS_MAX];
	const struct tw_print_names value_strings = { .names = words, .n = field->n_names };

	for (uint32_t i = 0; i < field->n_names; i++)
		words[i] = (struct tw_print_name){ known[i].value, tw_builtin_pool + known[i].name };
	tw_value_strings__add(tw_fields__name(system, name, tw_builtin_pool + field->name, (enum tw_ftype)field->type),
			      &value_strings);
	if (field->has_names)
		tw_fields__names(system, name, tw_builtin_pool + field->name);
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
	struct tw_print *print = NULL;
	struct tw_format *format;

	if (tw_format__parse(text, len, system, &format, NULL))
		return;
	/* Most print formats have no value strings. They are not compiled. */
	if (strstr(format->print_fmt, "__print_symbolic") || strstr(format->print_fmt, "__print_flags"))
		print = tw_print__new(format);
	for (unsigned int i = format->n_common; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];
		const enum tw_ftype type = tw_ftype__of(field);

		add_value_strings(format, print, field,
				  tw_fields__name(format->system, format->name, field->name, type));
		if (tw_preferences.any)
			tw_fields__any(field->name, type);
	}
	tw_print__free(print);
	tw_format__free(format);
}

void tw_fields__register_known(const char *match _U_)
{
	register_builtin();
	if (tw_preferences.formats && *tw_preferences.formats)
		tw_format_files__each(tw_preferences.formats, register_text);
	if (tw_preferences.cache)
		tw_cache__each(register_text);
}
