/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap-tools/output/output_impl.h"

#define ZST  ".zst"
#define MARK "_00000_20261121093000" /* example of what a name has before its suffix; any digits match */

bool tw_file_names__is_compressed(const char *name)
{
	const size_t len = strlen(name);

	return len > strlen(ZST) && !strcmp(name + len - strlen(ZST), ZST);
}

/* Return: offset of the suffix: in x.pcapng.zst, the offset of .pcapng; the end of the name if it has no suffix */
static size_t ending(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base), at = len;

	if (tw_file_names__is_compressed(base))
		at = len -= strlen(ZST);
	while (len > 1 && base[len - 1] != '.')
		len--;
	return (size_t)(base - path) + (len > 1 ? len - 1 : at);
}

int tw_file_names__make(const char *path, uint64_t number, time_t time, char *ret, size_t size)
{
	const size_t base = ending(path);
	char date[32];
	struct tm tm;
	int len;

	localtime_r(&time, &tm);
	strftime(date, sizeof(date), "%Y%m%d%H%M%S", &tm);
	len = snprintf(ret, size, "%.*s_%05" PRIu64 "_%s%s", (int)base, path, number % 100000, date, path + base);
	return len < (int)size ? 0 : -ENAMETOOLONG;
}

void tw_output__pattern(const char *path, char *ret, size_t size)
{
	const size_t base = ending(path);

	snprintf(ret, size, "%.*s_*%s", (int)base, path, path + base);
}

/* Return: length of @mark if @text begins like @mark, with any digits in place of those of @mark; otherwise 0 */
static size_t match_mark(const char *text, const char *mark)
{
	const size_t len = strlen(mark);

	for (size_t i = 0; i < len; i++) {
		if (mark[i] == '_' ? text[i] != '_' : text[i] < '0' || text[i] > '9')
			return 0;
	}
	return len;
}

/* Whether tw_file_names__make() gives names like @name. @first: the part before the number, of @len bytes; @last: the suffix */
static bool is_one(const char *name, const char *first, size_t len, const char *last)
{
	const size_t mark = strncmp(name, first, len) ? 0 : match_mark(name + len, MARK);

	return mark && !strcmp(name + len + mark, last);
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
						      : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/*
 * Finds the newest of the files of @path in @dir, its directory. @base: offset of the file name in @path. Of two files written at the
 * same moment, the file with the larger number is newer.
 */
static void look_for_newest(DIR *dir, const char *path, size_t base, char *ret)
{
	const char *last = path + ending(path), *first = path + base;
	struct stat newest = { .st_size = 0 };
	struct dirent *entry;
	struct stat st;

	*ret = '\0';
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (!is_one(name, first, (size_t)(last - first), last) ||
		    fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (*ret && (is_newer(&newest, &st) || (!is_newer(&st, &newest) && strcmp(name, ret) < 0)))
			continue;
		newest = st;
		snprintf(ret, sizeof(entry->d_name), "%s", name);
	}
}

int tw_file_names__newest(const char *path, char *ret, size_t size)
{
	const char *slash = strrchr(path, '/');
	const size_t base = slash ? (size_t)(slash + 1 - path) : 0;
	char newest[sizeof(((struct dirent *)0)->d_name)];
	DIR *dir;

	if (snprintf(ret, size, "%.*s", base ? (int)base : 1, base ? path : ".") >= (int)size)
		return -ENAMETOOLONG;
	dir = opendir(ret);
	if (!dir)
		return -errno;
	look_for_newest(dir, path, base, newest);
	closedir(dir);
	if (!*newest)
		return -ENOENT;
	return snprintf(ret, size, "%.*s%s", (int)base, path, newest) < (int)size ? 0 : -ENAMETOOLONG;
}
