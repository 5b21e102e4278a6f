// Processor time and memory of a process and all of its descendants: a launcher, several workers, a database server.
import { readdirSync, readFileSync } from 'node:fs';

/** What a process has used so far, and what it holds. */
interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Seconds, including those of its children that have ended. */
  readonly cpuSeconds: number;
}

/** Processor time of a process and its descendants since they began, seconds, in steps of 10 ms. */
export function cpuOfTree(pid: number): number {
  return treeOf(pid).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** Memory of a process tree, MB. */
export interface TreeMemory {
  readonly all: number;
  /** Without file pages, which the system can reclaim, such as the mapped part of a database. */
  readonly own: number;
}

/** Memory of a process and its descendants: shared pages count once (proportional set size). */
export function memoryOfTree(pid: number): TreeMemory {
  const texts = treeOf(pid).map(({ pid: each }) => procFile(String(each), 'smaps_rollup'));
  const kilobytes = (name: string, text: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  const sum = (name: string): number => texts.reduce((all, text) => all + kilobytes(name, text), 0) / 1024;
  return { all: sum('Pss'), own: sum('Pss_Anon') };
}

/** The parent of a process. */
export function parentOf(pid: number): number {
  const found = processes().find((each) => each.pid === pid);
  if (found === undefined) throw new Error(`there is no process ${pid}`);
  return found.parent;
}

/** All pids of a tree. */
export function pidsOfTree(pid: number): readonly number[] {
  return treeOf(pid).map((each) => each.pid);
}

function treeOf(root: number): readonly Process[] {
  const byParent = Map.groupBy(processes(), ({ parent }) => parent);
  const found = [...byParent.values()].flat().filter(({ pid }) => pid === root);
  for (let index = 0; index < found.length; index += 1) found.push(...(byParent.get(found[index]?.pid ?? -1) ?? []));
  return found;
}

function processes(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const text = procFile(name, 'stat');
      if (text === '') return [];
      // After the name in parentheses, field 3 of proc(5): 4 is the parent, 14 to 17 are times in ticks of 10 ms.
      const fields = text
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number);
      const [, parent = 0] = fields;
      const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
      return [{ pid: Number(name), parent, cpuSeconds: ticks / 100 }];
    });
}

function procFile(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
