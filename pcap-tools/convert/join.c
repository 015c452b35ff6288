/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/convert/join.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/time.h"
#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/pcapng/writer.h"
#include "wire/decode.h"

#define TEXT_MAX     256 /* limit of a text of the section that is kept, bytes */
#define COMMENTS_MAX 512 /* comments of the section that are kept */

/* One of the inputs. */
struct side {
	struct tw_capture_file *file;
	struct tw_join_count *count;
	struct join *join;
	uint32_t *ids; /* numbers in the output of the interfaces of the current section */
	uint32_t n_ids, size_ids;
	struct tw_packet packet; /* the next one; valid if has_packet */
	bool has_packet;
	uint64_t last; /* time of the last packet read */
};

struct join {
	struct tw_output *output;
	struct tw_pcapng *file; /* NULL until the first block of the recording was read */
	struct side trace, packets;
	int err;      /* the first failure of a callback */
	int read_err; /* the first failure to read an input, with its text */
	struct tw_error error, read_error;
	uint8_t options[TW_PCAPNG_OPTIONS_MAX]; /* of the block that is written */
	size_t n_options;
};

static void fail(struct join *join, int err)
{
	if (err && !join->err)
		join->err = err;
}

static void copy_text(char to[TEXT_MAX], const struct tw_capture_option *option)
{
	snprintf(to, TEXT_MAX, "%.*s", (int)option->len, (const char *)option->value);
}

/* Begins the output with the hardware, the system and the comments of the recording. */
static void begin_output(struct join *join, struct tw_capture_options options)
{
	char hardware[TEXT_MAX] = "", os[TEXT_MAX] = "", *comments[COMMENTS_MAX + 1] = { NULL };
	const struct tw_pcapng_section section = {
		.hardware = hardware,
		.os = os,
		.application = "tracewire convert " TRACEWIRE_VERSION,
		.comments = (const char *const *)comments,
	};
	struct tw_capture_option option;
	size_t n = 0;

	while (tw_capture_options__next(&options, &option)) {
		if (option.code == TW_OPT_SHB_HARDWARE)
			copy_text(hardware, &option);
		else if (option.code == TW_OPT_SHB_OS)
			copy_text(os, &option);
		else if (option.code == TW_OPT_COMMENT && n < COMMENTS_MAX)
			comments[n++] = strndup((const char *)option.value, option.len);
		if (n && !comments[n - 1])
			fail(join, -ENOMEM);
	}
	if (!join->err)
		fail(join, tw_pcapng__open(join->output, 0, &section, &join->file, &join->error));
	while (n)
		free(comments[--n]);
}

/* Return: whether a value of a statistics block is a time, which has the unit of the interface */
static bool is_time(int block, const struct tw_capture_option *option)
{
	return block == TW_PCAPNG_ISB && (option->code == TW_OPT_ISB_START || option->code == TW_OPT_ISB_END) &&
	       option->len == sizeof(uint64_t);
}

/* Return: size of the numbers of which an option consists, bytes; 1 = a text or bytes; 0 = unknown */
static size_t number_size(int block, uint16_t code)
{
	static const struct {
		int block;
		uint16_t code;
		uint8_t size;
	} numbers[] = {
		{ TW_PCAPNG_IDB, TW_OPT_IF_SPEED, 8 },
		{ TW_PCAPNG_IDB, TW_OPT_IF_TZONE, 4 },
		{ TW_PCAPNG_IDB, TW_OPT_IF_TXSPEED, 8 },
		{ TW_PCAPNG_IDB, TW_OPT_IF_RXSPEED, 8 },
		{ TW_PCAPNG_EPB, TW_OPT_EPB_FLAGS, 4 },
		{ TW_PCAPNG_EPB, TW_OPT_EPB_DROPPED, 8 },
		{ TW_PCAPNG_EPB, TW_OPT_EPB_ID, 8 },
		{ TW_PCAPNG_EPB, TW_OPT_EPB_QUEUE, 4 },
		{ TW_PCAPNG_ISB, TW_OPT_ISB_RECEIVED, 8 },
		{ TW_PCAPNG_ISB, TW_OPT_ISB_DROPPED, 8 },
		{ TW_PCAPNG_ISB, TW_OPT_ISB_FILTER_ACCEPTED, 8 },
		{ TW_PCAPNG_ISB, TW_OPT_ISB_OS_DROPPED, 8 },
		{ TW_PCAPNG_ISB, TW_OPT_ISB_DELIVERED, 8 },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].block == block && numbers[i].code == code)
			return numbers[i].size;
	}
	return code >= TW_OPT_CUSTOM ? 0 : 1;
}

