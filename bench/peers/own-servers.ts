// Starts this program, on either engine, in one or several processes.
import { readConfig } from '../../src/config.ts';
import type { Place } from '../databases.ts';
import { type Program, type Settings, startProgram } from '../program.ts';
import type { PathOf } from './own-paths.ts';
import { plainRecords, type Subject } from './subject.ts';

/** The setting for the number of serving processes. */
const workersSetting = 'WORKERS';

/** Whether this version of the program can serve in several processes. */
export function canHaveWorkers(folder: string): boolean {
  return 'workers' in readConfig({}, folder);
}

/** Starts the program on one of our own databases. Every page is rendered again: the cache of rendered pages is off. */
export async function startOwn(place: Place, workers: number): Promise<Program> {
  const settings: Settings = {
    PAGE_CACHE_MB: '0',
    RATE_WRITES: '0',
    ...(canHaveWorkers(place.folder) && { [workersSetting]: String(workers) }),
  };
  return startProgram(place, settings);
}

/** The program as a subject of the comparison. */
export function ownSubject(program: Program, place: Place, workers: number, pathOf: PathOf): Subject {
  return {
    name: `Logistics Connect, ${place.engine}${workers > 1 ? `, ${workers} processes` : ''}`,
    kind: 'own',
    engine: place.engine,
    pid: program.pid,
    hasSeveralProcesses: workers > 1,
    port: program.port,
    pathOf,
    articlesPath: '/v1/articles',
    headers: { authorization: program.authorization },
    recordsOf: plainRecords,
    prepare: async () => undefined,
    note: textOfSettings,
    stop: program.stop,
  };
}

const textOfSettings = 'standard settings, but no rate limits and no cache of rendered pages; its log is written';
