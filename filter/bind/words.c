/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of values: those of the event's print format, and the kernel's for common_flags. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "filter/bind/bind.h"
#include "filter/language/literal.h"

#define WORD_MAX 128

static const struct tw_print_name flag_names[] = {
	{ 0x01, "irqs_off" }, { 0x02, "irqs_nosupport" },  { 0x04, "need_resched" }, { 0x08, "hardirq" },
	{ 0x10, "softirq" },  { 0x20, "preempt_resched" }, { 0x40, "nmi" },          { 0x80, "bh_off" },
};
#define N_FLAGS (sizeof(flag_names) / sizeof(flag_names[0]))

static bool find_names(const struct tw_subject *subject, struct tw_print_names *ret)
{
	if (subject->operand == TW_ON_FLAGS) {
		*ret = (struct tw_print_names){ .names = flag_names, .n = N_FLAGS, .flags = true };
		return true;
	}
	return subject->field && subject->print && tw_print__names(subject->print, subject->field, ret);
}

static const struct tw_print_name *find_word(const struct tw_print_names *names, const char *word)
{
	for (uint32_t i = 0; i < names->n; i++) {
		if (!strcmp(names->names[i].name, word))
			return &names->names[i];
	}
	return NULL;
}

bool tw_words__is_flag(const char *word)
{
	const struct tw_print_names names = { .names = flag_names, .n = N_FLAGS };

	return find_word(&names, word) != NULL;
}

static int say_unknown(const struct tw_binding *binding, const struct tw_subject *subject,
		       const struct tw_literal *literal, const struct tw_print_names *names, const char *word)
{
	struct tw_nearest nearest;
	char hint[WORD_MAX + 32] = "";

	tw_nearest__init(&nearest, word);
	for (uint32_t i = 0; i < names->n; i++)
		tw_nearest__offer(&nearest, names->names[i].name);
	if (nearest.best)
		snprintf(hint, sizeof(hint), "; did you mean '%s'?", nearest.best);
	return tw_filter_error(binding->err, -EINVAL, literal->column, "'%s' has no value named '%s'%s", subject->name,
			       word, hint);
}

static int say_no_number(const struct tw_binding *binding, const struct tw_subject *subject,
			 const struct tw_literal *literal)
{
	const char *text = literal->text, *hint = "";
	const struct tw_literal unquoted = { .text = text, .len = literal->len };
	const size_t digits = strspn(text, "0123456789");
	struct tw_integer integer;

	if (literal->quote && !tw_literal__integer(&unquoted, &integer))
		hint = "; without quotes it is one";
	else if (digits && text[digits] == '-' && strspn(text + digits + 1, "0123456789"))
		hint = "; a range is written in {1..5}";
	else if (*text == '0' && digits && !text[digits])
		hint = ": what begins with 0 is octal";
	return tw_filter_error(binding->err, -EINVAL, literal->column,
			       "'%s' is compared with numbers, and '%.64s' is none%s", subject->name, text, hint);
}

/* Words of flags are joined by bars. */
int tw_words__value(const struct tw_binding *binding, const struct tw_subject *subject,
		    const struct tw_literal *literal, uint64_t *ret)
{
	struct tw_print_names names;
	const char *at = literal->text;
	uint64_t value = 0;

	if (strlen(at) != literal->len || !find_names(subject, &names))
		return say_no_number(binding, subject, literal);
	do {
		const size_t len = names.flags ? strcspn(at, "|") : strlen(at);
		const struct tw_print_name *name;
		char word[WORD_MAX];

		snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word)), at);
		name = find_word(&names, word);
		if (!name)
			return say_unknown(binding, subject, literal, &names, word);
		value |= name->value;
		at += len;
	} while (*at++ == '|');
	*ret = value;
	return 0;
}