/* Return: time stamp in an option, which is two words, the high word first in either byte order */
static uint64_t time_in(const struct side *side, uint32_t interface, const uint8_t *value, bool big_endian)
{
	const uint64_t ticks = (uint64_t)tw_load32(value, big_endian) << 32 | tw_load32(value + 4, big_endian);

	return tw_capture_file__time(side->file, interface, ticks);
}

static void store_time(uint8_t *to, uint64_t time)
{
	const uint32_t words[2] = { (uint32_t)(time >> 32), (uint32_t)time };

	memcpy(to, words, sizeof(words));
}

/* Copies a value, with numbers of @size bytes in host byte order. */
static void copy_value(uint8_t *to, const struct tw_capture_option *option, size_t size, bool swap)
{
	for (size_t i = 0; i < option->len; i++) {
		const size_t within = i % size;

		to[i] = option->value[swap ? i - within + (size - 1 - within) : i];
	}
}

/* Adds an option to those of the block that is written. An option that does not fit, or cannot be converted, is left out. */
static void add_option(const struct side *side, int block, uint32_t interface, const struct tw_capture_option *option,
		       bool big_endian)
{
	struct join *join = side->join;
	const size_t size = number_size(block, option->code), padded = ((size_t)option->len + 3) & ~(size_t)3;
	const bool swap = big_endian != TW_HOST_BE;
	uint8_t *to = join->options + join->n_options;

	if (padded + 4 > sizeof(join->options) - join->n_options || (swap && (!size || option->len % size)))
		return;
	memcpy(to, &option->code, 2);
	memcpy(to + 2, &option->len, 2);
	memset(to + 4, 0, padded);
	if (is_time(block, option))
		store_time(to + 4, time_in(side, interface, option->value, big_endian));
	else
		copy_value(to + 4, option, swap ? size : 1, swap);
	join->n_options += 4 + padded;
}

/* Converts the options of a block to those of the output: in host byte order, with times in ns. */
static struct tw_pcapng_options convert(const struct side *side, int block, uint32_t interface,
					struct tw_capture_options options)
{
	struct tw_capture_option option;

	side->join->n_options = 0;
	while (tw_capture_options__next(&options, &option)) {
		if (block == TW_PCAPNG_IDB && (option.code == TW_OPT_IF_TSRESOL || option.code == TW_OPT_IF_TSOFFSET))
			continue;
		add_option(side, block, interface, &option, options.big_endian);
	}
	return (struct tw_pcapng_options){ side->join->options, side->join->n_options };
}

static int keep_id(struct side *side, uint32_t id)
{
	if (side->n_ids == side->size_ids) {
		const uint32_t size = side->size_ids ? 2 * side->size_ids : 4;
		uint32_t *ids = reallocarray(side->ids, size, sizeof(*ids));

		if (!ids)
			return -ENOMEM;
		side->ids = ids;
		side->size_ids = size;
	}
	side->ids[side->n_ids++] = id;
	return 0;
}

