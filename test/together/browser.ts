// The tests in a real browser in one process, one after another: they share the browser, and the filling of the
// demonstration. TEST_PART=1/2 runs every second file, so that two processes do all of them beside each other.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { runFiles } from './together.ts';

const root = new URL('../../', import.meta.url);
const files = globSync('test/browser/*.test.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
const [part = 1, parts = 1] = (process.env.TEST_PART ?? '1/1').split('/').map(Number);
assert.ok(part >= 1 && part <= parts, 'TEST_PART is a part and how many there are, such as 1/2');
await runFiles(files.toSorted().filter((_, index) => index % parts === part - 1));
