// Importing files into a real store: what goes in, what is refused and kept for repair, and that doing it again changes
// nothing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { OperatorError } from '../../src/model/operator-error.ts';
import {
  article,
  articleStock,
  articleStockMovement,
  order,
  orderReport,
  procurement,
  procurementReport,
} from '../../src/resources/index.ts';
import { enginesAboveStorage, provenWithoutServer, storeOn } from '../contract/engines.ts';
import { folderFor, importInto, readAll, storeFor, streamOf } from './fixture.ts';
import type { ImportSummary } from '../../src/feeds/import.ts';

const anArticle = (reference: string, more: object = {}): object => ({
  articleReference: reference,
  longArticleDescription: `Article ${reference}`,
  shortArticleDescription: reference,
  ...more,
});
const aMovement = (reference: string, more: object = {}): object => ({
  articleReference: reference,
  movedQuantity: 1,
  movementDirection: 'O',
  movementTimestamp: '2026-03-02T08:00:00Z',
  ...more,
});
const aStockRow = (reference: string, quantity: number, more: object = {}): object => ({
  stockImageExtractionDate: '2026-03-02T04:00:00Z',
  articleReference: reference,
  totalStockQuantity: quantity,
  ...more,
});
const lines = (...records: readonly (object | string)[]): string =>
  records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join('');
const counts = ({ read, new: added, changed, unchanged, refused }: ImportSummary): object => ({
  read,
  new: added,
  changed,
  unchanged,
  refused,
});

async function refusedIn(path: string): Promise<
  readonly {
    readonly line: number;
    readonly reasons: readonly { readonly code: string; readonly pointer: string }[];
    readonly record?: unknown;
    readonly text?: unknown;
  }[]
