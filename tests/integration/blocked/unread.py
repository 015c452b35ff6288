# SPDX-License-Identifier: GPL-2.0-or-later
# Runs whose standard error or standard output is not read: a full pipe, or a terminal stopped with ^S.
# Usage: unread.py TRACEWIRE SCRATCH TRACING CAPTURE
import fcntl, json, os, pty, re, select, signal, subprocess, sys, threading, time

tracewire, scratch, tracing, sample = sys.argv[1:]
PATIENCE = 60  # s that a step may take on a busy machine; a step may be the end of a run, in which the run waits 5 s for its reader
AGAIN = 1.2    # s until the next signal: signals within half a second count as one
LOOK = 0.02    # s between two checks of a run
failures = 0


def fail(why):
    global failures
    failures += 1
    print("FAIL:", why, flush=True)


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            fail("waited in vain for: " + what)
            return
        time.sleep(0.02)


def set_blocking_of(fd, blocking):
    flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    fcntl.fcntl(fd, fcntl.F_SETFL, flags & ~os.O_NONBLOCK if blocking else flags | os.O_NONBLOCK)


class FullPipe:
    """A pipe with no room left: a write to it blocks."""

    def __init__(self):
        self.reader, self.writer = os.pipe()
        set_blocking_of(self.writer, False)
        try:
            while os.write(self.writer, b"x" * 4096):
                pass
        except BlockingIOError:
            pass
        set_blocking_of(self.writer, True)

    def read_all(self):
        """Return what a run wrote to the pipe, once all writers have ended."""
        os.close(self.writer)
        with os.fdopen(self.reader, "rb") as pipe:
            return pipe.read().lstrip(b"x").decode()

    def close(self):
        os.close(self.writer)
        os.close(self.reader)


def begun(process):
    """Whether a run of this test traces. This uses tracefs, because the output of the run is blocked."""
    try:
        with open(f"{tracing}/instances/tracewire-{process.pid}/tracing_on") as file:
            return file.read() == "1\n"
    except OSError:
        return False


def bound(port):
    with open("/proc/net/udp") as v4, open("/proc/net/udp6") as v6:
        return f":{port:04X} " in v4.read() + v6.read()


def is_in_poll(process):
    """Whether the thread that prints the summary waits for its reader."""
    try:
        with open(f"/proc/{process.pid}/wchan") as file:
            return "poll" in file.read()
    except OSError:
        return False


def ends(process, what, signals, status):
    """
    Interrupt a run and return the seconds that it waits for its reader after the last signal. Its other steps are not counted, because
    their time depends on the machine. The run checks its deadline every few ms, less often if other processes have the CPU.
    """
    for n in range(signals):
        if n:
            time.sleep(AGAIN)
        process.send_signal(signal.SIGINT)
    start = then = time.monotonic()
    waited = 0
    while process.poll() is None and then - start < PATIENCE:
        time.sleep(LOOK)
        now = time.monotonic()
        waited += now - then if is_in_poll(process) else 0
        then = now
    if process.poll() is None:
        fail(f"{what}: does not end")
        process.kill()
        process.wait()
        return 0
    print(f"{what}: {signals} signals, {then - start:.1f} s, {waited:.1f} s of them for its reader", flush=True)
    if process.returncode != status:
        fail(f"{what}: ends with {process.returncode}, not {status}")
    return waited


def check_signals(what, run):
    """After one signal, the run waits five seconds for its reader; after a second signal, it does not wait."""
    one, two = run(1), run(2)
    if one < 0.5 or two > 1.5:
        fail(f"{what}: waits {one:.1f} s after one signal, {two:.1f} s after two")


def start(args, **files):
    return subprocess.Popen([tracewire] + args, stdin=subprocess.DEVNULL, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **files})


CAPTURE = ["capture", "-u", "18131", "-w", scratch + "/x.pcapng", "--status", "0.02"]
TRACES = {
    "record": ["record", "-e", "sched:sched_switch", "-w", scratch + "/y.pcapng"],
    "stream": ["stream", "-e", "sched:sched_switch", "-u", "127.0.0.1:18132"],
    "live": ["live", "-e", "sched:sched_switch", "-Y", "trace.event_id == 0"],
}


def capture_unread(signals, *options):
    pipe = FullPipe()
    process = start(CAPTURE + list(options), stderr=pipe.writer)
    wait_for("the capture's socket", lambda: bound(18131))
    took = ends(process, "capture --status into a full pipe", signals, 1)
    pipe.close()
    return took


def capture_that_cannot_start():
    """A capture that cannot start waits for its reader, with its error message, until a signal arrives."""
    pipe = FullPipe()
    process = start(["capture", "-i", "nosuch", "-w", scratch + "/z.pcapng"], stderr=pipe.writer)
    wait_for("capture waits for its reader", lambda: "poll" in open(f"/proc/{process.pid}/wchan").read())
    ends(process, "capture that cannot start, with a full standard error", 1, 1)
    pipe.close()


