/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/capture_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/time.h"
#include "pcap-tools/capture/capture_file.h"

#define BUFFER_SIZE ((size_t)128 * 1024) /* about the size that zstd recommends for its input */
#define FIRST_SIZE  ((size_t)32 * 1024)  /* bytes of the first read(): many files are short */
#define READ_SIZE   ((size_t)256 * 1024) /* bytes of one read(): few calls, and the bytes fit the CPU's cache */

/* Decompresses one or more zstd frames. */
struct tw_decompressor {
	int fd; /* the caller's descriptor */
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool within; /* a zstd frame has begun and not ended */
	uint8_t buf[BUFFER_SIZE];
};

/* Return: number of bytes; 0 at the end; -errno */
static ssize_t read_bytes(int fd, uint8_t *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/*
 * Makes a decompressor. Its memory is bounded: a zstd frame whose window exceeds zstd's default limit of 128 MiB is refused as damaged.
 * @first: @len bytes that were already read from @fd; copied
 */
static int decompressor__new(int fd, const uint8_t *first, size_t len, struct tw_decompressor **ret)
{
	struct tw_decompressor *e = len <= BUFFER_SIZE ? calloc(1, sizeof(*e)) : NULL;

	if (!e)
		return -ENOMEM;
	e->fd = fd;
	e->stream = ZSTD_createDStream();
	if (!e->stream) {
		free(e);
		return -ENOMEM;
	}
	memcpy(e->buf, first, len);
	e->in = (ZSTD_inBuffer){ .src = e->buf, .size = len };
	*ret = e;
	return 0;
}

static ssize_t refill(struct tw_decompressor *e)
{
	const ssize_t n = read_bytes(e->fd, e->buf, sizeof(e->buf));

	e->in.size = n > 0 ? (size_t)n : 0;
	e->in.pos = 0;
	return n;
}

/* Reads decompressed data. Return: number of bytes; 0 at the end; -EBADMSG if the data is damaged or truncated; -errno of read() */
static ssize_t decompressor__read(struct tw_decompressor *e, uint8_t *buf, size_t size)
{
	ZSTD_outBuffer out = { .dst = buf, .size = size };

	/* Within a frame, the decoder may have more output without more input. */
	for (bool needs_input = !e->within; !out.pos; needs_input = true) {
		const ssize_t n = needs_input && e->in.pos == e->in.size ? refill(e) : 1;
		size_t left;

		if (n <= 0)
			return !n && e->within ? -EBADMSG : n;
		left = ZSTD_decompressStream(e->stream, &out, &e->in);
		if (ZSTD_isError(left))
			return -EBADMSG;
		e->within = left != 0;
	}
	return (ssize_t)out.pos;
}

/* Makes room for @len bytes from buf[at] on, and for one more read(). Return: 0 or -ENOMEM */
static int make_room(struct tw_input *in, size_t len)
{
	const size_t size = len + (in->offset < FIRST_SIZE ? FIRST_SIZE : READ_SIZE);
	uint8_t *buf;

	if (in->size - in->at >= size)
		return 0;
	memmove(in->buf, in->buf + in->at, in->end - in->at);
	in->end -= in->at;
	in->at = 0;
	if (in->size >= size)
		return 0;
	buf = realloc(in->buf, size);
	if (!buf)
		return -ENOMEM;
	in->buf = buf;
	in->size = size;
	return 0;
}

size_t tw_input__fill(struct tw_input *in, size_t len)
{
	const int err = make_room(in, len);

	if (err)
		in->failure = err;
	while (!err && in->end - in->at < len) {
		const size_t left = in->size - in->end, size = left < READ_SIZE ? left : READ_SIZE;
		uint8_t *to = in->buf + in->end;
		const ssize_t n = in->zstd ? decompressor__read(in->zstd, to, size) : read_bytes(in->fd, to, size);

		if (n < 0)
			in->failure = (int)n;
		if (n <= 0)
			break;
		in->end += (size_t)n;
	}
	return in->end - in->at;
}

static void input__close(struct tw_input *in)
{
	if (in->zstd)
		ZSTD_freeDStream(in->zstd->stream);
	free(in->zstd);
	free(in->buf);
}

/* Reads the first bytes and detects zstd by them (RFC 8878). Return: 0 or -ENOMEM */
static int input__open(struct tw_input *in, int fd)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	int err;

	*in = (struct tw_input){ .fd = fd, .size = 2 * FIRST_SIZE };
	in->buf = malloc(in->size);
	if (!in->buf)
		return -ENOMEM;
	if (tw_input__fill(in, sizeof(magic)) < sizeof(magic) || memcmp(in->buf, magic, sizeof(magic)) != 0)
		return 0;
	err = decompressor__new(fd, in->buf, in->end, &in->zstd);
	in->end = 0;
	if (err)
		input__close(in);
	return err;
}

/* pcap, as written by tcpdump (draft-ietf-opsawg-pcap): a file header of 24 bytes, then for each packet 16 bytes and its data. */
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
		return tw_capture__damaged(file, offset, error, "a packet cannot have %u bytes", len);
	p = tw_input__peek(&file->in, RECORD + len);
	if (!p)
		return tw_capture__damaged(file, offset, error, "it ends within a packet of %u bytes", len);
	fraction = (uint64_t)tw_load32(p + 4, file->big_endian) * file->interfaces->resolution.mult;
	*ret = (struct tw_packet){
		.data = p + RECORD,
		.len = len,
		.original = tw_load32(p + 12, file->big_endian),
		.linktype = file->interfaces->linktype,
		.time = (uint64_t)tw_load32(p, file->big_endian) * TW_NS_PER_SECOND + fraction,
		.offset = offset,
	};
	tw_input__take(&file->in, RECORD + len);
	return 1;
}