static int add_interface(struct side *side, const struct tw_capture_block *block)
{
	const struct tw_pcapng_interface interface = { .linktype = (uint16_t)block->linktype,
						       .snaplen = block->snaplen };
	const struct tw_pcapng_options options = convert(side, TW_PCAPNG_IDB, block->interface, block->options);
	uint32_t id = 0;
	const int err = tw_pcapng__copy_interface(side->join->file, &interface, &options, &id);

	return err ? err : keep_id(side, id);
}

static int add_statistics(struct side *side, const struct tw_capture_block *block)
{
	const struct tw_pcapng_options options = convert(side, TW_PCAPNG_ISB, block->interface, block->options);

	return tw_pcapng__copy_statistics(side->join->file, side->ids[block->interface], block->time, &options);
}

/* Whether the lengths in a block of secrets fit. A reader gives up the whole file otherwise. */
static bool is_sound_dsb(const unsigned char *body, size_t len)
{
	uint32_t secrets;

	if (len < 2 * sizeof(secrets))
		return false;
	memcpy(&secrets, body + sizeof(secrets), sizeof(secrets));
	return secrets <= len - 2 * sizeof(secrets);
}

/* The same for a block of names: records of an address and names that end with NUL */
static bool is_sound_nrb(const unsigned char *body, size_t len)
{
	uint16_t type, length;
	uint32_t padded;

	while (len >= sizeof(type) + sizeof(length)) {
		memcpy(&type, body, sizeof(type));
		memcpy(&length, body + sizeof(type), sizeof(length));
		body += sizeof(type) + sizeof(length);
		len -= sizeof(type) + sizeof(length);
		if (!type)
			return !length;
		if (length > len || !length || body[length - 1])
			return false;
		padded = (length + 3u) & ~3u;
		if (padded > len)
			return false;
		body += padded;
		len -= padded;
	}
	return false;
}

static bool is_sound(const struct tw_capture_other *block)
{
	return block->type == TW_PCAPNG_NRB   ? is_sound_nrb(block->body, block->len)
	       : block->type == TW_PCAPNG_DSB ? is_sound_dsb(block->body, block->len)
					      : false;
}

/* Names and secrets consist of numbers and bytes; their bodies are not converted to another byte order. */
static void take_other(void *ctx, const struct tw_capture_other *block)
{
	struct side *side = ctx;

	if (!side->join->file || block->big_endian != TW_HOST_BE || block->len > TW_PCAPNG_PACKET_MAX ||
	    !is_sound(block)) {
		side->count->left_out++;
		return;
	}
	fail(side->join, tw_pcapng__copy_block(side->join->file, block->type, block->body, block->len));
}

static void count_comments(struct side *side, struct tw_capture_options options)
{
	struct tw_capture_option option;

	while (tw_capture_options__next(&options, &option))
		side->count->comments += option.code == TW_OPT_COMMENT;
}

static void take_block(void *ctx, const struct tw_capture_block *block)
{
	struct side *side = ctx;
	struct join *join = side->join;

	if (block->kind == TW_CAPTURE_SECTION && !join->file && !join->err)
		begin_output(join, block->options);
	else if (block->kind == TW_CAPTURE_SECTION)
		count_comments(side, block->options);
	if (join->err)
		return;
	if (block->kind == TW_CAPTURE_SECTION)
		side->n_ids = 0;
	else if (block->kind == TW_CAPTURE_INTERFACE)
		fail(join, add_interface(side, block));
	else
		fail(join, add_statistics(side, block));
}

/* Reads the next packet of an input. The first failure to read is kept; the input then ends there. */
static void read_next(struct side *side)
{
	struct join *join = side->join;
	struct tw_error error;
	const int more = tw_capture_file__next(side->file, &side->packet, &error);

	side->has_packet = more > 0;
	if (more < 0 && !join->read_err) {
		join->read_err = more;
		join->read_error = error;
	}
	if (more <= 0)
		return;
	side->count->disorder += side->packet.time < side->last;
	side->last = side->packet.time;
}

