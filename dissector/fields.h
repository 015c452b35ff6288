/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filter names: Wireshark fields registered at run time, for each field of each known event. They outlive a capture, because filters and
 * columns refer to them. TW_NAMES_MAX limits their number.
 *
 * One name may have several types, because the same field has different types in different kernels. Wireshark compares each value under a
 * name with the literal in the filter, without a check that their types fit. Therefore only types of one class (all numbers, all texts ...)
 * share a name. A type of another class gets a name with a suffix, for example `.text`.
 */
#ifndef TW_FIELDS_H
#define TW_FIELDS_H

#include "dissector/compat.h"
#include "dissector/ftype.h"
#include "dissector/limits.h"
#include "schema/print.h"

struct tw_name {
	header_field_info *hf;
	struct tw_name *first; /* the first type registered under this filter name */
	struct tw_name *next;  /* same name, another type */
	uint8_t type;          /* enum tw_ftype */
};

/** tw_fields__init() - let Wireshark free the table of names when it exits; called once when the plugin is registered */
void tw_fields__init(void);

/**
 * tw_fields__name() - get the Wireshark field trace.SYSTEM.EVENT.FIELD for values of @type; registers it if needed
 * Return: the field, whose type may be wider than @type; NULL when TW_NAMES_MAX is reached.
 */
struct tw_name *tw_fields__name(const char *system, const char *event, const char *field, enum tw_ftype type);

/** tw_fields__any() - as tw_fields__name(), for trace.any.FIELD; tw_ftype__merge() describes how its type may differ from @type */
struct tw_name *tw_fields__any(const char *field, enum tw_ftype type);

/**
 * tw_fields__names() - get the text field trace.SYSTEM.EVENT.FIELD.names; registers it if needed
 *
 * A value of this text field is the names of the bits that are set in FIELD, or the name of the system call whose number is in FIELD. Names
 * of system calls are not value strings of FIELD, because a number has different names on different architectures. Return: NULL when
 * TW_NAMES_MAX is reached.
 */
struct tw_name *tw_fields__names(const char *system, const char *event, const char *field);

/** tw_fields__register_known() - callback of proto_register_prefix(): registers all names known without a capture */
void tw_fields__register_known(const char *match);

/** tw_tree__is_shown() - whether the tree is displayed; false if the tree is made only for a filter or a column */
static inline bool tw_tree__is_shown(const proto_tree *tree)
{
	return tree && PTREE_DATA(tree)->visible;
}

/** tw_tree__wants() - whether the field @hf must be added: the tree is displayed, or a filter or a column uses the field */
static inline bool tw_tree__wants(const proto_tree *tree, int hf)
{
	return tw_tree__is_shown(tree) || (tree && proto_registrar_get_nth((guint)hf)->ref_type != HF_REF_TYPE_NONE);
}

/*
 * tw_name__wanted() - as tw_tree__wants(), for one type of a name. A filter that was compiled before this type was registered refers only
 * to the first type of the name. Wireshark would then ignore values of this type, so the reference to the first type is copied. Wireshark
 * clears references after each frame.
 */
static inline bool tw_name__wanted(const proto_tree *tree, const struct tw_name *name)
{
	if (name->first != name && name->first->hf->ref_type != HF_REF_TYPE_NONE)
		name->hf->ref_type = name->first->hf->ref_type;
	return tw_tree__wants(tree, name->hf->id);
}

/*
 * The value strings in a print fmt for a field, as listed by __print_symbolic() and __print_flags(). The tree shows an event with the value
 * strings of its own event type. In filters, a filter name has one list of value strings: that of the first event type that has one.
 */
/**
 * tw_value_strings__add() - let filters on @name accept these value strings; no effect if the name already has value strings, if its type
 * does not support them, or if they exceed a limit
 * @name: may be NULL
 */
void tw_value_strings__add(struct tw_name *name, const struct tw_print_names *value_strings);

#endif
