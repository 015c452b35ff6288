/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the kernel's code lies, as /proc/kallsyms tells: most addresses that are printed as symbols are in there. */
#ifndef TW_KERNEL_TEXT_H
#define TW_KERNEL_TEXT_H

#include <stdint.h>

/* Each an address and the one behind the last; both 0 = there is none, or the kernel tells no addresses. */
struct tw_kernel_text {
	uint64_t core_start, core_end;       /* the kernel's own: _stext to _etext */
	uint64_t modules_start, modules_end; /* from the first function of a module to the last, whole pages */
};

/** tw_kernel_text__find() - @kallsyms: the file's text, NUL-terminated */
void tw_kernel_text__find(const char *kallsyms, struct tw_kernel_text *ret);

#endif
