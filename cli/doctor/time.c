/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/doctor/checks.h"
#include "cli/times.h"
#include "clocks/phc.h"
#include "clocks/sync.h"

#define PHCS_MAX 64
#define LOOKS    9  /* for the answers of ptp4l: 2.5 s in all */
#define FIRST_MS 10 /* between the first two looks; each time twice as long, because a busy ptp4l misses short ones */

/* Return: whether the first line of a file could be read */
static bool read_line(const char *path, char *ret, size_t size)
{
	FILE *file = fopen(path, "re");
	const bool read = file && fgets(ret, (int)size, file);

	if (file)
		fclose(file);
	if (read)
		ret[strcspn(ret, "\n")] = '\0';
	return read;
}

void look_clock_source(struct doctor_finding *ret)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies" };
	char source[32];

	if (!read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof(source))) {
		doctor__bad(ret, DOCTOR_LIMITED, "mount sysfs at /sys", "the clock source of the kernel is not known");
		return;
	}
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (strcmp(source, slow[i]))
			continue;
		doctor__bad(ret, DOCTOR_LIMITED, "`sudo dmesg | grep -i tsc` shows why the kernel does not use the TSC",
			    "%s: each event with a clock such as mono costs about a microsecond more", source);
		return;
	}
	doctor__ok(ret, "%s", source);
}

#define COMM_LEN 15 /* characters after which the kernel cuts the name of a process */

/* Programs that set clocks. Those up to PHC2SYS set the system clock. */
enum daemon { CHRONYD, NTPD, OPENNTPD, TIMESYNCD, PHC2SYS, PTP4L, TIMEMASTER, DAEMONS };

static const char *const daemon_names[] = {
	[CHRONYD] = "chronyd", [NTPD] = "ntpd",   [OPENNTPD] = "openntpd",     [TIMESYNCD] = "systemd-timesyncd",
	[PHC2SYS] = "phc2sys", [PTP4L] = "ptp4l", [TIMEMASTER] = "timemaster",
};

/* Return: a set of the daemons that run: bit n = daemon n */
static unsigned int find_daemons(void)
{
	DIR *proc = opendir("/proc");
	unsigned int ret = 0;
	struct dirent *entry;
	char path[300], name[32];

	while (proc && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' || !read_line(path, name, sizeof(name)))
			continue;
		for (unsigned int i = 0; i < DAEMONS; i++)
			if (!strncmp(name, daemon_names[i], COMM_LEN))
				ret |= 1u << i;
	}
	if (proc)
		closedir(proc);
	return ret;
}

static bool runs(unsigned int daemons, enum daemon daemon)
{
	return daemons >> daemon & 1;
}

/*
 * Writes the names of the daemons that set the system clock. If timemaster runs, only chronyd sets it, to the times that phc2sys reads.
 * Return: their number
 */
static unsigned int name_setters(unsigned int daemons, char *ret, size_t size)
{
	unsigned int n = 0;
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned int i = 0; i <= PHC2SYS; i++) {
		if (!runs(daemons, i) || (i == PHC2SYS && runs(daemons, TIMEMASTER)))
			continue;
		len += (size_t)snprintf(ret + len, size - len, "%s%s", n++ ? " and " : "", daemon_names[i]);
	}
	return n;
}

/* Looks until the program that is asked has answered: ptp4l, or chronyd, which answers at once. */
static struct tw_sync_state ask_sync(unsigned int daemons)
{
	const int looks = runs(daemons, PTP4L) ? LOOKS : runs(daemons, CHRONYD) ? 4 : 1;
	struct tw_sync *sync = tw_sync__new();
	struct tw_sync_state ret = { 0 };
	struct timespec pause;

	for (int i = 0; sync && i < looks && !strstr(ret.how, "ptp4l") && !strstr(ret.how, "chrony"); i++) {
		pause = tw_time__timespec((FIRST_MS * TW_NS_PER_MS << i) / 2);
		if (i)
			nanosleep(&pause, NULL);
		tw_sync__look(sync, &ret);
	}
	tw_sync__free(sync);
	return ret;
}

