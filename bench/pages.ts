// Part (a): distinct pages of 100 movements, compared with the same SQL on the bare engine and a bare server that sends
// the same bytes.
import { randomBytes } from 'node:crypto';
import { type ListRequest, planList } from '../src/model/list.ts';
import { articleStockMovement, definitions } from '../src/resources/index.ts';
import { openStore } from '../src/store/open.ts';
import type { BareAnswer } from './bare-server.ts';
import { activity, makeMovements } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { type Contender, type Effort, type Measured, rate, takeTurns } from './measure.ts';
import { cpuOf, type Peer, startPeer } from './peers.ts';
import { freePort } from '../src/http/port-check.ts';
import { type Program, startProgram } from './program.ts';
import { compared, type Figure } from './report.ts';

/** Concurrent requests. */
const connections = 32;

export async function measurePages(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    figures.push(
      ...(await withPlaces([engine], ([place]) =>
        place === undefined ? Promise.resolve([]) : pagesOf(place, effort),
      )),
    );
  return figures;
}

async function pagesOf(place: Place, effort: Effort): Promise<readonly Figure[]> {
  const rows = effort.quick ? 200_000 : 1_000_000;
  await makeMovements(place, rows);
  const program = await startProgram(place);
  const [load, bareLoad, engine, server] = await Promise.all(
    ['load-client.ts', 'load-client.ts', 'bare-engine.ts', 'bare-server.ts'].map(startPeer),
  );
  if (load === undefined || bareLoad === undefined || engine === undefined || server === undefined)
    throw new Error('a peer is missing');
  try {
    const pages = await pagesSpread(place, rows);
    await checkPages(program, pages.paths.slice(0, 50));
    const port = await freePort('127.0.0.1', 0);
    await server.ask({ port, ...(await bareAnswer(program, pages.paths[0] ?? '')) });
    const [own, bareEngine, bareServer] = await takeTurns(
      [
        programPages(program, load, pages, effort.seconds),
        enginePages(place, engine, pages, effort.seconds),
        loaded('bare server', server, bareLoad, { port, path: '/', headers: '', status: 200 }, effort.seconds),
      ],
      effort,
    );
    if (own === undefined || bareEngine === undefined || bareServer === undefined) throw new Error('a run is missing');
    const about = {
      part: 'a',
      engine: place.engine,
      what: `distinct pages, ${rows.toLocaleString('en-GB')} rows`,
      unit: 'pages/s',
    };
    const oneAfterTheOther = 1 / (1 / rate(bareEngine) + 1 / rate(bareServer));
    return [
      compared({ ...about, limitName: 'bare engine', aim: 0.6 }, own, bareEngine),
      compared({ ...about, limitName: 'bare server', aim: null }, own, bareServer),
      {
        ...about,
        reached: rate(own),
        limit: { name: 'engine, then server', value: oneAfterTheOther },
        ratio: rate(own) / oneAfterTheOther,
        aim: '',
        met: null,
        cpuRatio: null,
        note: '',
      },
    ];
  } finally {
    await Promise.all([program, load, bareLoad, engine, server].map((each) => each.stop()));
  }
}

/** Pages of a table in an order that jumps across it: where they start, and their addresses. */
interface Pages {
  readonly positions: readonly number[];
  readonly paths: readonly string[];
}

/** The most pages of one table that are requested; they are spread across it. */
const mostPages = 20_000;

/** Real cursors for pages that are spread over `rows` movements, without duplicates. */
export async function pagesSpread(
  place: Place,
  rows: number,
  activities: readonly string[] = [activity.code],
): Promise<Pages> {
  const store = await openStore(place.storage, definitions);
  try {
    const secret = await store.secrets.obtain('cursor', () => randomBytes(32).toString('base64url'));
    const request: ListRequest = {
      resource: articleStockMovement,
      endpoint: 'listMovements',
      activities,
      fixed: [],
      query: [],
      now: Date.now(),
      secret,
      history: store.history,
    };
    const planned = planList(request);
    const all = rows / 100;
    const count = Math.min(all, mostPages);
    // A prime that divides no power of ten: every page occurs once before one is repeated.
    const positions = Array.from(
      { length: count },
      (_, index) => ((Math.floor((index * all) / count) * 7919) % all) * 100,
    );
    return {
      positions,
      paths: positions.map((position) => {
        const page = { more: true, next: { [activity.code]: position }, walkStarts: null };
        return `/v1/articles/movements?${planned.continuation(page).nextQuery}`;
      }),
    };
  } finally {
    await store.close();
  }
}

