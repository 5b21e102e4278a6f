// The real program, served by processes of their own that a test may kill, over one database that outlives them.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../../src/http/port.ts';
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
  await succeed(place, 'activity', 'add', 'NOR', 'North Trading');
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'NOR');
  const { id } = await json<{ id: string }>(
    place,
    'client',
    'add',
    'Shop',
    '--redirect',
    'https://shop.example/cb',
    '--activity',
    'NOR',
  );
  const { key } = await json<{ key: string }>(place, 'key', 'add', 'wms', '--activity', 'NOR');
  const own = { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'N-1' };
  await succeed({ ...place, stdin: JSON.stringify(own) }, 'import', 'orders', '-', '--activity', 'NOR');
  const token = (await succeed(place, 'token', '--client', id, '--user', 'mia')).trim();
  return { place, token, clientId: id, key, dataDir: join(folder, 'data'), uploads: '/v1/orders/N-1/docs/invoice' };
}

/** Starts a server; it is killed when the test ends. */
export async function startServer(t: TestContext, { place }: Prepared): Promise<ServerProcess> {
  const port = await freePort('127.0.0.1', 0);
  const child = start(t, { ...place, variables: { ...place.variables, PORT: String(port) } }, 'serve', '--json');
  await child.seen('"baseUrl"');
  return { child, origin: `http://127.0.0.1:${port}` };
}