> {
  const text = await readFile(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const failure =
  (words: RegExp) =>
  (error: unknown): boolean =>
    error instanceof OperatorError && words.test(`${error.message} ${error.remedy}`);

describe('a source that cannot be imported', () => {
  it('is told apart: missing, a folder, no JSON at all, records over several lines, UTF-16', async (t) => {
    const { store, folder } = await storeFor(t);
    const from = (path: string) => importInto(store, article, folder, { source: { kind: 'file', path } });
    await assert.rejects(from(join(folder, 'missing.ndjson')), failure(/no file .*missing\.ndjson/));
    await assert.rejects(from(folder), failure(/is a folder/));
    await writeFile(join(folder, 'a.csv'), 'articleReference;longArticleDescription\nA1;Mug\n');
    await assert.rejects(from(join(folder, 'a.csv')), failure(/no JSON: it begins with "articleReference;/));
    await writeFile(join(folder, 'a.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]));
    await assert.rejects(from(join(folder, 'a.png')), failure(/no JSON/));
    await writeFile(join(folder, 'a.json'), JSON.stringify(anArticle('A1'), null, 2));
    await assert.rejects(from(join(folder, 'a.json')), failure(/spread over several lines/));
    await writeFile(join(folder, 'a.txt'), Buffer.from('\ufeff{}', 'utf16le'));
    await assert.rejects(from(join(folder, 'a.txt')), failure(/UTF-16/));
    await writeFile(join(folder, 'wrapped.json'), JSON.stringify({ total: 1, articles: [{ articleReference: 'A' }] }));
    await assert.rejects(
      from(join(folder, 'wrapped.json')),
      failure(/one object, whose "\/articles" holds the records/),
    );
    assert.deepEqual((await readdir(folder)).sort(), ['a.csv', 'a.json', 'a.png', 'a.txt', 'data', 'wrapped.json']);
  });

  it('may not be readable', { skip: process.getuid?.() === 0 ? 'root may read everything' : false }, async (t) => {
    const { store, folder } = await storeFor(t);
    await writeFile(join(folder, 'secret.ndjson'), '{}');
    await chmod(join(folder, 'secret.ndjson'), 0);
    await assert.rejects(
      importInto(store, article, folder, { source: { kind: 'file', path: join(folder, 'secret.ndjson') } }),
      failure(/may not be read/),
    );
  });

  it('fails in the middle: what was written stays, and no half of a file of refused lines', async (t) => {
    const { store, folder } = await storeFor(t);
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(lines(...Array.from({ length: 1500 }, (_, index) => anArticle(`A${index}`)), '{"broken"'));
      throw new Error('the disk is gone');
    }
    await assert.rejects(
      importInto(store, article, folder, { source: { kind: 'stream', bytes: bytes() } }),
      /the disk is gone/,
    );
    assert.equal((await readAll(store, article)).length, 1000);
    assert.deepEqual(await readdir(folder), ['data']);
  });

  it('may belong to an activity that does not exist', async (t) => {
    const { store, folder } = await storeFor(t);
    await assert.rejects(
      importInto(store, article, folder, { activity: 'XYZ', source: streamOf(lines(anArticle('A1'))) }),
      OperatorError,
    );
  });
});

describe('refused lines', { skip: provenWithoutServer }, () => {
  it('are kept with their line and every reason, and the others go in', async (t) => {
    const { store, folder } = await storeFor(t);
    const wrong = { articleReference: 'A-reference-that-is-too-long', netWeightPerUVC: 'heavy', colour: 'red' };
    const summary = await importInto(store, article, folder, {
      source: streamOf(lines(anArticle('A1'), '', wrong, '{"articleReference":', anArticle('A2'), '17')),
    });
    assert.deepEqual(counts(summary), { read: 5, new: 2, changed: 0, unchanged: 0, refused: 3 });
    assert.deepEqual(
      (await readAll(store, article)).map(({ articleReference }) => articleReference),
      ['A1', 'A2'],
    );
    assert.equal(summary.refusedFile, join(folder, 'refused.ndjson'));
    const [first, second, third] = await refusedIn(join(folder, 'refused.ndjson'));
    assert.equal(first?.line, 3);
    assert.deepEqual(first?.record, wrong);
    assert.deepEqual(
      new Set(first?.reasons.map(({ pointer }) => pointer)),
      new Set([
        '/articleReference',
        '/longArticleDescription',
        '/shortArticleDescription',
        '/netWeightPerUVC',
        '/colour',
      ]),
    );
    assert.deepEqual([second?.line, second?.text, second?.reasons[0]?.code], [4, '{"articleReference":', 'not-json']);
    assert.deepEqual([third?.line, third?.record], [6, 17]);
  });

  it('are readable by their owner alone', async (t) => {
    const { store, folder } = await storeFor(t);
    await importInto(store, article, folder, { source: streamOf('{}\n') });
    assert.equal((await stat(join(folder, 'refused.ndjson'))).mode & 0o777, 0o600);
  });

  it('can be repaired in that file and imported from it', async (t) => {
    const { store, folder } = await storeFor(t);
    const source =
      '[\n  {\n    "articleReference": "A1",\n    "longArticleDescription": "Mug"\n  },\n{"articleReference":"A2"\n]';
    assert.deepEqual(counts(await importInto(store, article, folder, { source: streamOf(source) })), {
      read: 2,
      new: 0,
      changed: 0,
      unchanged: 0,
      refused: 2,
    });
    const refused = await readFile(join(folder, 'refused.ndjson'), 'utf8');
    const repaired = refused
      .replace('"longArticleDescription": "Mug"', '"longArticleDescription": "Mug", "shortArticleDescription": "Mug"')
      .replace(/"text":"(?:[^"\\]|\\.)*"/, `"text":${JSON.stringify(JSON.stringify(anArticle('A2')))}`);
    assert.deepEqual(counts(await importInto(store, article, folder, { source: streamOf(repaired) })), {
      read: 2,
      new: 2,
      changed: 0,
      unchanged: 0,
      refused: 0,
    });
    assert.deepEqual(
      (await readAll(store, article)).map(({ articleReference }) => articleReference),
      ['A1', 'A2'],
    );
  });

  it('that were not repaired are refused again, as they were', async (t) => {
    const { store, folder } = await storeFor(t);
    await importInto(store, article, folder, {
      source: streamOf(lines(anArticle('A1'), { articleReference: 'A2' }, '{')),
    });
    const before = await refusedIn(join(folder, 'refused.ndjson'));
    await importInto(store, article, folder, { source: { kind: 'file', path: join(folder, 'refused.ndjson') } });
    const after = await refusedIn(join(folder, 'refused.ndjson'));
    assert.deepEqual(
      after.map(({ line: _, ...rest }) => rest),
      before.map(({ line: _, ...rest }) => rest),
    );
  });

  it('of an older run vanish when nothing is refused, and survive a run that fails', async (t) => {
    const { store, folder } = await storeFor(t);
    const path = join(folder, 'refused.ndjson');
    await importInto(store, article, folder, { source: streamOf('{}\n') });
    await assert.rejects(importInto(store, article, folder, { source: streamOf('x\n') }));
    assert.equal((await refusedIn(path)).length, 1);
    const summary = await importInto(store, article, folder, { source: streamOf(lines(anArticle('A1'))) });
    assert.equal(summary.refusedFile, null);
    await assert.rejects(stat(path), { code: 'ENOENT' });
  });

  it('removes what a killed import of the file left of its refused lines, and nothing of one that runs', async (t) => {
    const { store, folder } = await storeFor(t);
    const killed = spawnSync(process.execPath, ['--version']).pid;
    const others = [
      `refused.ndjson.${process.ppid}-0123abcd.tmp`,
      'refused.ndjson.notes.tmp',
      'other.ndjson.1-0123abcd.tmp',
    ];
    for (const name of [
      `refused.ndjson.${killed}-0123abcd.tmp`,
      `refused.ndjson.${process.pid}-0123abcd.tmp`,
      ...others,
    ])
      await writeFile(join(folder, name), '{}\n');
    await importInto(store, article, folder, { source: streamOf('{}\n') });
    const left = (await readdir(folder)).filter((name) => name.includes('.ndjson'));
    assert.deepEqual(left.toSorted(), [...others, 'refused.ndjson'].toSorted());
  });

  it('that cannot be written stop the import with a clear error', async (t) => {
    const { store, folder } = await storeFor(t);
    await mkdir(join(folder, 'refused.ndjson'));
    await assert.rejects(
      importInto(store, article, folder, { source: streamOf('{}\n') }),
      failure(/refused lines cannot be written.*--refused FILE/),
    );
  });
});

describe('a strict import', () => {
  const mixed = lines(anArticle('A1'), {}, anArticle('A2'));

  it('writes nothing when a line is refused, and keeps all refused lines', async (t) => {
    const { store, folder } = await storeFor(t);
    await writeFile(join(folder, 'a.ndjson'), mixed + lines({}));
    for (const source of [{ kind: 'file', path: join(folder, 'a.ndjson') } as const, streamOf(mixed + lines({}), 7)]) {
      const summary = await importInto(store, article, folder, { strict: true, source });
      assert.deepEqual(
        [counts(summary), summary.written],
        [{ read: 4, new: 0, changed: 0, unchanged: 0, refused: 2 }, false],
      );
      assert.deepEqual(
        (await refusedIn(join(folder, 'refused.ndjson'))).map(({ line }) => line),
        [2, 4],
      );
      assert.deepEqual(await readAll(store, article), []);
    }
  });

  it('writes the whole file when every line is right, from a stream too', async (t) => {
    const { store, folder } = await storeFor(t);
    const summary = await importInto(store, article, folder, {
      strict: true,
      source: streamOf(lines(anArticle('A1'), anArticle('A2')), 7),
    });
    assert.deepEqual(
      [counts(summary), summary.written],
      [{ read: 2, new: 2, changed: 0, unchanged: 0, refused: 0 }, true],
    );
  });

  it('refuses a file that changes while it is checked', async (t) => {
    const { store, folder } = await storeFor(t);
    const path = join(folder, 'a.ndjson');
    await writeFile(path, lines(anArticle('A1')));
    const summary = importInto(store, article, folder, {
      strict: true,
      source: { kind: 'file', path },
      onProgress: ({ pass }) => {
        if (pass === 'checking') appendFileSync(path, lines(anArticle('A2')));
      },
    });
    await assert.rejects(summary, failure(/changed while it was checked/));
    assert.deepEqual(await readAll(store, article), []);
  });
});

describe('the same file again', { skip: provenWithoutServer }, () => {
  it('changes nothing', async (t) => {
    const { store, folder } = await storeFor(t);
    const text = lines(...Array.from({ length: 2500 }, (_, index) => anArticle(`A${index}`)));
    assert.deepEqual(counts(await importInto(store, article, folder, { source: streamOf(text) })), {
      read: 2500,
      new: 2500,
      changed: 0,
      unchanged: 0,
      refused: 0,
    });
    const before = [await readAll(store, article), await store.lists.revision(article, ['ACM'])];
    assert.deepEqual(counts(await importInto(store, article, folder, { source: streamOf(text) })), {
      read: 2500,
      new: 0,
      changed: 0,
      unchanged: 2500,
      refused: 0,
    });
    assert.deepEqual([await readAll(store, article), await store.lists.revision(article, ['ACM'])], before);
  });

  it('with one record changed changes that one', async (t) => {
    const { store, folder } = await storeFor(t);
    await importInto(store, article, folder, { source: streamOf(lines(anArticle('A1'), anArticle('A2'))) });
    const summary = await importInto(store, article, folder, {
      source: streamOf(lines(anArticle('A1'), anArticle('A2', { articleColor: 'red' }))),
    });
    assert.deepEqual(counts(summary), { read: 2, new: 0, changed: 1, unchanged: 1, refused: 0 });
  });

  it('takes movements that name no article, which a filter finds', async (t) => {
    const { store, folder } = await storeFor(t);
    const { articleReference: _left, ...unnamed } = { articleReference: '', ...aMovement('') };
    const summary = await importInto(store, articleStockMovement, folder, {
      source: streamOf(lines(aMovement('A1'), unnamed, { ...unnamed, articleReference: null, movedQuantity: 2 })),
    });
    assert.deepEqual(counts(summary), { read: 3, new: 3, changed: 0, unchanged: 0, refused: 0 });
    const references = async (is: boolean | null): Promise<unknown> => {
      const where = is === null ? [] : [{ op: 'null', selector: 'articleReference', is } as const];
      const plan = {
        resource: articleStockMovement,
        activities: ['ACM'],
        where,
        sort: [],
        after: null,
        updatedSince: null,
        limit: 100,
        imageAt: null,
        walkStarts: {},
      };
      const rows: readonly { readonly articleReference: unknown; readonly movedQuantity: unknown }[] = JSON.parse(
        (
          await store.lists.page(plan, await store.lists.revision(articleStockMovement, ['ACM']), { client: 'test' })
        ).bytes.toString(),
      );
      return rows.map((row) => [row.articleReference, row.movedQuantity]);
    };
    assert.deepEqual(await references(null), [
      ['A1', 1],
      [null, 1],
      [null, 2],
    ]);
    assert.deepEqual(await references(true), [
      [null, 1],
      [null, 2],
    ]);
    assert.deepEqual(await references(false), [['A1', 1]]);
  });

  it('keeps equal movements apart, and changes nothing', async (t) => {
    const { store, folder } = await storeFor(t);
    const text = lines(aMovement('A1'), aMovement('A2'), aMovement('A1'), aMovement('A1'));
    assert.deepEqual(counts(await importInto(store, articleStockMovement, folder, { source: streamOf(text) })), {
      read: 4,
      new: 4,
      changed: 0,
      unchanged: 0,
      refused: 0,
    });
    assert.deepEqual(counts(await importInto(store, articleStockMovement, folder, { source: streamOf(text) })), {
      read: 4,
      new: 0,
      changed: 0,
      unchanged: 4,
      refused: 0,
    });
    const fourth = await importInto(store, articleStockMovement, folder, {
      source: streamOf(text + lines(aMovement('A1'))),
    });
    assert.deepEqual(counts(fourth), { read: 5, new: 1, changed: 0, unchanged: 4, refused: 0 });
    assert.equal((await readAll(store, articleStockMovement)).length, 5);
  });

  it('goes to the same end from any place where the first run was cut off', async (t) => {
    const text = lines(...Array.from({ length: 2200 }, (_, index) => aMovement(`A${index % 700}`)));
    const whole = await storeFor(t);
    await importInto(whole.store, articleStockMovement, whole.folder, { source: streamOf(text) });
    const cut = await storeFor(t);
    async function* until(end: number): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text.slice(0, end));
      throw new Error('killed');
    }
    for (const end of [30_000, text.length >> 1, text.length - 10])
      await assert.rejects(
        importInto(cut.store, articleStockMovement, cut.folder, { source: { kind: 'stream', bytes: until(end) } }),
        /killed/,
      );
    await importInto(cut.store, articleStockMovement, cut.folder, { source: streamOf(text) });
    const facts = async ({ store }: typeof cut): Promise<readonly unknown[]> =>
      (await readAll(store, articleStockMovement)).map(({ articleReference, movementTimestamp }) => [
        articleReference,
        movementTimestamp,
      ]);
    assert.deepEqual(await facts(cut), await facts(whole));
  });
});

describe('a record that comes twice in one file', { skip: provenWithoutServer }, () => {
  it('is no news when it says the same, and refused when it does not', async (t) => {
    const { store, folder } = await storeFor(t);
    const summary = await importInto(store, article, folder, {
      source: streamOf(
        lines(anArticle('A1'), anArticle('A2'), anArticle('A1'), anArticle('A1', { articleColor: 'red' })),
      ),
    });
    assert.deepEqual(counts(summary), { read: 4, new: 2, changed: 0, unchanged: 1, refused: 1 });
    const [only] = await refusedIn(join(folder, 'refused.ndjson'));
    assert.deepEqual([only?.line, only?.reasons[0]?.code], [4, 'duplicate-in-file']);
    assert.match(JSON.stringify(only?.reasons), /Line 1 holds/);
    assert.equal(
      (await readAll(store, article)).find(({ articleReference }) => articleReference === 'A1')?.articleColor,
      null,
    );
  });

  it('does not count where the first of them was refused', async (t) => {
    const { store, folder } = await storeFor(t);
    const summary = await importInto(store, article, folder, {
      source: streamOf(lines(anArticle('A1', { colour: 'red' }), anArticle('A1'))),
    });
    assert.deepEqual(counts(summary), { read: 2, new: 1, changed: 0, unchanged: 0, refused: 1 });
  });

  it('is found across batches', async (t) => {
    const { store, folder } = await storeFor(t);
    const many = Array.from({ length: 3000 }, (_, index) => anArticle(`A${index}`));
    const summary = await importInto(store, article, folder, {
      source: streamOf(lines(...many, anArticle('A5', { articleColor: 'red' })), 4096),
    });
    assert.deepEqual(counts(summary), { read: 3001, new: 3000, changed: 0, unchanged: 0, refused: 1 });
  });
});

describe('a stock image', { skip: provenWithoutServer }, () => {
  it('of a file that fails is not there, not even in part', async (t) => {
    const { store, folder } = await storeFor(t);
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(lines(...Array.from({ length: 2500 }, (_, index) => aStockRow(`A${index}`, index))));
      throw new Error('killed');
    }
    await assert.rejects(
      importInto(store, articleStock, folder, { source: { kind: 'stream', bytes: bytes() } }),
      /killed/,
    );
    assert.deepEqual(await readAll(store, articleStock), []);
    assert.equal((await store.lists.revision(articleStock, ['ACM'])).ACM, 0);
  });

  it('of a file that was cut off is not there either', async (t) => {
    const { store, folder } = await storeFor(t);
    for (const text of [`${lines(aStockRow('A1', 1))}{"stockImageExtr`, `[${JSON.stringify(aStockRow('A1', 1))},`]) {
      const summary = await importInto(store, articleStock, folder, { source: streamOf(text) });
      assert.deepEqual([summary.written, summary.truncated, summary.refused, summary.images], [false, true, 1, []]);
      assert.deepEqual(await readAll(store, articleStock), []);
    }
  });

  it('of a file with any other sign of a cut or of damage is not there either', async (t) => {
    const { store, folder } = await storeFor(t);
    const rows = Array.from({ length: 9 }, (_, index) => aStockRow(`A${index}`, 1));
    const last = Buffer.from(JSON.stringify(aStockRow('Z\u00e9\u20ac', 1)));
    const amid = last.indexOf(Buffer.from('\u20ac'));
    const array = Buffer.from(JSON.stringify(rows).slice(0, -1));
    const signs: Readonly<Record<string, readonly (Buffer | string)[]>> = {
      'cut amid a character': [lines(...rows), last.subarray(0, amid + 1)],
      'cut amid a character, two bytes of three': [lines(...rows), last.subarray(0, amid + 2)],
      'an array cut amid a character': [array, ',', last.subarray(0, amid + 1)],
      'an array without its end': [array],
      'text after the array': [array, ']', '{"a":1}'],
      'a second array': [array, ']\n', JSON.stringify(rows)],
      'zeros after the array': [array, ']', Buffer.alloc(3)],
      'zeros after the last line': [lines(...rows), Buffer.alloc(512)],
      'half of a line amid the others': [lines(...rows.slice(0, 4)), '{"stockImageExtr\n', lines(...rows.slice(4))],
      'half of a line amid the others, cut amid a character': [
        lines(...rows.slice(0, 4)),
        last.subarray(0, amid + 1),
        '\n',
        lines(...rows.slice(4)),
      ],
    };
    for (const [sign, parts] of Object.entries(signs)) {
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
      async function* source(): AsyncGenerator<Uint8Array> {
        yield bytes;
      }
      const summary = await importInto(store, articleStock, folder, { source: { kind: 'stream', bytes: source() } });
      assert.deepEqual([summary.written, summary.damaged, summary.images], [false, true, []], sign);
      assert.deepEqual(await readAll(store, articleStock), [], sign);
      assert.equal((await store.lists.revision(articleStock, ['ACM'])).ACM, 0, sign);
    }
  });

  it('of which a row is refused is there without it: the row says what it is about', async (t) => {
    const { store, folder } = await storeFor(t);
    const wrong = aStockRow('A2', 2, { totalStockQuantity: 'x' });
    const twice = JSON.stringify(aStockRow('A3', 3)).replace('{', '{"totalStockQuantity":4,');
    const latin = Buffer.from(JSON.stringify(aStockRow('A4', 4, { gradeCode: 'd\u00e9' })), 'latin1');
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.concat([Buffer.from(`${lines(aStockRow('A1', 1), wrong)}${twice}\n`), latin]);
    }
    const summary = await importInto(store, articleStock, folder, { source: { kind: 'stream', bytes: source() } });
    assert.deepEqual(
      [summary.written, summary.damaged, summary.refused, summary.images?.map(({ rows }) => rows)],
      [true, false, 3, [1]],
    );
  });

  it('is not replaced by its refused lines alone', async (t) => {
    const { store, folder } = await storeFor(t);
    await importInto(store, articleStock, folder, {
      source: streamOf(lines(aStockRow('A1', 1), aStockRow('A2', 2, { totalStockQuantity: 'x' }))),
    });
    await assert.rejects(
      importInto(store, articleStock, folder, { source: { kind: 'file', path: join(folder, 'refused.ndjson') } }),
      failure(/replace the whole image/),
    );
    assert.equal((await readAll(store, articleStock)).length, 1);
  });

  it('has one date for all its rows: a file with too many dates is refused', async (t) => {
    const { store, folder } = await storeFor(t);
    const rows = Array.from({ length: 1001 }, (_, index) =>
      aStockRow(`A${index}`, 1, { stockImageExtractionDate: new Date(index * 1000).toISOString() }),
    );
    await assert.rejects(
      importInto(store, articleStock, folder, { source: streamOf(lines(...rows)) }),
      failure(/more than 1000 different values of stockImageExtractionDate/),
    );
    assert.deepEqual(await readAll(store, articleStock), []);
  });

  it('cannot be of the future: it would hide every later one', async (t) => {
    const { store, folder } = await storeFor(t);
    const ahead = new Date(Date.now() + 2 * 86_400_000).toISOString();
    const summary = await importInto(store, articleStock, folder, {
      source: streamOf(lines(aStockRow('A1', 1, { stockImageExtractionDate: ahead }))),
    });
    assert.equal(summary.refused, 1);
    assert.deepEqual(summary.images, []);
    assert.match(
      await readFile(join(folder, 'refused.ndjson'), 'utf8'),
      /"future-date","pointer":"\/stockImageExtractionDate"/,
    );
  });

  it('is one per date; again it is unchanged, other rows replace it', async (t) => {
    const { store, folder } = await storeFor(t);
    const later = { stockImageExtractionDate: '2026-03-09T05:00:00+01:00' };
    const rows = [aStockRow('A1', 1), aStockRow('A1', 5, later), aStockRow('A2', 2), aStockRow('A2', 6, later)];
    const first = await importInto(store, articleStock, folder, { source: streamOf(lines(...rows)) });
    assert.deepEqual(first.images, [
      { at: '2026-03-02T04:00:00.000Z', rows: 2, outcome: 'new' },
      { at: '2026-03-09T04:00:00.000Z', rows: 2, outcome: 'new' },
    ]);
    assert.deepEqual(counts(first), { read: 4, new: 4, changed: 0, unchanged: 0, refused: 0 });
    const quantities = async (at: number | null): Promise<unknown> =>
      (await readAll(store, articleStock, ['ACM'], at)).map(({ totalStockQuantity }) => totalStockQuantity);
    assert.deepEqual(
      [await quantities(null), await quantities(Date.parse('2026-03-05'))],
      [
        [5, 6],
        [1, 2],
      ],
    );
    const again = await importInto(store, articleStock, folder, { source: streamOf(lines(...rows)) });
    assert.deepEqual(counts(again), { read: 4, new: 0, changed: 0, unchanged: 4, refused: 0 });
    const other = await importInto(store, articleStock, folder, { source: streamOf(lines(aStockRow('A9', 9))) });
    assert.deepEqual(
      other.images?.map(({ outcome }) => outcome),
      ['changed'],
    );
    assert.deepEqual([await quantities(null), await quantities(Date.parse('2026-03-05'))], [[5, 6], [9]]);
  });
});

