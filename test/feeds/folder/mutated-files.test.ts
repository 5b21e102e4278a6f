// Dropped files that were damaged in every way: each is moved once, and its acknowledgement accounts for every line.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { article as articles, order as orders } from '../../../src/resources/index.ts';
import { feedMessageTable } from '../../../src/store/tables/feeds.ts';
import { rowsIn } from '../../contract/database.ts';
import { allRounds, seedsOf } from '../../contract/rounds.ts';
import { readAll } from '../fixture.ts';
import { linesIn } from '../mapping/fixture.ts';
import { linesOfJson } from '../mapping/json-lines.ts';
import { layouts } from '../mapping/layouts.ts';
import { mutated, randomOf, seeds } from '../mapping/mutation.ts';
import { article, type Drop, dropFor } from './fixture.ts';

/**
 * Each takes 25 ms of processor time, with its messages, acknowledgement and move. Therefore the gates share out 3,000,
 * and the others come only when all are wanted.
 */
const files = seedsOf(allRounds ? 10_000 : 3000, 150);
/** Files that lie in the inboxes together. */
const atOnce = 250;

const records = [article('A'), `[${article('A')},${article('B')}]`, `${article('A')}{}\n\n${article('C')}`];
const mark = Buffer.of(0xef, 0xbb, 0xbf);
const ofRecords = records.map((text) => Buffer.from(text));

interface Dropped {
  readonly feed: string;
  readonly name: string;
  readonly bytes: Buffer;
}

interface Told {
  readonly resource: string;
  readonly state: string;
  readonly fault: { readonly code: string } | null;
  readonly skipped: Readonly<Record<string, number>>;
  readonly [count: string]: unknown;
}

describe('damaged files in an inbox', { timeout: 900_000 + 60 * files.length }, () => {
  it('are each moved with an acknowledgement that accounts for every line', async (t) => {
    const drop = await dropFor(t);
    for (const [index, layout] of layouts.entries())
      await drop.put(`mappings/layout-${index}.json`, JSON.stringify(layout));
    const outcomes: Record<string, number> = {};
    for (let from = 0; from < files.length; from += atOnce) {
      const some = files.slice(from, from + atOnce).map(damaged);
      for (const { feed, name, bytes } of some) await drop.put(`inbox/ACM/${feed}/${name}`, bytes);
      await drop.again();
      for (const each of some) {
        const outcome = await assertAccounted(drop, each);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    }
    t.diagnostic(JSON.stringify(outcomes));
    for (const outcome of ['taken', 'lines-refused', 'refused']) assert.ok(outcomes[outcome], `none was ${outcome}`);
    assert.deepEqual(
      drop.told.filter((told) => !told.startsWith('taken ')),
      [],
    );
    const left = await readdir(join(drop.root, 'inbox'), { recursive: true, withFileTypes: true });
    assert.deepEqual(
      left.filter((entry) => !entry.isDirectory()),
      [],
    );
    await assertWritten(drop);
  });
});

/** A file of one feed that is meant for a layout, often for the one of its mapping. */
function damaged(seed: number): Dropped {
  const random = randomOf(seed);
  const isOfRecords = random(6) === 0;
  const sources = isOfRecords ? ofRecords : seeds;
  const bytes = mutated(sources[random(sources.length)] ?? Buffer.alloc(0), random);
  const feed = isOfRecords ? 'articles' : `layout-${random(layouts.length)}`;
  return { feed, name: `${String(seed).padStart(6, '0')}.txt`, bytes };
}

/** @returns what became of the file */
async function assertAccounted(drop: Drop, { feed, name, bytes }: Dropped): Promise<string> {
  const at = (outcome: 'archive' | 'error', end = ''): string => join(drop.root, outcome, 'ACM', feed, `${name}${end}`);
  const ack = await jsonAt(at('archive', '.ack.json'));
  const told = ack ?? (await jsonAt(at('error', '.ack.json'))) ?? (await jsonAt(at('error', '.reason.json')));
  assert.ok(told !== null, `${name}: nothing tells what became of it`);
  assert.deepEqual(await readFile(at(ack === null ? 'error' : 'archive')), bytes, name);
  if (!('messages' in told)) {
    assert.ok(told.code === 'empty-file' && bytes.length === 0, `${name}: ${JSON.stringify(told)}`);
    return 'empty';
  }
  assert.deepEqual([told.bytes, told.sha256, told.file], [bytes.length, hash('sha256', bytes), name]);
  const layout = layouts[Number(feed.split('-')[1])];
  const messages = told.messages as readonly Told[];
  assert.deepEqual(
    messages.map(({ resource }) => resource),
    layout === undefined ? ['articles'] : Object.keys(layout.resources),
  );
  for (const message of messages)
    await assertAddsUp(message, { told, folder: at('error', '').slice(0, -name.length), bytes, layout });
  return String(told.outcome);
}

interface OfFile {
  readonly told: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly bytes: Buffer;
  readonly layout: (typeof layouts)[number] | undefined;
}

async function assertAddsUp(message: Told, { told, folder, bytes, layout }: OfFile): Promise<void> {
  const text = `${told.file}: ${JSON.stringify(message)}`;
  const count = (name: string): number => Number(message[name]);
  assert.equal(count('read'), count('new') + count('changed') + count('unchanged') + count('refused'), text);
  if (message.state === 'refused') {
    assert.ok(message.fault !== null && told.outcome === 'refused', text);
    assert.deepEqual([count('refused'), count('refusedLinesListed')], [count('read'), 0], text);
    return;
  }
  assert.equal(message.state, 'done', text);
  const skipped = Object.values(message.skipped).reduce((sum, lines) => sum + lines, 0);
  if (layout !== undefined) assert.equal(count('lines'), count('structure') + count('inRecords') + skipped, text);
  const kind = layout?.format.kind;
  // A byte order mark alone is no line.
  const physical = layout === undefined && bytes.equals(mark) ? 0 : linesIn(bytes);
  const lines = kind === 'json' || kind === 'ndjson' ? await linesOfJson(kind, bytes) : physical;
  assert.equal(count('lines'), lines, text);
  const { [message.resource]: refusedFile } = told.refusedFiles as Readonly<Record<string, string>>;
  assert.equal(refusedFile !== undefined, count('refused') > 0, text);
  assert.equal(count('refusedLinesListed'), count('refused'), text);
  if (refusedFile === undefined) return;
  const refused = (await readFile(join(folder, refusedFile), 'utf8')).trimEnd().split('\n');
  assert.equal(refused.length, count('refused'), text);
  for (const line of refused) assert.ok(JSON.parse(line).reasons.length > 0, text);
}

/** What the messages say was new is what there is. */
async function assertWritten({ store }: Drop): Promise<void> {
  const messages = await rowsIn(store, feedMessageTable, { activity: 'ACM' });
  assert.ok(messages.every(({ state, holder }) => state !== 'open' && holder === null));
  for (const resource of [articles, orders]) {
    const added = messages.filter((each) => each.resource === resource.name).reduce((sum, each) => sum + each.added, 0);
    assert.equal((await readAll(store, resource)).length, added, resource.name);
  }
}

async function jsonAt(path: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
