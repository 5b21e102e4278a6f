// Compares the program with other frameworks on the same data, machine and run: `npm run bench:peers`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Place, withPlaces } from '../databases.ts';
import { startPeer } from '../peers.ts';
import { answerOf, compareAnswers, compareCreation, firstDifference } from './compare.ts';
import { articleBatch, makeDataset, recordsIn, type Sizes, sizesFor } from './dataset.ts';
import { measureImports } from './imports.ts';
import { startBareServer, startNginx } from './limits.ts';
import { machineFacts } from './machine.ts';
import { type Bench, measureWork, type Reached } from './measure-work.ts';
import { type Options, readOptions, usage } from './options.ts';
import { ownPaths, walkedPaths } from './own-paths.ts';
import { canHaveWorkers, ownSubject, startOwn } from './own-servers.ts';
import { peerKinds, startPeerServer } from './peer-servers.ts';
import { onProcessor } from '../processors.ts';
import { parentOf, pidsOfTree } from './process-tree.ts';
import { type DuringImport, readDuringImport } from './reads-during-import.ts';
import { measuredAt, resultsPage, type SizeResults } from './results.ts';
import { textTable } from './text-table.ts';
import type { Subject } from './subject.ts';
import { type Work, worksOn } from './work.ts';

const options = optionsOf(process.argv.slice(2));
if (process.env.TEST_DATABASE_URL === undefined) {
  process.stderr.write('TEST_DATABASE_URL names no PostgreSQL server: run it by .ci/with-postgres\n');
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

// Each server that is started ends with this process.
process.setMaxListeners(50);
const stockPath = '/v1/articles/stock?limit=100';
const results: SizeResults[] = [];
const file = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'benchmarks.md');
const measured = measuredAt();
for (const movements of options.movements) {
  const found = await withPlaces(['SQLite', 'PostgreSQL', 'PostgreSQL'], ([own, moved, peers]) => {
    if (own === undefined || moved === undefined || peers === undefined) throw new Error('a place is missing');
    return compareAt(own, moved, peers, sizesFor(movements));
  });
  results.push(found);
  // After each size, because the next one takes an hour and may fail.
  if (options.write) writeFileSync(file, pageOfResults());
}
if (!options.write) process.stdout.write(pageOfResults());

function pageOfResults(): string {
  const earlier = options.write ? readFileSync(file, 'utf8') : '';
  return resultsPage(results, { ...measured, machine: machineFacts(), options }, earlier);
}

