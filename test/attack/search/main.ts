// `npm run attack:search -- [--seconds N] [--seed N] [--only WORDS]`: looks for the costliest requests and prints a table of them.
import { parseArgs } from 'node:util';
import { removeOriginal } from '../prepared.ts';
import { skip, startTarget } from '../target.ts';
import { minimize, search, table } from './search.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' }, only: { type: 'string', default: '' } } });
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (skip !== false || !(seconds > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write(`${skip || 'Usage: npm run attack:search -- [--seconds N] [--seed N] [--only WORDS]'}\n`);
  process.exit(2);
}
const target = await startTarget({}, { pace: null });
try {
  const found = await search(target, { seed, longest: seconds * 1000, requests: Number.MAX_SAFE_INTEGER, only: values.only }, (finding) => {
    if (finding.microsecondsPerByte > 5) process.stderr.write(`${table([finding]).split('\n')[1]}\n`);
  });
  const shortest = [];
  for (const finding of found) shortest.push(finding.microsecondsPerByte > 2 ? await minimize(target, finding, 60) : finding);
  process.stdout.write(`${table(shortest)}\n`);
} finally {
  await target.stop();
  await removeOriginal();
}
