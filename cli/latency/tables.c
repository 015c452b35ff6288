/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the files with pairs. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/latency/latency.h"
#include "cli/messages.h"

#define OF_MACHINE "/etc/tracewire/pairs"

/* Reads at most @size bytes. Return: their number, or -errno */
static ssize_t read_all(int fd, char *ret, size_t size)
{
	size_t len = 0;

	while (len < size) {
		const ssize_t n = read(fd, ret + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

/* Adds the pairs of a file; a file that does not exist has none. */
static int load(struct tw_pair_table *table, const char *path, struct tw_error *error)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text;
	ssize_t len;
	int err;

	if (fd < 0 && errno == EACCES)
		note__say("the pairs in %s are left out: %s", path, strerror(errno));
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES
			       ? 0
			       : tw_error__set(error, -errno, "cannot read the pairs in %s: %s", path, strerror(errno));
	text = malloc(TW_PAIR_TEXT_MAX + 1);
	len = text ? read_all(fd, text, TW_PAIR_TEXT_MAX + 1) : -ENOMEM;
	if (len < 0)
		err = tw_error__set(error, (int)len, "cannot read the pairs in %s: %s", path, strerror((int)-len));
	else
		err = tw_pair_table__parse(table, text, (size_t)len, path, error);
	free(text);
	close(fd);
	return err;
}

static int load_users(struct tw_pair_table *table, struct tw_error *error)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[PATH_MAX];
	int len;

	if (config && *config == '/')
		len = snprintf(path, sizeof(path), "%s/tracewire/pairs", config);
	else if (home && *home == '/')
		len = snprintf(path, sizeof(path), "%s/.config/tracewire/pairs", home);
	else
		return 0;
	return len < (int)sizeof(path) ? load(table, path, error) : 0;
}

int latency__load_pairs(struct tw_pair_table **ret, struct tw_error *error)
{
	struct tw_pair_table *table = tw_pair_table__new();
	int err;

	if (!table)
		return tw_error__set(error, -ENOMEM, "no memory for the table of pairs");
	err = tw_pair_table__ship(table, error);
	if (!err)
		err = load(table, OF_MACHINE, error);
	if (!err)
		err = load_users(table, error);
	if (err)
		tw_pair_table__free(table);
	else
		*ret = table;
	return err;
}
