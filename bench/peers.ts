// The processes that a benchmark communicates with: started with it, given tasks over a channel, stopped by it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from './measure.ts';

/** A script of this folder in a process of its own. */
export interface Peer {
  readonly pid: number;
  /** Sends a task and waits for the result. Throws the peer's error. */
  readonly ask: (task: object) => Promise<Measured>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a script of this folder.
 * @param script file name, such as `load-client.ts`
 */
export async function startPeer(script: string): Promise<Peer> {
  const child = fork(join(import.meta.dirname, script), [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} cannot be started`);
  return {
    pid,
    ask: (task) => answerOf(child, script, task),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/**
 * Makes this process a peer: `work` gets each task in turn and returns what was measured. The process ends with its
 * parent.
 */
export function answerTasks(work: (task: unknown) => Promise<Measured>): void {
  process.once('disconnect', () => process.exit());
  process.on('message', (task) => {
    work(task).then(
      (measured) => process.send?.({ measured }),
      (error: unknown) =>
        process.send?.({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
}

/** Processor time of this process since its start, all threads, in seconds. */
export function cpuSoFar(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Processor time of a process since its start, all threads, in seconds; 0 without /proc. */
export function cpuOf(pid: number): number {
  const fields = procFile(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  // Fields 14 and 15 of proc(5), in ticks of 10 ms; the name in parentheses was fields 1 and 2.
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

/** Resident memory of a process, MB; 0 without /proc. */
export interface Memory {
  readonly all: number;
  /** Without file pages, which the system can reclaim at any time: program text and the mapped part of the database. */
  readonly own: number;
}

export function memoryOf(pid: number): Memory {
  const status = procFile(pid, 'status');
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { all: megabytes('VmRSS'), own: megabytes('RssAnon') };
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function answerOf(child: ChildProcess, script: string, task: object): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`${script} ended unexpectedly`));
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.off('exit', ended);
      if (isAnswer(answer)) resolve(answer.measured);
      else reject(new Error(`${script}: ${JSON.stringify(answer)}`));
    });
    child.send(task);
  });
}

function isAnswer(answer: unknown): answer is { readonly measured: Measured } {
  return typeof answer === 'object' && answer !== null && 'measured' in answer;
}
