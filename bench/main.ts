// The benchmarks: `npm run bench`, or parts of them: `npm run bench -- a c --quick`.
import { join } from 'node:path';
import { measureActivities } from './activities.ts';
import { enginesHere } from './databases.ts';
import { measureDisk } from './disk.ts';
import { measureFeeds } from './feeds.ts';
import { measureFootprint } from './footprint.ts';
import { measureGrowth } from './growth.ts';
import { measureImports } from './imports.ts';
import { measureLabels } from './labels.ts';
import type { Effort } from './measure.ts';
import { measureOverload } from './overload.ts';
import { measurePages } from './pages.ts';
import { measurePolls } from './polls.ts';
import { type Figure, table, writeResults } from './report.ts';
import { measureRequests } from './requests.ts';
import { measureRetention } from './retention.ts';
import { measureSubmissions } from './submissions.ts';
import { measureWorkers } from './workers.ts';

const parts: Readonly<Record<string, (effort: Effort) => Promise<readonly Figure[]>>> = {
  a: (effort) => measurePages(enginesHere(), effort),
  b: (effort) => measurePolls(enginesHere(), effort),
  c: (effort) => measureImports(enginesHere(), effort),
  d: (effort) => measureGrowth(enginesHere(), effort),
  e: (effort) => measureFootprint(enginesHere(), effort),
  f: measureLabels,
  g: (effort) => measureSubmissions(enginesHere(), effort),
  h: (effort) => measureOverload(enginesHere(), effort),
  i: (effort) => measureFeeds(enginesHere(), effort),
  j: (effort) => measureDisk(enginesHere(), effort),
  k: (effort) => measureRetention(enginesHere(), effort),
  l: (effort) => measureRequests(enginesHere(), effort),
  s: (effort) => measureActivities(enginesHere(), effort),
  w: (effort) => measureWorkers(enginesHere(), effort),
};

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const wanted = words.filter((word) => word !== '--quick');
const unknown = wanted.filter((word) => !(word in parts));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part ${unknown.join(', ')}. Usage: npm run bench -- [${Object.keys(parts).join('] [')}] [--quick]\n`,
  );
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
const effort: Effort = quick
  ? { quick, rounds: 5, warmUps: 4, seconds: 1 }
  : { quick, rounds: 9, warmUps: 6, seconds: 2 };
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`(${name}) …\n`);
  const found = await measure(effort);
  figures.push(...found);
  process.stdout.write(`${table(found)}\n`);
}
process.stdout.write(`${writeResults(join(import.meta.dirname, 'results'), words, figures)}\n`);
