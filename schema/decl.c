/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking a C declaration apart. Not C in general: what kernels, vendor trees, probes and user events put into formats.
 */
#include "schema/decl.h"

static bool ends_name(char c)
{
	return tw_text__is_space(c) || strchr("*()[]&,;", c);
}

/* Cut the array brackets off the end, `[2][4]` too. Return: false if one is never opened. */
static bool cut_brackets(struct tw_text *text)
{
	while (text->len && text->at[text->len - 1] == ']') {
		size_t depth = 0;

		do {
			if (!text->len)
				return false;
			text->len--;
			if (text->at[text->len] == ']')
				depth++;
			else if (text->at[text->len] == '[')
				depth--;
		} while (depth);
		*text = tw_text__rtrim(*text);
	}
	return true;
}

/* A pointer to a function has its name in the middle: `void (*done)(int)`. Return: where the name begins, or NULL. */
static const char *function_name(struct tw_text decl)
{
	struct tw_text rest = decl;
	const char *open = memchr(decl.at, '(', decl.len);

	if (!open)
		return NULL;
	tw_text__cut(&rest, (size_t)(open + 1 - decl.at));
	if (!tw_text__skip(&rest, "*"))
		return NULL;
	return tw_text__ltrim(rest).at;
}

static bool split_function(struct tw_text decl, struct tw_decl *ret)
{
	const char *end = decl.at + decl.len;
	const char *name = function_name(decl);
	const char *p = name;

	if (!name)
		return false;
	while (p < end && !ends_name(*p))
		p++;
	ret->name = (struct tw_text){ name, (size_t)(p - name) };
	ret->before = tw_text__rtrim((struct tw_text){ decl.at, (size_t)(name - decl.at) });
	ret->after = (struct tw_text){ p, (size_t)(end - p) };
	return ret->name.len > 0;
}

bool tw_decl__split(struct tw_text decl, struct tw_decl *ret)
{
	struct tw_text rest;
	const char *name;

	decl = tw_text__trim(decl);
	if (decl.len && decl.at[decl.len - 1] == ')')
		return split_function(decl, ret);
	rest = decl;
	if (!cut_brackets(&rest))
		return false;
	for (name = rest.at + rest.len; name > rest.at && !ends_name(name[-1]); name--)
		;
	ret->name = (struct tw_text){ name, (size_t)(rest.at + rest.len - name) };
	ret->before = tw_text__rtrim((struct tw_text){ rest.at, (size_t)(name - rest.at) });
	ret->after = tw_text__ltrim((struct tw_text){ rest.at + rest.len, decl.len - rest.len });
	return ret->name.len && ret->before.len;
}
