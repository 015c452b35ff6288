/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/phcs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "clocks/clock_convert.h"
#include "clocks/distance.h"

#define FOUND_MAX 64 /* limit of /dev/ptp* that are looked at; more than TW_PHC_MAX, because some may be unreadable */

void tw_phcs__init(struct tw_phcs *phcs, void (*failed)(void *ctx, const char *sentence), void *ctx)
{
	*phcs = (struct tw_phcs){ .synced.index = -1, .failed = failed, .ctx = ctx };
}

static void say(const struct tw_phcs *phcs, const struct tw_error *error)
{
	if (phcs->failed)
		phcs->failed(phcs->ctx, error->text);
}

int tw_phcs__check_name(const char *name, struct tw_error *error)
{
	if (tw_phc__is_name(name))
		return 0;
	return tw_error__set(
		error, -EINVAL,
		"'%s' names no PTP hardware clock: give an interface, such as eth0, a clock, such as ptp0, "
		"or all",
		name);
}

/* Return: why a clock cannot be read, in the words of PHCS */
static const char *reason_of(int err)
{
	switch (-err) {
	case ENODEV:
		return "there is none";
	case EOPNOTSUPP:
		return "no hardware clock";
	case EACCES:
	case EPERM:
		return "no permission";
	case ENOSPC:
		return "too many clocks";
	default:
		return strerror(-err);
	}
}

static struct tw_phcs_entry *find(struct tw_phcs *phcs, uint16_t index)
{
	for (unsigned int i = 0; i < phcs->n; i++)
		if (phcs->entries[i].device.fd >= 0 && phcs->entries[i].device.index == index)
			return &phcs->entries[i];
	return NULL;
}

/* Return: a new entry; NULL, after a sentence, if there are too many */
static struct tw_phcs_entry *new_entry(struct tw_phcs *phcs, const char *name)
{
	struct tw_phcs_entry *entry = &phcs->entries[phcs->n];
	struct tw_error error;

	if (phcs->n == TW_PHC_MAX) {
		tw_error__set(&error, -ENOSPC, "only %d PTP hardware clocks are read; '%s' is one too many", TW_PHC_MAX,
			      name);
		if (!phcs->full)
			say(phcs, &error);
		phcs->full = true;
		return NULL;
	}
	phcs->n++;
	*entry = (struct tw_phcs_entry){ .device.fd = -1 };
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	return entry;
}

/* Whether an entry is a clock that was open, and is gone. */
static bool is_gone(const struct tw_phcs_entry *entry)
{
	return entry->device.fd < 0 && entry->device.method;
}

/* Return: the entry of a clock that was gone, and is @device now; NULL. The clock of an interface may have another number than before. */
static struct tw_phcs_entry *find_gone(struct tw_phcs *phcs, const struct tw_phc_device *device)
{
	for (unsigned int i = 0; i < phcs->n; i++) {
		struct tw_phcs_entry *entry = &phcs->entries[i];
		const struct tw_phc_device *before = &entry->device;

		if (is_gone(entry) && (*before->interface ? !strcmp(before->interface, device->interface)
							  : before->index == device->index))
			return entry;
	}
	return NULL;
}

/* Adds an open clock, unless it is already there. */
static void add_device(struct tw_phcs *phcs, const char *name, struct tw_phc_device *device)
{
	struct tw_phcs_entry *entry = find(phcs, device->index);

	if (entry && !*entry->device.interface)
		memcpy(entry->device.interface, device->interface, sizeof(device->interface));
	if (!entry && ((entry = find_gone(phcs, device)) || (entry = new_entry(phcs, name))))
		entry->device = *device;
	else
		tw_phc__close(device);
}

