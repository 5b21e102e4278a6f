// What a text costs as the file of an import: read, split, checked, and what is refused of it written with its reasons.
import { checkLines } from '../../../src/feeds/check-records.ts';
import { readMapped } from '../../../src/feeds/mapping/read-mapped.ts';
import { readRecords, type SourceRecord } from '../../../src/feeds/read-records.ts';
import { refusedFile } from '../../../src/feeds/refused-file.ts';
import { openSeenKeys } from '../../../src/store/seen-keys.ts';
import { OperatorError } from '../../../src/model/operator-error.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { article, articleStock, articleStockMovement, order } from '../../../src/resources/index.ts';
import { mappingOf } from '../../feeds/mapping/fixture.ts';
import { activities } from '../prepared.ts';
import { type Finding, type Measure, noise, steadyCost, type Surface } from './search.ts';

/** A file of records of one resource. */
interface ImportSurface extends Surface {
  readonly resource: Resource;
  /** How its records are read; default: as lines or an array in the shape of the interface. */
  readonly read?: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<readonly SourceRecord[]>;
}

/** Characters: enough to tell what grows with the square of its length. A file may be longer, a record up to 16 MB. */
const most = 100_000;

const heading = 'no;at;sku;qty\n';
const csvSeeds: Surface['seeds'] = [
  `${heading}1001;"01/07/2026 12:00";"A-1";"2,5"\n1001;01/07/2026 12:00;"B""2";1\n`,
  `${heading}1001;01/07/2026 12:00;A-1;1\n1002;25/10/2026 02:30;POST;1\n1003;;;\n`,
];

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
  mapped('import, CSV by a mapping', { kind: 'csv', delimiter: ';' }, csvSeeds),
  mapped(
    'import, CSV in Windows-1252',
    { kind: 'csv', delimiter: ';', encoding: 'windows-1252', comment: '#' },
    csvSeeds,
  ),
  mapped(
    'import, fixed columns',
    {
      kind: 'fixed',
      columns: ['no', 'at', 'sku', 'qty'].map((name, index) => ({ name, start: 1 + 20 * index, length: 20 })),
      shortLines: 'pad',
    },
    [
      fixedLine(['1001', '01/07/2026 12:00', 'A-1', '2,5']).repeat(3),
      fixedLine(['1002', '25/10/2026 02:30', 'POST', '']),
    ],
  ),
  mapped('import, array within an object', { kind: 'json', records: '/data/items' }, [
    '{"exportedAt":"2026-03-02","data":{"items":[{"no":"1","at":"01/07/2026 12:00","sku":"A","qty":"1"}]},"a":[1,{}]}',
    '{"data":{"items":[{"no":"1"},{"no":"1"},{}]}}',
  ]),
];

/**
 * Measures by the processor time of this thread: a process for each text would take a hundred times as long as its
 * reading. Nothing is written to a database, which costs the same by the byte for all records.
 */
export const importCost: Measure<ImportSurface> = async ({ name, resource, read = readRecords }, text, usual) => {
  const file = Buffer.from(text);
  const unusual = usual + noise + 2 * file.length;
  const { microseconds, grown, status, answered, records } = await steadyCost(unusual, async () => {
    const { rss } = process.memoryUsage();
    const began = process.threadCpuUsage();
    const outcome = await readFile(resource, read(inPieces(file)));
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
  const refused = JSON.stringify({ line: 1, reasons: [], text: record });
  return [
    2 * at < marked.length ? blanks + marked : marked + blanks,
    `${record}\n${record}\n{}`,
    `${refused}\n${marked}\r\n`,
  ];
}

function fixedLine(cells: readonly string[]): string {
  return `${cells.map((cell) => cell.padEnd(20)).join('')}\n`;
}

/** Lines of orders that a mapping groups, with dates of a clock that is put forward and back, and a rule. */
function mapped(name: string, format: object, seeds: Surface['seeds']): ImportSurface {
  const mapping = mappingOf({
    format,
    skip: [{ rule: 'charges', when: { column: 'sku', matches: '^POST' } }],
    resources: {
      orders: {
        fields: {
          orderUniqueID: { column: 'no', collapse: true, extract: '(\\S+)' },
          customerOrderPlacementDate: { column: 'at', format: 'dd/MM/yyyy HH:mm', zone: 'Europe/Paris' },
        },
        lists: {
          orderEntries: {
            fields: {
              orderLineID: { position: true },
              articleReference: { template: '{sku}', case: 'upper', codes: { B: 'C' }, unknownCode: 'keep' },
              quantityToPrepare: { column: 'qty', decimal: ',', thousands: '.' },
            },
          },
        },
        group: { by: ['no'], differences: 'warn' },
      },
    },
  });
  const [orders] = mapping.resources;
  if (orders === undefined) throw new Error('the mapping has a resource');
  const read: ImportSurface['read'] = (bytes) => readMapped(mapping, orders, bytes, 'file', new Map()).records;
  return { name, most, seeds, resource: order, read };
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
  groups: AsyncIterable<readonly SourceRecord[]>,
): Promise<Pick<Finding, 'status' | 'answered'> & { readonly records: number }> {
  const seen = openSeenKeys();
  const refusedLines = refusedFile('/dev/null');
  let [answered, count] = [0, 0];
  try {
    const check = checkLines(resource, { activity: activities.attacker, activityName: 'Evil' }, seen);
    for await (const records of groups) {
      count += records.length;
      for (const record of records) {
        const checked = check(record);
        if (checked.kind !== 'refused') continue;
        refusedLines.add(checked.source, checked.reasons);
        answered += JSON.stringify(checked.reasons).length;
      }
      await refusedLines.flush();
    }
    return { status: 200, answered, records: count };
  } catch (error) {
    return { status: error instanceof OperatorError ? 400 : 0, answered, records: count };
  } finally {
    await refusedLines.finish();
    seen.close();
  }
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
