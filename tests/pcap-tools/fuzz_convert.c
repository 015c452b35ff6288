/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts an untrusted trace.dat file; the conversion of a damaged file does not fail. */
#include <fcntl.h>

#include "fuzz_input.h"
#include "pcap-tools/convert/convert.h"

static void convert(struct tw_tracedat *dat)
{
	static int fd = -1;
	struct tw_convert_stats stats;
	int code;

	if (fd < 0)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	code = tw_convert__run(dat, &(struct tw_convert_options){ .fd = fd, .name = "null" }, &stats, NULL);
	check(!code || code == -ENOMEM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct tw_tracedat *dat = fuzz_input__open(&input);

	if (dat)
		convert(dat);
	tw_tracedat__close(dat);
	return 0;
}