static bool is_free(const struct tw_sync_state *state)
{
	return !state->how[0] || state->is_denied || !strcmp(state->how, "free running");
}

#define INSTALL_CHRONY \
	"`sudo apt install chrony` synchronises it, with a known error bound, by NTP; docs/time.md describes PTP"

void look_time_source(struct doctor_finding *ret)
{
	const unsigned int daemons = find_daemons();
	const struct tw_sync_state state = ask_sync(daemons);
	char names[96], text[TIMES_TEXT_MAX];

	if (name_setters(daemons, names, sizeof(names)) > 1)
		doctor__bad(ret, DOCTOR_LIMITED, "stop all of them but one",
			    "%s run at the same time, and each sets the system clock", names);
	else if (state.is_denied && runs(daemons, PTP4L))
		doctor__bad(ret, DOCTOR_LIMITED, "`sudo tracewire doctor` asks it",
			    "ptp4l runs, and only root may ask it whether the system clock is synchronised");
	else if (strstr(state.how, "hardware") && !runs(daemons, PHC2SYS) && !runs(daemons, CHRONYD))
		doctor__bad(ret, DOCTOR_LIMITED,
			    "start phc2sys, which sets one clock by the other, or use `capture --reference phc:NAME`",
			    "ptp4l uses the clock of a network card, and nothing compares the system clock with it");
	else if (strstr(state.how, "as the master"))
		doctor__ok(ret, "%s: other clocks follow this one", state.how);
	else if (state.ns)
		doctor__ok(ret, "%s; the system clock is off by %s at most", state.how,
			   times__bound(state.ns, text, sizeof(text)));
	else if (!is_free(&state))
		doctor__bad(ret, DOCTOR_LIMITED, INSTALL_CHRONY, "%s", state.how);
	else if (names[0])
		doctor__bad(ret, DOCTOR_LIMITED, "wait, or look at the messages of this program",
			    "%s runs, and has not synchronised the system clock yet", names);
	else
		doctor__bad(ret, DOCTOR_LIMITED, INSTALL_CHRONY, "no program synchronises the system clock");
}

void look_tai_offset(struct doctor_finding *ret)
{
	struct timex tx = { 0 };

	adjtimex(&tx);
	if (tx.tai)
		doctor__ok(ret, "%d s", tx.tai);
	else
		doctor__bad(
			ret, DOCTOR_LIMITED,
			"chrony sets it with `leapsectz right/UTC`, and phc2sys and ptp4l set it if the grandmaster announces "
			"it as valid and traceable",
			"not set: with -C tai, event times are UTC until a program sets it, and then jump");
}

/* Return: N of the @i-th /dev/ptpN; PHCS_MAX if there are not that many */
static unsigned int nth_phc(unsigned int i)
{
	char path[32];

	for (unsigned int n = 0; n < PHCS_MAX; n++) {
		snprintf(path, sizeof(path), "/dev/ptp%u", n);
		if (!access(path, F_OK) && !i--)
			return n;
	}
	return PHCS_MAX;
}

static bool has_phc(const char *ifname, unsigned int index)
{
	struct ethtool_ts_info info;

	return !tw_phc__ts_info(ifname, &info) && info.phc_index == (int)index;
}

static bool has_device(const char *ifname, unsigned int unused)
{
	char path[64];

	(void)unused;
	snprintf(path, sizeof(path), "/sys/class/net/%.*s/device", IFNAMSIZ - 1, ifname);
	return !access(path, F_OK);
}

/* Finds the @i-th interface for which @is(its name, @arg) is true. Return: whether there is one; @ret has IFNAMSIZ bytes */
static bool nth_interface(unsigned int i, bool (*is)(const char *ifname, unsigned int arg), unsigned int arg, char *ret)
{
	struct if_nameindex *all = if_nameindex();
	bool found = false;

	for (const struct if_nameindex *at = all; at && at->if_index && !found; at++) {
		found = is(at->if_name, arg) && !i--;
		if (found)
			snprintf(ret, IFNAMSIZ, "%s", at->if_name);
	}
	if (all)
		if_freenameindex(all);
	return found;
}

