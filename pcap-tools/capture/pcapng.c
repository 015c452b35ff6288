/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads pcapng: a sequence of blocks, each of type, length, body and length again. Each section has its own byte order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/time.h"
#include "pcap-tools/capture/capture_impl.h"

#define OURS             "tracewire " /* prefix of shb_userappl in files of Tracewire */
#define SECTION_READ_MAX 65536        /* bytes; in a longer section header, shb_userappl is not read */
#define BLOCK_HEADER     8            /* bytes of type and length */
#define SHB_MIN          28           /* bytes of a section header block without options */
#define SHB_FIXED        16 /* this and the next four: bytes in the body of a block before its options or packet */
#define ISB_FIXED        12
#define EPB_FIXED        20
#define SPB_FIXED        4
#define IDB_FIXED        8
#define EXPONENT_MAX     19 /* 10^19 is the largest power of 10 that fits a u64 */

/* A block's body: the bytes between its two lengths. */
struct body {
	const uint8_t *at;
	uint32_t len;
	uint64_t offset; /* offset of the block in the file */
};

static uint16_t u16(const struct tw_capture_file *file, const uint8_t *p)
{
	return tw_load16(p, file->big_endian);
}

static uint32_t u32(const struct tw_capture_file *file, const uint8_t *p)
{
	return tw_load32(p, file->big_endian);
}

static struct tw_capture_options options_of(const struct tw_capture_file *file, const struct body *body, uint32_t fixed)
{
	return (struct tw_capture_options){ .at = body->at + fixed,
					    .left = body->len - fixed,
					    .big_endian = file->big_endian };
}

/* if_tsresol is a negative exponent of 10, or of 2 if the high bit is set. */
static struct tw_resolution resolution__of(uint8_t tsresol)
{
	const unsigned int exponent = tsresol & 0x7f;
	struct tw_resolution r = { .mult = TW_NS_PER_SECOND };

	if (tsresol & 0x80) {
		r.shift = (uint8_t)exponent;
		return r;
	}
	for (unsigned int i = 0; i < exponent && i < 9; i++)
		r.mult /= 10;
	if (exponent > 9) {
		r = (struct tw_resolution){ .divisor = 1 };
		for (unsigned int i = 9; i < exponent && i < 9 + EXPONENT_MAX; i++)
			r.divisor *= 10;
	}
	return r;
}

/* Converts a time stamp to ns since 1970. */
static uint64_t resolution__ns(const struct tw_resolution *r, uint64_t ticks)
{
	uint64_t ns;

	if (r->mult == 1)
		ns = ticks;
	else if (!r->mult)
		ns = ticks / r->divisor;
	else
		ns = (uint64_t)(((unsigned __int128)ticks * r->mult) >> r->shift);
	return ns + (uint64_t)r->offset * TW_NS_PER_SECOND;
}

uint64_t tw_capture_file__time(const struct tw_capture_file *file, uint32_t interface, uint64_t ticks)
{
	return resolution__ns(&file->interfaces[interface].resolution, ticks);
}

static void read_options(struct tw_capture_options options, struct tw_capture_interface *interface)
{
	struct tw_capture_option option;

	while (tw_capture_options__next(&options, &option)) {
		const int64_t offset = interface->resolution.offset;

		if (option.code == TW_OPT_IF_TSRESOL && option.len == 1) {
			interface->resolution = resolution__of(*option.value);
			interface->resolution.offset = offset;
		} else if (option.code == TW_OPT_IF_TSOFFSET && option.len == 8) {
			interface->resolution.offset = (int64_t)tw_load64(option.value, options.big_endian);
		}
	}
}

static int add_interface(struct tw_capture_file *file, const struct body *body, struct tw_error *error)
{
	struct tw_capture_interface *interface = file->interfaces;

	if (body->len < IDB_FIXED)
		return tw_capture__damaged(file, body->offset, error, "an interface block cannot have %u bytes",
					   body->len + TW_PCAPNG_BLOCK_MIN);
	if (file->n_interfaces == TW_CAPTURE_INTERFACES_MAX)
		return tw_capture__damaged(file, body->offset, error, "a section has more than %u interfaces",
					   TW_CAPTURE_INTERFACES_MAX);
	if (file->n_interfaces == file->size_interfaces) {
		const uint32_t size = file->size_interfaces ? file->size_interfaces * 2 : 4;

		interface = reallocarray(file->interfaces, size, sizeof(*interface));
		if (!interface)
			return tw_error__set(error, -ENOMEM, "no memory to read %s", file->name);
		file->interfaces = interface;
		file->size_interfaces = size;
	}
	interface += file->n_interfaces++;
	*interface = (struct tw_capture_interface){
		.linktype = u16(file, body->at),
		.snaplen = u32(file, body->at + 4),
		.resolution = resolution__of(6),
	};
	read_options(options_of(file, body, IDB_FIXED), interface);
	tw_capture__show(file, &(struct tw_capture_block){
				       .kind = TW_CAPTURE_INTERFACE,
				       .offset = body->offset,
				       .interface = file->n_interfaces - 1,
				       .linktype = interface->linktype,
				       .snaplen = interface->snaplen,
				       .options = options_of(file, body, IDB_FIXED),
			       });
	return 0;
}

