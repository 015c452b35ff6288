/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of values: those of the event's print format, and the kernel's for common_flags. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "filter/bind/bind.h"

#define WORD_MAX 128

static const struct tw_print_name flag_names[] = {
	{ 0x01, "irqs_off" }, { 0x02, "irqs_nosupport" },  { 0x04, "need_resched" }, { 0x08, "hardirq" },
	{ 0x10, "softirq" },  { 0x20, "preempt_resched" }, { 0x40, "nmi" },          { 0x80, "bh_off" },
};

static bool find_names(const struct tw_subject *subject, struct tw_print_names *ret)
{
	if (subject->operand == TW_ON_FLAGS) {
		*ret = (struct tw_print_names){ .names = flag_names, .n = 8, .flags = true };
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

/* Words of flags are joined by bars. */
int tw_words__value(const struct tw_binding *binding, const struct tw_subject *subject,
		    const struct tw_literal *literal, uint64_t *ret)
{
	struct tw_print_names names;
	const char *at = literal->text;
	uint64_t value = 0;

	if (!find_names(subject, &names))
		return tw_filter_error(binding->err, -EINVAL, literal->column,
				       "'%s' is compared with numbers, and '%.64s' is none", subject->name,
				       literal->text);
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
