#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares what bench/time measured with the truth, and prints the rest of a row: the median, the 99th percentile and the maximum of the
errors, the median of the bounds, and the share of samples in which the error was at most the bound. Samples without a bound are in the
errors, but not in this share.

errors.py packets FIELDS PRODUCER CLOCK CAPTURE REFERENCE DISTANCE: FIELDS has a line for each event, with packet time, time in the
    stream's clock CLOCK, and error bound. Packet times are those of the capture host's clock REFERENCE. For a PTP hardware clock, whole
    seconds are ignored, because it may be TAI.
errors.py tracecmd OPTIONS PRODUCER CAPTURE DISTANCE: OPTIONS is the output of `trace-cmd dump --options` for the producer's file.
errors.py ptp4l LOG FIELDS: LOG is ptp4l's, for two hosts with the same clock. FIELDS has a line for each CLOCK: its
    reading of CLOCK_MONOTONIC, and its bound.
errors.py phcs PRODUCER CAPTURE: the cards' clocks, in the same machine.

PRODUCER and CAPTURE are logs of bench/truth of both hosts. DISTANCE is the producer's counter - the capture host's counter.
"""
import bisect
import re
import sys


def ns(text):
    sign = -1 if text.startswith('-') else 1
    seconds, _, part = text.lstrip('-').partition('.')
    return sign * (int(seconds) * 10**9 + int((part + '0' * 9)[:9]))


class Line:
    """A clock as a function of another: between two samples, by interpolation."""

    def __init__(self, samples):
        self.samples = sorted(samples)
        self.keys = [sample[0] for sample in self.samples]

    def at(self, key):
        i = bisect.bisect_right(self.keys, key)
        if i in (0, len(self.keys)):
            return None
        (x0, y0), (x1, y1) = self.samples[i - 1], self.samples[i]
        return y0 + (y1 - y0) * (key - x0) // (x1 - x0)


def log(path, clock):
    """The samples of a clock: (counter, ns)"""
    fields = [line.split() for line in open(path)]
    samples = [(int(f[1]), int(f[2]), int(f[3])) for f in fields if len(f) == 4 and f[0] == clock]
    typical = sorted(s[2] for s in samples)[len(samples) // 2]
    return [s[:2] for s in samples if s[2] <= 2 * typical]


class Truth:
    """Converts times of the producer's clock to those of the capture host's clock."""

    def __init__(self, producer, clock, capture, of_capture, distance):
        self.counter = Line([(reading, at - distance) for at, reading in log(producer, clock)])
        self.capture = Line(log(capture, of_capture))

    def at(self, time):
        counter = self.counter.at(time)
        return None if counter is None else self.capture.at(counter)


def duration(value):
    if value < 1000:
        return f'{value:.0f} ns'
    if value < 10**6:
        return f'{value / 1000:.3g} us'
    return f'{value / 10**6:.3g} ms'


def row(samples):
    """samples: (error, bound), bound None = unknown"""
    if not samples:
        sys.exit('errors.py: there is no sample')
    errors = sorted(abs(error) for error, _ in samples)
    bounded = [(abs(error), bound) for error, bound in samples if bound is not None]
    figures = [duration(errors[len(errors) // 2]), duration(errors[len(errors) * 99 // 100]), duration(errors[-1])]
    if bounded:
        held = sum(error <= bound for error, bound in bounded)
        share = '100 %' if held == len(bounded) else f'{min(100 * held / len(bounded), 99.99):.2f} %'
        figures += [duration(sorted(bound for _, bound in bounded)[len(bounded) // 2]), share]
    else:
        figures += ['none', '-']
    mean = sum(error for error, _ in samples) / len(samples)
    print(f'{len(samples)} samples, {len(bounded)} with a bound, mean of the error {mean:.0f} ns', file=sys.stderr)
    return '| ' + ' | '.join(figures) + ' |'


def packets(fields, producer, clock, capture, reference, distance):
    truth = Truth(producer, clock, capture, reference, int(distance))
    second = 10**9
    samples = []
    for line in open(fields):
        packet, time, bound = (line.rstrip('\n').split('\t') + ['', ''])[:3]
        true = truth.at(ns(time)) if time else None
        if true is None:
            continue
        error = ns(packet) - true
        if reference.startswith('/dev/'):
            error = (error + second // 2) % second - second // 2
        samples.append((error, ns(bound) if bound else None))
    return samples


def tracecmd(options, producer, capture, distance):
    """trace-cmd interpolates between its samples: offset and time of the capture host's clock, fifty times a second"""
    truth = Truth(producer, 'mono', capture, 'mono', int(distance))
    found = re.findall(r'^\s+(-?\d+) 1 0 (\d+)\[offset', open(options).read(), re.M)
    if not found:
        sys.exit('errors.py: trace-cmd did not synchronise')
    offsets = sorted((int(time), int(offset)) for offset, time in set(found))
    line = Line(offsets)
    samples = []
    for time in range(offsets[0][0], offsets[-1][0], 20 * 10**6):
        offset, true = line.at(time), truth.at(time)
        if offset is not None and true is not None:
            samples.append((offset - (true - time), None))
    return samples


def ptp4l(path, fields):
    """A sample is the last offset that ptp4l measured before a CLOCK, with the bound in this CLOCK. ptp4l's times are CLOCK_MONOTONIC."""
    found = re.findall(r'^ptp4l\[(\d+)\.(\d+)\]: master offset\s+(-?\d+)', open(path).read(), re.M)
    offsets = [(ns(f'{seconds}.{part}'), int(offset)) for seconds, part, offset in found]
    times = [time for time, _ in offsets]
    samples = []
    for line in open(fields):
        mono, bound = (line.rstrip('\n').split('\t') + [''])[:2]
        i = bisect.bisect_right(times, ns(mono)) if mono else 0
        if i and bound:
            samples.append((offsets[i - 1][1], ns(bound)))
    return samples


def phcs(producer, capture):
    """A sample is the distance of the two clocks, in the second half of the measurement: ptp4l has then measured a hundred offsets."""
    names = [next(line.split()[0] for line in open(path) if line.startswith('/dev/')) for path in (producer, capture)]
    of_capture = Line(log(capture, names[1]))
    samples = []
    for at, reading in log(producer, names[0]):
        true = of_capture.at(at)
        if true is not None:
            samples.append((reading - true, None))
    return samples[len(samples) // 2:]


if __name__ == '__main__':
    print(row({'packets': packets, 'tracecmd': tracecmd, 'ptp4l': ptp4l, 'phcs': phcs}[sys.argv[1]](*sys.argv[2:])))
