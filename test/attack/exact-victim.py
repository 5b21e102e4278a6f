# A victim that knows exactly how long the server's main thread worked until it was answered: asks cheap requests at a
# steady pace, each on the same connection, and reads the kernel's counter of that thread before and after each.
# Usage: exact-victim.py. Its standard input has a line of JSON that says whom to ask for what, and then a line with a
# number of milliseconds for each time that it is to ask; it answers each with a line of JSON.
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
    return http.client.HTTPConnection('127.0.0.1', port, timeout=30, source_address=(address, 0))


def main():
    wanted = json.loads(sys.stdin.readline())
    counter = counter_of(wanted['pid'])
    paths, pace = wanted['paths'], wanted['paceMs'] / 1000
    headers = {'Authorization': f"Bearer {wanted['token']}"}
    print('ready', flush=True)
    asked = 0
    for line in sys.stdin:
        connection = connection_to(wanted['port'], wanted['from'])
        connection.connect()
        until = time.monotonic() + float(line) / 1000
        worked, statuses = [], {}
        while time.monotonic() < until:
            due = time.monotonic() + pace
            before = nanoseconds(counter)
            connection.request('GET', paths[asked % len(paths)], headers=headers)
            answer = connection.getresponse()
            answer.read()
            worked.append((nanoseconds(counter) - before) / 1e6)
            statuses[str(answer.status)] = statuses.get(str(answer.status), 0) + 1
            asked += 1
            time.sleep(max(0, due - time.monotonic()))
        connection.close()
        print(json.dumps({'worked': worked, 'statuses': statuses}), flush=True)


main()