/* Says that a clock cannot be read, and that the run goes on without it; adds the reason for tw_phcs__text(). */
static void add_failure(struct tw_phcs *phcs, const char *name, int err, const struct tw_error *error)
{
	struct tw_phcs_entry *entry = new_entry(phcs, name);
	struct tw_error whole;

	if (!entry)
		return;
	snprintf(entry->why, sizeof(entry->why), "%s", reason_of(err));
	tw_error__set(&whole, err, "%s; the run goes on without this clock", error->text);
	say(phcs, &whole);
}

/* Adds the result of opening a clock: the device, or the failure @err. */
static void add_result(struct tw_phcs *phcs, const char *name, int err, struct tw_phc_device *device,
		       const struct tw_error *error)
{
	if (err)
		add_failure(phcs, name, err, error);
	else
		add_device(phcs, name, device);
}

static void add_index(struct tw_phcs *phcs, const char *name, unsigned int index)
{
	struct tw_phc_device device;
	struct tw_error error;
	const int err = tw_phc__at(index, &device, &error);

	add_result(phcs, name, err, &device, &error);
}

static int compare(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Get the numbers of all /dev/ptpN in ascending order; /dev may have other names for some of them. Return: their number */
static size_t list_devices(unsigned int ret[FOUND_MAX])
{
	DIR *dir = opendir("/dev");
	struct dirent *file;
	size_t n = 0;

	while (dir && n < FOUND_MAX && (file = readdir(dir)))
		n += !strncmp(file->d_name, "ptp", 3) && tw_phc__index_of(file->d_name, &ret[n]);
	if (dir)
		closedir(dir);
	qsort(ret, n, sizeof(ret[0]), compare);
	return n;
}

static void add_all(struct tw_phcs *phcs)
{
	unsigned int found[FOUND_MAX];
	const size_t n = list_devices(found);
	struct tw_error error;
	char name[IFNAMSIZ];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "ptp%u", found[i]);
		add_index(phcs, name, found[i]);
	}
	if (n)
		return;
	tw_error__set(&error, -ENODEV, "this machine has no PTP hardware clock, /dev/ptp*");
	add_failure(phcs, "all", -ENODEV, &error);
}

void tw_phcs__add(struct tw_phcs *phcs, const char *name)
{
	struct tw_phc_device device;
	struct tw_error error;
	int err;

	if (!strcmp(name, "all")) {
		add_all(phcs);
		return;
	}
	err = tw_phc__open(name, &device, &error);
	add_result(phcs, name, err, &device, &error);
}

void tw_phcs__add_interface(struct tw_phcs *phcs, const char *ifname)
{
	struct tw_phc_device device;
	struct tw_error error;
	const int err = tw_phc__of_interface(ifname, &device, &error);

	if (!err || err == -EACCES || err == -EPERM)
		add_result(phcs, ifname, err, &device, &error);
}

void tw_phcs__set_synced(struct tw_phcs *phcs, int index, uint32_t ns)
{
	char name[IFNAMSIZ];

	if (index >= 0 && index != phcs->synced.index) {
		snprintf(name, sizeof(name), "ptp%d", index);
		add_index(phcs, name, (unsigned int)index);
	}
	phcs->synced.index = index;
	phcs->synced.ns = ns;
}

/* Get what must be added to a reading on CLOCK_MONOTONIC to get the stream's clock, and the error bound of the sum. */
static uint64_t beside_rings(const struct tw_clock_view *sample, uint64_t mono, uint64_t *error_ns)
{
	const uint64_t since = tw_time__apart(mono, sample->reading[TW_CLOCK_MONO]);

	*error_ns += sample->error_ns + since / (TW_NS_PER_SECOND / TW_DRIFT_MAX) + 1;
	return mono + (sample->reading[TW_CLOCK_TRACE] - sample->reading[TW_CLOCK_MONO]);
}

/*
 * A clock of a card or driver that was removed is closed, because its descriptor is of no use even if the driver is loaded again. Other
 * failures are temporary, for example while the driver resets the card. After both, each sample tries again; each is said once.
 */
