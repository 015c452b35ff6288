/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/output/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap-tools/output/file_names.h"
#include "pcap-tools/output/note.h"
#include "pcap-tools/output/repair_zstd.h"
#include "pcap-tools/pcapng/walk.h"

#define PIECE ((size_t)64 << 10)

/* By its first bytes, as far as there are any. Return: 1 if it is compressed; 0 if not; -EBADMSG; what pread() said */
static int is_compressed(int fd)
{
	static const uint8_t zstd[4] = { 0x28, 0xb5, 0x2f, 0xfd }, section[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	uint8_t head[4];
	const ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n < 0)
		return -errno;
	if (!memcmp(head, section, (size_t)n))
		return 0;
	return memcmp(head, zstd, (size_t)n) ? -EBADMSG : 1;
}

static int find_end_of_blocks(int fd, uint64_t known, struct tw_file_end *ret)
{
	struct tw_pcapng_walk walk = { .continued = known > 0 };
	uint8_t piece[PIECE];
	ssize_t n;

	for (uint64_t at = known; (n = pread(fd, piece, sizeof(piece), (off_t)at)); at += (uint64_t)n) {
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return -errno;
		if (!tw_pcapng_walk__feed(&walk, piece, (size_t)n))
			return -EBADMSG;
	}
	ret->size = known + walk.whole;
	return 0;
}

static int find_end(int fd, uint64_t known, uint64_t size, struct tw_file_end *ret)
{
	const int code = is_compressed(fd);

	*ret = (struct tw_file_end){ .size = size };
	if (code < 0)
		return code;
	return code ? tw_zstd__find_end(fd, known, size, ret) : find_end_of_blocks(fd, known, ret);
}

/* First it is cut: cut short once more, it can still be mended. */
static int apply(int fd, uint64_t size, const struct tw_file_end *end)
{
	uint8_t head;

	if (end->size < size && ftruncate(fd, (off_t)end->size))
		return -errno;
	if (!end->open)
		return 0;
	if (pread(fd, &head, 1, (off_t)end->last) != 1)
		return -EIO;
	head |= 1;
	return pwrite(fd, &head, 1, (off_t)end->last) == 1 ? 0 : -EIO;
}

int tw_output__repair_fd(int fd, uint64_t known, bool dry_run, struct tw_repair *ret)
{
	struct tw_file_end end;
	struct stat st;
	uint64_t size;
	int code;

	if (fstat(fd, &st))
		return -errno;
	size = (uint64_t)st.st_size;
	if (!S_ISREG(st.st_mode) || known > size)
		return -EBADMSG;
	code = find_end(fd, known, size, &end);
	if (!code && !dry_run)
		code = apply(fd, size, &end);
	if (!code)
		*ret = (struct tw_repair){
			.size = end.size,
			.cut = size - end.size,
			.closed = end.open,
		};
	return code;
}

static int open_file(const char *path, bool dry_run)
{
	return open(path, (dry_run ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static int explain(int code, const char *path, struct tw_error *err)
{
	if (code == -EBADMSG)
		return tw_error__set(
			err, code,
			"repairing %s: it is damaged before its end, or no capture of tracewire's; it stays as "
			"it is",
			path);
	return tw_error__set(err, code, "repairing %s: %s", path, strerror(-code));
}

int tw_output__repair(const char *path, uint64_t known, bool dry_run, struct tw_repair *ret, struct tw_error *err)
{
	const int fd = open_file(path, dry_run);
	int code;

	if (fd < 0)
		return explain(-errno, path, err);
	code = tw_output__repair_fd(fd, known, dry_run, ret);
	close(fd);
	return code ? explain(code, path, err) : 0;
}

struct left {
	bool dry_run;
	void (*tell)(void *ctx, const char *path, const struct tw_repair *repair, const char *why);
	void *ctx;
};

/* Another file may have its name by now, and then that is the user's. Return: 0; -ENOENT if it is not there any more */
static int repair_noted(const struct tw_noted *noted, bool dry_run, struct tw_repair *ret)
{
	const int fd = open_file(noted->path, dry_run);
	struct stat st;
	int code = -ENOENT;

	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR ? -ENOENT : -errno;
	if (!fstat(fd, &st) && st.st_dev == noted->device && st.st_ino == noted->inode)
		code = tw_output__repair_fd(fd, noted->whole, dry_run, ret);
	close(fd);
	return code;
}

static void left__tell(const struct left *left, const char *path, const struct tw_repair *repair, int code)
{
	struct tw_error why;

	if (code && code != -ENOENT) {
		explain(code, path, &why);
		left->tell(left->ctx, path, repair, why.text);
	} else if (!code && (repair->cut || repair->closed)) {
		left->tell(left->ctx, path, repair, NULL);
	}
}

static void left__mend(const struct left *left, const struct tw_noted *noted)
{
	struct tw_repair repair = { .size = 0 };
	const int code = repair_noted(noted, left->dry_run, &repair);

	left__tell(left, noted->path, &repair, code);
}

/* A note is done with even if its file could not be mended: that was said, and would not be otherwise the next time. */
static int look_at_note(struct tw_state_file *file, void *ctx, struct tw_error *err)
{
	const struct left *left = ctx;
	struct tw_noted noted;
	int code;

	(void)err;
	if (tw_state_file__try_lock(file))
		return 0;
	code = tw_note__read(file, &noted);
	if (!code)
		left__mend(left, &noted);
	if (!left->dry_run && (!code || code == -ENODATA))
		tw_state_file__remove(file);
	return 0;
}

int tw_output__repair_left(bool dry_run,
			   void (*tell)(void *ctx, const char *path, const struct tw_repair *repair, const char *why),
			   void *ctx, struct tw_error *err)
{
	struct left left = { dry_run, tell, ctx };

	return tw_state_file__each(TW_NOTES, look_at_note, &left, err);
}

/* Who writes a file has locked it. Return: as above */
static int repair_unlocked(const char *path, struct tw_repair *ret)
{
	const int fd = open_file(path, false);
	int code = -ENOENT;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		code = tw_output__repair_fd(fd, 0, false, ret);
	close(fd);
	return code;
}

void tw_output__repair_newest(const char *path,
			      void (*tell)(void *ctx, const char *path, const struct tw_repair *repair,
					   const char *why),
			      void *ctx)
{
	const struct left left = { false, tell, ctx };
	struct tw_repair repair = { .size = 0 };
	char newest[PATH_MAX];
	int code;

	if (!tw_file_names__newest(path, newest, sizeof(newest))) {
		code = repair_unlocked(newest, &repair);
		left__tell(&left, newest, &repair, code);
	}
}
