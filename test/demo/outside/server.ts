// The demonstration as somebody outside has it: the real program on either engine, a token, a key, and HTTP.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../../../src/http/openapi.ts';
import { freePort } from '../../../src/http/port-check.ts';
import type { ReconciledPlace } from '../../../src/platform/reconcile.ts';
import { json, type Place, start, succeed, temporaryFolder } from '../../commands/fixture.ts';
import { assertDescribed } from '../../contract/openapi-validator.ts';

export type Published = Readonly<Record<string, unknown>>;

interface DemoStatus {
  readonly clock: string;
  readonly waiting: readonly string[];
  readonly happened: readonly { readonly at: string; readonly text: string }[];
}

export interface DemoServer {
  /** What the interface says of itself: lengths, codes. */
  readonly document: Json;
  /** Asks the client interface, with a form or JSON where there is a body; each answer is one that it describes. */
  readonly ask: (path: string, body?: object) => Promise<Answer>;
  /** Asks the platform interface. */
  readonly platform: (path: string) => Promise<Published>;
  readonly status: () => Promise<DemoStatus>;
  /** Sets the clock forward. @returns what it says, milliseconds */
  readonly advance: (duration: string) => Promise<number>;
  readonly fault: (name: string) => Promise<void>;
  /** Places that differ between the newest images not later than these instants, in milliseconds. */
  readonly reconcile: (from: number, to: number) => Promise<readonly ReconciledPlace[]>;
  readonly stop: () => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A place without a demonstration. @param variables such as DATABASE_URL */
export function demoPlace(t: TestContext, variables: Readonly<Record<string, string>>): Place {
  const addresses = { BASE_URL: 'https://api.logistics.example/v1', AUTH_URL: 'https://login.logistics.example' };
  const rates = { RATE_READS: '0', RATE_WRITES: '0', RATE_LABELS: '0', RATE_PLATFORM: '0' };
  return { folder: temporaryFolder(t), variables: { ...addresses, ...rates, LOG_LEVEL: 'error', ...variables } };
}

/** Starts a server there; the first one fills the database. @param clock such as `60x` */
export async function startDemo(t: TestContext, place: Place, clock: string): Promise<DemoServer> {
  const port = await freePort('127.0.0.1', 0);
  const variables = { ...place.variables, PORT: String(port) };
  const child = start(t, { ...place, variables }, 'serve', '--demo', '--clock', clock, '--json');
  await child.seen('"baseUrl"');
  const origin = `http://127.0.0.1:${port}`;
  const token = (await succeed(place, 'token', '--client', 'demo', '--user', 'demo')).trim();
  const roles = ['--role', 'feed', '--role', 'stock'];
  const { key } = await json<{ key: string }>(place, 'key', 'add', `outside-${port}`, '--all', ...roles);
  const document: Json = JSON.parse(await (await fetch(`${origin}/v1/openapi.json`)).text());
  const platform: DemoServer['platform'] = async (path) => {
    const answer = await fetch(`${origin}/platform${path}`, { headers: { authorization: `Bearer ${key}` } });
    const text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  };
  const asked = async (path: string, body: object | undefined): Promise<Answer> => {
    const answer = await fetch(origin + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        // Of a form it names the boundary, too.
        ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  return {
    document,
    platform,
    ask: async (path, body) => {
      const answer = await asked(path, body);
      const method = body === undefined ? 'GET' : 'POST';
      assertDescribed(document, { ...answer, method, path, headers: Object.fromEntries(answer.headers) });
      return answer;
    },
    status: () => json<DemoStatus>(place, 'demo', 'status'),
    advance: async (duration) => Date.parse((await json<{ clock: string }>(place, 'demo', 'advance', duration)).clock),
    fault: async (name) => void (await succeed(place, 'demo', 'fault', name)),
    reconcile: async (from, to) => {
      const span = `activity=ACM&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
      const { places, after } = await platform(`/reconciliation?${span}`);
      assert.ok(Array.isArray(places) && after === null);
      return places;
    },
    stop: async () => {
      child.signal('SIGTERM');
      assert.equal((await child.ended).code, 0);
    },
  };
}

/** Lets a fault happen, by days. @returns when it did, and the text that tells of it */
export async function letHappen(
  { status, advance, fault }: DemoServer,
  name: string,
  told: RegExp,
): Promise<{ readonly at: number; readonly words: readonly string[] }> {
  const from = Date.parse((await status()).clock);
  await fault(name);
  for (let days = 0; days < 10; days += 1) {
    await advance('1d');
    const { waiting, happened } = await status();
    const note = happened.find(({ at, text }) => Date.parse(at) >= from && told.test(text));
    if (note === undefined) continue;
    assert.ok(!waiting.some((each) => each.startsWith(name)), `${name} waits still: ${waiting.join()}`);
    return { at: Date.parse(note.at), words: told.exec(note.text)?.slice(1) ?? [] };
  }
  return assert.fail(`${name} does not happen`);
}

/** Asks until it is so. */
export async function untilSo(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 240; tries += 1) {
    if (await isSo()) return;
    await pause(500);
  }
  assert.fail('it never was so');
}