static void fail(struct tw_phcs *phcs, struct tw_phcs_entry *entry, int err)
{
	const bool has_gone = err == -ENODEV;
	struct tw_error error;

	if (has_gone)
		tw_error__set(
			&error, err,
			"the PTP hardware clock /dev/ptp%u is gone: the stream has no readings of it until it is back",
			entry->device.index);
	else
		tw_error__set(&error, err,
			      "the PTP hardware clock /dev/ptp%u cannot be read: %s; the stream has no readings of it "
			      "until it can",
			      entry->device.index, strerror(-err));
	if (!*entry->why)
		say(phcs, &error);
	snprintf(entry->why, sizeof(entry->why), "%s", has_gone ? "gone" : "not readable");
	if (has_gone)
		tw_phc__close(&entry->device);
}

/* Opens a clock that was gone, if it is back. */
static void open_again(struct tw_phcs *phcs, const struct tw_phcs_entry *entry)
{
	struct tw_phc_device device;
	struct tw_error unused;
	int err;

	if (*entry->device.interface)
		err = tw_phc__of_interface(entry->device.interface, &device, &unused);
	else
		err = tw_phc__at(entry->device.index, &device, &unused);
	if (!err)
		add_device(phcs, entry->name, &device);
}

void tw_phcs__sample(struct tw_phcs *phcs, int trace, struct tw_clock_view *sample)
{
	if (!(sample->valid >> TW_CLOCK_TRACE & 1))
		return;
	for (unsigned int i = 0; i < phcs->n; i++) {
		struct tw_phcs_entry *entry = &phcs->entries[i];
		struct tw_phc_reading r;
		int err;

		if (is_gone(entry))
			open_again(phcs, entry);
		if (entry->device.fd < 0)
			continue;
		err = tw_phc__read(&entry->device, trace >= 0 ? trace : CLOCK_MONOTONIC, &r);
		if (err == -EAGAIN)
			continue;
		if (err) {
			fail(phcs, entry, err);
			continue;
		}
		entry->why[0] = '\0';
		if (trace < 0)
			r.system = beside_rings(sample, r.system, &r.error_ns);
		sample->phcs[sample->n_phcs++] = (struct tw_phc_view){
			.index = entry->device.index,
			.method = r.method,
			.error_ns = (uint32_t)tw_time__earlier(r.error_ns, UINT32_MAX),
			.sync_ns = entry->device.index == phcs->synced.index ? phcs->synced.ns : 0,
			.phc = r.phc,
			.trace = r.system,
		};
	}
}

/* Append an entry of PHCS. Return: its length */
static size_t put_entry(const struct tw_phcs_entry *entry, char *buf, size_t size)
{
	const struct tw_phc_device *phc = &entry->device;
	const char *const between = *entry->why ? ": " : "";
	int n;

	if (!phc->method) /* it was never open */
		n = snprintf(buf, size, "%s%s%s", entry->name, between, entry->why);
	else
		n = snprintf(buf, size, "%u%s%s%s%s%s%s", phc->index, *phc->interface ? " " : "", phc->interface,
			     *phc->name ? " " : "", phc->name, between, entry->why);
	return (size_t)n;
}

void tw_phcs__text(const struct tw_phcs *phcs, char ret[TW_PHCS_TEXT])
{
	size_t at = 0;

	ret[0] = '\0';
	for (unsigned int i = 0; i < phcs->n; i++) {
		char entry[160];
		const size_t n = put_entry(&phcs->entries[i], entry, sizeof(entry));

		if (at + n + 2 >= TW_PHCS_TEXT)
			return;
		at += (size_t)snprintf(ret + at, TW_PHCS_TEXT - at, "%s%s", at ? ", " : "", entry);
	}
}

void tw_phcs__fini(struct tw_phcs *phcs)
{
	for (unsigned int i = 0; i < phcs->n; i++)
		tw_phc__close(&phcs->entries[i].device);
	phcs->n = 0;
}
