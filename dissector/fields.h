/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filter names: Wireshark fields registered at run time, for each field of each known event. They outlive a capture, because filters and
 * columns refer to them. TW_NAMES_MAX limits their number.
 *
 * One name may have several types, because kernels differ. Wireshark compares values under one name by the type of the literal, without
 * a check. Therefore only types of one class (all numbers, all texts ...) share a name. The names of other classes get a suffix.
 */
#ifndef TW_FIELDS_H
#define TW_FIELDS_H

#include "dissector/compat.h"
#include "dissector/ftype.h"
#include "dissector/limits.h"
#include "schema/print.h"

struct tw_name {
	header_field_info *hf;
	struct tw_name *first; /* the first one registered under this filter name */
	struct tw_name *next;  /* same name, another type */
	uint8_t type;          /* enum tw_ftype */
};

/** tw_fields__init() - let Wireshark free the table of names when it exits; called once when the plugin is registered */
void tw_fields__init(void);

/**
 * tw_fields__name() - the field trace.SYSTEM.EVENT.FIELD for values of that type, registered if needed
 * Return: the name, whose type may be a wider one; NULL when TW_NAMES_MAX is reached.
 */
struct tw_name *tw_fields__name(const char *system, const char *event, const char *field, enum tw_ftype type);

/** tw_fields__any() - trace.any.FIELD; its type may differ from @type, see tw_ftype__merge(). Return: NULL when TW_NAMES_MAX is reached */
struct tw_name *tw_fields__any(const char *field, enum tw_ftype type);

/**
 * tw_fields__names() - the text field trace.SYSTEM.EVENT.FIELD.names, registered if needed
 *
 * Its values are the names of the bits that are set, or the name of a system call. Names of system calls are not value strings of FIELD,
 * because the same number has another name on another architecture. Return: NULL when TW_NAMES_MAX is reached.
 */
struct tw_name *tw_fields__names(const char *system, const char *event, const char *field);

/** tw_fields__register_known() - callback of proto_register_prefix(): registers all names known without a capture */
void tw_fields__register_known(const char *match);

/** tw_tree__is_shown() - whether the tree is displayed; false if it is made only for a filter or a column */
static inline bool tw_tree__is_shown(const proto_tree *tree)
{
	return tree && PTREE_DATA(tree)->visible;
}

/** tw_tree__wants() - whether adding that field to the tree would have an effect */
static inline bool tw_tree__wants(const proto_tree *tree, int hf)
{
	return tw_tree__is_shown(tree) || (tree && proto_registrar_get_nth((guint)hf)->ref_type != HF_REF_TYPE_NONE);
}

/*
 * tw_name__wanted() - the same as tw_tree__wants(), for a name. A filter that was compiled before this type of the name was registered
 * refers only to the first type. Wireshark would then ignore values of this type, so the reference to the first type is copied. Wireshark
 * clears references after each frame.
 */
static inline bool tw_name__wanted(const proto_tree *tree, const struct tw_name *name)
{
	if (name->first != name && name->first->hf->ref_type != HF_REF_TYPE_NONE)
		name->hf->ref_type = name->first->hf->ref_type;
	return tw_tree__wants(tree, name->hf->id);
}

/*
 * The value strings in a print fmt for a field, as listed by __print_symbolic() and __print_flags(). In the tree, each event type shows
 * its own. Wireshark's filters have one list of value strings for a filter name: that of the first event type that has value strings.
 */
/**
 * tw_value_strings__add() - let filters on @name accept these value strings, unless the name already has others, its type does not support
 * them, or they exceed a limit
 * @name: may be NULL
 */
void tw_value_strings__add(struct tw_name *name, const struct tw_print_names *value_strings);

#endif
