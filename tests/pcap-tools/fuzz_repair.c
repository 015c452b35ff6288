/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repairs an untrusted capture: the capture stays unchanged, or is truncated and then needs no further repair. The first two bytes of the
 * input are the offset up to which a note says that the capture is whole.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap-tools/output/repair.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

static int file_of(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("capture", 0);
	check(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_repair repair = { 0 }, again = { 0 };
	uint16_t known;
	struct stat st;
	int fd, code;

	if (size < sizeof(known))
		return 0;
	memcpy(&known, data, sizeof(known));
	data += sizeof(known);
	size -= sizeof(known);
	fd = file_of(data, size);
	code = tw_output__repair_fd(fd, known, false, &repair);
	check(!code || code == -EBADMSG || code == -ENOMEM);
	check(!fstat(fd, &st) && (uint64_t)st.st_size + repair.cut == size);
	if (code)
		return 0;
	check(repair.size == (uint64_t)st.st_size && repair.size >= (known && repair.size ? known : 0));
	check(!tw_output__repair_fd(fd, known <= repair.size ? known : 0, false, &again));
	check(!again.cut && !again.closed);
	return 0;
}
