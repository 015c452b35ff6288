/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. */
#ifndef TW_PRINT_COMPILE_H
#define TW_PRINT_COMPILE_H

#include "schema/print/program.h"

/** tw_print__compile() - fill @print from its format's print fmt. Return: 0; -EINVAL with `why` filled, -ENOMEM */
int tw_print__compile(struct tw_print *print);

#endif
