// A route that takes a body, for tests, and requests for it on a bare connection.
import type { TestContext } from 'node:test';
import type { BodyRule, Call, Route } from '../../src/http/route.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { head } from './connection.ts';
import { json, listen, route, sample } from './sample-server.ts';

export const rule: BodyRule = {
  types: ['application/json', 'application/*+json'],
  limit: 1000,
  encodings: ['gzip', 'zstd'],
  schema: {},
  example: [],
};

/** Answers the body, each byte a character of a JSON text. */
export const whole = async (call: Call) => json(JSON.stringify((await call.body()).toString('latin1')));

/** `POST /v1/bodies`. */
export function taking(change: Partial<Route> = {}, handle: Route['handle'] = whole): Route {
  return { ...route('/bodies', handle), method: 'POST', rate: 'write', body: rule, ...change };
}

/** The sample server, listening. */
export async function served(
  t: TestContext,
  routes: readonly Route[] = [taking()],
  change: Partial<ServerOptions> = {},
) {
  const { server, log } = sample(t, change, routes);
  return { server, log, port: await listen(server) };
}

export const asJson = { 'Content-Type': 'application/json' };

/** A request for the route. */
export function post(
  headers: Readonly<Record<string, string | number>>,
  body = '',
  authorization: string | null = 'Bearer shop',
): string {
  return `${head('POST /v1/bodies', headers, authorization)}${body}`;
}

/**
 * A frame of zstd that asks for a window of so many bytes, as a power of two (RFC 8878, section 3.1.1.1.2), and holds a
 * short text as it is.
 */
export function frame(window: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (window - 10) << 3, (bytes.length << 3) | 1, 0, 0]),
    bytes,
  ]);
}
