/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/phc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/time.h"
#include "clocks/clock_convert.h"

#define READINGS   5   /* of which the shortest is used */
#define PRECISE_NS 100 /* error bound if hardware reads both clocks at the same instant; PCIe PTM: some tens of ns */

/* The readings of one ioctl(), or of one call of clock_gettime() between two others. */
struct attempt {
	uint64_t before, phc, after;
};

static uint64_t ns_of(const struct ptp_clock_time *t)
{
	return (uint64_t)t->sec * TW_NS_PER_SECOND + t->nsec;
}

/* Keep the shortest attempt in @best. Attempts during which the clock of the system was set backward are ignored. */
static void consider(struct attempt *best, const struct attempt *attempt)
{
	if (attempt->after >= attempt->before && attempt->after - attempt->before < best->after - best->before)
		*best = *attempt;
}

static bool finish(const struct attempt *best, struct tw_phc_reading *ret)
{
	const uint64_t window = best->after - best->before;

	errno = EAGAIN;
	if (window == UINT64_MAX)
		return false;
	*ret = (struct tw_phc_reading){
		.phc = best->phc,
		.system = best->before + window / 2,
		.error_ns = window / 2 + 1,
	};
	return true;
}

static bool read_precise(const struct tw_phc_device *phc, struct tw_phc_reading *ret)
{
	struct ptp_sys_offset_precise p = { 0 };

	if (ioctl(phc->fd, PTP_SYS_OFFSET_PRECISE, &p) < 0)
		return false;
	*ret = (struct tw_phc_reading){ ns_of(&p.device), ns_of(&p.sys_monoraw), PRECISE_NS, 0 };
	return true;
}

static bool read_extended_by(const struct tw_phc_device *phc, clockid_t base, struct tw_phc_reading *ret)
{
	struct ptp_sys_offset_extended e = { .n_samples = READINGS };
	struct attempt best = { .after = UINT64_MAX };

	e.rsv[0] = (unsigned int)
		base; /* clockid since Linux 6.12; older kernels refuse all but 0, which is CLOCK_REALTIME */
	if (ioctl(phc->fd, PTP_SYS_OFFSET_EXTENDED, &e) < 0)
		return false;
	for (int i = 0; i < READINGS; i++)
		consider(&best, &(struct attempt){ ns_of(&e.ts[i][0]), ns_of(&e.ts[i][1]), ns_of(&e.ts[i][2]) });
	return finish(&best, ret);
}

static bool read_extended_raw(const struct tw_phc_device *phc, struct tw_phc_reading *ret)
{
	return read_extended_by(phc, CLOCK_MONOTONIC_RAW, ret);
}

static bool read_extended(const struct tw_phc_device *phc, struct tw_phc_reading *ret)
{
	return read_extended_by(phc, CLOCK_REALTIME, ret);
}

static bool read_basic(const struct tw_phc_device *phc, struct tw_phc_reading *ret)
{
	struct ptp_sys_offset b = { .n_samples = READINGS };
	struct attempt best = { .after = UINT64_MAX };

	if (ioctl(phc->fd, PTP_SYS_OFFSET, &b) < 0)
		return false;
	for (size_t i = 0; i < READINGS; i++)
		consider(&best,
			 &(struct attempt){ ns_of(&b.ts[2 * i]), ns_of(&b.ts[2 * i + 1]), ns_of(&b.ts[2 * i + 2]) });
	return finish(&best, ret);
}

/* Reads a clock whose driver has none of the other methods. The id of a clock device is made from its descriptor: clock_gettime(2). */
static bool read_from_userspace(const struct tw_phc_device *phc, struct tw_phc_reading *ret)
{
	const clockid_t id = ~(clockid_t)phc->fd << 3 | 3;
	struct attempt best = { .after = UINT64_MAX };

	for (int i = 0; i < READINGS; i++) {
		struct attempt a = { .before = tw_time__now(CLOCK_MONOTONIC) };
		struct timespec now;

		if (clock_gettime(id, &now) < 0)
			return false;
		a.after = tw_time__now(CLOCK_MONOTONIC);
		a.phc = (uint64_t)now.tv_sec * TW_NS_PER_SECOND + (uint64_t)now.tv_nsec;
		consider(&best, &a);
	}
	return finish(&best, ret);
}

/* The methods, the best one first. @base is the clock of the system that a method reads. */
static const struct {
	bool (*read)(const struct tw_phc_device *phc, struct tw_phc_reading *ret);
	clockid_t base;
} methods[] = {
	[TW_PHC_BY_PRECISE] = { read_precise, CLOCK_MONOTONIC_RAW },
	[TW_PHC_BY_EXTENDED_RAW] = { read_extended_raw, CLOCK_MONOTONIC_RAW },
	[TW_PHC_BY_EXTENDED] = { read_extended, CLOCK_REALTIME },
	[TW_PHC_BY_BASIC] = { read_basic, CLOCK_REALTIME },
	[TW_PHC_BY_USER] = { read_from_userspace, CLOCK_MONOTONIC },
};

/*
 * Read the PHC by one method, and convert the reading of the system's clock to the clock @on. Return: 0 or -errno; -EAGAIN if the clocks
 * were set relative to each other in between
 */
