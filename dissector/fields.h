/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names one can filter on: Wireshark fields registered while it runs, one for each field of each known event. They
 * outlive a capture, as filters and columns refer to them, and their number is bounded.
 *
 * One name may have several types (kernels differ). Wireshark compares values under one name by the literal's type without
 * looking, so only types of one class (all numbers, all text ...) share a name; another class gets a suffix.
 */
#ifndef TW_FIELDS_H
#define TW_FIELDS_H

#include "dissector/compat.h"
#include "dissector/ftype.h"
#include "dissector/limits.h"
#include "schema/print.h"

struct tw_name {
	header_field_info *hf;
	struct tw_name *first; /* registered first under this filter name */
	struct tw_name *next;  /* same name, other type */
	uint8_t type;          /* enum tw_ftype */
};

/** tw_fields__init() - at start */
void tw_fields__init(void);

/**
 * tw_fields__name() - the field trace.SYSTEM.EVENT.FIELD for values of that type, registered now if need be
 * Return: the name, whose own type may be a wider one; NULL when TW_NAMES_MAX is reached.
 */
struct tw_name *tw_fields__name(const char *system, const char *event, const char *field, enum tw_ftype type);

/** tw_fields__any() - trace.any.FIELD; its type may be another than @type, see tw_ftype__merge() */
struct tw_name *tw_fields__any(const char *field, enum tw_ftype type);

/** tw_fields__flags() - trace.SYSTEM.EVENT.FIELD.names: the value strings for the bits that are set, as text */
struct tw_name *tw_fields__flags(const char *system, const char *event, const char *field);

/** tw_fields__register_known() - proto_register_prefix() callback: everything that is known without a capture */
void tw_fields__register_known(const char *match);

/** tw_tree__wants() - whether anything would come of adding that field to the tree */
static inline bool tw_tree__wants(const proto_tree *tree, int hf)
{
	return tree && (PTREE_DATA(tree)->visible || proto_registrar_get_nth((guint)hf)->ref_type != HF_REF_TYPE_NONE);
}

/*
 * tw_name__wanted() - the same for a name. A filter that was compiled before this type of it came up refers to the first
 * type only: then Wireshark would drop this one, so the reference is handed on. Wireshark clears it after each frame.
 */
static inline bool tw_name__wanted(const proto_tree *tree, const struct tw_name *name)
{
	if (name->first != name && name->first->hf->ref_type != HF_REF_TYPE_NONE)
		name->hf->ref_type = name->first->hf->ref_type;
	return tw_tree__wants(tree, name->hf->id);
}

/*
 * The value strings that a print fmt has for the values of a field, as __print_symbolic() and __print_flags() list them. In the
 * tree each event type shows its own. Filters take a value string where the filter name has got value strings: from the first event type
 * that brought some, as Wireshark has one list for a name.
 */
/** tw_value_strings__add() - make filters on @name take these value strings, unless it has some or its type can't. @name: may be NULL */
void tw_value_strings__add(struct tw_name *name, const struct tw_print_name *value_strings, uint32_t n);

/** tw_value_strings__append() - "WORD" for that value, "A|B|0x10" for flags. Return: false, nothing appended, if none is known */
bool tw_value_strings__append(struct tw_line *line, const struct tw_print_names *value_strings, uint64_t value);

#endif