def capture_duration():
    """A capture with -a ends in time although its output is blocked. It then waits until a late reader has read the queued output."""
    pipe = FullPipe()
    process = start(CAPTURE + ["-j", "-a", "duration:1"], stderr=pipe.writer)
    wait_for("the capture's socket", lambda: bound(18131))
    wait_for("the end of the capture", lambda: not bound(18131))
    if process.poll() is not None:
        fail("a capture that nobody asked to end gives up its summary")
    text = pipe.read_all()
    if process.wait(PATIENCE) != 0:
        fail("capture with a late reader fails")
    said = [json.loads(line) for line in text.splitlines()]
    said = [entry for entry in said if "note" not in entry or "statuses were omitted" in entry["note"]]
    if "begin" not in said[0] or "end" not in said[-1] or "note" not in said[-2]:
        fail(f"a late reader gets: {text}")
    if not re.match(r"[1-9][0-9]* statuses", said[-2].get("note", "")):
        fail(f"statuses that were left out are not told: {text}")


def capture_stopped_terminal(signals):
    master, slave = pty.openpty()
    process = start(CAPTURE, stderr=slave)
    shown = b""
    while b"no status: " not in shown:
        shown += os.read(master, 4096)
    os.write(master, b"\x13")
    # The run counts as stopped if it prints nothing for longer than several status intervals.
    while select.select([master], [], [], 0.5)[0]:
        os.read(master, 4096)
    took = ends(process, "capture --status on a stopped terminal", signals, 1)
    os.close(master)
    os.close(slave)
    return took


def traces_unread(name, signals):
    pipe = FullPipe()
    process = start(TRACES[name], stderr=pipe.writer)
    wait_for(name + " traces", lambda: begun(process))
    took = ends(process, name + " with a full standard error", signals, 1)
    if os.path.exists(f"{tracing}/instances/tracewire-{process.pid}"):
        fail(name + " leaves its instance")
    pipe.close()
    return took


def traces_read_late(name):
    """A reader that begins to read within the five seconds after the signal gets the summary."""
    pipe = FullPipe()
    process = start(TRACES[name], stderr=pipe.writer)
    wait_for(name + " traces", lambda: begun(process))
    process.send_signal(signal.SIGINT)
    text = pipe.read_all()
    if process.wait(PATIENCE) != 0 or not re.search(r"^\d+ events? in .* s, .*lost", text, re.M):
        fail(f"{name} with a late reader: {text}")


def explain_unread(signals):
    pipe = FullPipe()
    process = start(["filter", "explain", "-e", "sched:sched_switch", "--live", "0", "prev_pid == 0"], stdout=pipe.writer)
    wait_for("explain traces", lambda: begun(process))
    took = ends(process, "explain --live into a full pipe", signals, 1)
    pipe.close()
    return took


def has_packet_socket():
    with open("/proc/net/packet") as sockets:
        return len(sockets.readlines()) > 1


def has_program():
    return "xdp" in subprocess.run(["ip", "link", "show", "lo"], capture_output=True, text=True).stdout


def attach_waiting_unread():
    """If the first signal arrives while attach still waits for formats, attach waits five seconds for its reader, as other runs do."""
    pipe = FullPipe()
    process = start(["filter", "attach", "-i", "lo", "cpu == 0", "--action", "pass"], stderr=pipe.writer)
    wait_for("attach listens", has_packet_socket)
    took = ends(process, "attach that waits for formats, with a full standard error", 1, 1)
    if took < 0.5:
        fail(f"attach that waits for formats gives its reader {took:.1f} s")
    pipe.close()


def attach_read_late():
    """Queued output is written as soon as there is room, not only at the end."""
    pipe = FullPipe()
    process = start(["filter", "attach", "-i", "lo", "--from", sample, "cpu == 0", "--action", "pass"], stderr=pipe.writer)
    wait_for("attach is there", has_program)
    text = b""
    end = time.monotonic() + PATIENCE
    while b"attached to lo" not in text and time.monotonic() < end:
        if select.select([pipe.reader], [], [], 1)[0]:
            text += os.read(pipe.reader, 65536)
    if b"attached to lo" not in text:
        fail("attach does not write what has room")
    ends(process, "attach with a late reader", 1, 0)
    pipe.close()


def report_unread():
    """The first signal ends report at once, because report prints nothing at its end."""
    pipe = FullPipe()
    process = start(["report", sample], stdout=pipe.writer)
    wait_for("report waits for its reader", lambda: "pipe_write" in open(f"/proc/{process.pid}/wchan").read())
    ends(process, "report into a full pipe", 1, -signal.SIGINT)
    pipe.close()


def captures_unread():
    for options in [], ["-j"]:
        check_signals("capture --status", lambda signals: capture_unread(signals, *options))
    capture_that_cannot_start()
    capture_duration()
    check_signals("capture --status on a stopped terminal", capture_stopped_terminal)


def trace_unread(name):
    check_signals(name, lambda signals: traces_unread(name, signals))
    traces_read_late(name)


def others_unread():
    report_unread()
    attach_waiting_unread()
    attach_read_late()
    check_signals("explain --live", explain_unread)


def safely(check):
    """Count an exception as a failure: Python's exit status would not show an exception of a thread."""
    try:
        check()
    except Exception as error:
        fail(f"{check}: {error!r}")


# The cases run in parallel, because they mostly wait. Cases that use the same port, file or interface run in the same thread.
threads = [threading.Thread(target=safely, args=(check,)) for check in
           [captures_unread, others_unread] + [lambda name=name: trace_unread(name) for name in TRACES]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(failures != 0)
