// The processes that this one has started for long reads of the embedded database.
import { execFileSync } from 'node:child_process';
import { until } from './until.ts';

/** Their process ids. */
export function readerProcesses(): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, state, args] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === process.pid && !state?.startsWith('Z') && args?.includes('sqlite-long-reader')
      ? [Number(pid)]
      : [];
  });
}

/** Ends them, also those that wait for another database: for tests that count. */
export async function endReaderProcesses(): Promise<void> {
  const ids = readerProcesses();
  for (const id of ids) process.kill(id, 'SIGKILL');
  // An ended process has its id until this one is told of its end.
  await until(() => !ids.some(isThere));
}

function isThere(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
