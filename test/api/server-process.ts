// The real program, served by processes of their own that a test may kill, over one database that outlives them.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../../src/http/port-check.ts';
import { order } from '../../src/resources/index.ts';
import { type Child, goodPassword, json, type Place, start, succeed, temporaryFolder } from '../commands/fixture.ts';

/** A database with the activity NOR, one of its orders, a client, and a key of the warehouse. */
export interface Prepared {
  readonly place: Place;
  readonly token: string;
  readonly clientId: string;
  readonly key: string;
  readonly dataDir: string;
  /** Path of the upload of invoices to the order. */
  readonly uploads: string;
}

export interface ServerProcess {
  readonly child: Child;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
}

/** @param variables settings beside the usual ones, such as DATABASE_URL */
export async function prepare(t: TestContext, variables: Readonly<Record<string, string>> = {}): Promise<Prepared> {
  const folder = temporaryFolder(t);
  const dataDir = join(folder, 'data');
  // Tokens are for these addresses, whatever port a process has.
  const addresses = { BASE_URL: 'https://api.logistics.example/v1', AUTH_URL: 'https://login.logistics.example' };
  const place: Place = {
    folder,
    variables: {
      ...addresses,
      RATE_READS: '0',
      RATE_WRITES: '0',
      RATE_LABELS: '0',
      RATE_PLATFORM: '0',
      LOG_LEVEL: 'error',
      ...variables,
    },
  };
  return { ...(await filled(place, dataDir)), place, dataDir, uploads: '/v1/orders/N-1/docs/invoice' };
}

type Filled = Pick<Prepared, 'token' | 'clientId' | 'key'>;

/** What was filled once in this process, by its settings: the folder of its data. */
const kept = new Map<string, Filled & { readonly dataDir: string }>();

/** Fills a database; the next one with the same settings is a copy, unless it is on a server. */
async function filled(place: Place, dataDir: string): Promise<Filled> {
  if (place.variables?.DATABASE_URL !== undefined) return fill(place);
  const settings = JSON.stringify(place.variables);
  const known = kept.get(settings);
  if (known !== undefined) {
    cpSync(known.dataDir, dataDir, { recursive: true, preserveTimestamps: true });
    return known;
  }
  const made = await fill(place);
  const own = mkdtempSync(join(tmpdir(), 'prepared-'));
  process.once('exit', () => rmSync(own, { recursive: true, force: true }));
  cpSync(dataDir, own, { recursive: true, preserveTimestamps: true });
  kept.set(settings, { ...made, dataDir: own });
  return made;
}

async function fill(place: Place): Promise<Filled> {
  await succeed(place, 'activity', 'add', 'NOR', 'North Trading');
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'NOR');
  const redirect = ['--redirect', 'https://shop.example/cb'];
  const { id } = await json<{ id: string }>(place, 'client', 'add', 'Shop', ...redirect, '--activity', 'NOR');
  const { key } = await json<{ key: string }>(place, 'key', 'add', 'wms', '--activity', 'NOR');
  const own = { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'N-1' };
  await succeed({ ...place, stdin: JSON.stringify(own) }, 'import', 'orders', '-', '--activity', 'NOR');
  const token = (await succeed(place, 'token', '--client', id, '--user', 'mia')).trim();
  return { token, clientId: id, key };
}

/** Starts a server; it is killed when the test ends. */
export async function startServer(t: TestContext, { place }: Prepared): Promise<ServerProcess> {
  const port = await freePort('127.0.0.1', 0);
  const child = start(t, { ...place, variables: { ...place.variables, PORT: String(port) } }, 'serve', '--json');
  await child.seen('"baseUrl"');
  return { child, origin: `http://127.0.0.1:${port}` };
}
