// The tests in a real browser in one process, one after another: they share the browser, and the filling of the
// demonstration. TEST_PART=1/2 runs about half of them, so that two processes do all of them beside each other.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { runFiles } from './together.ts';

/** Seconds of the files that take longest, in the gate. All others count for 25. */
const seconds: Readonly<Record<string, number>> = {
  ...{ operator: 610, 'console-navigation': 300, 'self-service': 130, pages: 125, 'console-every-page': 115 },
  ...{ 'platform-reference': 90, 'console-labels': 80, console: 75, 'console-articles': 60, 'sign-in': 60 },
};
const secondsOf = (file: string): number => seconds[basename(file, '.test.ts')] ?? 25;

const root = new URL('../../', import.meta.url);
const files = globSync('test/browser/*.test.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
const [part = 1, count = 1] = (process.env.TEST_PART ?? '1/1').split('/').map(Number);
assert.ok(part >= 1 && part <= count, 'TEST_PART is a part and how many there are, such as 1/2');

const parts = Array.from({ length: count }, () => ({ files: [] as string[], seconds: 0 }));
for (const file of files.toSorted().toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
  const least = parts.reduce((one, other) => (other.seconds < one.seconds ? other : one));
  least.files.push(file);
  least.seconds += secondsOf(file);
}
await runFiles(parts[part - 1]?.files ?? []);
