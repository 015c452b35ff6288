/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/cgroups.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "producer/bpf_kernel.h"

#define DEPTH_MAX 32
#ifndef FILEID_KERNFS
#define FILEID_KERNFS 0xfe /* of the kernel's exportfs.h */
#endif
#define ID_MIN        4  /* digits of an id that are enough */
#define ID_LEN        64 /* digits of a complete id */
#define ROOT_ID       1  /* number of the root of cgroup2, unless this process is in a cgroup namespace */
#define NAME_MAX_HERE 256

/* Finds the mount point. Programs compare the depth of a cgroup, which a cgroup namespace hides. */
static int find_root(char *ret, struct tw_error *error)
{
	const int fd = tw_cgroup__open_root(ret);
	struct stat st;
	int err = fd < 0 ? fd : 0;

	if (!err && fstat(fd, &st))
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		return tw_error__set(error, err, "cgroups cannot be selected: cgroup2 is not mounted");
	if (st.st_ino != ROOT_ID)
		return tw_error__set(error, -EINVAL,
				     "cgroups cannot be selected in a cgroup namespace: run Tracewire outside of it");
	return 0;
}

/* The number of names in a path */
static uint32_t depth_of(const char *path)
{
	uint32_t depth = 0;

	for (; *path; path++)
		depth += *path != '/' && (path[1] == '/' || !path[1]);
	return depth;
}

/* @path: below the root, which may be "" */
static int identify(const char *root, const char *path, struct tw_sockts_cgroup *ret)
{
	char full[2 * PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(full, sizeof(full), "%s/%s", root, path) >= sizeof(full))
		return -ENAMETOOLONG;
	if (stat(full, &st))
		return errno == ENOTDIR ? -ENOENT : -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOENT;
	*ret = (struct tw_sockts_cgroup){ .id = st.st_ino, .level = depth_of(path) };
	return 0;
}

static bool has_dots(const char *path)
{
	const size_t len = strlen(path);

	return strstr(path, "/../") || strstr(path, "/./") || (len >= 3 && !strcmp(path + len - 3, "/..")) ||
	       (len >= 2 && !strcmp(path + len - 2, "/."));
}

int tw_socket_cgroup__find(const char *path, struct tw_sockts_cgroup *ret, struct tw_error *error)
{
	char root[PATH_MAX];
	int err = find_root(root, error);
	size_t len;

	if (err)
		return err;
	len = strlen(root);
	if (path[0] != '/' || has_dots(path))
		return tw_error__set(
			error, -EINVAL,
			"--cgroup '%s' is not a path as in /proc/PID/cgroup, such as /system.slice/nginx.service",
			path);
	if (!strncmp(path, root, len) && (path[len] == '/' || !path[len]))
		path += len;
	err = identify(root, path, ret);
	if (err)
		return tw_error__set(error, err,
				     "--cgroup '%s': there is no such cgroup below %s (%s); `systemd-cgls` shows them",
				     path, root, strerror(-err));
	return 0;
}

/* Removes a beginning or an end from a name. Return: whether it had it */
static bool cut_prefix(char *name, const char *prefix)
{
	const size_t len = strlen(prefix);

	if (strncmp(name, prefix, len) != 0)
		return false;
	memmove(name, name + len, strlen(name + len) + 1);
	return true;
}

static bool cut_suffix(char *name, const char *suffix)
{
	const size_t len = strlen(name), cut = strlen(suffix);

	if (len <= cut || strcmp(name + len - cut, suffix) != 0)
		return false;
	name[len - cut] = '\0';
	return true;
}

