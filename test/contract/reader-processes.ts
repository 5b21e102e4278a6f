// The processes that this one has started for long reads of the embedded database.
import { execFileSync } from 'node:child_process';

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