for (const engine of enginesAboveStorage) {
  describe(`on ${engine.name}`, { skip: engine.skip }, () => {
    it('movements and images go in once', async (t) => {
      const database = await engine.create();
      t.after(() => database.remove());
      const store = await storeOn(await database.open());
      t.after(() => store.close());
      await store.activities.add('ACM', 'Acme Home');
      const folder = await folderFor(t);
      const movements = lines(...Array.from({ length: 2500 }, (_, index) => aMovement(`A${index % 900}`)));
      const rows = lines(...Array.from({ length: 1500 }, (_, index) => aStockRow(`A${index}`, index)));
      for (const [resource, text, read] of [
        [articleStockMovement, movements, 2500],
        [articleStock, rows, 1500],
      ] as const) {
        assert.deepEqual(counts(await importInto(store, resource, folder, { source: streamOf(text) })), {
          read,
          new: read,
          changed: 0,
          unchanged: 0,
          refused: 0,
        });
        assert.deepEqual(counts(await importInto(store, resource, folder, { source: streamOf(text) })), {
          read,
          new: 0,
          changed: 0,
          unchanged: read,
          refused: 0,
        });
        assert.equal((await readAll(store, resource)).length, read);
      }
    });
  });
}

describe('what this service published', { skip: provenWithoutServer }, () => {
  const given = [
    [
      article,
      {
        articleReference: 'A1',
        longArticleDescription: 'Long',
        shortArticleDescription: 'Short',
        barcodes: [{ code: '9521234567899' }],
      },
    ],
    [articleStockMovement, aMovement('A1')],
    [articleStockMovement, { ...aMovement('A2'), id: 77 }],
    [
      order,
      { orderUniqueID: 'O1', orderEntries: [{ orderLineID: '1', articleReference: 'A1', quantityToPrepare: 1 }] },
    ],
    [orderReport, { orderUniqueID: 'O1', parcels: [{ packageNumber: 'P1', entries: [{ articleReference: 'A1' }] }] }],
    [procurement, { uniqueProcurementID: 'P1' }],
    [articleStock, aStockRow('A1', 3)],
  ] as const;
  for (const [index, [resource, record]] of given.entries()) {
    it(`is no news when it comes back: ${resource.name} ${index}`, async (t) => {
      const { store, folder } = await storeFor(t);
      await importInto(store, resource, folder, { source: streamOf(lines(record)) });
      const published = await readAll(store, resource);
      const again = await importInto(store, resource, folder, { source: streamOf(lines(...published)) });
      assert.deepEqual(counts(again), { read: 1, new: 0, changed: 0, unchanged: 1, refused: 0 });
      assert.deepEqual(await readAll(store, resource), published);
    });
  }

  it('is overwritten by nothing that merely has the same number elsewhere', async (t) => {
    const { store, folder } = await storeFor(t);
    await importInto(store, articleStockMovement, folder, { source: streamOf(lines(aMovement('A1'))) });
    const [published] = await readAll(store, articleStockMovement);
    const foreign = { ...published, articleReference: 'B9' };
    const summary = await importInto(store, articleStockMovement, folder, { source: streamOf(lines(foreign)) });
    assert.equal(summary.new, 1);
    assert.deepEqual(
      (await readAll(store, articleStockMovement)).map(({ articleReference }) => articleReference),
      ['A1', 'B9'],
    );
  });
});