static int pcap_file__open(struct tw_capture_file *file, struct tw_error *error)
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

#define OPTION_HEAD 4 /* code and length of an option */

/* Sets the error text of tw_input.failure. All packets before the failure were returned; the remaining bytes are not a whole block. */
static int failed(const struct tw_capture_file *file, struct tw_error *error)
{
	const unsigned long long at = file->in.offset + (file->in.end - file->in.at);
	const int err = file->in.failure;

	if (err == -EBADMSG)
		return tw_error__set(
			error, err,
			"%s is damaged or truncated: zstd can decompress only %llu bytes of it; all complete packets in these "
			"bytes were read",
			file->name, at);
	if (!at)
		return tw_error__set(error, err, "reading %s failed: %s", file->name, strerror(-err));
	return tw_error__set(error, err, "reading %s failed at byte %llu%s: %s", file->name, at,
			     file->in.zstd ? " of the decompressed data" : "", strerror(-err));
}

int tw_capture__damaged(struct tw_capture_file *file, uint64_t offset, struct tw_error *error, const char *fmt, ...)
{
	char what[256];
	va_list args;

	if (file->in.failure)
		return failed(file, error);
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return tw_error__set(error, -EBADMSG, "%s is damaged at byte %llu%s: %s; everything before that byte was read",
			     file->name, (unsigned long long)offset, file->in.zstd ? " of the decompressed data" : "",
			     what);
}

/* Sets the error for a file that is not a capture, with a hint for formats that users may pass by mistake. */
static int refuse(struct tw_capture_file *file, struct tw_error *error)
{
	static const uint8_t dat[] = { 0x17, 0x08, 0x44 }, gzip[] = { 0x1f, 0x8b };
	const size_t there = tw_input__fill(&file->in, 4);
	const uint8_t *first = file->in.buf;

	if (file->in.failure)
		return failed(file, error);
	if (!there)
		return tw_error__set(error, -EINVAL, "%s is empty", file->name);
	if (there >= sizeof(dat) && !memcmp(first, dat, sizeof(dat)))
		return tw_error__set(
			error, -EINVAL,
			"%s is a trace.dat file, not a capture: convert it with `tracewire convert FILE OUT.pcapng`",
			file->name);
	if (there >= sizeof(gzip) && !memcmp(first, gzip, sizeof(gzip)))
		return tw_error__set(error, -EINVAL, "%s is compressed by gzip: decompress it first, with `gunzip -c`",
				     file->name);
	return tw_error__set(error, -EINVAL, "%s is neither a pcapng nor a pcap file, according to its first bytes",
			     file->name);
}

int tw_capture_file__open(int fd, const char *name, struct tw_capture_file **ret, struct tw_error *error)
{
	struct tw_capture_file *file = calloc(1, sizeof(*file));
	int found, err = file ? input__open(&file->in, fd) : -ENOMEM;

	if (err) {
		free(file);
		return tw_error__set(error, err, "no memory to read %s", name);
	}
	file->name = name;
	found = tw_pcapng_file__open(file, error);
	if (!found)
		found = pcap_file__open(file, error);
	if (!found)
		found = refuse(file, error);
	if (found < 0) {
		tw_capture_file__close(file);
		return found;
	}
	*ret = file;
	return 0;
}

void tw_capture_file__close(struct tw_capture_file *file)
{
	if (!file)
		return;
	input__close(&file->in);
	free(file->interfaces);
	free(file);
}

bool tw_capture_file__is_pcapng(const struct tw_capture_file *file)
{
	return file->is_pcapng;
}

bool tw_capture_file__is_compressed(const struct tw_capture_file *file)
{
	return file->in.zstd;
}

void tw_capture_file__watch_others(struct tw_capture_file *file, tw_capture_watch_others *watch, void *ctx)
{
	file->watch_others = watch;
	file->ctx_others = ctx;
}

void tw_capture_file__watch(struct tw_capture_file *file, tw_capture_watch *watch, void *ctx)
{
	file->watch = watch;
	file->ctx = ctx;
	if (file->is_pcapng)
		return;
	tw_capture__show(file, &(struct tw_capture_block){ .kind = TW_CAPTURE_SECTION });
	tw_capture__show(file, &(struct tw_capture_block){
				       .kind = TW_CAPTURE_INTERFACE,
				       .linktype = file->interfaces->linktype,
				       .snaplen = file->interfaces->snaplen,
			       });
}

bool tw_capture_file__is_recording(const struct tw_capture_file *file)
{
	return file->is_recording;
}

int tw_capture_file__next(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error)
{
	const int more = file->failed ? 0 : file->next(file, ret, error);

	file->failed |= more < 0;
	return more;
}

bool tw_capture_options__next(struct tw_capture_options *options, struct tw_capture_option *ret)
{
	uint16_t code, len;
	size_t padded;

	if (options->left < OPTION_HEAD)
		return false;
	code = tw_load16(options->at, options->big_endian);
	len = tw_load16(options->at + 2, options->big_endian);
	padded = ((size_t)len + 3) & ~(size_t)3;
	if (code == TW_OPT_END || padded > options->left - OPTION_HEAD)
		return false;
	*ret = (struct tw_capture_option){ .code = code, .len = len, .value = options->at + OPTION_HEAD };
	options->at += OPTION_HEAD + padded;
	options->left -= OPTION_HEAD + padded;
	return true;
}
