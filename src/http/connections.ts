// Limits connections: all of a server, those of one address, and the open requests of one connection.
import { BlockList, isIP, type Server, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import type { ConnectionCount, ConnectionRefusal } from '../model/worker-link.ts';
import { addressKey, networkKey } from './address-parts.ts';
import { discardRest } from './discard-input.ts';

/**
 * As many addresses as one IPv6 site (48 bits) may use up the limit of: it has 65,536 of them, and all of a server's
 * connections would be its own. IPv4 networks have no limit, since their addresses belong to strangers.
 */
const addressesOfSite = 4;

/** 0: no limit. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** From one IPv4 address or IPv6 network of 64 bits; four times as many from one of 48. Proxies are exempt. */
  readonly maxAddressConnections: number;
}

/** @param trustProxy as in the options of the server */
export function createConnectionCount(
  { maxConnections, maxAddressConnections }: ConnectionLimits,
  trustProxy: boolean | readonly string[],
): ConnectionCount {
  const isProxy = trustProxy === true ? (): boolean => true : proxies(trustProxy === false ? [] : trustProxy);
  const open = new Map<string, number>();
  let total = 0;
  const change = (keys: readonly string[], by: 1 | -1): void => {
    total += by;
    for (const key of keys) {
      const left = (open.get(key) ?? 0) + by;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    }
  };
  return {
    open: (address) => {
      if (maxConnections > 0 && total >= maxConnections) return 'connection';
      const keys = maxAddressConnections === 0 || isProxy(address) ? [] : keysOf(address);
      const isFull = (key: string, index: number): boolean =>
        (open.get(key) ?? 0) >= maxAddressConnections * (index === 0 ? 1 : addressesOfSite);
      if (keys.some(isFull)) return 'address-connection';
      change(keys, 1);
      return () => change(keys, -1);
    },
  };
}

/** What an address counts for: itself, and in IPv6 its site. */
function keysOf(address: string): readonly string[] {
  const [own, network] = [addressKey(address), networkKey(address)];
  return network.includes(':') ? [own, network] : [own];
}

/**
 * Closes connections beyond the limits as soon as they are made.
 * @param dropped called for each
 */
export function limitConnections(
  server: Server,
  count: ConnectionCount,
  dropped: (reason: ConnectionRefusal) => void,
): void {
  // Runs before the listener that starts reading requests.
  server.prependListener('connection', (socket: Socket) => {
    const opened = count.open(socket.remoteAddress ?? '');
    if (typeof opened === 'function') {
      socket.once('close', opened);
      return;
    }
    dropped(opened);
    socket.destroy();
  });
}

/** Names that the framework accepts besides addresses and networks. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

function proxies(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const one of trusted.flatMap((entry) => named[entry] ?? [entry])) {
    const [address = '', bits] = one.split('/');
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, type);
    else list.addSubnet(address, Number(bits), type);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The most requests that may wait on one connection for the responses to earlier ones. */
export const maxPipelined = 8;

/**
 * Makes the counter of pipelined requests. Beyond the limit, a connection is no longer read, and ends after the
 * responses to its earlier requests: a server may close without giving a reason (RFC 9112, section 9.6), so the client
 * need not be identified first.
 * @param ended is called for each such connection
 * @returns a function to call for each request, which returns whether to ignore it
 */
export function pipelineLimit(ended: () => void): (socket: Socket, response: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, Waiting>();
  return (socket, response) => {
    // Node gives a response its socket when the one before it has ended.
    if (response.socket !== null) return false;
    const own = waiting.get(socket) ?? { count: 0, last: null, isEnding: false };
    waiting.set(socket, own);
    if (own.count >= maxPipelined && !own.isEnding) {
      endAfter(own, socket);
      ended();
    }
    if (own.isEnding) return true;
    own.count += 1;
    own.last = response;
    response.once('close', () => {
      own.count -= 1;
    });
    return false;
  };
}

/** For one connection: how many requests wait for earlier responses, and the last of these. */
interface Waiting {
  count: number;
  last: ServerResponse | null;
  isEnding: boolean;
}

function endAfter(own: Waiting, socket: Socket): void {
  own.isEnding = true;
  discardRest(socket);
  if (own.last === null) return;
  // If its header has not been sent yet, it announces the close.
  own.last.shouldKeepAlive = false;
  own.last.once('close', () => socket.destroySoon());
}
