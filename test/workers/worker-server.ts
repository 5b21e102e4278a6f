// A server of several workers, as a program of its own, and what its log says of them.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Prepared, prepare, type ServerProcess, startServer } from '../api/server-process.ts';
import type { Child } from '../commands/fixture.ts';
import { until } from '../contract/until.ts';

export interface WorkerServer extends ServerProcess {
  readonly prepared: Prepared;
}

/** Starts a server of so many workers on a new database; all of them serve. */
export async function startWorkers(
  t: TestContext,
  variables: Readonly<Record<string, string>> = {},
  count = 3,
): Promise<WorkerServer> {
  const prepared = await prepare(t, { WORKERS: String(count), LOG_LEVEL: 'info', ...variables });
  const server = await startServer(t, prepared);
  await servingWorkers(server.child, count);
  return { ...server, prepared };
}

/** The log of a server so far, line by line. */
export async function logOf(child: Child): Promise<readonly Readonly<Record<string, unknown>>[]> {
  // Everything that was written so far holds the empty text.
  const written = await child.seen('');
  // The last line may be cut.
  const lines = written.slice(0, written.lastIndexOf('\n')).split('\n');
  return lines.filter((line) => line.startsWith('{"level"')).map((line) => Object(JSON.parse(line)));
}

/**
 * Waits until so many workers serve.
 * @param gone process ids of those that were killed
 * @returns the ids of those that serve, by their numbers
 */
export async function servingWorkers(
  child: Child,
  count: number,
  gone: readonly number[] = [],
): Promise<{ readonly pids: readonly number[] }> {
  const latest = new Map<unknown, number>();
  const serving = until(async () => {
    for (const { msg, worker, pid } of await logOf(child)) {
      if (msg === 'a worker serves') latest.set(worker, Number(pid));
      if (msg !== 'a worker serves' && pid === latest.get(worker)) latest.delete(worker);
    }
    return latest.size === count && [...latest.values()].every((pid) => !gone.includes(pid));
  }, 120);
  const over = child.ended.then(({ code, stderr }) => assert.fail(`the server ended with ${code}: ${stderr}`));
  await Promise.race([serving, over]);
  return { pids: [...latest].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, pid]) => pid) };
}