static void show_statistics(struct tw_capture_file *file, const struct body *body)
{
	uint32_t interface;
	uint64_t ticks;

	if (body->len < ISB_FIXED || u32(file, body->at) >= file->n_interfaces)
		return;
	interface = u32(file, body->at);
	ticks = (uint64_t)u32(file, body->at + 4) << 32 | u32(file, body->at + 8);
	tw_capture__show(file, &(struct tw_capture_block){
				       .kind = TW_CAPTURE_STATISTICS,
				       .offset = body->offset,
				       .interface = interface,
				       .time = resolution__ns(&file->interfaces[interface].resolution, ticks),
				       .options = options_of(file, body, ISB_FIXED),
			       });
}

static void show_section(struct tw_capture_file *file, const struct body *body)
{
	tw_capture__show(file, &(struct tw_capture_block){
				       .kind = TW_CAPTURE_SECTION,
				       .offset = body->offset,
				       .options = options_of(file, body, SHB_FIXED),
			       });
}

/* Fills the members of @ret that are common to all packet blocks. @fixed: bytes of the body before the packet. Return: 1 or -EBADMSG */
static int packet(struct tw_capture_file *file, const struct body *body, uint32_t interface, uint32_t fixed,
		  struct tw_packet *ret, struct tw_error *error)
{
	if (interface >= file->n_interfaces)
		return tw_capture__damaged(file, body->offset, error,
					   "a packet refers to interface %u, but the number of interfaces is %u",
					   interface, file->n_interfaces);
	if (ret->len > body->len - fixed)
		return tw_capture__damaged(file, body->offset, error,
					   "a packet of %u bytes does not fit its block of %u", ret->len,
					   body->len + TW_PCAPNG_BLOCK_MIN);
	ret->data = body->at + fixed;
	ret->interface = interface;
	ret->linktype = file->interfaces[interface].linktype;
	ret->offset = body->offset;
	return 1;
}

/*
 * Reads an enhanced or an obsolete packet block. They differ only in the first word: a 32-bit interface number, or a 16-bit interface
 * number and a drop count.
 */
static int timed_packet(struct tw_capture_file *file, const struct body *body, bool obsolete, struct tw_packet *ret,
			struct tw_error *error)
{
	uint32_t interface;
	uint64_t ticks;
	int found;

	if (body->len < EPB_FIXED)
		return tw_capture__damaged(file, body->offset, error, "a packet block cannot have %u bytes",
					   body->len + TW_PCAPNG_BLOCK_MIN);
	interface = obsolete ? u16(file, body->at) : u32(file, body->at);
	ticks = (uint64_t)u32(file, body->at + 4) << 32 | u32(file, body->at + 8);
	*ret = (struct tw_packet){ .len = u32(file, body->at + 12), .original = u32(file, body->at + 16) };
	found = packet(file, body, interface, EPB_FIXED, ret, error);
	if (found > 0) {
		const uint32_t padded = (ret->len + 3) & ~3u, left = body->len - EPB_FIXED;

		ret->time = tw_capture_file__time(file, interface, ticks);
		ret->options = options_of(file, body, EPB_FIXED + (padded < left ? padded : left));
	}
	return found;
}

static int simple_packet(struct tw_capture_file *file, const struct body *body, struct tw_packet *ret,
			 struct tw_error *error)
{
	uint32_t original, snaplen;

	if (body->len < SPB_FIXED || !file->n_interfaces)
		return tw_capture__damaged(file, body->offset, error,
					   "a simple packet block has no length, or no interface");
	original = u32(file, body->at);
	snaplen = file->interfaces[0].snaplen;
	*ret = (struct tw_packet){ .original = original, .len = snaplen && original > snaplen ? snaplen : original };
	if (ret->len > body->len - SPB_FIXED)
		ret->len = body->len - SPB_FIXED;
	return packet(file, body, 0, SPB_FIXED, ret, error);
}

