/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/classifier.h"

const char *tw_place__name(uint8_t place)
{
	static const char *const names[TW_PLACES] = { "xdp", "tc", "u32" };

	return place < TW_PLACES ? names[place] : "?";
}

const char *tw_mode__text(uint8_t mode)
{
	static const char *const texts[] = {
		[TW_MODE_NONE] = "not attached",
		[TW_MODE_NATIVE] = "native XDP",
		[TW_MODE_GENERIC] = "generic XDP",
		[TW_MODE_DISPATCHER] = "native XDP, in libxdp's dispatcher",
		[TW_MODE_GENERIC_DISPATCHER] = "generic XDP, in libxdp's dispatcher",
		[TW_MODE_SOFTWARE] = "in software, not_in_hw",
		[TW_MODE_HARDWARE] = "in_hw",
	};

	return mode < sizeof(texts) / sizeof(texts[0]) ? texts[mode] : "?";
}