/**
 * The real program, page after page; continues where the last run ended.
 * @param repeated a page may occur again in one run, if the table has too few
 */
export function programPages(program: Program, load: Peer, pages: Pages, seconds: number, repeated = false): Contender {
  const take = taking(pages.paths);
  return {
    name: 'program',
    run: () =>
      timed(program.pid, async () => {
        const paths = take.next();
        const measured = await load.ask({
          port: program.port,
          paths,
          repeat: repeated,
          headers: `Authorization: ${program.authorization}\r\n`,
          connections,
          status: 200,
          seconds,
        });
        take.used(measured.done);
        return measured;
      }),
  };
}

/** The bare engine, the same pages in the same order. */
export function enginePages(place: Place, engine: Peer, pages: Pages, seconds: number, repeated = false): Contender {
  const take = taking(pages.positions);
  return {
    name: 'bare engine',
    run: () =>
      timed(engine.pid, async () => {
        const positions = take.next();
        const measured = await engine.ask({
          storage: place.storage,
          activity: activity.code,
          positions,
          repeat: repeated,
          connections,
          seconds,
        });
        take.used(measured.done);
        return measured;
      }),
  };
}

/** One address, repeatedly. */
export function loaded(
  name: string,
  server: { readonly pid: number },
  load: Peer,
  {
    port,
    path,
    headers,
    status,
  }: { readonly port: number; readonly path: string; readonly headers: string; readonly status: number },
  seconds: number,
): Contender {
  return {
    name,
    run: () =>
      timed(server.pid, () => load.ask({ port, paths: [path], repeat: true, headers, connections, status, seconds })),
  };
}

/** The program's response for a path, for the bare server: status and body, and no more headers than a client needs. */
export async function bareAnswer(
  program: Program,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Omit<BareAnswer, 'port'>> {
  const answer = await fetch(`http://127.0.0.1:${program.port}${path}`, {
    headers: { authorization: program.authorization, ...more },
  });
  const body = new Uint8Array(await answer.arrayBuffer());
  if (answer.status === 304) return { status: 304, headers: { etag: answer.headers.get('etag') ?? '' }, body: null };
  return {
    status: answer.status,
    headers: { 'content-type': answer.headers.get('content-type') ?? '', 'content-length': String(body.length) },
    body,
  };
}

/** Adds the processor time that a process used meanwhile. */
async function timed(pid: number, work: () => Promise<Measured>): Promise<Measured> {
  const before = cpuOf(pid);
  const measured = await work();
  return { ...measured, cpuSeconds: cpuOf(pid) - before };
}

/** Hands out a list from the first unused item on, followed by the used ones. */
function taking<T>(list: readonly T[]): { readonly next: () => readonly T[]; readonly used: (count: number) => void } {
  let at = 0;
  return {
    next: () => [...list.slice(at), ...list.slice(0, at)],
    used: (count) => {
      at = (at + count) % list.length;
    },
  };
}

/** Every page has 100 movements, and none of them occurs twice. */
async function checkPages(program: Program, paths: readonly string[]): Promise<void> {
  const seen = new Set<unknown>();
  for (const path of paths) {
    const answer = await fetch(`http://127.0.0.1:${program.port}${path}`, {
      headers: { authorization: program.authorization },
    });
    const records: unknown = await answer.json();
    if (!Array.isArray(records) || records.length !== 100) throw new Error(`${path} is no page of 100 movements`);
    for (const record of records) seen.add(record.id);
  }
  if (seen.size !== paths.length * 100) throw new Error('a movement came twice');
}