/** Everything at one size. */
async function compareAt(own: Place, moved: Place, peers: Place, sizes: Sizes): Promise<SizeResults> {
  say(`making ${sizes.movements.toLocaleString('en-GB')} movements, ${sizes.orders} orders …`);
  const exported = await makeDataset(own, moved, peers, sizes);
  const articles = await articlesIn(join(exported, 'movements.ndjson'));
  const works = worksOn(sizes, articles, await articleBatch(own.folder)).filter(
    ({ name }) => options.works?.includes(name) ?? true,
  );
  const stops: (() => Promise<void>)[] = [];
  const started = <T extends { readonly stop: () => Promise<void> }>(each: T): T => {
    stops.push(each.stop);
    return each;
  };
  try {
    const subjects: Subject[] = [];
    for (const place of [own, moved]) {
      const one = started(await startOwn(place, 1));
      const pathOf = await ownPaths(place, sizes, await walkedPaths(one.port, one.authorization, stockPath));
      subjects.push(ownSubject(one, place, 1, pathOf));
      if (!canHaveWorkers(place.folder)) continue;
      subjects.push(ownSubject(started(await startOwn(place, options.workers)), place, options.workers, pathOf));
    }
    for (const name of options.peers ?? Object.keys(peerKinds)) {
      say(`starting ${name} …`);
      subjects.push(started(await startPeerServer(name, peers, 'bench-token-that-is-compared-in-the-handler')));
    }
    const [reference, ...others] = subjects;
    if (reference === undefined) throw new Error('there is nobody to compare with');
    await compareWithExport(reference, exported, works);
    const compared = await compareAnswers(reference, others, works);
    for (const { body } of works) if (body !== null) await compareCreation(subjects, body);
    say(`${compared} records are alike everywhere`);
    subjects.push(started(await startBareServer()), started(await startNginx()));
    const bench = await benchOf(options, peers, started);
    const isPinned = pin(subjects, bench);
    const reached = new Map<Work, readonly Reached[]>();
    for (const work of works) {
      await prepareLimits(work, reference, subjects);
      const found = await measureWork(work, subjects, bench);
      reached.set(work, found);
      process.stdout.write(`\n${work.name}: ${work.what}\n${textTable(work, found)}\n`);
    }
    const duringImport: DuringImport[] = [];
    const pages = works.find(({ queries }) => queries.length > 1);
    if (options.importRows > 0 && pages !== undefined)
      for (const place of [own, moved]) {
        const subject = subjects.find(({ kind, engine }) => kind === 'own' && engine === place.engine);
        if (subject !== undefined)
          duringImport.push(await readDuringImport(subject, place, pages, bench.openLoad, options.importRows));
      }
    const names = options.peers ?? Object.keys(peerKinds);
    const imports =
      options.importRows === 0
        ? []
        : await measureImports(
            own.folder,
            { rows: options.bulkRows, rounds: options.bulkRounds },
            names,
            bench.databasePid,
          );
    const notes = subjects.map(({ name, note }) => ({ name, note }));
    return { sizes, reached, duringImport, imports, notes, compared, isPinned };
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

async function benchOf(
  { rounds, seconds, latencyRounds }: Options,
  peers: Place,
  started: <T extends { readonly stop: () => Promise<void> }>(each: T) => T,
): Promise<Bench> {
  const databaseUrl = peers.storage.databaseUrl ?? '';
  const [load, openLoad, bareSql] = await Promise.all(
    ['load-client.ts', 'open-loop-client.ts', 'peers/bare-sql.ts'].map(async (script) =>
      started(await startPeer(script)),
    ),
  );
  if (load === undefined || openLoad === undefined || bareSql === undefined) throw new Error('a process is missing');
  return {
    ...{ load, openLoad, rounds, seconds, latencyRounds },
    databasePid: await databasePid(databaseUrl),
    bareSql: { peer: bareSql, databaseUrl },
  };
}

/**
 * Servers get the first processor, load generators the second; PostgreSQL and multi-process servers get both.
 * @returns whether that was possible
 */
function pin(subjects: readonly Subject[], { load, openLoad, bareSql }: Bench): boolean {
  const servers = subjects.filter(({ hasSeveralProcesses }) => !hasSeveralProcesses);
  const serving = [...servers.flatMap(({ pid }) => pidsOfTree(pid)), ...(bareSql === null ? [] : [bareSql.peer.pid])];
  return onProcessor(0, serving) && onProcessor(1, [load.pid, openLoad.pid]);
}

/** The limits return what our own server returns for the first page of the work. */
async function prepareLimits(work: Work, reference: Subject, subjects: readonly Subject[]): Promise<void> {
  const [query] = work.queries;
  if (query === undefined) return;
  const path = reference.pathOf(query);
  const answer = await fetch(`http://127.0.0.1:${reference.port}${path}`, { headers: reference.headers });
  const body = new Uint8Array(await answer.arrayBuffer());
  for (const subject of subjects) await subject.prepare(work, body);
}

/** The server that the others are compared with must return what was exported: the first page of each list. */
async function compareWithExport(reference: Subject, exported: string, works: readonly Work[]): Promise<void> {
  for (const list of new Set(works.flatMap(({ queries }) => queries.map((query) => query.list)))) {
    const query = { list, after: 0, limit: list === 'orders' ? 50 : 100, articleReference: null, before: null };
    const records = await firstRecords(join(exported, `${list}.ndjson`), query.limit);
    // The one field of these lists that is exported but never published.
    const published = records.map(({ articleLotNumber, ...record }) =>
      list === 'movements' ? record : { ...record, ...(articleLotNumber !== undefined && { articleLotNumber }) },
    );
    const found = firstDifference(published, await answerOf(reference, query), '');
    if (found !== null) throw new Error(`${reference.name} does not answer what it exports: ${list}, ${found}`);
  }
}

async function firstRecords(path: string, count: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const records: Readonly<Record<string, unknown>>[] = [];
  for await (const record of recordsIn(path)) if (records.push(record) === count) break;
  return records;
}

/** References of the articles in the first movements. */
async function articlesIn(path: string): Promise<readonly string[]> {
  const records = await firstRecords(path, 10_000);
  const references = records.map(({ articleReference }) => articleReference);
  return [...new Set(references.filter((each) => typeof each === 'string'))].toSorted();
}

async function databasePid(url: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
    return parentOf(rows[0]?.pid ?? 0);
  } finally {
    await client.end();
  }
}

function optionsOf(words: readonly string[]): Options {
  try {
    const read = readOptions(words);
    if (read !== null) return read;
    process.stdout.write(usage);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    return process.exit(2);
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
