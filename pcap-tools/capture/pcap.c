/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap, as tcpdump writes it (draft-ietf-opsawg-pcap): a header of 24 bytes, then records of 16 and the packet. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pcap-tools/capture/capture_impl.h"

#define MAGIC_US 0xa1b2c3d4u
#define MAGIC_NS 0xa1b23c4du
#define HEADER   24
#define RECORD   16

static int next(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error)
{
	const uint8_t *p = tw_input__peek(&file->in, RECORD);
	const uint64_t offset = file->in.offset;
	uint64_t fraction;
	uint32_t len;

	if (!p) {
		if (!file->in.failure && file->in.at == file->in.end)
			return 0;
		return tw_capture__damaged(file, offset, error, "it ends within a packet's header");
	}
	len = tw_load32(p + 8, file->big_endian);
	if (len > TW_CAPTURE_BLOCK_MAX - RECORD)
		return tw_capture__damaged(file, offset, error, "a packet of %u bytes", len);
	p = tw_input__peek(&file->in, RECORD + len);
	if (!p)
		return tw_capture__damaged(file, offset, error, "it ends within a packet of %u bytes", len);
	fraction = (uint64_t)tw_load32(p + 4, file->big_endian) * file->interfaces->resolution.mult;
	*ret = (struct tw_packet){
		.data = p + RECORD,
		.len = len,
		.original = tw_load32(p + 12, file->big_endian),
		.linktype = file->interfaces->linktype,
		.time = (uint64_t)tw_load32(p, file->big_endian) * NS_PER_S + fraction,
		.offset = offset,
	};
	tw_input__take(&file->in, RECORD + len);
	return 1;
}

int tw_pcap_file__open(struct tw_capture_file *file, struct tw_error *error)
{
	const uint8_t *p = tw_input__peek(&file->in, 4);
	uint32_t magic;

	if (!p)
		return 0;
	magic = tw_load_be32(p);
	file->big_endian = magic == MAGIC_US || magic == MAGIC_NS;
	if (!file->big_endian)
		magic = __builtin_bswap32(magic);
	if (magic != MAGIC_US && magic != MAGIC_NS)
		return 0;
	p = tw_input__peek(&file->in, HEADER);
	if (!p)
		return tw_capture__damaged(file, 0, error, "it ends within its header");
	file->interfaces = calloc(1, sizeof(*file->interfaces));
	if (!file->interfaces)
		return tw_error__set(error, -ENOMEM, "no memory to read %s", file->name);
	file->n_interfaces = 1;
	file->interfaces->linktype = tw_load32(p + 20, file->big_endian) & 0xffff;
	file->interfaces->snaplen = tw_load32(p + 16, file->big_endian);
	file->interfaces->resolution.mult = magic == MAGIC_NS ? 1 : 1000;
	file->next = next;
	tw_input__take(&file->in, HEADER);
	return 1;
}
