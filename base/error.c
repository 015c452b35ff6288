/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

/* What any failing call may say that opens something, and how that is mended. */
static const char *remedy_of(int code)
{
	if (code == -EMFILE)
		return "; this process has as many files open as it may: raise the limit with `ulimit -n`";
	if (code == -ENFILE)
		return "; this machine has as many files open as it may: raise the limit with `sysctl fs.file-max`";
	return "";
}

/* A sentence that quotes another one with the same code has its remedy already. */
static void append_remedy(struct tw_error *err, int code)
{
	const char *remedy = remedy_of(code);

	if (!strstr(err->text, remedy))
		strncat(err->text, remedy, sizeof(err->text) - 1 - strlen(err->text));
}

int tw_error__set(struct tw_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	append_remedy(err, code);
	tw_printable__mend(err->text, sizeof(err->text));
	return code;
}
