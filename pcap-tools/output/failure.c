/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap-tools/output/impl.h"
#include "pcap-tools/output/repair.h"
#include "pcap-tools/pcapng/walk.h"

const char *tw_output__remedy(int code)
{
	switch (-code) {
	case ENOENT:
		return "; create the folder first";
	case ENOTDIR:
		return "; a file stands where a folder is to be: name another one";
	case EISDIR:
		return "; name a file in it";
	case EACCES:
	case EPERM:
		return "; name a folder that you may write to";
	case EROFS:
		return "; name a folder on another one";
	case ENOSPC:
	case EDQUOT:
		return "; make room, or write elsewhere";
	case ENAMETOOLONG:
		return "; give a shorter one";
	default:
		return "";
	}
}

int tw_output__fail(struct tw_output *o, int code, struct tw_error *err)
{
	const unsigned long long bytes = o->stats.bytes + o->bytes;

	o->code = code;
	switch (-code) {
	case ENOSPC:
	case EDQUOT:
		return tw_error__set(
			err, code,
			"writing %s: no space left after %llu bytes; they can be read as they are, make room or "
			"write elsewhere for more",
			o->name, bytes);
	case EPIPE:
		return tw_error__set(err, code, "writing %s: the program that read it has gone, after %llu bytes",
				     o->name, bytes);
	case EFBIG:
		return tw_error__set(
			err, code,
			"writing %s: the file reached the largest size allowed (ulimit -f, or the file system's) after "
			"%llu bytes",
			o->name, bytes);
	case ETIMEDOUT:
		return tw_error__set(
			err, code,
			"writing %s: it took nothing more, after %llu bytes; the rest was given up, as the "
			"end was asked for",
			o->name, bytes);
	default:
		return tw_error__set(err, code, "writing %s: %s, after %llu bytes", o->name, strerror(-code), bytes);
	}
}

/* Of the batch; what is compressed does not count before all of it is there. */
static size_t whole_blocks(const struct tw_output *o, const void *blocks)
{
	struct tw_pcapng_walk walk = { .continued = true };

	if (!o->zstd)
		tw_pcapng_walk__feed(&walk, blocks, o->put);
	return (size_t)walk.whole;
}

/* What went down a pipe cannot be taken back. What is behind the end stays until then: it holds room for the last blocks. */
void tw_output__cut(struct tw_output *o, const void *blocks, size_t *ret_kept)
{
	*ret_kept = whole_blocks(o, blocks);
	if (o->live)
		return;
	o->bytes -= o->put - (o->zstd ? 0 : *ret_kept);
	o->broken = true;
}

/* Its frame has no end yet. */
static int end_frame(struct tw_output *o)
{
	struct tw_repair repair;

	if (!o->zstd || o->ended || !o->bytes)
		return 0;
	return o->again < 0 ? -EBADF : tw_output__repair_fd(o->again, o->base + o->bytes, false, &repair);
}

int tw_output__mend(struct tw_output *o)
{
	if (!o->broken)
		return 0;
	if (ftruncate(o->fd, (off_t)(o->base + o->bytes)))
		return -errno;
	lseek(o->fd, 0, SEEK_END);
	o->reserved = 0;
	return end_frame(o);
}
