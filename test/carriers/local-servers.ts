// Servers for tests of the host: they count, answer what they are told to, and are gone when the test ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { CarrierError, type CarrierAnswer, type CarrierRequest } from '../../src/carriers/carrier.ts';
import {
  type CallRecord,
  type CallCarrier,
  createHost,
  defaultHostLimits,
  type HostLimits,
} from '../../src/carriers/host.ts';

export type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

/** A server that counts. */
interface Counted {
  readonly origin: string;
  readonly requests: () => number;
  readonly connections: () => number;
}

/** A host and the calls that it logged. */
export function host(limits: Partial<HostLimits> = {}): {
  readonly callCarrier: CallCarrier;
  readonly calls: CallRecord[];
} {
  const calls: CallRecord[] = [];
  return {
    calls,
    callCarrier: createHost({ limits: { ...defaultHostLimits, ...limits }, onCall: (call) => calls.push(call) }),
  };
}

/** Asks one after another and gives what came. */
export function* asking(...requests: readonly CarrierRequest[]): Talk<readonly CarrierAnswer[]> {
  const answers: CarrierAnswer[] = [];
  for (const request of requests) answers.push(yield request);
  return answers;
}

/** A request that may be repeated, or not. */
export function get(url: string, repeat: CarrierRequest['repeat'] = 'safe'): CarrierRequest {
  return { method: 'GET', url, headers: {}, body: null, repeat };
}

/** The CarrierError of an exchange that must fail. */
export async function failed(outcome: Promise<unknown>): Promise<CarrierError> {
  const error: unknown = await outcome.then(
    (result) => assert.fail(`must fail, but gave ${JSON.stringify(result)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof CarrierError)) throw error;
  return error;
}

/** Answers every request with a text. */
export function answering(text: string): RequestListener {
  return (_request, response) => response.end(text);
}

/** Serves HTTP. */
export async function serve(t: TestContext, listener: RequestListener): Promise<Counted> {
  let requests = 0;
  return counted(
    t,
    createServer((request, response) => {
      requests += 1;
      listener(request, response);
    }),
    () => requests,
  );
}

/** Answers every request with these bytes and ends the connection. */
export async function serveBytes(t: TestContext, bytes: string | Buffer): Promise<Counted> {
  let requests = 0;
  return counted(
    t,
    createSocketServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          requests += 1;
          socket.end(bytes);
        });
    }),
    () => requests,
  );
}

async function counted(t: TestContext, server: Server, requests: () => number): Promise<Counted> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { origin: `http://127.0.0.1:${portOf(server)}`, requests, connections: () => sockets.length };
}

/** An address where nobody listens any more. */
export async function closedOrigin(t: TestContext): Promise<string> {
  const server = createSocketServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${portOf(server)}`;
  server.close();
  await once(server, 'close');
  return origin;
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}
