#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# A service manager: prints the messages that a service sends it, one per line, with the seconds since the start. With --full, its socket is
# full at first, and it reads only after SIGUSR1.
# Usage: notified.py [--full] SOCKET; @NAME is an abstract socket
import os
import signal
import socket
import sys
import time


def fill(address):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filler:
        filler.setblocking(False)
        try:
            while True:
                filler.sendto(b"FILL=1", address)
        except BlockingIOError:
            pass


name = sys.argv[-1]
address = "\0" + name[1:] if name[0] == "@" else name
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(address)
if name[0] != "@":
    os.chmod(name, 0o777)
start = time.monotonic()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
if sys.argv[1] == "--full":
    fill(address)
print("listening", flush=True)
if sys.argv[1] == "--full":
    signal.sigwait([signal.SIGUSR1])
while True:
    for line in manager.recv(4096).decode().splitlines():
        print(f"{time.monotonic() - start:.3f} {line}", flush=True)
