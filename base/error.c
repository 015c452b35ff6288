/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

/* If a limit of open files caused the error, append advice, unless the text quotes an earlier error text that has the same advice. */
static void append_remedy(struct tw_error *error, int err)
{
	const char *remedy = "";

	if (err == -EMFILE)
		remedy = "; this process has reached its limit of open files: raise it with `ulimit -n`";
	else if (err == -ENFILE)
		remedy = "; this machine has reached its limit of open files: raise it with `sysctl fs.file-max`";
	if (!strstr(error->text, remedy))
		strncat(error->text, remedy, sizeof(error->text) - 1 - strlen(error->text));
}

int tw_error__set(struct tw_error *error, int err, const char *fmt, ...)
{
	va_list ap;

	if (!error)
		return err;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	append_remedy(error, err);
	tw_printable__mend(error->text, sizeof(error->text));
	return err;
}
