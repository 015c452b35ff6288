/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/doctor/finding.h"

#include <stdarg.h>
#include <stdio.h>

void doctor__ok(struct doctor_finding *ret, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	vsnprintf(ret->text, sizeof(ret->text), text, ap);
	va_end(ap);
	ret->status = DOCTOR_OK;
	ret->fix[0] = '\0';
}

void doctor__bad(struct doctor_finding *ret, enum doctor_status status, const char *fix, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	vsnprintf(ret->text, sizeof(ret->text), text, ap);
	va_end(ap);
	snprintf(ret->fix, sizeof(ret->fix), "%s", fix);
	ret->status = status;
}
