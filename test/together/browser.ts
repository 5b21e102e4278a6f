// The tests in a real browser in one process, one after another: they share the browser, and the filling of the
// demonstration.
import { globSync } from 'node:fs';
import { runFiles } from './together.ts';

const root = new URL('../../', import.meta.url);
const files = globSync('test/browser/*.test.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
await runFiles(files.toSorted());
