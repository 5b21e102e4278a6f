// How many connections there may be: of a server, of one address, and the open requests of one connection.
import { BlockList, isIP, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import type { ConnectionCount } from '../model/worker-link.ts';
import { addressKey, networkKey } from './address-parts.ts';
import { discardRest } from './discard-input.ts';

/** As in the options of the server. */
export type TrustProxy = boolean | readonly string[];

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

/** Somebody gives a connection up for a newcomer who has so many times fewer. */
const timesFewer = 4;
/** How many connections more there may be while other processes close theirs: one for so many. */
const oneBeyondFor = 100;

export function createConnectionCount(
  { maxConnections, maxAddressConnections }: ConnectionLimits,
  trustProxy: TrustProxy,
): ConnectionCount {
  const keysOf = countedKeys(trustProxy);
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
  const countOf = (key: string): number => open.get(key) ?? 0;
  const isBeyond = (key: string, index: number): boolean =>
    maxAddressConnections > 0 && countOf(key) >= maxAddressConnections * (index === 0 ? 1 : addressesOfSite);
  /** Who has so many that one of them is due to a newcomer, whoever has most first. */
  const crowdBeside = (keys: readonly string[]): readonly string[] => {
    if (total >= maxConnections + Math.ceil(maxConnections / oneBeyondFor)) return [];
    const own = Math.max(0, ...keys.map(countOf));
    const crowd = [...open].filter(([, count]) => count >= timesFewer * (own + 1));
    return crowd.toSorted(([, one], [, other]) => other - one).map(([key]) => key);
  };
  return {
    open: (address, makeRoom = () => false) => {
      const keys = keysOf(address);
      const isFull = maxConnections > 0 && total >= maxConnections;
      const crowd = isFull ? crowdBeside(keys) : [];
      if (isFull && crowd.length === 0) return 'connection';
      if (keys.some(isBeyond)) return 'address-connection';
      if (isFull && !makeRoom(crowd)) return 'connection';
      change(keys, 1);
      return () => change(keys, -1);
    },
  };
}

/** What an address counts for: itself, and in IPv6 its site. Nothing where a trusted proxy connects for many. */
export function countedKeys(trustProxy: TrustProxy): (address: string) => readonly string[] {
  const isProxy = trustProxy === true ? (): boolean => true : proxies(trustProxy === false ? [] : trustProxy);
  return (address) => {
    if (isProxy(address)) return [];
    const [own, network] = [addressKey(address), networkKey(address)];
    return network.includes(':') ? [own, network] : [own];
  };
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
