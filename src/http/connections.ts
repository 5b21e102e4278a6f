// Bounds connections: all of a process, those of one address, and the requests that one connection may have under way.
import { BlockList, isIP, type Server, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { addressKey } from './address-parts.ts';
import { Shed } from './shed.ts';

/** 0: no limit. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** From one IPv4 address, or IPv6 network of 64 bits; proxies that are trusted have as many as they want. */
  readonly maxAddressConnections: number;
}

/**
 * Closes connections beyond the limits as soon as they are made.
 * @param trustProxy as in the options of the server
 * @param dropped is told of each
 */
export function limitConnections(
  server: Server,
  { maxConnections, maxAddressConnections }: ConnectionLimits,
  trustProxy: boolean | readonly string[],
  dropped: (reason: 'connection' | 'address-connection') => void,
): void {
  if (maxConnections > 0) server.maxConnections = maxConnections;
  server.on('drop', () => dropped('connection'));
  if (maxAddressConnections === 0 || trustProxy === true) return;
  const isProxy = proxies(trustProxy === false ? [] : trustProxy);
  const open = new Map<string, number>();
  // In front of the listener that would begin to read requests.
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const key = addressKey(address);
    const count = (open.get(key) ?? 0) + 1;
    open.set(key, count);
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
    if (count <= maxAddressConnections) return;
    dropped('address-connection');
    socket.destroy();
  });
}

/** Names that the framework knows beside addresses and networks. */
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

/** Most requests that may wait on one connection for the answers to those before them. */
export const maxPipelined = 32;

/**
 * Makes the count of requests that were sent without waiting for an answer.
 * @returns what is to be called for each request; it throws Shed `pipelined`
 */
export function pipelineLimit(): (socket: Socket, response: ServerResponse) => void {
  const waiting = new WeakMap<Socket, number>();
  return (socket, response) => {
    // Node gives a response its socket when the one before it has ended.
    if (response.socket !== null) return;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    if (count > maxPipelined) throw new Shed('pipelined', 1, { connection: 'close' });
  };
}
