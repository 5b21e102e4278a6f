// A test reporter that prints, at the end, how long the slowest files took.
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const shown = 10;

/** Lines for the end of a run: the slowest files with their seconds. */
export default async function* slowestTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const byFile = new Map<string, number>();
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { file, nesting, details } = event.data;
    if (nesting === 0 && file !== undefined) byFile.set(file, (byFile.get(file) ?? 0) + details.duration_ms);
  }
  yield* slowestLines(byFile);
}

/** @param byFile milliseconds per file */
export function slowestLines(byFile: ReadonlyMap<string, number>): readonly string[] {
  const slowest = [...byFile].toSorted(([, a], [, b]) => b - a).slice(0, shown);
  return [
    `The slowest of ${byFile.size} files, seconds:\n`,
    ...slowest.map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)}  ${relative('.', file)}\n`),
  ];
}