/* "ptp0 (igb) of eth0" */
static void name_phc(const struct tw_phc_device *phc, char *ret, size_t size)
{
	char ifname[IFNAMSIZ];
	const bool has = nth_interface(0, has_phc, phc->index, ifname);

	snprintf(ret, size, "ptp%u (%s)%s%s", phc->index, phc->name, has ? " of " : "", has ? ifname : "");
}

static void look_phc(struct tw_phc_device *phc, struct doctor_finding *ret)
{
	static const char *const methods[] = {
#define X(num, method, text, what) [num] = (what),
		TW_PHC_METHOD_LIST(X)
#undef X
	};
	struct tw_phc_reading reading;
	char name[96], text[TIMES_TEXT_MAX];
	int err;

	name_phc(phc, name, sizeof(name));
	err = tw_phc__read(phc, CLOCK_REALTIME, &reading);
	if (err)
		doctor__bad(ret, DOCTOR_LIMITED, "use another clock", "%s cannot be read: %s", name, strerror(-err));
	else if (tw_time__apart(reading.phc, tw_time__now(CLOCK_REALTIME)) > 60 * TW_NS_PER_SECOND)
		doctor__bad(ret, DOCTOR_LIMITED, "start ptp4l, or `sudo phc_ctl CLOCK set` on the grandmaster",
			    "%s does not show the time of day: no program has set it", name);
	else
		doctor__ok(ret, "%s: readings are off by %s at most; %s", name,
			   times__bound(reading.error_ns, text, sizeof(text)), methods[reading.method]);
}

bool look_each_phc(unsigned int i, struct doctor_finding *ret)
{
	const unsigned int n = nth_phc(i);
	struct tw_phc_device phc;
	struct tw_error error;

	if (n == PHCS_MAX && i)
		return false;
	if (n == PHCS_MAX) {
		doctor__bad(ret, DOCTOR_LIMITED,
			    "use a network card that has one, or `sudo modprobe ptp_kvm` in a KVM guest",
			    "this machine has none");
	} else if (tw_phc__at(n, &phc, &error)) {
		doctor__bad(ret, DOCTOR_LIMITED, DOCTOR_SUDO, "%s", error.text);
	} else {
		look_phc(&phc, ret);
		tw_phc__close(&phc);
	}
	return true;
}

#define HARDWARE (SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE)

static void look_stamps(const char *ifname, struct doctor_finding *ret)
{
	struct ethtool_ts_info info;
	const int err = tw_phc__ts_info(ifname, &info);

	if (err)
		doctor__bad(ret, DOCTOR_LIMITED, "use another interface", "%s: its time stamps are not known: %s",
			    ifname, strerror(-err));
	else if ((info.so_timestamping & HARDWARE) == HARDWARE && info.rx_filters & 1u << HWTSTAMP_FILTER_ALL)
		doctor__ok(ret, "%s: the card can stamp all packets, by ptp%d", ifname, info.phc_index);
	else if ((info.so_timestamping & HARDWARE) == HARDWARE)
		doctor__bad(ret, DOCTOR_LIMITED,
			    "ptp4l works; packets of Tracewire that arrive get stamps of the kernel",
			    "%s: of the received packets, the card can stamp only those of PTP, by ptp%d", ifname,
			    info.phc_index);
	else if (info.so_timestamping & SOF_TIMESTAMPING_TX_SOFTWARE)
		doctor__bad(
			ret, DOCTOR_LIMITED,
			"set `time_stamping software` in ptp4l.conf; a card with a PTP hardware clock stamps more exactly",
			"%s: the driver stamps packets, not the card", ifname);
	else
		doctor__bad(ret, DOCTOR_LIMITED, "ptp4l needs another interface, and NTP works",
			    "%s: the driver does not stamp packets that it sends", ifname);
}

bool look_each_interface(unsigned int i, struct doctor_finding *ret)
{
	char ifname[IFNAMSIZ];
	const bool found = nth_interface(i, has_device, 0, ifname);

	if (found)
		look_stamps(ifname, ret);
	else if (!i)
		doctor__bad(ret, DOCTOR_LIMITED, "ptp4l and hardware stamps need one", "there is no network card here");
	return found || !i;
}
