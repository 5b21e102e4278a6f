// What a text costs as the file of an import: read, split, checked, and what is refused of it written with its reasons.
import { checkLines } from '../../../src/feeds/check-records.ts';
import { readRecords } from '../../../src/feeds/read-records.ts';
import { rejectedFile } from '../../../src/feeds/rejected-file.ts';
import { openSeenKeys } from '../../../src/store/seen-keys.ts';
import { OperatorError } from '../../../src/model/operator-error.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { article, articleStock, articleStockMovement, order } from '../../../src/resources/index.ts';
import { activities } from '../prepared.ts';
import { type Finding, type Measure, noise, steadyCost, type Surface } from './search.ts';

/** A file of records of one resource. */
export interface ImportSurface extends Surface {
  readonly resource: Resource;
}

/** Characters: enough to tell what grows with the square of its length. A file may be longer, a record up to 16 MB. */
const most = 100_000;

/**
 * Both forms of a file, with each kind of resource: with and without a natural key, images, and lists inside of a
 * record.
 */
export const importSurfaces: readonly ImportSurface[] = [
  { name: 'import, lines of articles', most, resource: article, seeds: seedsOf(article, 'longArticleDescription') },
  { name: 'import, array of orders', most, resource: order, seeds: inArrays(seedsOf(order, 'deliveryAddressCity')) },
  {
    name: 'import, lines of movements',
    most,
    resource: articleStockMovement,
    seeds: seedsOf(articleStockMovement, 'articleReference'),
  },
  {
    name: 'import, array of stock',
    most,
    resource: articleStock,
    seeds: inArrays(seedsOf(articleStock, 'articleReference')),
  },
];

/**
 * Measures by the processor time of this thread: a process for each text would take a hundred times as long as its
 * reading. Nothing is written to a database, which costs the same by the byte for all records.
 */
export const importCost: Measure<ImportSurface> = async ({ name, resource }, text, usual) => {
  const file = Buffer.from(text);
  const unusual = usual + noise + 2 * file.length;
  const { microseconds, grown, status, answered, records } = await steadyCost(unusual, async () => {
    const { rss } = process.memoryUsage();
    const began = process.threadCpuUsage();
    const outcome = await readFile(resource, file);
    const { user, system } = process.threadCpuUsage(began);
    return { ...outcome, microseconds: user + system, grown: Math.max(0, process.memoryUsage().rss - rss) };
  });
  const bytes = file.length + recordBytes * Math.max(1, records);
  const microsecondsPerByte = Math.max(0, microseconds - usual - noise) / bytes;
  return { surface: name, text, bytes, status, answered, microseconds, grown, microsecondsPerByte };
};

/** What a record counts beside its text: each that is refused gets its reasons, however short it is. */
const recordBytes = 200;

/** Records one to a line. The middle of the first text is inside the string of a field: that is where it is grown. */
function seedsOf({ example }: Resource, field: string): Surface['seeds'] {
  const marked = JSON.stringify({ ...example, [field]: 'ab' });
  const at = marked.indexOf('"ab"') + 2;
  const blanks = ' '.repeat(Math.abs(marked.length - 2 * at));
  const record = JSON.stringify(example);
  const rejected = JSON.stringify({ line: 1, reasons: [], text: record });
  return [
    2 * at < marked.length ? blanks + marked : marked + blanks,
    `${record}\n${record}\n{}`,
    `${rejected}\n${marked}\r\n`,
  ];
}

function inArrays([first, ...others]: Surface['seeds']): Surface['seeds'] {
  const array = (lines: string): string => `[${lines.trimEnd().replaceAll('\n', ',')}]`;
  const start = first.length - first.trimStart().length;
  return [
    `${first.slice(0, start)}[${first.slice(start).trimEnd()}]${first.slice(first.trimEnd().length)}`,
    ...others.map(array),
  ];
}

/** What a file is read in: pieces, so that records lie across their ends. */
const pieceBytes = 65_536;

async function readFile(
  resource: Resource,
  bytes: Buffer,
): Promise<Pick<Finding, 'status' | 'answered'> & { readonly records: number }> {
  const seen = openSeenKeys();
  const rejected = rejectedFile('/dev/null');
  let [answered, count] = [0, 0];
  try {
    const check = checkLines(resource, { activity: activities.attacker, activityName: 'Evil' }, seen);
    for await (const records of readRecords(inPieces(bytes))) {
      count += records.length;
      for (const record of records) {
        const checked = check(record);
        if (checked.kind !== 'refused') continue;
        rejected.add(checked.source, checked.reasons);
        answered += JSON.stringify(checked.reasons).length;
      }
      await rejected.flush();
    }
    return { status: 200, answered, records: count };
  } catch (error) {
    return { status: error instanceof OperatorError ? 400 : 0, answered, records: count };
  } finally {
    await rejected.finish();
    seen.close();
  }
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
