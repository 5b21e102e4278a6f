// Pages of movements at a fixed rate while the warehouse sends movements: how much slower they are than in quiet times.
import { once } from 'node:events';
import { activity, writeRecordFile } from '../data.ts';
import type { Place } from '../databases.ts';
import type { OpenLoad, Outcome } from '../open-loop-client.ts';
import type { Peer } from '../peers.ts';
import { start } from '../program.ts';
import { isOutcome, type Latency, latencyOf } from './measure-work.ts';
import type { Subject } from './subject.ts';
import type { Work } from './work.ts';

/** The results of the reads, and the speed of the simultaneous import. */
export interface DuringImport {
  readonly name: string;
  readonly rows: number;
  /** From the start of the command to its end. */
  readonly rowsPerSecond: number;
  readonly quiet: Latency;
  readonly busy: Latency;
}

/** Reads per second; far below what any machine here reaches. */
const readsPerSecond = 100;
/** The longest run of the reads, in seconds. */
const longest = 1800;

/**
 * Reads before an import and while it runs: `./logistics-connect import` of a file, beside the server.
 * @param rows of the file; the first 10,000 already exist
 */
export async function readDuringImport(
  { name, port, pathOf, headers }: Subject,
  place: Place,
  { queries }: Work,
  openLoad: Peer,
  rows: number,
): Promise<DuringImport> {
  const path = await writeRecordFile(place.folder, 'movements', rows);
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
  const load: OpenLoad = {
    port,
    paths: queries.map(pathOf),
    clients: [lines.join('')],
    perSecond: readsPerSecond,
    seconds: 10,
    connections: 64,
    deadlineMs: 1000,
  };
  const quiet = await readAt(openLoad, load);
  const started = performance.now();
  const importing = start(place, ['import', 'movements', path, '--activity', activity.code]);
  const ended = once(importing, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`${name}: the import ended with code ${code}`);
    return (performance.now() - started) / 1000;
  });
  const runs: Outcome[] = [];
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  // A run that ends after the import includes some quiet reads: the last one is left out, unless it is the only one.
  while (!isOver && performance.now() - started < longest * 1000) runs.push(await readAt(openLoad, load));
  const seconds = await over;
  const whole = runs.length > 1 ? runs.slice(0, -1) : runs;
  return {
    name,
    rows,
    rowsPerSecond: rows / seconds,
    quiet: latencyOf([quiet], readsPerSecond),
    busy: latencyOf(whole, readsPerSecond),
  };
}

async function readAt(openLoad: Peer, load: OpenLoad): Promise<Outcome> {
  const measured = await openLoad.ask(load);
  if (!isOutcome(measured)) throw new Error('not what became of an open load');
  return measured;
}
