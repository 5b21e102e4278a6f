# A victim that knows exactly how long the main thread that serves it worked until it was answered: asks cheap requests at
# a steady pace, each on the same connection, and reads the kernel's counter of that thread before and after each.
# Usage: exact-victim.py. Its standard input has a line of JSON that says whom to ask for what, and then a line with a
# number of milliseconds for each time that it is to ask; it answers each with a line of JSON.
import ctypes
import http.client
import json
import os
import platform
import re
import struct
import sys
import time

PERF_TYPE_SOFTWARE = 1
PERF_COUNT_SW_TASK_CLOCK = 1
PERF_ATTR_SIZE_VER0 = 64
SYS_PERF_EVENT_OPEN = {'x86_64': 298, 'aarch64': 241}


def counter_of(thread):
    """A file that tells the nanoseconds that a thread has worked, up to now (perf_event_open(2))."""
    number = SYS_PERF_EVENT_OPEN.get(platform.machine())
    if number is None:
        sys.exit(f'the number of perf_event_open on {platform.machine()} is not known here')
    attributes = ctypes.create_string_buffer(PERF_ATTR_SIZE_VER0)
    struct.pack_into('IIQ', attributes, 0, PERF_TYPE_SOFTWARE, PERF_ATTR_SIZE_VER0, PERF_COUNT_SW_TASK_CLOCK)
    libc = ctypes.CDLL(None, use_errno=True)
    file = libc.syscall(number, attributes, thread, -1, -1, 0)
    if file < 0:
        sys.exit(f'the kernel does not tell what a thread has worked: {os.strerror(ctypes.get_errno())}')
    return file


def nanoseconds(counter):
    return struct.unpack('Q', os.read(counter, 8))[0]


def connection_to(port, address):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30, source_address=(address, 0))
    connection.connect()
    return connection


def server_of(connection, port, pids):
    """The process that has the other end of a connection to this machine, of one or several."""
    if len(pids) == 1:
        return pids[0]
    # The table of connections may lack some while others come and go.
    for _ in range(100):
        socket = socket_of(port, connection.sock.getsockname()[1])
        for pid in pids:
            if socket in links_of(pid):
                return pid
        time.sleep(0.01)
    sys.exit('no process has the other end of the connection')


def socket_of(port, own):
    """The other end of a connection to a port from a port of one's own, as its process names it; None: not found."""
    ends = re.compile(f':{port:04X} [0-9A-F]+:{own:04X} ')
    for path in ('/proc/net/tcp', '/proc/net/tcp6'):
        with open(path) as table:
            for line in table:
                if ends.search(line):
                    return f'socket:[{line.split()[9]}]'
    return None


def links_of(pid):
    folder = f'/proc/{pid}/fd'
    links = set()
    for name in os.listdir(folder):
        try:
            links.add(os.readlink(f'{folder}/{name}'))
        except FileNotFoundError:
            pass  # Closed meanwhile.
    return links


def ask_once(connection, path, headers):
    connection.request('GET', path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    return str(answer.status)


def main():
    wanted = json.loads(sys.stdin.readline())
    counters = {pid: counter_of(pid) for pid in wanted['pids']}
    paths, pace = wanted['paths'], wanted['paceMs'] / 1000
    headers = {'Authorization': f"Bearer {wanted['token']}"}
    print('ready', flush=True)
    asked = 0
    for line in sys.stdin:
        connection = connection_to(wanted['port'], wanted['from'])
        # A connection is with a worker once that has answered on it.
        ask_once(connection, paths[0], headers)
        counter = counters[server_of(connection, wanted['port'], wanted['pids'])]
        until = time.monotonic() + float(line) / 1000
        worked, statuses = [], {}
        while time.monotonic() < until:
            due = time.monotonic() + pace
            before = nanoseconds(counter)
            status = ask_once(connection, paths[asked % len(paths)], headers)
            worked.append((nanoseconds(counter) - before) / 1e6)
            statuses[status] = statuses.get(status, 0) + 1
            asked += 1
            time.sleep(max(0, due - time.monotonic()))
        connection.close()
        print(json.dumps({'worked': worked, 'statuses': statuses}), flush=True)


main()