/* Replaces the escapes of systemd, \x2d, by their bytes. */
static void unescape(char *name)
{
	char *to = name;

	for (const char *at = name; *at; to++) {
		char digits[3] = { 0 };

		if (at[0] == '\\' && at[1] == 'x' && isxdigit((unsigned char)at[2]) && isxdigit((unsigned char)at[3])) {
			memcpy(digits, at + 2, 2);
			*to = (char)strtoul(digits, NULL, 16);
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = '\0';
}

static bool is_id(const char *text, size_t len)
{
	return len >= ID_MIN && len <= ID_LEN && strspn(text, "0123456789abcdef") == len && !text[len];
}

/* Whether a cgroup is that of a container, by the form of its name. @parent: the name of the cgroup above */
static bool is_container(const char *cgroup, const char *parent, const char *wanted)
{
	static const char *const of_ids[] = { "docker-", "libpod-", "cri-containerd-", "crio-" };
	static const char *const of_names[] = { "machine-", "systemd-nspawn@", "lxc.payload.", "crun-", "runc-" };
	const size_t len = strlen(wanted);
	bool has_name = !strcmp(parent, "lxc");
	char name[NAME_MAX_HERE];

	snprintf(name, sizeof(name), "%s", cgroup);
	if (!cut_suffix(name, ".scope"))
		cut_suffix(name, ".service");
	for (size_t i = 0; i < sizeof(of_ids) / sizeof(of_ids[0]); i++)
		if (cut_prefix(name, of_ids[i]))
			break;
	if (strlen(name) == ID_LEN && is_id(name, ID_LEN))
		return is_id(wanted, len) && !strncmp(name, wanted, len);
	for (size_t i = 0; i < sizeof(of_names) / sizeof(of_names[0]); i++)
		has_name |= cut_prefix(name, of_names[i]);
	if (has_name)
		unescape(name);
	return has_name && !strcmp(name, wanted);
}

/* The cgroups that were found. */
struct found {
	char path[PATH_MAX]; /* the first one */
	size_t n;
};

struct search {
	const char *root, *wanted;
	struct found containers;
	struct found others; /* those that have only the wanted name */
};

static void note(struct found *found, const char *path)
{
	if (!found->n++)
		snprintf(found->path, sizeof(found->path), "%s", path);
}

/*
 * Whether a cgroup can be that of a container that was started without systemd: crun and runc make the cgroup NAME below the root,
 * and containerd below the cgroup of its namespace.
 */
static bool is_plain(const char *cgroup, unsigned int depth, const char *wanted)
{
	return depth < 2 && !strcmp(cgroup, wanted);
}

static void search_below(struct search *search, const char *path, const char *name, unsigned int depth)
{
	char full[2 * PATH_MAX], below[PATH_MAX];
	const struct dirent *entry;
	DIR *dir;

	snprintf(full, sizeof(full), "%s%s", search->root, path);
	dir = opendir(full);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    (size_t)snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= sizeof(below))
			continue;
		/* what is below the cgroup of a container belongs to it */
		if (is_container(entry->d_name, name, search->wanted)) {
			note(&search->containers, below);
			continue;
		}
		if (is_plain(entry->d_name, depth, search->wanted))
			note(&search->others, below);
		if (depth < DEPTH_MAX)
			search_below(search, below, entry->d_name, depth + 1);
	}
	if (dir)
		closedir(dir);
}

int tw_socket_cgroup__find_container(const char *name, struct tw_sockts_cgroup *ret, struct tw_error *error)
{
	struct search search = { .wanted = name };
	const struct found *found = &search.containers;
	char root[PATH_MAX];
	int err = find_root(root, error);

	if (err)
		return err;
	search.root = root;
	if (*name) /* otherwise each prefix of a name, such as "crun-", would be one */
		search_below(&search, "", "", 0);
	if (!found->n)
		found = &search.others;
	if (found->n > 1)
		return tw_error__set(error, -EINVAL,
				     "--container '%s': there are %zu such cgroups, one is %s; give --cgroup", name,
				     found->n, found->path);
	err = found->n ? identify(root, found->path, ret) : -ENOENT;
	if (err)
		return tw_error__set(
			error, err,
			"--container '%s': no cgroup below %s has this name or id; of containers of Podman, Docker and Kubernetes, "
			"cgroups have only the id: give it, as `podman ps` or `docker ps` shows it",
			name, root);
	return 0;
}

/* The number of a cgroup is its file handle. */
bool tw_socket_cgroup__is_gone(const struct tw_sockts_cgroup *cgroup)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(cgroup->id)];
	} of = { .handle = { .handle_bytes = sizeof(cgroup->id), .handle_type = FILEID_KERNFS } };
	const int root = tw_cgroup__open_root(NULL);
	int fd, err;

	if (root < 0)
		return false;
	memcpy(of.handle.f_handle, &cgroup->id, sizeof(cgroup->id));
	fd = open_by_handle_at(root, &of.handle, O_PATH | O_CLOEXEC);
	err = errno;
	if (fd >= 0)
		close(fd);
	close(root);
	return fd < 0 && err == ESTALE;
}
