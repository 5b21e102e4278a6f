// Reports a test run to somebody who waits for it: progress, each failure at once, and at the end the figures, the
// slowest files, what failed, and the duration.
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { slowestLines } from './slowest-tests.ts';

interface BriefReport {
  readonly take: (event: TestEvent) => void;
  readonly end: () => void;
}

/** Shortest interval between two progress lines, in milliseconds. */
const pace = 5000;
/** The counters of the test runner, in its order. */
const counted = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const;

/**
 * @param parts files and groups of files that will run
 * @param print receives text including line ends
 */
export function createBriefReport(
  parts: number,
  print: (text: string) => void,
  now: () => number = () => performance.now(),
): BriefReport {
  const started = now();
  const seconds = (): string => ((now() - started) / 1000).toFixed(0);
  const counts = new Map<string, number>();
  const durations = new Map<string, number>();
  const failures: string[] = [];
  let [tests, partsDone, printed] = [0, 0, started];

  const progress = (): void => {
    print(`${seconds().padStart(4)} s: ${tests} tests, ${partsDone} of ${parts} parts done\n`);
    printed = now();
  };

  const completed = ({ nesting, name, file, details }: EventOf<'test:complete'>): void => {
    if (nesting === 0 && file !== undefined && file.endsWith(name)) partsDone += 1;
    else if (details.type !== 'suite') tests += 1;
    if (now() - printed >= pace) progress();
  };

  const ended = ({ nesting, file, details }: EventOf<'test:pass'> | EventOf<'test:fail'>): void => {
    if (nesting === 0 && file !== undefined) durations.set(file, (durations.get(file) ?? 0) + details.duration_ms);
  };

  const failed = ({ name, file, line, todo, details: { error } }: EventOf<'test:fail'>): void => {
    // A suite fails with its tests, which are reported individually.
    if ((todo !== undefined && todo !== false) || Object(error).failureType === 'subtestsFailed') return;
    const place = file === undefined ? '' : ` (${relative('.', file)}${line === undefined ? '' : `:${line}`})`;
    failures.push(`✖ ${name}${place}`);
    print(`✖ ${name}${place}\n${inspect(error.cause ?? error, { colors: false }).replace(/^/gm, '    ')}\n`);
  };

  return {
    take: (event) => {
      if (event.type === 'test:complete') completed(event.data);
      if (event.type === 'test:pass' || event.type === 'test:fail') ended(event.data);
      if (event.type === 'test:fail') failed(event.data);
      if (event.type === 'test:diagnostic' && event.data.nesting === 0) {
        const [, name = '', value = ''] = /^(\w+) (\d+)$/.exec(event.data.message) ?? [];
        counts.set(name, (counts.get(name) ?? 0) + Number(value));
        // What no test could be told of; the process that it belongs to fails.
        if (event.data.message.startsWith('Error: ')) print(`${event.data.message}\n`);
      }
      if (event.type === 'test:stderr') print(event.data.message);
    },
    end: () => {
      progress();
      for (const line of slowestLines(durations)) print(line);
      if (failures.length > 0) print(`\nfailing tests:\n${failures.map((line) => `${line}\n`).join('')}`);
      print('\n');
      for (const name of counted) print(`ℹ ${name} ${counts.get(name) ?? 0}\n`);
      const minutes = Math.floor((now() - started) / 60_000);
      print(`ℹ took ${minutes} min ${(((now() - started) / 1000) % 60).toFixed(0)} s\n`);
    },
  };
}

type EventOf<Type extends TestEvent['type']> = Extract<TestEvent, { readonly type: Type }>['data'];
