/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

/* Return: advice for an error that any call that opens a file may return; "" for other errors. */
static const char *remedy_of(int err)
{
	if (err == -EMFILE)
		return "; this process has reached its limit of open files: raise it with `ulimit -n`";
	if (err == -ENFILE)
		return "; this machine has reached its limit of open files: raise it with `sysctl fs.file-max`";
	return "";
}

/* If the text quotes an earlier error of the same code, it already contains the remedy. */
static void append_remedy(struct tw_error *error, int err)
{
	const char *remedy = remedy_of(err);

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
