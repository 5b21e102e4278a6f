// Part (s): simulates many activities of very different sizes, whose clients poll by cursor while feeds write; the rate
// is doubled until answers are late, and the resource used up first is reported.
import { addClient } from '../src/auth/clients.ts';
import { addUser } from '../src/auth/users.ts';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { freePort } from '../src/http/port-check.ts';
import { createChecker } from '../src/model/check.ts';
import { articleStockMovement } from '../src/resources/index.ts';
import type { Store } from '../src/store/store.ts';
import { activity, importMovements, originalMovements } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import type { Effort } from './measure.ts';
import type { Outcome } from './open-loop-client.ts';
import { cpuOf, type Peer, startPeer } from './peers.ts';
import { firstAnswer, launch, pidOf, settingsOf, stop } from './program.ts';
import type { Figure } from './report.ts';
import { plain } from '../test/contract/database.ts';

/** The rate is too high when answers are later than this, or fewer than this share of those that were due. */
const lateMs = 250;
const leastAnswered = 0.98;
const firstRate = 100;
const lastRate = 25_600;
/** Batches of news per second, and movements in each. */
const news = { perSecond: 20, movements: 5 } as const;
const unlimited = {
  ...{ RATE_READS: '0', RATE_WRITES: '0', MAX_CONNECTIONS: '0', MAX_ADDRESS_CONNECTIONS: '0' },
  ...{ MAX_OPEN_REQUESTS: '8000', MAX_CLIENT_OPEN_REQUESTS: '4000', MAX_WAIT_SECONDS: '60' },
};

export async function measureActivities(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    figures.push(
      ...(await withPlaces([engine], ([place]) =>
        place === undefined ? Promise.resolve([]) : simulate(place, effort),
      )),
    );
  return figures;
}

/** What a simulation works with. */
interface World {
  readonly place: Place;
  readonly store: Store;
  readonly codes: readonly string[];
  readonly port: number;
  /** The authorization header of each activity's client. */
  readonly tokens: readonly string[];
}

async function simulate(place: Place, { quick, seconds }: Effort): Promise<readonly Figure[]> {
  const [count, movements] = quick ? [100, 20_000] : [1000, 1_000_000];
  await importMovements(place, originalMovements);
  const port = await freePort('127.0.0.1', 0);
  const app = await createApp(readConfig({ ...settingsOf(place, { PORT: String(port), LOG_LEVEL: 'silent' }) }, '/'));
  const { store } = app;
  const load = await startPeer('open-loop-client.ts');
  try {
    const codes = await addActivities(store, count, movements);
    const tokens = await tokensOf(app, codes);
    const server = launch(place, port, unlimited);
    try {
      await firstAnswer(server, port, (tokens[0] ?? '').replace('Authorization: ', '').trim());
      const world = { place, store, codes, port, tokens };
      return await raised(world, pidOf(server), load, { seconds: 2 * seconds, movements });
    } finally {
      await stop(server);
    }
  } finally {
    await load.stop();
    await app.close();
  }
}

/** Zipf distribution: of n activities the k-th has 1/k of what the first one has. */
async function addActivities(store: Store, count: number, movements: number): Promise<readonly string[]> {
  const codes = Array.from({ length: count }, (_, index) => `Z${index.toString(36).toUpperCase().padStart(2, '0')}`);
  const harmonic = codes.reduce((sum, _, index) => sum + 1 / (index + 1), 0);
  for (const [index, code] of codes.entries()) {
    await store.activities.add(code, `Simulated ${code}`);
    await copyMovements(store, code, Math.max(1, Math.round(movements / harmonic / (index + 1))));
  }
  await store.optimize();
  return codes;
}

/** Copies the movements of the first activity as many times as necessary; their ids are the same. */
async function copyMovements({ engine }: Store, code: string, count: number): Promise<void> {
  const { table } = articleStockMovement;
  const names = await engine.read(
    plain(
      engine.dialect === 'sqlite'
        ? `select name from pragma_table_info('${table}')`
        : `select column_name::text from information_schema.columns where table_name = '${table}'`,
    ),
  );
  const columns = names.map(([name]) => `"${String(name)}"`);
  await engine.write(async ({ query }) => {
    for (let copied = 0; copied < count; copied += originalMovements) {
      const last = Math.min(count - copied, originalMovements);
      const replaced: Readonly<Record<string, string>> = {
        '"owner"': `'${code}'`,
        '"natural_key"': `natural_key || ':${copied}'`,
        '"change_number"': `change_number + ${copied}`,
      };
      await query(
        plain(`insert into ${table} (${columns.join()}) select ${columns.map((name) => replaced[name] ?? name).join()}
          from ${table} where owner = '${activity.code}' and change_number <= ${last}`),
      );
    }
    await query(plain(`update activity set last_change = ${count}, last_id = ${count} where code = '${code}'`));
    await query(plain(`insert into revision (owner, resource, last_change) values ('${code}', 'movements', ${count})`));
  });
}

async function tokensOf(
  app: Awaited<ReturnType<typeof createApp>>,
  codes: readonly string[],
): Promise<readonly string[]> {
  const now = Date.now();
  const password = `bench ${crypto.randomUUID()}`;
  const user = await addUser(app.store, { login: 'simulation', password, activityCodes: codes, operator: false }, now);
  const tokens: string[] = [];
  for (const code of codes) {
    const { client } = await addClient(
      app.store,
      { name: code, redirectUris: ['http://127.0.0.1/'], activityCodes: [code], readOnly: true, confidential: false },
      now,
    );
    tokens.push(`Authorization: Bearer ${(await app.issueToken({ client, user, now })).accessToken}\r\n`);
  }
  return tokens;
}