describe('what is imported', () => {
  it('comes back through the lists, with what the service assigns', async (t) => {
    const { store, folder } = await storeFor(t);
    const given = {
      orderUniqueID: 'O1',
      customerOrderPlacementDate: '2026-03-02T09:00:00+01:00',
      deliveryAddressLastname: 'Åkesson 🎁',
      orderEntries: [{ orderLineID: '1', articleReference: 'A1', quantityToPrepare: 2.5 }],
    };
    await importInto(store, order, folder, { source: streamOf(lines(given), 3) });
    const [read] = await readAll(store, order);
    assert.equal(read?.activityName, 'Acme Home');
    assert.equal(read?.customerOrderPlacementDate, '2026-03-02T08:00:00.000Z');
    assert.equal(read?.deliveryAddressLastname, 'Åkesson 🎁');
    assert.match(String(read?.id), /^[0-9a-f-]{36}$/);
    assert.equal(JSON.stringify(read?.orderEntries).includes('"quantityToPrepare":2.5'), true);
  });

  it('keeps what is never published: the procurement of a report', async (t) => {
    const { store, folder } = await storeFor(t);
    await importInto(store, procurementReport, folder, {
      source: streamOf(lines({ uniqueProcurementID: 'PO1', receptionUniqueID: 'R1' })),
    });
    assert.equal(await store.lists.exists(procurementReport, ['ACM'], 'uniqueProcurementID', 'PO1'), true);
    assert.equal('uniqueProcurementID' in ((await readAll(store, procurementReport))[0] ?? {}), false);
  });

  it('belongs to the activity it is imported into, or is refused', async (t) => {
    const { store, folder } = await storeFor(t);
    const summary = await importInto(store, article, folder, {
      source: streamOf(lines(anArticle('A1', { activityCode: 'BIO' }), anArticle('A2', { activityCode: 'ACM' }))),
    });
    assert.deepEqual(counts(summary), { read: 2, new: 1, changed: 0, unchanged: 0, refused: 1 });
    assert.equal((await refusedIn(join(folder, 'refused.ndjson')))[0]?.reasons[0]?.code, 'wrong-activity');
  });

  it('refuses whole numbers that would lose digits', async (t) => {
    const { store, folder } = await storeFor(t);
    const summary = await importInto(store, order, folder, {
      source: streamOf('{"orderUniqueID":"O1","orderProcessingPriority":12345678901234567890}\n'),
    });
    assert.deepEqual([summary.refused, summary.new], [1, 0]);
    assert.match(
      await readFile(join(folder, 'refused.ndjson'), 'utf8'),
      /"orderProcessingPriority":12345678901234567890\}/,
    );
  });

  it('nothing, when the file is empty', async (t) => {
    const { store, folder } = await storeFor(t);
    for (const text of ['', '\n\n', '[]']) {
      const summary = await importInto(store, article, folder, { source: streamOf(text) });
      assert.deepEqual(
        [counts(summary), summary.written, summary.refusedFile],
        [{ read: 0, new: 0, changed: 0, unchanged: 0, refused: 0 }, true, null],
      );
    }
  });

  it('is told as it goes on', async (t) => {
    const { store, folder } = await storeFor(t);
    const path = join(await folderFor(t), 'a.ndjson');
    const text = lines(...Array.from({ length: 2500 }, (_, index) => anArticle(`A${index}`)), {});
    await writeFile(path, text);
    const told: { readonly bytes: number; readonly read: number }[] = [];
    await importInto(store, article, folder, {
      source: { kind: 'file', path },
      onProgress: (progress) => {
        told.push(progress);
      },
    });
    assert.deepEqual(
      told.map(({ read }) => read),
      [1000, 2000, 2501],
    );
    const last = { pass: 'importing', bytes: text.length, totalBytes: text.length, read: 2501, refused: 1 };
    assert.deepEqual(told.at(-1), last);
  });
});
