# A victim that knows exactly how long the main thread that serves it worked until it was answered: asks cheap requests at
# a steady pace, each on the same connection, and reads the kernel's counter of that thread before and after each.
# Usage: exact-victim.py. Its standard input has a line of JSON that says whom to ask for what, and then a line with a
# number of milliseconds for each time that it is to ask. It says from which port it asks, hears which process serves
# that, and answers with a line of JSON.
import ctypes
import http.client
import json
import os
import platform
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
    while line := sys.stdin.readline():
        connection = connection_to(wanted['port'], wanted['from'])
        # A connection is with a worker once that has answered on it.
        ask_once(connection, paths[0], headers)
        print(connection.sock.getsockname()[1], flush=True)
        counter = counters[int(sys.stdin.readline())]
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
