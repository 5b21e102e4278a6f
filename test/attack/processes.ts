// What Linux tells of processes and their threads: memory, and for how long they worked and waited for a processor.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Nanoseconds that threads worked, and waited for a processor. */
export interface Shares {
  readonly worked: number;
  readonly waited: number;
}

/**
 * Memory in bytes, and processor time in ticks, of a process and those that it started; zeros where that cannot be
 * known.
 */
export function processOf(pid: number): { readonly memory: number; readonly ticks: number } {
  let [memory, ticks] = [0, 0];
  for (const each of [pid, ...descendantsOf(pid)]) {
    const stat = textOf(`/proc/${each}/stat`);
    // Behind the name, which may hold anything: utime, stime, and those of children that have ended, are fields 14 to
    // 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
    memory += Number(/VmRSS:\s+(\d+)/.exec(textOf(`/proc/${each}/status`))?.[1] ?? 0) * 1024;
  }
  return { memory, ticks };
}

/**
 * Nanoseconds that the main thread of a process, or the thread that asks, has worked, and waited for a processor; zeros
 * where that cannot be known.
 */
export function mainThreadOf(pid: number | 'thread-self'): Shares {
  const [worked = 0, waited = 0] = textOf(`/proc/${pid}/schedstat`).split(' ').map(Number);
  return { worked, waited };
}

/** The processes of a server that serve: itself, or its workers where there are several. */
export function servingProcesses(pid: number, workers: number): readonly number[] {
  return workers > 1 ? childrenOf(pid) : [pid];
}

/** What `mainThreadOf` tells of a server: of its workers together, where there are several. */
export function mainThreadsOf(pid: number, workers: number): Shares {
  return sumOf(servingProcesses(pid, workers).map(mainThreadOf));
}

/** Which of the processes has the other end of an open connection to a port of this machine; undefined: not found. */
export function processOfConnection(
  pids: readonly number[],
  { port, from }: { readonly port: number; readonly from: number },
): number | undefined {
  if (pids.length === 1) return pids[0];
  const ends = new RegExp(`:${inHex(port)} [0-9A-F]+:${inHex(from)} `);
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => textOf(path).split('\n'));
  const inode = lines
    .find((line) => ends.test(line))
    ?.trim()
    .split(/\s+/)[9];
  return pids.find((pid) => linksIn(`/proc/${pid}/fd`).includes(`socket:[${inode}]`));
}

function inHex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

function linksIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      try {
        return [readlinkSync(`${folder}/${name}`)];
      } catch {
        // Closed meanwhile.
        return [];
      }
    });
  } catch {
    return [];
  }
}

function sumOf(all: readonly Shares[]): Shares {
  const sum = (what: 'worked' | 'waited'): number => all.reduce((total, one) => total + one[what], 0);
  return { worked: sum('worked'), waited: sum('waited') };
}

export function slownessOf(before: Shares, after: Shares): number {
  return 1 + (after.waited - before.waited) / Math.max(1, after.worked - before.worked);
}

/** Of all processes of a database together that were there all the while; nothing where there are none. */
export function slownessesOf(
  before: ReadonlyMap<number, Shares>,
  after: ReadonlyMap<number, Shares>,
): readonly number[] {
  const standing = [...after].filter(([pid]) => before.has(pid));
  if (standing.length === 0) return [];
  const [sumBefore, sumAfter] = [standing.map(([pid]) => before.get(pid)), standing.map(([, shares]) => shares)];
  return [slownessOf(sumOf(sumBefore.filter((one) => one !== undefined)), sumOf(sumAfter))];
}

/** The processes that PostgreSQL has for the connections to a database, as their titles tell. */
export function backendsOf(database: string | null): ReadonlyMap<number, Shares> {
  if (database === null) return new Map();
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const own = pids.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(` ${database} `));
  return new Map(own.map((pid) => [pid, mainThreadOf(pid)]));
}

function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function childrenOf(pid: number): readonly number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
