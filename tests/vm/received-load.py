# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends messages over loopback to processes that read them, one flow after the other, by each protocol, family and mode of the reader.

Usage: received-load.py FLOWS
    FLOWS: gets a line of JSON for each flow: what was sent, and what each call of its reader has got

A reader waits in recvmsg() (mode recv) or in epoll_wait() (epoll) before a message is sent, or reads when all were sent (late).
"""
import array, fcntl, json, os, select, socket, struct, sys, termios

TIMESTAMPING, UDP_SIZES, TCP_SIZES = 37, (0, 1, 100, 1472, 20000, 7), (1, 100, 1448, 20000, 2, 7)
TX_SOFTWARE, RX_SOFTWARE, SOFTWARE = 2, 8, 16
RECVMSG, EPOLL_WAIT = 47, 232  # numbers of calls


def read_message(s, flags=0):
    data, ancillary, _, peer = s.recvmsg(65536, 500, flags)
    seconds, ns = [struct.unpack("qq", bytes_[:16]) for _, type_, bytes_ in ancillary if type_ == TIMESTAMPING][0]
    return len(data), seconds * 10**9 + ns, peer


def read_own_stamp(s, peer):
    """Sends, and reads the time stamp of the sent message. It is no message that was received."""
    s.sendto(b"x", peer)
    poll = select.poll()
    poll.register(s, select.POLLERR)
    poll.poll()
    s.recvmsg(65536, 500, socket.MSG_ERRQUEUE)


def read(s, mode, n, total, go, done):
    """Reads @n messages with @total bytes. @go: readable when all were sent; @done: gets a byte for each call. Return: lengths, stamps"""
    is_udp = s.type == socket.SOCK_DGRAM
    epoll = select.epoll()
    epoll.register(s, select.EPOLLIN)
    reads = []
    if mode == "late":
        os.read(go, 1)
        peer = read_message(s, socket.MSG_PEEK)[2]
        if is_udp:
            read_own_stamp(s, peer)
    while len(reads) < n and (is_udp or sum(length for length, _ in reads) < total):
        if mode == "epoll":
            epoll.poll()
        reads.append(read_message(s)[:2])
        os.write(done, b"x")
    return reads


def await_call(pid, number):
    while open(f"/proc/{pid}/syscall").read().split()[0] != str(number):
        pass


def await_bytes(s, total):
    """Waits until bytes of TCP are in the queue of a socket."""
    queued = array.array("i", [0])
    while queued[0] < total:
        fcntl.ioctl(s, termios.FIONREAD, queued)


def run(family, kind, mode, port):
    address = "127.0.0.1" if family == socket.AF_INET else "::1"
    client, s = socket.socket(family, kind), socket.socket(family, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    if kind == socket.SOCK_STREAM:
        s.listen(1)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.connect((address, port))
    if kind == socket.SOCK_STREAM:
        s = s.accept()[0]
    s.setsockopt(socket.SOL_SOCKET, TIMESTAMPING, RX_SOFTWARE | SOFTWARE | (TX_SOFTWARE if kind == socket.SOCK_DGRAM else 0))
    sizes = UDP_SIZES if kind == socket.SOCK_DGRAM else TCP_SIZES
    go, done, result = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        reads = read(s, mode, len(sizes), sum(sizes), go[0], done[1])
        os.write(result[1], json.dumps(reads).encode())
        os._exit(0)
    for size in sizes:
        if mode != "late":
            await_call(pid, RECVMSG if mode == "recv" else EPOLL_WAIT)
        client.send(b"x" * size)
        if mode != "late":
            os.read(done[0], 1)
    if mode == "late" and kind == socket.SOCK_STREAM:
        await_bytes(s, sum(sizes))
    os.write(go[1], b"x")
    assert os.waitpid(pid, 0)[1] == 0
    return {"protocol": 17 if kind == socket.SOCK_DGRAM else 6, "family": int(family), "mode": mode, "port": port, "pid": pid,
            "sizes": sizes, "reads": json.loads(os.read(result[0], 65536))}


port = 7700  # each flow has its own; a free one that the kernel chooses can be that of an earlier flow
with open(sys.argv[1], "w") as flows:
    for family in socket.AF_INET, socket.AF_INET6:
        for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
            for mode in "recv", "epoll", "late":
                port += 1
                print(json.dumps(run(family, kind, mode, port)), file=flows)
