/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/action.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/number.h"
#include "filter/rules.h"
#include "xdp/interface.h"

/* Return: the text after the prefix @name; NULL if @text does not begin with @name. */
static const char *behind(const char *text, const char *name)
{
	const size_t len = strlen(name);

	return strncmp(text, name, len) ? NULL : text + len;
}

static int parse_mark(const char *number, struct filter_action *ret, struct tw_error *error)
{
	const bool hex = !strncmp(number, "0x", 2);
	const char *end = number + (hex ? 2 : 0);
	uint64_t value;

	if (!(hex ? tw_number__hex : tw_number__digits)(&end, &value) || *end || value > UINT32_MAX)
		return tw_error__set(error, -EINVAL,
				     "'%s' is not a mark: a mark is a number of 32 bits, as in mark:7 or mark:0x10",
				     number);
	*ret = (struct filter_action){ .action = TW_ACTION_MARK, .arg = (uint32_t)value };
	return 0;
}

static int parse_redirect(const char *interface, struct filter_action *ret, struct tw_error *error)
{
	const int index = tw_interface__index(interface, error);

	if (index == -ENODEV)
		return tw_error__set(error, index, "there is no interface '%s' to redirect to", interface);
	if (index < 0)
		return index;
	*ret = (struct filter_action){ .action = TW_ACTION_REDIRECT, .arg = (uint32_t)index, .interface = interface };
	return 0;
}

int filter_action__parse(const char *text, struct filter_action *ret, struct tw_error *error)
{
	const char *value;

	if (!strcmp(text, "pass") || !strcmp(text, "drop")) {
		*ret = (struct filter_action){ .action = *text == 'p' ? TW_ACTION_PASS : TW_ACTION_DROP };
		return 0;
	}
	if ((value = behind(text, "mark:")))
		return parse_mark(value, ret, error);
	if ((value = behind(text, "redirect:")))
		return parse_redirect(value, ret, error);
	return tw_error__set(error, -EINVAL, "'%s' is not an action; choose pass, drop, mark:N or redirect:INTERFACE",
			     text);
}
