# Runs OpenStack Swift with its S3 interface in one process: proxy, account, container and object server, objects in memory.
# Usage: swift-server.py FOLDER. Prints the port of the S3 interface once it answers; ends when standard input is closed.
import os
import sys

import eventlet
eventlet.monkey_patch()

from eventlet.green import socket  # noqa: E402

folder = sys.argv[1]
host = '127.0.0.1'


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = only\ndefault = yes\n')
import swift.common.utils as utils  # noqa: E402
utils.SWIFT_CONF_FILE = os.path.join(folder, 'swift.conf')
utils.validate_hash_conf()
import swift.common.storage_policy as storage_policy  # noqa: E402
storage_policy.SWIFT_CONF_FILE = utils.SWIFT_CONF_FILE
storage_policy.reload_storage_policies()
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp, SwiftHttpProtocol  # noqa: E402

devices = os.path.join(folder, 'devices')
os.makedirs(os.path.join(devices, 'disk'))
common = f'[DEFAULT]\nswift_dir = {folder}\ndevices = {devices}\nmount_check = false\nlog_level = ERROR\n'


class Cache:
    """Stands in for memcached, which Swift keeps its short-lived look-ups in."""
    def __init__(self):
        self.values = {}

    def get(self, key, **options):
        return self.values.get(key)

    def set(self, key, value, **options):
        self.values[key] = value

    def delete(self, key, **options):
        self.values.pop(key, None)


def cache_filter(conf, **local_conf):
    cache = Cache()

    def with_cache(app):
        def call(env, start_response):
            env['swift.cache'] = cache
            return app(env, start_response)
        return call
    return with_cache


def listener():
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind((host, 0))
    found.listen(200)
    return found


def serve(found, app):
    eventlet.spawn(eventlet.wsgi.server, found, app, log=open(os.devnull, 'w'), protocol=SwiftHttpProtocol, log_output=False)


factories = {'account': 'egg:swift#account', 'container': 'egg:swift#container', 'object': None}
for kind, egg in factories.items():
    found = listener()
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'ip': host, 'port': found.getsockname()[1],
                     'replication_ip': host, 'replication_port': found.getsockname()[1], 'device': 'disk', 'meta': ''})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f'{kind}.ring.gz'))
    use = f'use = {egg}' if egg else 'paste.app_factory = swift.obj.mem_server:app_factory'
    serve(found, loadapp(write(f'{kind}.conf', f'{common}[pipeline:main]\npipeline = server\n[app:server]\n{use}\n')))

proxy = write('proxy.conf', f'''{common}
[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
paste.filter_factory = __main__:cache_filter
[filter:s3api]
use = egg:swift#s3api
max_bucket_listing = 5
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
''')
found = listener()
serve(found, loadapp(proxy))
print(found.getsockname()[1], flush=True)
eventlet.tpool.execute(sys.stdin.read)
