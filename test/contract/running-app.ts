// A whole application on an engine, with two client companies, for tests that ask it over HTTP.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { createApp, type App } from '../../src/app.ts';
import { addClient } from '../../src/auth/clients.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { readConfig } from '../../src/config.ts';
import type { Json } from '../../src/http/openapi.ts';
import { createChecker } from '../../src/model/check.ts';
import type { Resource } from '../../src/model/resource.ts';
import { type EngineUnderTest, storeOn } from './engines.ts';
import { type FormFile, formBoundary, formOf } from './form.ts';
import { assertDescribed } from './openapi-validator.ts';
import { addPreparedKeys, addPreparedUser } from './prepared-secrets.ts';
import { type RawAnswer, type SentRequest, startWorkerProgram, workersWanted } from './worker-program.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body undecoded, apart from compression. */
  readonly bytes: Buffer;
  /** The body as JSON array; fails when it is none. */
  readonly list: () => readonly Record<string, unknown>[];
  /** The body as JSON object. */
  readonly object: () => Record<string, unknown>;
}

interface Options {
  readonly token?: string | null;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/**
 * Requests to one application; `token` null sends none, without one it is the token of `north`, or its key for
 * `/platform`.
 */
export interface Requests {
  readonly get: (path: string, options?: Options) => Promise<Answered>;
  /** POST with a body: text and bytes as they are, anything else as JSON. */
  readonly send: (path: string, body: unknown, options?: Options) => Promise<Answered>;
  /** POST of a form whose one part is a file. */
  readonly upload: (
    path: string,
    file: FormFile,
    options?: Options & { readonly boundary?: string },
  ) => Promise<Answered>;
}

export interface RunningApp extends Requests {
  readonly app: App;
  readonly logged: () => string;
  /** Token by name: `north` and `south` see one activity each (NOR, SOU), `both` sees both. */
  readonly tokens: Readonly<Record<'north' | 'south' | 'both', string>>;
  /** Platform key by name, for the same activities. */
  readonly keys: Readonly<Record<'north' | 'south' | 'both', string>>;
  /** Where document files are. */
  readonly documentsFolder: string;
  /** Writes records as a feed would; throws when one is refused. */
  readonly load: (resource: Resource, activity: string, records: readonly Record<string, unknown>[]) => Promise<void>;
  /** Another process on the same database; it is closed with this one. */
  readonly beside: () => Promise<Requests>;
  readonly close: () => Promise<void>;
}

/** Addresses that no test server listens on: links must be made from them, never from the Host header. */
export const baseUrl = 'https://api.logistics.example/v1';
export const authUrl = 'https://login.logistics.example';

/**
 * With `TEST_WORKERS` requests go to a program of so many workers on the same database, where another process finds it
 * and its clock is the real one; what a test does to the application itself it does beside them.
 * @param settings environment variables beside the usual ones of tests
 * @param now clock of the application, milliseconds; default: the real one
 */
export async function startApp(
  engine: EngineUnderTest,
  settings: Record<string, string> = {},
  now: () => number = Date.now,
): Promise<RunningApp> {
  const database = await engine.create();
  const dataDir = database.dataDir ?? mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  const lines: string[] = [];
  const log = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const variables = {
    BASE_URL: baseUrl,
    AUTH_URL: authUrl,
    DATA_DIR: dataDir,
    RATE_READS: '0',
    RATE_WRITES: '0',
    RATE_LABELS: '0',
    RATE_PLATFORM: '0',
    RATE_ANONYMOUS: '0',
    ...settings,
  };
  const config = readConfig(variables, dataDir);
  const open = async (): Promise<App> => {
    const store = await storeOn(await database.open());
    await addPreparedKeys(store, now());
    return createApp(config, { store, log, now });
  };
  const app = await open();
  const { store } = app;
  await store.activities.add('NOR', 'North Trading');
  await store.activities.add('SOU', 'South Trading');
  const tokens = {
    north: await tokenFor(app, ['NOR']),
    south: await tokenFor(app, ['SOU']),
    both: await tokenFor(app, ['NOR', 'SOU']),
  };
  const keys = {
    north: await keyFor(app, ['NOR']),
    south: await keyFor(app, ['SOU']),
    both: await keyFor(app, ['NOR', 'SOU']),
  };
  const usual = [
    await faceOf(app, '/v1', tokens.north, settings),
    await faceOf(app, '/platform', keys.north, settings),
  ];
  const others: App[] = [];
  const isFound = database.url !== null || database.dataDir !== null;
  const program =
    workersWanted > 0 && isFound && now === Date.now
      ? await startWorkerProgram(dataDir, {
          ...variables,
          ...(database.url !== null && { DATABASE_URL: database.url }),
        })
      : null;
  return {
    app,
    tokens,
    keys,
    documentsFolder: join(dataDir, 'documents'),
    logged: () => lines.join('') + (program?.logged() ?? ''),
    ...requestsTo(program?.ask ?? injected(app), usual),
    load: (resource, activity, records) => load(app, resource, activity, records),
    beside: async () => {
      const other = await open();
      others.push(other);
      return requestsTo(injected(other), usual);
    },
    close: async () => {
      await program?.stop();
      for (const other of others) await other.close();
      await app.close();
      await database.remove();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One interface of the application: how it describes itself, and who usually asks. */
interface FaceUnderTest {
  readonly prefix: string;
  readonly document: Json;
  readonly bearer: string;
}

/** Of one program with the same settings and an empty database, the description is the same. */
const documents = new Map<string, Json>();

async function faceOf(
  app: App,
  prefix: string,
  bearer: string,
  settings: Readonly<Record<string, string>>,
): Promise<FaceUnderTest> {
  const key = JSON.stringify([prefix, settings]);
  const document = documents.get(key) ?? JSON.parse((await app.server.inject(`${prefix}/openapi.json`)).body);
  documents.set(key, document);
  return { prefix, bearer, document };
}

function injected({ server }: App): (sent: SentRequest) => Promise<RawAnswer> {
  return ({ method, url, headers, payload }) =>
    server.inject({
      ...{ method: method as 'GET', url, headers },
      ...(payload === undefined ? {} : { payload }),
    });
}

/** Every answer of every test is held against the description that the service gives of itself. */
function requestsTo(ask: (sent: SentRequest) => Promise<RawAnswer>, faces: readonly FaceUnderTest[]): Requests {
  const request = async (
    path: string,
    payload: string | Buffer | undefined,
    { token, method = 'GET', headers = {} }: Options,
  ): Promise<Answered> => {
    const face = faces.find(({ prefix }) => path.startsWith(`${prefix}/`));
    const bearer = token === undefined ? (face?.bearer ?? null) : token;
    const authorization = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
    const response = await ask({ method, url: path, headers: { ...authorization, ...headers }, payload });
    const values = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
    const bytes = decoded(response.rawPayload, values['content-encoding']);
    const body = bytes.toString();
    if (face !== undefined)
      assertDescribed(face.document, { method, path, status: response.statusCode, headers: values, body });
    return {
      status: response.statusCode,
      headers: values,
      body,
      bytes,
      list: () => listOf(body),
      object: () => objectOf(body),
    };
  };
  return {
    get: (path, options = {}) => request(path, undefined, options),
    send: (path, body, { headers = {}, ...options } = {}) => {
      const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      return request(path, payload, {
        method: 'POST',
        ...options,
        headers: { 'content-type': 'application/json', ...headers },
      });
    },
    upload: (path, file, { headers = {}, boundary = formBoundary, ...options } = {}) =>
      request(path, formOf([file], boundary), {
        method: 'POST',
        ...options,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
      }),
  };
}

function decoded(payload: Buffer, coding: string | undefined): Buffer {
  switch (coding) {
    case undefined:
      return payload;
    case 'zstd':
      return zstdDecompressSync(payload);
    case 'br':
      return brotliDecompressSync(payload);
    case 'gzip':
      return gunzipSync(payload);
    default:
      throw new Error(`${coding} was not asked for`);
  }
}

export async function tokenFor(app: App, activityCodes: readonly string[]): Promise<string> {
  const name = activityCodes.join('-').toLowerCase().slice(0, 40);
  const now = Date.now();
  const { client } = await addClient(
    app.store,
    { name, redirectUris: ['http://127.0.0.1/callback'], activityCodes, readOnly: false, confidential: false },
    now,
  );
  const user = await addPreparedUser(
    app.store,
    { login: name, password: 'pebble lantern orchard seventeen', activityCodes, operator: false },
    now,
  );
  return (await app.issueToken({ client, user, now })).accessToken;
}

async function keyFor(app: App, activityCodes: readonly string[]): Promise<string> {
  return (
    await addPlatformKey(
      app.store,
      { name: activityCodes.join('-').toLowerCase(), activityCodes, roles: ['outbox', 'audit'] },
      Date.now(),
    )
  ).text;
}

async function load(
  app: App,
  resource: Resource,
  activity: string,
  records: readonly Record<string, unknown>[],
): Promise<void> {
  const check = createChecker(resource);
  const found = (await app.store.activities.list()).find(({ code }) => code === activity);
  const checked = records.map((record) => {
    const result = check(record, { activity, activityName: found?.name ?? '' });
    if (!result.ok) throw new Error(JSON.stringify(result.reasons));
    return result.record;
  });
  if (resource.storage === 'records') {
    await app.store.records.write(resource, activity, checked);
    return;
  }
  const draft = await app.store.images.draft(
    resource,
    activity,
    Date.parse(String(checked[0]?.value[resource.imageField ?? ''])),
  );
  await draft.write(checked);
  await draft.publish();
}

function listOf(body: string): readonly Record<string, unknown>[] {
  const parsed: unknown = JSON.parse(body);
  if (!Array.isArray(parsed)) throw new Error(`not a list: ${body.slice(0, 300)}`);
  return parsed;
}

function objectOf(body: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(body);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error(`not an object: ${body.slice(0, 300)}`);
  return Object.fromEntries(Object.entries(parsed));
}
