// `npm run attack:search -- [--seconds N] [--seed N] [--only WORDS]`: looks for the costliest requests and imported
// files and prints a table of them.
import { parseArgs } from 'node:util';
import { removeOriginal } from '../prepared.ts';
import { addKeys } from '../storage.ts';
import { skip, startTarget } from '../target.ts';
import { administrationSurfaces } from './administration-surfaces.ts';
import { cursorSurfaces } from './cursor-surfaces.ts';
import { feedSurfaces, refuseLine } from './feed-surfaces.ts';
import { importCost, importSurfaces } from './import-lines.ts';
import { requestCost } from './requests.ts';
import { type Finding, type Measure, minimize, search, type Surface, table } from './search.ts';
import { surfaces } from './surfaces.ts';
import { warehouseSurfaces } from './warehouse-surfaces.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (skip !== false || !(seconds > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write(`${skip || 'Usage: npm run attack:search -- [--seconds N] [--seed N] [--only WORDS]'}\n`);
  process.exit(2);
}
const target = await startTarget({}, { pace: null });
try {
  await refuseLine(target);
  const [key = ''] = await addKeys(target.database, 1, ['administration', 'operations']);
  const [desk = ''] = await addKeys(target.database, 1, ['outbox', 'audit', 'stock', 'shipping']);
  const requested = [
    ...surfaces,
    ...(await cursorSurfaces(target)),
    ...feedSurfaces,
    ...administrationSurfaces(key),
    ...warehouseSurfaces(desk),
  ];
  const places = requested.length + importSurfaces.length;
  const requests = await worst(requested, requestCost(target), (seconds * requested.length) / places);
  const imports = await worst(importSurfaces, importCost, (seconds * importSurfaces.length) / places);
  process.stdout.write(`${table([...requests, ...imports])}\n`);
} finally {
  await target.stop();
  await removeOriginal();
}

/** The worst of each place, as short as they become; those that are worst so far are told at once. */
async function worst<Place extends Surface>(
  all: readonly Place[],
  measure: Measure<Place>,
  longestSeconds: number,
): Promise<readonly Finding[]> {
  const bounds = { seed, longest: longestSeconds * 1000, texts: Number.MAX_SAFE_INTEGER, only: values.only };
  const matching = all.filter(({ name }) => name.includes(values.only));
  if (matching.length === 0) return [];
  const found = await search(matching, measure, bounds, (finding) => {
    if (finding.microsecondsPerByte > 5) process.stderr.write(`${table([finding]).split('\n')[1]}\n`);
  });
  const shortest: Finding[] = [];
  for (const finding of found)
    shortest.push(finding.microsecondsPerByte > 2 ? await minimize(all, measure, finding, 60) : finding);
  return shortest;
}