/** Doubles the rate until answers are late. */
async function raised(
  world: World,
  pid: number,
  load: Peer,
  { seconds, movements }: { readonly seconds: number; readonly movements: number },
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (let perSecond = firstRate; perSecond <= lastRate; perSecond *= 2) {
    const ownPaths = await cursorPaths(world);
    const writing = startNews(world);
    const backends = await backendsOf(world);
    const before = [cpuOf(pid), ...backends.map(cpuOf)];
    const task = { port: world.port, paths: [], ownPaths, clients: world.tokens };
    const outcome: Outcome = asOutcome(
      await load.ask({ ...task, perSecond, seconds, connections: 200, deadlineMs: lateMs }),
    );
    const [own = 0, ...databases] = [cpuOf(pid), ...backends.map(cpuOf)].map((at, index) => at - (before[index] ?? 0));
    const wrote = await writing();
    const whole = seconds + lateMs / 1000;
    const isGood = outcome.done >= leastAnswered * outcome.counted && outcome.allMs.p99 <= lateMs;
    const used = { program: own / whole, database: databases.reduce((sum, each) => sum + each, 0) / whole };
    figures.push({
      ...{ part: 's', engine: world.place.engine, unit: 'polls/s', limit: null, ratio: null, cpuRatio: null },
      ...{ what: `${world.codes.length} activities, ${movements} movements, ${perSecond} polls/s due`, aim: '' },
      ...{ reached: outcome.done / outcome.seconds, met: isGood ? null : false },
      note: [
        `p50 ${outcome.allMs.p50.toFixed(1)} ms, p99 ${outcome.allMs.p99.toFixed(1)} ms`,
        `${outcome.wrong} wrong, ${outcome.refused} refused, ${outcome.late} late, ${outcome.unsent} not sent`,
        `processors: program ${used.program.toFixed(2)}, database ${used.database.toFixed(2)}`,
        `${((1e6 * own) / Math.max(1, outcome.doneInAll)).toFixed(0)} µs of the program each`,
        `${wrote.toFixed(0)} movements/s came in`,
        ...(isGood ? [] : [firstLimit(used)]),
      ].join('; '),
    });
    if (!isGood) break;
  }
  return figures;
}

/** A process has one thread for its requests: much beyond this share of a processor, it has no capacity left. */
const usedUp = 0.8;

function firstLimit({ program, database }: { readonly program: number; readonly database: number }): string {
  if (program >= usedUp) return 'the first limit is the processor of the program';
  if (database >= usedUp) return 'the first limit is the database';
  return 'neither was used up: other work had the machine, or the load client was late';
}

/** For each activity, the poll that continues from now. */
async function cursorPaths({ codes, port, tokens }: World): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const index of codes.keys()) {
    const headers = { authorization: (tokens[index] ?? '').replace('Authorization: ', '').trim() };
    // What follows the last page of a list that is read from its end: the cursor is at the newest change.
    const since = new Date(Date.now() + 60_000).toISOString();
    const answer = await fetch(`http://127.0.0.1:${port}/v1/articles/movements?updatedSince=${since}&limit=100`, {
      headers,
    });
    const cursor = answer.headers.get('sync-cursor');
    if (answer.status !== 200 || cursor === null) throw new Error(`no cursor: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    paths.push(`/v1/articles/movements?cursor=${cursor}`);
  }
  return paths;
}

/**
 * Movements arrive, mostly of large activities. @returns a function that ends it, and returns how many movements
 * arrived per second
 */
function startNews({ store, codes }: World): () => Promise<number> {
  const check = createChecker(articleStockMovement);
  let [written, isOver] = [0, false];
  const began = performance.now();
  const running = (async () => {
    for (let batch = 0; !isOver; batch += 1) {
      // An equal share for each decade of ranks, according to Zipf's law.
      const code = codes[Math.floor(codes.length ** ((batch * 0.618_034) % 1)) - 1] ?? codes[0] ?? '';
      const records = Array.from({ length: news.movements }, (_, index) => {
        const at = new Date(Date.now() + index).toISOString();
        const checked = check(
          { articleReference: `A${batch}-${index}`, movementDirection: 'I', movedQuantity: 1, movementTimestamp: at },
          { activity: code, activityName: code },
        );
        if (!checked.ok) throw new Error(JSON.stringify(checked.reasons));
        return checked.record;
      });
      await store.records.write(articleStockMovement, code, records);
      written += records.length;
      await new Promise((resolve) => setTimeout(resolve, 1000 / news.perSecond));
    }
  })();
  return async () => {
    isOver = true;
    await running;
    return (1000 * written) / (performance.now() - began);
  };
}

/** The processes of a local PostgreSQL server that serve the database; none for the embedded one. */
async function backendsOf({ place, store }: World): Promise<readonly number[]> {
  if (place.engine === 'SQLite') return [];
  const rows = await store.engine.read(
    plain('select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'),
  );
  return rows.map(([pid]) => Number(pid));
}

function asOutcome(measured: object): Outcome {
  if ('doneInAll' in measured && 'allMs' in measured) return measured as Outcome;
  throw new Error('the load client told something else');
}
