/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bytes.h"
#include "pcap-tools/capture/blocks.h"

#define HEAD 4 /* code and length */

bool tw_capture_options__next(struct tw_capture_options *options, struct tw_capture_option *ret)
{
	uint16_t code, len;
	size_t padded;

	if (options->left < HEAD)
		return false;
	code = tw_load16(options->at, options->big_endian);
	len = tw_load16(options->at + 2, options->big_endian);
	padded = ((size_t)len + 3) & ~(size_t)3;
	if (code == TW_OPT_END || padded > options->left - HEAD)
		return false;
	*ret = (struct tw_capture_option){ .code = code, .len = len, .value = options->at + HEAD };
	options->at += HEAD + padded;
	options->left -= HEAD + padded;
	return true;
}