static void count(const struct side *side)
{
	const struct tw_packet *packet = &side->packet;
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	enum tw_frame_status status;
	const uint8_t *frame;
	size_t len;

	side->count->first = side->count->packets ? tw_time__earlier(side->count->first, packet->time) : packet->time;
	side->count->last = tw_time__later(side->count->last, packet->time);
	side->count->packets++;
	side->count->cut += packet->len > TW_PCAPNG_PACKET_MAX;
	frame = tw_packet__frame(packet->linktype, packet->data, packet->len, &len);
	status = frame ? tw_frame__parse(frame, len, &info, &tlvs) : TW_FRAME_MALFORMED;
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return;
	side->count->frames++;
	if (info.source != TW_SOURCE_CONTROL && info.source != TW_SOURCE_OUT_OF_BAND)
		side->count->events += info.events;
}

static int write_packet(struct side *side)
{
	const struct tw_packet *packet = &side->packet;
	const struct tw_pcapng_copy copy = {
		.interface = side->ids[packet->interface],
		.time = packet->time,
		.data = packet->data,
		.len = packet->len < TW_PCAPNG_PACKET_MAX ? packet->len : TW_PCAPNG_PACKET_MAX,
		.original = packet->original,
		.options = convert(side, TW_PCAPNG_EPB, packet->interface, packet->options),
	};

	count(side);
	return tw_pcapng__copy_packet(side->join->file, &copy);
}

/* Return: the input whose packet is the next one of the output; NULL at the end */
static struct side *earlier(struct join *join)
{
	if (!join->packets.has_packet)
		return join->trace.has_packet ? &join->trace : NULL;
	if (!join->trace.has_packet)
		return &join->packets;
	return join->packets.packet.time <= join->trace.packet.time ? &join->packets : &join->trace;
}

/* Copies all packets. Return: 0, or a failure of the output */
static int copy_all(struct join *join)
{
	struct side *side;

	tw_capture_file__watch(join->trace.file, take_block, &join->trace);
	tw_capture_file__watch_others(join->trace.file, take_other, &join->trace);
	read_next(&join->trace); /* begins the output */
	if (join->file) {
		tw_capture_file__watch(join->packets.file, take_block, &join->packets);
		tw_capture_file__watch_others(join->packets.file, take_other, &join->packets);
		read_next(&join->packets);
	}
	while (!join->err && (side = earlier(join))) {
		fail(join, write_packet(side));
		read_next(side);
	}
	if (!join->err && join->file)
		fail(join, tw_pcapng__flush(join->file));
	return join->err;
}

/* Return: 0, or the first failure with its text in @error */
static int result(const struct join *join, struct tw_error *error)
{
	if (join->err && join->file && tw_pcapng__error(join->file, error))
		return join->err;
	if (join->err && *join->error.text)
		return tw_error__set(error, join->err, "%s", join->error.text);
	if (join->err)
		return tw_error__set(error, join->err, "joining captures: %s", strerror(-join->err));
	if (join->read_err)
		return tw_error__set(error, join->read_err, "%s", join->read_error.text);
	if (!join->trace.count->frames)
		return tw_error__set(error, -EINVAL, "the recording has no frames of Tracewire");
	return 0;
}

int tw_join__run(const struct tw_join_options *options, struct tw_join_stats *ret, struct tw_error *error)
{
	struct join *join = calloc(1, sizeof(*join));
	int err;

	*ret = (struct tw_join_stats){ .bytes = 0 };
	if (!join)
		return tw_error__set(error, -ENOMEM, "no memory to join captures");
	join->output = options->output;
	join->trace = (struct side){ .file = options->trace, .count = &ret->trace, .join = join };
	join->packets = (struct side){ .file = options->packets, .count = &ret->packets, .join = join };
	copy_all(join);
	err = result(join, error);
	if (join->file)
		ret->bytes = tw_pcapng__bytes(join->file);
	tw_pcapng__close(join->file);
	free(join->trace.ids);
	free(join->packets.ids);
	free(join);
	return err;
}
