/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: a whole frame, every TLV of it through every parse function. */
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t tlvs;

	walk__frame(data, size, &tlvs);
	return 0;
}
