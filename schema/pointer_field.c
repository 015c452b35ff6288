/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/pointer_field.h"

#include <string.h>

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

/* Whether kernels 6.1 and 6.18 use the field's name for addresses that they neither declare nor print as pointers. */
static bool is_called_like_one(const struct tw_field *field)
{
	static const char *const elsewhere[] = { "phys_", "dma_", "dev_" };
	static const char *const whole[] = { "call_site", "vm_start", "vm_end",    "va_start",   "va_end",
					     "vstart",    "vend",     "low_limit", "high_limit", "func",
					     "fn",        "sptep",    NULL };
	static const char *const last_words[] = { "addr",   "address",  "ip",      "rip",     "pc",  "sp",   "ptr",
						  "caller", "callsite", "handler", "retaddr", "hva", "virt", NULL };
	const char *underscore = strrchr(field->name, '_');

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (!strncmp(field->name, elsewhere[i], strlen(elsewhere[i])))
			return false;
	return is_one_of(field->name, whole) || is_one_of(underscore ? underscore + 1 : field->name, last_words);
}

/*
 * Whether the field is an argument or the result of a system call or of a traced function. Only the caller and the called function know
 * whether such a value is an address. In the system `syscalls`, formats declare such arguments as long or unsigned long.
 */
static bool is_of_a_call(const struct tw_format *format, const struct tw_field *field)
{
	static const char *const names[] = { "args", "ret", "retval", NULL };

	if (!strcmp(format->system, "syscalls") &&
	    (!strcmp(field->type, "unsigned long") || !strcmp(field->type, "long")))
		return true;
	return (!strcmp(format->system, "raw_syscalls") || !strcmp(format->system, "ftrace")) &&
	       is_one_of(field->name, names);
}

uint64_t tw_pointer_field__min(const struct tw_format *format, const struct tw_print *print,
			       const struct tw_field *field)
{
	if (field->is_common || (field->elem_size != 4 && field->elem_size != 8))
		return 0;
	if (field->elem_kind == TW_FIELD_POINTER || (print && tw_print__is_pointer(print, field)))
		return TW_POINTER_MIN;
	if ((field->elem_kind != TW_FIELD_UINT && field->elem_kind != TW_FIELD_INT) ||
	    field->elem_size < format->long_size)
		return 0;
	if (field->elem_kind == TW_FIELD_UINT && is_called_like_one(field))
		return TW_POINTER_MIN;
	if (field->elem_size != 8)
		return 0;
	if (is_of_a_call(format, field))
		return TW_POINTER_MIN_LARGE;
	return field->elem_kind == TW_FIELD_UINT ? TW_POINTER_MIN_KERNEL : 0;
}