/* Reads byte order and version of a section header. Called before the length of the block is read, which has the same byte order. */
static int begin_section(struct tw_capture_file *file, const uint8_t *p, struct tw_error *error)
{
	const uint32_t magic = tw_load_be32(p + BLOCK_HEADER);

	file->big_endian = magic == TW_PCAPNG_BYTE_ORDER_MAGIC;
	if (!file->big_endian && magic != __builtin_bswap32(TW_PCAPNG_BYTE_ORDER_MAGIC))
		return tw_capture__damaged(file, file->in.offset, error, "the byte order of a section is unknown");
	if (u16(file, p + 12) != 1)
		return tw_capture__damaged(file, file->in.offset, error,
					   "a section has pcapng version %u.%u; only version 1 is supported",
					   u16(file, p + 12), u16(file, p + 14));
	file->n_interfaces = 0;
	return 0;
}

/* Reads the next block. Return: 1; 0 at the end; -errno */
static int next_block(struct tw_capture_file *file, uint32_t *ret_type, struct body *ret, struct tw_error *error)
{
	const uint64_t offset = file->in.offset;
	const uint8_t *p = tw_input__peek(&file->in, TW_PCAPNG_BLOCK_MIN);
	uint32_t type, len;
	int err;

	if (!p) {
		if (!file->in.failure && file->in.at == file->in.end)
			return 0;
		return tw_capture__damaged(file, offset, error, "it ends within a block's header");
	}
	type = u32(file, p);
	if (type == TW_PCAPNG_SHB) {
		p = tw_input__peek(&file->in, SHB_MIN);
		if (!p)
			return tw_capture__damaged(file, offset, error, "it ends within a section's header");
		err = begin_section(file, p, error);
		if (err)
			return err;
	}
	len = u32(file, p + 4);
	if (len < (type == TW_PCAPNG_SHB ? SHB_MIN : TW_PCAPNG_BLOCK_MIN) || len % 4 || len > TW_CAPTURE_BLOCK_MAX)
		return tw_capture__damaged(file, offset, error, "a block cannot have %u bytes", len);
	p = tw_input__peek(&file->in, len);
	if (!p)
		return tw_capture__damaged(file, offset, error, "it ends within a block of %u bytes", len);
	if (u32(file, p + len - 4) != len)
		return tw_capture__damaged(file, offset, error, "the two lengths of a block differ");
	*ret_type = type;
	*ret = (struct body){ .at = p + BLOCK_HEADER, .len = len - TW_PCAPNG_BLOCK_MIN, .offset = offset };
	tw_input__take(&file->in, len);
	return 1;
}

static void show_other(struct tw_capture_file *file, uint32_t type, const struct body *body)
{
	const struct tw_capture_other block = {
		.type = type,
		.body = body->at,
		.len = body->len,
		.big_endian = file->big_endian,
	};

	if (file->watch_others && type != TW_PCAPNG_PADDING)
		file->watch_others(file->ctx_others, &block);
}

static int next(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error)
{
	struct body body;
	uint32_t type = 0;
	int more, err;

	while ((more = next_block(file, &type, &body, error)) > 0) {
		if (type == TW_PCAPNG_EPB || type == TW_PCAPNG_PB)
			return timed_packet(file, &body, type == TW_PCAPNG_PB, ret, error);
		if (type == TW_PCAPNG_SPB)
			return simple_packet(file, &body, ret, error);
		if (type == TW_PCAPNG_IDB && (err = add_interface(file, &body, error)))
			return err;
		if (type == TW_PCAPNG_ISB)
			show_statistics(file, &body);
		else if (type == TW_PCAPNG_SHB)
			show_section(file, &body);
		else if (type != TW_PCAPNG_IDB)
			show_other(file, type, &body);
	}
	return more;
}

/* Whether Tracewire wrote the first section, according to its shb_userappl. @len: length of the section header block, bytes */
static bool is_recording(struct tw_capture_file *file, uint32_t len)
{
	const uint8_t *p = len >= SHB_MIN && len <= SECTION_READ_MAX ? tw_input__peek(&file->in, len) : NULL;
	struct tw_capture_options options;
	struct tw_capture_option option;

	if (!p)
		return false;
	options = (struct tw_capture_options){ p + SHB_MIN - 4, len - SHB_MIN, file->big_endian };
	while (tw_capture_options__next(&options, &option)) {
		if (option.code == TW_OPT_SHB_APPLICATION)
			return option.len >= sizeof(OURS) - 1 && !memcmp(option.value, OURS, sizeof(OURS) - 1);
	}
	return false;
}

int tw_pcapng_file__open(struct tw_capture_file *file, struct tw_error *error)
{
	const uint8_t *p = tw_input__peek(&file->in, 4);
	int err;

	if (!p || tw_load_be32(p) != TW_PCAPNG_SHB)
		return 0;
	p = tw_input__peek(&file->in, SHB_MIN);
	if (!p)
		return tw_capture__damaged(file, 0, error, "it ends within its header");
	err = begin_section(file, p, error);
	if (err)
		return err;
	file->is_recording = is_recording(file, u32(file, p + 4));
	file->is_pcapng = true;
	file->next = next;
	return 1;
}
