/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sources of format texts: tracefs or a copy of its directory, an archive of one, the beginning of a trace.dat file. */
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "oracle.h"

char *read_file(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "r"); /* tracefs files have no size, so they are read to the end */
	size_t size = 1 << 16, len = 0, n;
	char *data = NULL, *larger;

	if (!f)
		return NULL;
	while ((larger = realloc(data, size))) {
		data = larger;
		n = fread(data + len, 1, size - len, f);
		len += n;
		if (len < size)
			break;
		size *= 2;
	}
	if (!larger || ferror(f)) { /* an event that was removed a moment ago cannot be read */
		const int err = errno;

		fclose(f);
		free(data);
		errno = err;
		return NULL;
	}
	fclose(f);
	*ret_len = len;
	return data;
}

static int visit_file(const char *path, enum tw_schema_kind kind, const char *system, text_visitor visit, void *context)
{
	size_t len;
	char *text = read_file(path, &len);
	int err;

	if (!text)
		return -errno;
	err = visit(context, kind, system, text, len);
	free(text);
	return err;
}

/* The system's name in `.../SYSTEM/EVENT/format`. */
static void system_of(const char *path, char *ret, size_t size)
{
	char copy[4096];

	snprintf(copy, sizeof(copy), "%s", path);
	for (int i = 0; i < 2; i++)
		*strrchr(copy, '/') = '\0';
	snprintf(ret, size, "%s", strrchr(copy, '/') + 1);
}

static int walk_folder(const char *folder, text_visitor visit, void *context)
{
	char path[4096], system[256];
	glob_t found;
	int err;

	snprintf(path, sizeof(path), "%s/header_page", folder);
	err = visit_file(path, TW_SCHEMA_HEADER_PAGE, "", visit, context);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/header_event", folder);
	err = visit_file(path, TW_SCHEMA_HEADER_EVENT, "", visit, context);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/*/*/format", folder);
	if (glob(path, 0, NULL, &found))
		return -ENOENT;
	for (size_t i = 0; i < found.gl_pathc && !err; i++) {
		system_of(found.gl_pathv[i], system, sizeof(system));
		err = visit_file(found.gl_pathv[i], TW_SCHEMA_EVENT, system, visit, context);
		if (err == -ENOENT || err == -ENODEV) /* other tests add and remove events */
			err = 0;
	}
	globfree(&found);
	return err;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int walk_archive(const char *archive, text_visitor visit, void *context)
{
	char folder[] = "/tmp/tracewire-formats-XXXXXX";
	char command[8192];
	int err = -EIO;

	if (!mkdtemp(folder))
		return -errno;
	snprintf(command, sizeof(command), "tar -xJf '%s' -C '%s'", archive, folder);
	if (!system(command)) {
		snprintf(command, sizeof(command), "%s/events", folder);
		err = walk_folder(command, visit, context);
	}
	nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return err;
}

/* The unread rest of a trace.dat file. A read beyond the end of the file returns zeroes, and leaves no rest. */
struct head {
	const char *at;
	size_t left;
};

static const char *take(struct head *head, uint64_t len)
{
	static const char nothing[16]; /* larger than any string or number read here */
	const char *at = head->at;

	if (len > head->left) {
		head->left = 0;
		return nothing;
	}
	head->at += len;
	head->left -= len;
	return at;
}

static const char *take_string(struct head *head)
{
	return take(head, strnlen(head->at, head->left) + 1);
}

static uint32_t take32(struct head *head)
{
	return tw_load32(take(head, 4), false);
}

/* Visits a text, which follows its length. */
static int take_text(struct head *head, enum tw_schema_kind kind, const char *system, text_visitor visit, void *context)
{
	uint64_t len = tw_load64(take(head, 8), false);
	const char *text = take(head, len);

	return head->left ? visit(context, kind, system, text, len) : -EPROTO;
}

static int take_events(struct head *head, const char *system, text_visitor visit, void *context)
{
	int err = 0;

	for (uint32_t n = take32(head); n && !err; n--)
		err = take_text(head, TW_SCHEMA_EVENT, system, visit, context);
	return err;
}

/* In the order of trace-cmd.dat.v6(5): magic ... page size, header_page, header_event, formats of system ftrace, formats of all others */
static int walk_trace_dat(struct head head, text_visitor visit, void *context)
{
	static const char magic[] = "\x17\x08\x44tracing6";
	int err;

	if (head.left < sizeof(magic) || memcmp(take(&head, sizeof(magic)), magic, sizeof(magic)) || *take(&head, 1))
		return -EPROTO;
	take(&head, 1 + 4);
	if (strcmp(take_string(&head), "header_page"))
		return -EPROTO;
	err = take_text(&head, TW_SCHEMA_HEADER_PAGE, "", visit, context);
	if (!err && strcmp(take_string(&head), "header_event"))
		return -EPROTO;
	if (!err)
		err = take_text(&head, TW_SCHEMA_HEADER_EVENT, "", visit, context);
	if (!err)
		err = take_events(&head, "ftrace", visit, context);
	for (uint32_t n = err ? 0 : take32(&head); n && !err; n--)
		err = take_events(&head, take_string(&head), visit, context);
	return err;
}

int walk_texts(const char *source, text_visitor visit, void *context)
{
	const char *suffix = strrchr(source, '.');
	struct stat st;
	size_t len;
	char *data;
	int err;

	if (stat(source, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return walk_folder(source, visit, context);
	if (suffix && !strcmp(suffix, ".xz"))
		return walk_archive(source, visit, context);
	data = read_file(source, &len);
	if (!data)
		return -errno;
	err = walk_trace_dat((struct head){ data, len }, visit, context);
	free(data);
	return err;
}
