/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sync/phc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"

#define READINGS   3
#define PRECISE_NS 100 /* what hardware that takes both at once may be off by: PCIe PTM tells to some tens of ns */

int tw_phc__open(const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct ifreq req = { .ifr_data = (char *)&info };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char path[32];
	int rc;

	if (fd < 0)
		return -errno;
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", ifname);
	rc = ioctl(fd, SIOCETHTOOL, &req) < 0 ? -errno : 0;
	close(fd);
	if (rc || info.phc_index < 0)
		return rc ? rc : -ENODEV;
	snprintf(path, sizeof(path), "/dev/ptp%d", info.phc_index);
	rc = open(path, O_RDONLY | O_CLOEXEC);
	return rc < 0 ? -errno : rc;
}

static uint64_t ns_of(const struct ptp_clock_time *t)
{
	return (uint64_t)t->sec * TW_NS_PER_SECOND + t->nsec;
}

static int read_precise(int fd, struct tw_phc_reading *ret)
{
	struct ptp_sys_offset_precise p = { 0 };

	if (ioctl(fd, PTP_SYS_OFFSET_PRECISE, &p) < 0)
		return -errno;
	*ret = (struct tw_phc_reading){ ns_of(&p.device), ns_of(&p.sys_realtime), PRECISE_NS };
	return 0;
}

/* REALTIME right before, the clock, REALTIME right after. */
static int read_extended(int fd, struct tw_phc_reading *ret)
{
	struct ptp_sys_offset_extended e = { .n_samples = READINGS };
	struct tw_phc_reading best = { .error_ns = UINT64_MAX };

	if (ioctl(fd, PTP_SYS_OFFSET_EXTENDED, &e) < 0)
		return -errno;
	for (int i = 0; i < READINGS; i++) {
		const uint64_t before = ns_of(&e.ts[i][0]), after = ns_of(&e.ts[i][2]);

		if (after < before || after - before >= best.error_ns)
			continue;
		best = (struct tw_phc_reading){ ns_of(&e.ts[i][1]), before + (after - before) / 2, after - before };
	}
	if (best.error_ns == UINT64_MAX)
		return -EIO;
	best.error_ns = best.error_ns / 2 + 1;
	*ret = best;
	return 0;
}

int tw_phc__read(int fd, struct tw_phc_reading *ret)
{
	const int rc = read_precise(fd, ret);

	return rc ? read_extended(fd, ret) : 0;
}
