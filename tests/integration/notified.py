#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# What a service tells its manager, a line each with the seconds since the start before it. Usage: notified.py SOCKET
import os
import socket
import sys
import time

manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
start = time.monotonic()
print("listening", flush=True)
while True:
    for line in manager.recv(4096).decode().splitlines():
        print(f"{time.monotonic() - start:.3f} {line}", flush=True)
