/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/fields.h"

#include <string.h>

#include "dissector/builtin_formats.h"
#include "dissector/packet-tracewire.h"
#include "dissector/shown.h"

static const struct {
	enum ftenum ft;
	int base;
	const char *suffix; /* of a name whose plain form is taken by another class */
} types[TW_TYPE_COUNT] = {
#define X(name, type, display) [TW_TYPE_##name] = { .ft = type, .base = display },
	TW_TYPE_LIST(X)
#undef X
};

static const char *const class_suffix[] = {
	[TW_CLASS_NUMBER] = "number", [TW_CLASS_TEXT] = "text", [TW_CLASS_BYTES] = "bytes",
	[TW_CLASS_IPV4] = "ipv4",     [TW_CLASS_IPV6] = "ipv6",
};

static GHashTable *names; /* filter name -> the struct tw_name that was first */
static unsigned int n_names;

static void forget_names(void)
{
	if (names)
		g_hash_table_destroy(names);
	names = NULL;
}

void tw_fields__init(void)
{
	register_shutdown_routine(forget_names);
}

static struct tw_name *register_name(const char *abbrev, const char *label, enum tw_type type)
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

/* The name itself if it is free or of that class; else with the class as suffix, which then is of that class. */
static struct tw_name *first_of_class(const char *abbrev, const char *suffixed, enum tw_type type)
{
	struct tw_name *first = g_hash_table_lookup(names, abbrev);

	if (!first || tw_type__class(first->type) == tw_type__class(type))
		return first;
	return g_hash_table_lookup(names, suffixed);
}

static struct tw_name *with_type(struct tw_name *name, enum tw_type type)
{
	while (name && name->type != type)
		name = name->next;
	return name;
}

static struct tw_name *name_of_type(const char *const *parts, const char *label, enum tw_type type)
{
	char plain[TW_NAME_MAX], suffixed[TW_NAME_MAX];
	const char *abbrev = plain;
	struct tw_name *first, *name;

	if (!names)
		names = g_hash_table_new(g_str_hash, g_str_equal);
	tw_name__join(parts, plain);
	snprintf(suffixed, sizeof(suffixed), "%.*s.%s", TW_NAME_MAX - 16, plain, class_suffix[tw_type__class(type)]);
	first = first_of_class(plain, suffixed, type);
	name = with_type(first, type);
	if (name)
		return name;
	/* Wireshark reads a filter's number as the type that was registered last: make that a wide one. */
	type = first ? tw_type__any(type) : type;
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

struct tw_name *tw_fields__name(const char *system, const char *event, const char *field, enum tw_type type)
{
	const char *const parts[] = { system, event, field, NULL };

	return name_of_type(parts, field, type);
}

struct tw_name *tw_fields__any(const char *field, enum tw_type type)
{
	const char *const parts[] = { "any", field, NULL };
	char abbrev[TW_NAME_MAX];
	struct tw_name *name;

	tw_name__join(parts, abbrev);
	name = names ? g_hash_table_lookup(names, abbrev) : NULL;
	if (name)
		return name;
	return name_of_type(parts, field, tw_builtin__any_type(field, tw_type__any(type)));
}

struct tw_name *tw_fields__flags(const char *system, const char *event, const char *field)
{
	const char *const parts[] = { system, event, field, "names", NULL };

	return name_of_type(parts, field, TW_TYPE_TEXT);
}
