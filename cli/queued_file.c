/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/queued_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "pcap-tools/output/pipe.h"

#define SIZE_MIN 4096
/* Bytes by which the queue may exceed QUEUED_FILE_MAX, to complete a line. If a line needs more bytes, its end may be missing. */
#define LINE_MAX ((size_t)4 << 20)

struct queued_file {
	struct tw_pipe to;
	pthread_mutex_t lock;
	char *bytes; /* the queue consists of the bytes from @at to @end */
	size_t at, end, size;
	size_t dropped;
	bool in_line;  /* the last printed byte was no newline */
	bool dropping; /* the current line is being dropped */
	int err;       /* -errno of the first failed write(); -ETIMEDOUT = deadline passed: nothing more is written */
};

/* Makes room for @len bytes. Return: false without memory, or if the queue would exceed QUEUED_FILE_MAX + LINE_MAX */
static bool make_room(struct queued_file *file, size_t len)
{
	const size_t queued = file->end - file->at;
	size_t size = file->size ? file->size : SIZE_MIN;
	char *bytes;

	if (file->at) {
		memmove(file->bytes, file->bytes + file->at, queued);
		file->at = 0;
		file->end = queued;
	}
	if (len > QUEUED_FILE_MAX + LINE_MAX - queued)
		return false;
	while (size < queued + len)
		size *= 2;
	bytes = size > file->size ? realloc(file->bytes, size) : file->bytes;
	if (!bytes)
		return false;
	file->bytes = bytes;
	file->size = size;
	return true;
}

/* Queues or drops bytes that belong together: a part of one line, or any number of lines that fit. */
static void queue_part(struct queued_file *file, const char *bytes, size_t len)
{
	if (!file->dropping && (len <= file->size - file->end || make_room(file, len))) {
		memcpy(file->bytes + file->end, bytes, len);
		file->end += len;
	} else {
		file->dropping = true;
		file->dropped += len;
	}
	file->in_line = bytes[len - 1] != '\n';
	file->dropping = file->dropping && file->in_line;
}

/* Queues bytes. A line of up to LINE_MAX bytes is queued or dropped as a whole, because its reader may be a program. */
static void queue(struct queued_file *file, const char *bytes, size_t len)
{
	while (len) {
		const size_t queued = file->end - file->at;
		const bool fits = !file->dropping && len <= QUEUED_FILE_MAX && queued <= QUEUED_FILE_MAX - len;
		const char *end = fits ? NULL : memchr(bytes, '\n', len);
		const size_t part = end ? (size_t)(end + 1 - bytes) : len;

		file->dropping |= !file->in_line && !fits && queued + part > QUEUED_FILE_MAX;
		queue_part(file, bytes, part);
		bytes += part;
		len -= part;
	}
}

/*
 * Handles the result of a write. @n: number of bytes written, or -errno. After an error, the queue is dropped. Later output is still
 * written, except after -ETIMEDOUT.
 */
static void note_written(struct queued_file *file, ssize_t n)
{
	if (n > 0) {
		file->at += (size_t)n;
	} else {
		if (!file->err || n == -ETIMEDOUT)
			file->err = (int)n;
		file->dropped += file->end - file->at;
		file->at = file->end;
	}
	if (file->at == file->end)
		file->at = file->end = 0;
}

static void write_what_has_room(struct queued_file *file)
{
	while (file->at < file->end) {
		const ssize_t n = tw_pipe__try(&file->to, file->bytes + file->at, file->end - file->at);

		if (n == -EAGAIN)
			return;
		note_written(file, n);
	}
}

/* Callback of fopencookie() for writes: queued and dropped bytes count as written. */
static ssize_t take(void *cookie, const char *bytes, size_t len)
{
	struct queued_file *file = cookie;

	pthread_mutex_lock(&file->lock);
	if (file->err != -ETIMEDOUT)
		queue(file, bytes, len);
	else
		file->dropped += len;
	write_what_has_room(file);
	pthread_mutex_unlock(&file->lock);
	return (ssize_t)len;
}

/* Callback of fopencookie() for fclose() */
static int release(void *cookie)
{
	struct queued_file *file = cookie;

	tw_pipe__close(&file->to);
	pthread_mutex_destroy(&file->lock);
	free(file->bytes);
	free(file);
	return 0;
}

struct queued_file *queued_file__open(int fd, int mode, FILE **ret)
{
	struct queued_file *file = calloc(1, sizeof(*file));
	FILE *out = file ? fopencookie(file, "w", (cookie_io_functions_t){ .write = take, .close = release }) : NULL;

	if (!out) {
		free(file);
		return NULL;
	}
	setvbuf(out, NULL, mode, BUFSIZ);
	pthread_mutex_init(&file->lock, NULL);
	file->to = tw_pipe__open(fd);
	*ret = out;
	return file;
}

int queued_file__fd(struct queued_file *file)
{
	bool is_behind;

	pthread_mutex_lock(&file->lock);
	write_what_has_room(file);
	is_behind = file->at < file->end;
	pthread_mutex_unlock(&file->lock);
	return is_behind ? tw_pipe__fd(&file->to) : -1;
}

size_t queued_file__dropped(struct queued_file *file)
{
	size_t dropped;

	pthread_mutex_lock(&file->lock);
	dropped = file->dropped;
	pthread_mutex_unlock(&file->lock);
	return dropped;
}

int queued_file__error(struct queued_file *file)
{
	int err;

	pthread_mutex_lock(&file->lock);
	err = file->err;
	pthread_mutex_unlock(&file->lock);
	return err;
}

int queued_file__finish(struct queued_file *file, const struct tw_deadline *deadline)
{
	int err;

	pthread_mutex_lock(&file->lock);
	while (file->at < file->end)
		note_written(file, tw_pipe__write(&file->to, deadline, file->bytes + file->at, file->end - file->at));
	err = file->err;
	pthread_mutex_unlock(&file->lock);
	return err;
}