static int read_by(const struct tw_phc_device *phc, uint8_t method, clockid_t on, struct tw_phc_reading *ret)
{
	const clockid_t base = methods[method].base;
	const uint32_t drift = tw_clock_point__drift(base, on);
	struct tw_clock_point before, after;
	struct tw_clock_time time;

	before = tw_clock_point__read(base, on);
	errno = EIO;
	if (!methods[method].read(phc, ret))
		return -errno;
	ret->method = method;
	if (base == on)
		return 0;
	after = tw_clock_point__read(base, on);
	if (!tw_clock_point__agree(&before, &after, drift) ||
	    !tw_clock_point__convert(&before, &after, drift, ret->system, &time))
		return -EAGAIN;
	ret->system = time.ns;
	ret->error_ns += time.error_ns;
	return 0;
}

int tw_phc__read(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret)
{
	int err = -EOPNOTSUPP;

	for (uint8_t method = phc->method; method < sizeof(methods) / sizeof(methods[0]); method++) {
		err = read_by(phc, method, on, ret);
		if (err && !phc->settled && err != -EAGAIN && err != -ENODEV)
			continue;
		phc->settled |= !err;
		phc->method = method;
		break;
	}
	return err;
}

/* Get the name of an interface of the clock's card. A card with several interfaces can have one clock for all. */
static void read_interface(struct tw_phc_device *phc)
{
	char path[64];
	struct dirent *file;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/ptp/ptp%u/device/net", phc->index);
	dir = opendir(path);
	while (dir && !*phc->interface && (file = readdir(dir)))
		if (file->d_name[0] != '.')
			snprintf(phc->interface, sizeof(phc->interface), "%.*s", IFNAMSIZ - 1, file->d_name);
	if (dir)
		closedir(dir);
}

static void read_name(struct tw_phc_device *phc)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/ptp/ptp%u/clock_name", phc->index);
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(phc->name, sizeof(phc->name), file))
		phc->name[0] = '\0';
	phc->name[strcspn(phc->name, "\n")] = '\0';
	fclose(file);
}

bool tw_phc__index_of(const char *name, unsigned int *ret)
{
	uint64_t index;

	if (!strncmp(name, "/dev/", 5))
		name += 5;
	if (!strncmp(name, "ptp", 3))
		name += 3;
	if (!tw_number__digits(&name, &index) || *name || index > UINT16_MAX)
		return false;
	*ret = (unsigned int)index;
	return true;
}

bool tw_phc__is_name(const char *name)
{
	unsigned int unused;

	return tw_phc__index_of(name, &unused) || (*name && strlen(name) < IFNAMSIZ && !strchr(name, '/'));
}

int tw_phc__at(unsigned int index, struct tw_phc_device *ret, struct tw_error *error)
{
	struct stat is;
	char path[32];
	int err;

	*ret = (struct tw_phc_device){ .index = (uint16_t)index, .method = TW_PHC_BY_PRECISE };
	snprintf(path, sizeof(path), "/dev/ptp%u", index);
	ret->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* another kind of file must not block */
	if (ret->fd < 0) {
		err = errno == ENOENT ? ENODEV : errno;
		if (err == ENODEV)
			return tw_error__set(error, -err, "there is no PTP hardware clock %s; `ls /dev/ptp*` lists all",
					     path);
		return tw_error__set(error, -err, "the PTP hardware clock %s cannot be opened: %s", path,
				     strerror(err));
	}
	if (fstat(ret->fd, &is) < 0 || !S_ISCHR(is.st_mode)) {
		tw_phc__close(ret);
		return tw_error__set(error, -ENODEV,
				     "%s is not a device, and so no PTP hardware clock; `ls -l %s` shows what it is",
				     path, path);
	}
	read_interface(ret);
	read_name(ret);
	return 0;
}

int tw_phc__ts_info(const char *ifname, struct ethtool_ts_info *ret)
{
	struct ifreq req = { .ifr_data = (char *)ret };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	*ret = (struct ethtool_ts_info){ .cmd = ETHTOOL_GET_TS_INFO };
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%.*s", IFNAMSIZ - 1, ifname);
	err = ioctl(fd, SIOCETHTOOL, &req) < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* Return: N of /dev/ptpN; -EOPNOTSUPP if the interface has no hardware clock; another -errno */
static int index_of(const char *ifname)
{
	struct ethtool_ts_info info;
	const int err = tw_phc__ts_info(ifname, &info);

	if (err)
		return err;
	return info.phc_index < 0 ? -EOPNOTSUPP : info.phc_index;
}

int tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error)
{
	const int index = index_of(ifname);
	int err;

	ret->fd = -1;
	if (index == -ENODEV)
		return tw_error__set(error, index, "there is no interface '%s'; `ip link` lists all", ifname);
	if (index == -EOPNOTSUPP)
		return tw_error__set(error, index,
				     "the interface %s has no PTP hardware clock; `ethtool -T %s` shows what it has",
				     ifname, ifname);
	if (index < 0)
		return tw_error__set(error, index, "the PTP hardware clock of %s cannot be found: %s", ifname,
				     strerror(-index));
	err = tw_phc__at((unsigned int)index, ret, error);
	if (!err)
		snprintf(ret->interface, sizeof(ret->interface), "%.*s", IFNAMSIZ - 1, ifname);
	return err;
}

void tw_phc__close(struct tw_phc_device *phc)
{
	if (phc->fd >= 0)
		close(phc->fd);
	phc->fd = -1;
}
