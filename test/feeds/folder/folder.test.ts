// Files that are dropped become messages once, and are moved with what became of them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rename, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { articleStock as images, article as articles, order as orders } from '../../../src/resources/index.ts';
import { createFeedTurns, type FeedTurns } from '../../../src/feeds/feed-turns.ts';
import { replayLines } from '../../../src/feeds/replay.ts';
import type { NewAuditEntry } from '../../../src/store/audit-contract.ts';
import type { FeedMessage } from '../../../src/store/feed-contract.ts';
import { maxKeptLines } from '../../../src/store/feed-refusals.ts';
import { openDropped } from '../../../src/feeds/folder/dropped-file.ts';
import { run } from '../../commands/fixture.ts';
import { leftToGate } from '../../contract/rounds.ts';
import { readAll } from '../fixture.ts';
import type { WatchParts } from '../../../src/feeds/folder/watch.ts';
import { article, type Drop, dropFor } from './fixture.ts';

const names = async (drop: Awaited<ReturnType<typeof dropFor>>): Promise<readonly unknown[]> =>
  (await readAll(drop.store, articles)).map(({ articleReference }) => articleReference);

/** Of each message of a file, as its acknowledgement has them. */
const refusedAndListed = async (drop: Drop, file: string): Promise<readonly unknown[]> => {
  const { messages } = await drop.json(`${file}.ack.json`);
  return (messages as Record<string, unknown>[]).map(({ refused, refusedLinesListed }) => [
    refused,
    refusedLinesListed,
  ]);
};

const mapping = {
  format: { kind: 'csv', delimiter: ';' },
  skip: [{ rule: 'charges', when: { column: 'sku', equals: 'POST' } }],
  resources: {
    articles: {
      fields: { articleReference: 'sku', longArticleDescription: 'name', shortArticleDescription: 'name' },
      distinct: {},
    },
    orders: {
      fields: { orderUniqueID: 'no' },
      group: { by: ['no'] },
      lists: {
        orderEntries: {
          fields: { orderLineID: { position: true }, articleReference: 'sku', quantityToPrepare: 'qty' },
        },
      },
    },
  },
};
const auditEntry: NewAuditEntry = {
  ...{ actorKind: 'command', actor: 'test', subject: null, action: 'feed.replay', activityCodes: ['ACM'] },
  ...{ target: null, operationId: null, outcome: 'accepted', address: null, details: {} },
};
const sales = 'no;sku;name;qty\n1;A;Lamp;2\n1;B;Table;1\n1;POST;;1\n2;A;Lamp;1\n';

describe('a file that is dropped', () => {
  it('in a folder called like a resource becomes a message, and is archived with its acknowledgement', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/day-1.ndjson', article('A') + article('B'));
    await drop.round();
    assert.deepEqual(await drop.files(), [
      'archive/ACM/articles/day-1.ndjson',
      'archive/ACM/articles/day-1.ndjson.ack.json',
    ]);
    const ack = await drop.json('archive/ACM/articles/day-1.ndjson.ack.json');
    assert.deepEqual(
      [ack.activity, ack.feed, ack.folder, ack.file, ack.outcome, ack.bytes],
      ['ACM', 'main', 'articles', 'day-1.ndjson', 'taken', 180],
    );
    const [message] = ack.messages as Record<string, unknown>[];
    assert.deepEqual(
      [
        message?.message,
        message?.resource,
        message?.state,
        message?.lines,
        message?.read,
        message?.new,
        message?.refused,
      ],
      ['ACM:1', 'articles', 'done', 2, 2, 2, 0],
    );
    assert.deepEqual([message?.firstRecord, message?.lastRecord], [['A'], ['B']]);
    assert.deepEqual([await names(drop), drop.told], [['A', 'B'], ['taken day-1.ndjson taken']]);
  });

  it('with a mapping becomes a message of each resource', async (t) => {
    const drop = await dropFor(t);
    await drop.put('mappings/ACM/sales.json', JSON.stringify(mapping));
    await drop.put('inbox/ACM/sales/s1.csv', sales);
    await drop.round();
    const ack = await drop.json('archive/ACM/sales/s1.csv.ack.json');
    assert.deepEqual(
      (ack.messages as Record<string, unknown>[]).map(({ resource, lines, skipped, read, new: added }) => [
        resource,
        lines,
        skipped,
        read,
        added,
      ]),
      [
        ['articles', 5, { charges: 1 }, 2, 2],
        ['orders', 5, { charges: 1 }, 2, 2],
      ],
    );
    assert.deepEqual(
      (ack.messages as Record<string, unknown>[]).map(({ structure, same, lineWarnings }) => [
        structure,
        same,
        lineWarnings,
      ]),
      [
        [1, 1, 0],
        [1, 0, 0],
      ],
    );
    assert.equal((await readAll(drop.store, orders)).length, 2);
    const [feed] = await drop.store.feeds.list(['ACM']);
    assert.deepEqual([feed?.feed, feed?.resource], ['sales', 'articles']);
    assert.deepEqual([ack.feed, ack.folder], ['sales', 'sales']);
  });

  it('tells in its message what became of every line, and what the mapping warns of', async (t) => {
    const drop = await dropFor(t);
    const fields = {
      ...mapping.resources.articles.fields,
      articleAnalysisCode: { column: 'qty', codes: { 2: 'E' }, unknownCode: 'empty' },
    };
    const resources = { articles: { fields, distinct: { differences: 'warn' } } };
    await drop.put('mappings/sales.json', JSON.stringify({ ...mapping, resources }));
    const rows = ['1;A;Lamp;2', '1;A;Light;2', '1;B;Table;7', '', '1;POST;;1', '1;B;Table;7'];
    await drop.put('inbox/ACM/sales/1.csv', `no;sku;name;qty\n${rows.join('\n')}\n`);
    await drop.round();
    const message = await drop.store.feeds.message('ACM', 1);
    assert.ok(message);
    const { lines, skipped, skippedBy, read, added, warned, warnings, lineCounts } = message;
    assert.deepEqual([lines, skipped, read, added, warned], [7, 2, 2, 2, 3]);
    assert.deepEqual(JSON.parse(skippedBy ?? ''), { charges: 1, blank: 1 });
    assert.deepEqual(JSON.parse(lineCounts ?? ''), { structure: 1, inRecords: 4, same: 2, warned: 3 });
    assert.deepEqual(
      JSON.parse(warnings ?? '').map(({ line, code, pointer }: Record<string, unknown>) => [line, code, pointer]),
      [
        [3, 'differs-in-file', ''],
        [4, 'unknown-code', '/articleAnalysisCode'],
        [7, 'unknown-code', '/articleAnalysisCode'],
      ],
    );
    const ack = await drop.json('archive/ACM/sales/1.csv.ack.json');
    const [told = {}] = ack.messages as Record<string, unknown>[];
    assert.deepEqual([told.inRecords, told.lineWarnings, told.warned], [4, 3, 3]);
    assert.deepEqual(told.warnings, JSON.parse(warnings ?? ''));
    const shown = JSON.parse(
      (await run({ folder: drop.root }, 'feed', 'try', 'mappings/sales.json', 'archive/ACM/sales/1.csv', '--json'))
        .stdout,
    );
    assert.equal(shown.resources[0].warned, 3, 'as `feed try` said before');
  });

  it('withdraws what its mapping says', async (t) => {
    const drop = await dropFor(t);
    const withdraw = { when: { column: 'qty', equals: 'GONE' } };
    const resources = { articles: { ...mapping.resources.articles, withdraw } };
    await drop.put('mappings/sales.json', JSON.stringify({ ...mapping, resources }));
    await drop.put('inbox/ACM/sales/1.csv', sales);
    await drop.put('inbox/ACM/sales/2.csv', 'no;sku;name;qty\n1;A;;GONE\n1;Z;;GONE\n');
    await drop.round();
    const ack = await drop.json('archive/ACM/sales/2.csv.ack.json');
    const [message] = ack.messages as Record<string, unknown>[];
    const { read, changed, unchanged, withdrawn, refused } = message ?? {};
    assert.deepEqual(
      { read, changed, unchanged, withdrawn, refused },
      { read: 2, changed: 1, unchanged: 1, withdrawn: 1, refused: 0 },
    );
    const tried = await run({ folder: drop.root }, 'feed', 'try', 'mappings/sales.json', 'archive/ACM/sales/2.csv');
    assert.match(tried.stdout, /^articles: 2 read, 0 taken, 2 withdrawn, 0 refused/);
    assert.deepEqual(await names(drop), ['B']);
  });

  it('with a mapping has lines that keep their reasons where they are replayed before they are mended', async (t) => {
    const drop = await dropFor(t);
    await drop.put('mappings/ACM/sales.json', JSON.stringify(mapping));
    await drop.put('inbox/ACM/sales/s1.csv', sales.replace(';Table;1', ';Table;many'));
    await drop.round();
    const replay = async (id: number): Promise<FeedMessage> => {
      const message = await drop.store.feeds.message('ACM', id);
      assert.ok(message !== null);
      return replayLines({
        ...{ store: drop.store, resource: orders, activity: 'ACM', activityName: 'Acme Home', message, records: null },
        ...{ force: false, actor: 'test', turns: createFeedTurns(), audit: () => auditEntry },
      });
    };
    const codes = async (message: number): Promise<readonly string[]> => {
      const line = await drop.store.feedLines.find({ activity: 'ACM', message, record: 1 });
      return JSON.parse(line?.reasons ?? '[]').map(({ code }: { readonly code: string }) => code);
    };
    assert.deepEqual(await codes(2), ['bad-number']);
    const early = await replay(2);
    assert.deepEqual([early.read, early.refused, await codes(early.id)], [1, 1, ['not-mended', 'bad-number']]);
    const again = await replay(early.id);
    assert.deepEqual([again.refused, await codes(again.id)], [1, ['not-mended', 'bad-number']]);
    const place = { activity: 'ACM', message: again.id, record: 1 };
    const mended = { text: JSON.stringify({ orderUniqueID: '1', orderEntries: [] }), naturalKey: '["1"]' };
    await drop.store.feedLines.edit(place, mended, { actor: 'test', audit: auditEntry });
    assert.deepEqual([(await replay(again.id)).added, (await readAll(drop.store, orders)).length], [1, 2]);
  });

  it('goes to the errors with its refused lines where some are refused', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/a.ndjson', `${article('A')}{"articleReference":"B"}\nno JSON\n`);
    await drop.round();
    assert.deepEqual(await drop.files(), [
      'error/ACM/articles/a.ndjson',
      'error/ACM/articles/a.ndjson.ack.json',
      'error/ACM/articles/a.ndjson.refused.ndjson',
    ]);
    const lines = (await readFile(join(drop.root, 'error/ACM/articles/a.ndjson.refused.ndjson'), 'utf8'))
      .trim()
      .split('\n');
    const [first, second] = lines.map((line) => JSON.parse(line));
    assert.deepEqual([first.line, first.record, first.reasons.length], [2, { articleReference: 'B' }, 2]);
    assert.deepEqual([second.line, second.text, second.reasons[0].code], [3, 'no JSON', 'not-json']);
    assert.deepEqual(await names(drop), ['A']);
    assert.deepEqual(await refusedAndListed(drop, 'error/ACM/articles/a.ndjson'), [[2, 2]]);
  });

  it('says how many of its refused lines are listed: none where all of it is refused or came before', async (t) => {
    const drop = await dropFor(t);
    const trailer = { pattern: '^END$' };
    const message = { id: 'file:id' };
    const own = { ...mapping, fileName: '^(?<id>[a-z]+)', message };
    await drop.put('mappings/whole.json', JSON.stringify({ ...own, trailer }));
    await drop.put('mappings/sales.json', JSON.stringify(own));
    await drop.put('inbox/ACM/whole/cut.csv', sales);
    const wrong = `${sales}3;;Lamp;x\n`;
    await drop.put('inbox/ACM/sales/a.csv', wrong);
    const row = { stockImageExtractionDate: '2026-03-02T04:00:00Z', articleReference: 'A' };
    await drop.put('inbox/ACM/stock/cut.ndjson', `${JSON.stringify(row)}\n{"stockImageExtr`);
    await drop.round();
    assert.deepEqual(await refusedAndListed(drop, 'error/ACM/stock/cut.ndjson'), [[2, 0]]);
    await drop.put('inbox/ACM/sales/a.again.csv', wrong);
    await drop.round();
    assert.deepEqual(await refusedAndListed(drop, 'error/ACM/sales/a.csv'), [
      [1, 1],
      [1, 1],
    ]);
    assert.deepEqual(await refusedAndListed(drop, 'archive/ACM/sales/a.again.csv'), [
      [1, 0],
      [1, 0],
    ]);
    assert.deepEqual(await refusedAndListed(drop, 'error/ACM/whole/cut.csv'), [
      [0, 0],
      [0, 0],
    ]);
  });

  it('says that not all of its refused lines are listed if more than are kept', { skip: leftToGate }, async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/a.ndjson', '7\n'.repeat(maxKeptLines + 3));
    await drop.round();
    assert.deepEqual(await refusedAndListed(drop, 'error/ACM/articles/a.ndjson'), [[maxKeptLines + 3, maxKeptLines]]);
    const listed = await readFile(join(drop.root, 'error/ACM/articles/a.ndjson.refused.ndjson'), 'utf8');
    assert.equal(listed.trimEnd().split('\n').length, maxKeptLines);
  });

  it('comes after those whose names come before, and once', async (t) => {
    const drop = await dropFor(t);
    for (const [name, said] of [
      ['2.ndjson', 'second'],
      ['1.ndjson', 'first'],
      ['3.ndjson', 'third'],
    ] as const)
      await drop.put(`inbox/ACM/articles/${name}`, article('A', said));
    await drop.round();
    assert.deepEqual(
      drop.told,
      ['1', '2', '3'].map((name) => `taken ${name}.ndjson taken`),
    );
    assert.equal((await readAll(drop.store, articles))[0]?.longArticleDescription, 'third');
    await drop.again();
    assert.equal(drop.told.length, 3);
  });

  it('again under the same name is another message, also with what was there before in between', async (t) => {
    const drop = await dropFor(t);
    for (const said of ['first', 'second', 'first']) {
      await drop.put('inbox/ACM/articles/a.ndjson', article('A', said));
      await drop.round();
      assert.equal((await readAll(drop.store, articles))[0]?.longArticleDescription, said);
    }
    assert.deepEqual(
      (await drop.files()).filter((path) => !path.endsWith('.ack.json')),
      ['archive/ACM/articles/2-a.ndjson', 'archive/ACM/articles/3-a.ndjson', 'archive/ACM/articles/a.ndjson'],
    );
  });

  it('has an id and a number of its source: twice is a duplicate, other lines under the id are refused', async (t) => {
    const drop = await dropFor(t);
    const numbered = {
      ...mapping,
      fileName: '^s(?<number>\\d+)(?<id>[a-z]*)',
      message: { id: 'file:id', sequence: 'file:number' },
      resources: { articles: mapping.resources.articles },
    };
    await drop.put('mappings/sales.json', JSON.stringify(numbered));
    await drop.put('inbox/ACM/sales/s1a.csv', sales);
    await drop.put('inbox/ACM/sales/s4b.csv', sales);
    await drop.round();
    const ack = await drop.json('archive/ACM/sales/s4b.csv.ack.json');
    const [message] = ack.messages as Record<string, unknown>[];
    assert.deepEqual([message?.messageId, message?.sequence, message?.unchanged], ['b', 4, 2]);
    assert.match(JSON.stringify(message?.notes), /2/);
    await drop.put('inbox/ACM/sales/s4b.again.csv', sales);
    await drop.put('inbox/ACM/sales/s5a.csv', sales.replace('Lamp', 'Light'));
    await drop.round();
    const again = await drop.json('archive/ACM/sales/s4b.again.csv.ack.json');
    assert.equal((again.messages as Record<string, unknown>[])[0]?.state, 'duplicate');
    const reason = await drop.json('error/ACM/sales/s5a.csv.reason.json');
    assert.deepEqual(
      [reason.feed, reason.folder, reason.code, reason.detail],
      ['sales', 'sales', 'message-id-reused', 'The id "a" was that of message ACM:1, which said something else.'],
    );
    assert.equal((await readAll(drop.store, articles))[0]?.longArticleDescription, 'Lamp');
  });
});

describe('a stock image', () => {
  const stock = {
    format: { kind: 'csv', delimiter: ';' },
    header: { pattern: '^STOCK (?<at>\\d{14})$' },
    trailer: { pattern: '^END (?<count>\\d+)$' },
    message: { extractionDate: { column: 'header:at', format: 'yyyyMMddHHmmss', zone: 'Europe/Paris' } },
    resources: {
      stock: {
        fields: {
          stockImageExtractionDate: { column: 'header:at', format: 'yyyyMMddHHmmss', zone: 'Europe/Paris' },
          articleReference: 'sku',
          totalStockQuantity: { column: 'qty', impliedDecimals: 3 },
        },
      },
    },
  };
  const image = (hour: number, ...rows: readonly string[]): string =>
    [`STOCK 202601310${hour}0000`, 'sku;qty', ...rows, `END ${rows.length}`, ''].join('\n');

  it('takes its date from the header, also without rows; one that is not whole is refused as a whole', async (t) => {
    const drop = await dropFor(t);
    await drop.put('mappings/stock-image.json', JSON.stringify(stock));
    const rows = async (): Promise<readonly unknown[]> =>
      (await readAll(drop.store, images)).map(({ articleReference, totalStockQuantity, stockImageExtractionDate }) =>
        [articleReference, totalStockQuantity, stockImageExtractionDate].join(' '),
      );
    const taken = async (name: string, content: string): Promise<string> => {
      await drop.put(`inbox/ACM/stock-image/${name}`, content);
      await drop.round();
      return drop.told.at(-1) ?? '';
    };
    assert.equal(await taken('1', image(4, 'A;12500', 'B;1000')), 'taken 1 taken');
    const first = ['A 12.5 2026-01-31T03:00:00.000Z', 'B 1 2026-01-31T03:00:00.000Z'];
    assert.deepEqual(await rows(), first);
    assert.equal(await taken('2', image(5, 'A;1000', 'damaged')), 'taken 2 refused');
    assert.equal(await taken('3', image(5, 'A;1000').replace('END 1', 'END 2')), 'taken 3 refused');
    assert.deepEqual(await rows(), first);
    assert.equal(await taken('4', image(6)), 'taken 4 taken');
    assert.deepEqual(await rows(), []);
    // The mapping says which lines take an image back; the date of the header names it.
    const resources = { stock: { ...stock.resources.stock, withdraw: { when: { column: 'sku', equals: 'CANCEL' } } } };
    await drop.put('mappings/stock-image.json', JSON.stringify({ ...stock, resources }));
    assert.equal(await taken('5', image(6, 'CANCEL;0')), 'taken 5 taken');
    assert.deepEqual(await rows(), first, 'the image before it is there again');
    const { messages } = await drop.json('archive/ACM/stock-image/5.ack.json');
    const [{ changed, withdrawn } = {}] = messages as Record<string, unknown>[];
    assert.deepEqual([changed, withdrawn], [1, 1]);
  });

  it('without rows is taken with a warning if no trailer shows that its file is whole', async (t) => {
    const drop = await dropFor(t);
    const { trailer, ...open } = stock;
    const warned = async (mapping: object, name: string, content: string): Promise<unknown> => {
      await drop.put('mappings/stock-image.json', JSON.stringify(mapping));
      await drop.put(`inbox/ACM/stock-image/${name}`, content);
      await drop.round();
      assert.match(drop.told.at(-1) ?? '', / taken$/);
      const { messages } = await drop.json(`archive/ACM/stock-image/${name}.ack.json`);
      const [{ lineWarnings, warnings } = {}] = messages as { lineWarnings?: unknown; warnings?: { code: string }[] }[];
      return [lineWarnings, warnings?.map(({ code }) => code)];
    };
    const cut = (hour: number, ...rows: readonly string[]): string => image(hour, ...rows).replace(/END .*/, '');
    assert.deepEqual(await warned(open, '1', cut(4, 'A;12500')), [0, []]);
    assert.deepEqual(await warned(open, '2', cut(5)), [1, ['no-records']]);
    assert.deepEqual(await readAll(drop.store, images), []);
    assert.deepEqual(await warned({ ...open, trailer }, '3', image(6)), [0, []]);
    const skip = [{ rule: 'none', when: { column: 'qty', equals: '0' } }];
    assert.deepEqual(await warned({ ...open, skip }, '4', cut(7, 'A;0')), [1, ['no-records']]);
    // An image of which nobody knows the date is none.
    const { message: _message, ...undated } = open;
    assert.deepEqual(await warned(undated, '5', cut(8)), [0, []]);
  });
});

describe('a stock image in JSON', () => {
  const mapping = {
    format: { kind: 'json', records: '/data/items' },
    message: { extractionDate: 'around:/exportedAt', sequence: 'around:/run' },
    resources: {
      stock: {
        fields: {
          stockImageExtractionDate: 'around:/exportedAt',
          articleReference: 'sku',
          totalStockQuantity: 'qty',
        },
      },
    },
  };
  const image = (run: number, exportedAt: string, ...items: readonly object[]): string =>
    JSON.stringify({ run, data: { items }, exportedAt });

  it('takes its date from behind its array; a late file with other rows of it is refused whole', async (t) => {
    const drop = await dropFor(t);
    await drop.put('mappings/image.json', JSON.stringify(mapping));
    await drop.put('inbox/ACM/image/1.json', image(1, '2026-03-01T04:00:00+01:00', { sku: 'A', qty: 1 }));
    await drop.put('inbox/ACM/image/3.json', image(3, '2026-03-02T04:00:00+01:00', { sku: 'A', qty: 3 }));
    await drop.put('inbox/ACM/image/4.json', image(2, '2026-03-02T04:00:00+01:00', { sku: 'A', qty: 2 }));
    await drop.put('inbox/ACM/image/5.json', image(4, '2026-03-03', { sku: 'A', qty: 4 }).replace('03-03', '13-03'));
    await drop.round();
    assert.deepEqual(
      drop.told.map((told) => told.replace('taken ', '')),
      ['1.json taken', '3.json taken', '4.json refused', '5.json refused'],
    );
    const faults = ['4.json', '5.json'].map(async (name) => {
      const { messages } = await drop.json(`error/ACM/image/${name}.ack.json`);
      return (messages as readonly { fault: { code: string } }[])[0]?.fault.code;
    });
    assert.deepEqual(await Promise.all(faults), ['older-than-stored', 'bad-date']);
    assert.deepEqual(
      (await readAll(drop.store, images)).map((row) => [row.stockImageExtractionDate, row.totalStockQuantity]),
      [['2026-03-02T03:00:00.000Z', 3]],
    );
    const [feed] = await drop.store.feeds.list(['ACM']);
    assert.deepEqual([feed?.lastSequence, feed?.missing], [3, []], 'number 2 has come, too late');
  });
});

describe('many files', () => {
  it('are looked for once in a while, not once for each', async (t) => {
    const drop = await dropFor(t);
    const count = 120;
    for (let index = 0; index < count; index += 1)
      await drop.put(`inbox/ACM/articles/${String(index).padStart(4, '0')}.ndjson`, article(`A${index}`));
    let looks = 0;
    const { feeds, feedLines, activities } = drop.store;
    const list: typeof activities.list = () => {
      looks += 1;
      return activities.list();
    };
    const started = performance.now();
    await drop.round({ store: { feeds, feedLines, activities: { ...activities, list } } });
    const seconds = (performance.now() - started) / 1000;
    assert.equal((await names(drop)).length, count);
    assert.ok(looks < 10 + seconds, `${looks} looks in ${seconds} s`);
    assert.deepEqual(drop.told, drop.told.toSorted());
  });
});

describe('several at once', () => {
  it('of processes take a file once', async (t) => {
    const drop = await dropFor(t);
    for (const name of ['a', 'b', 'c']) await drop.put(`inbox/ACM/articles/${name}.ndjson`, article(name));
    await Promise.all([drop.round(), drop.round(), drop.round()]);
    await drop.round();
    assert.deepEqual(
      drop.told.filter((each) => each.startsWith('taken')).toSorted(),
      ['a', 'b', 'c'].map((name) => `taken ${name}.ndjson taken`),
    );
    const messages = await drop.store.feeds.messages({ activities: ['ACM'], limit: 10 });
    assert.deepEqual(
      messages.map(({ state, added }) => [state, added]),
      Array(3).fill(['done', 1]),
    );
    assert.equal((await drop.files()).length, 6);
  });

  it('of feeds take turns: none has two while another one waits', async (t) => {
    const drop = await dropFor(t);
    const numbers = Array.from({ length: 6000 }, (_, index) => index);
    await drop.put('inbox/ACM/articles/a.ndjson', numbers.map((number) => article(`A${number}`)).join(''));
    await drop.put('inbox/ACM/orders/b.ndjson', numbers.map((number) => `{"orderUniqueID":"${number}"}\n`).join(''));
    const turns = watchedTurns();
    // Until this turn is over, nothing is written, however long somebody waits.
    const leave = await turns.inner.enter('somebody');
    const done = drop.round({ turns: turns.watched }).then(() => 'done');
    assert.equal(await Promise.race([turns.allAsked(2), done]), 'asked');
    assert.deepEqual([await readAll(drop.store, articles), await readAll(drop.store, orders)], [[], []]);
    leave();
    await done;
    assert.deepEqual(turns.twice, []);
    assert.ok(turns.granted.length >= 12, turns.granted.join(' '));
  });
});

/** Turns of feeds, and who got one while another one that had none just before was waiting. */
function watchedTurns(): {
  readonly inner: FeedTurns;
  readonly watched: FeedTurns;
  readonly granted: readonly string[];
  readonly twice: readonly string[];
  readonly allAsked: (count: number) => Promise<'asked'>;
} {
  const inner = createFeedTurns();
  const [waiting, granted, twice]: [Set<string>, string[], string[]] = [new Set(), [], []];
  const asked = Promise.withResolvers<'asked'>();
  let wanted = Number.POSITIVE_INFINITY;
  const enter: FeedTurns['enter'] = async (feed) => {
    const others = [...waiting].filter((other) => other !== feed);
    waiting.add(feed);
    if (waiting.size >= wanted) asked.resolve('asked');
    const leave = await inner.enter(feed);
    waiting.delete(feed);
    if (granted.at(-1) === feed && others.some((other) => waiting.has(other))) twice.push(feed);
    granted.push(feed);
    return leave;
  };
  const allAsked = (count: number): Promise<'asked'> => {
    wanted = count;
    if (waiting.size >= wanted) asked.resolve('asked');
    return asked.promise;
  };
  return { inner, watched: { ...inner, enter }, granted, twice, allAsked };
}

/** The store, and what stops a watch at its second batch. */
function stoppedInBetween({ store }: Drop): Pick<WatchParts, 'stopping' | 'store'> {
  const stopping = new AbortController();
  const begin: typeof store.feeds.begin = async (...args) => {
    const begun = await store.feeds.begin(...args);
    if (begun.state !== 'begun') return begun;
    const { held } = begun;
    const apply: typeof held.apply = async (batch) => {
      const refused = await held.apply(batch);
      if (held.row().read >= 2000) stopping.abort();
      return refused;
    };
    return { ...begun, held: { ...held, apply } };
  };
  const { activities, feedLines, feeds } = store;
  return { stopping: stopping.signal, store: { activities, feedLines, feeds: { ...feeds, begin } } };
}

describe('a process that ends', () => {
  it('leaves a long file where it is; the next one goes on with it', async (t) => {
    const drop = await dropFor(t);
    const lines = Array.from({ length: 5000 }, (_, index) => article(`A${index}`));
    await drop.put('inbox/ACM/articles/long.ndjson', lines.join(''));
    await drop.round(stoppedInBetween(drop));
    assert.deepEqual([drop.told, await drop.files()], [[], ['inbox/ACM/articles/long.ndjson']]);
    const [open] = await drop.store.feeds.messages({ activities: ['ACM'], limit: 10 });
    assert.ok(open?.state === 'open' && open.read >= 2000 && open.read < 5000, JSON.stringify(open));
    await drop.round();
    assert.deepEqual(drop.told, ['taken long.ndjson taken']);
    const [done, ...others] = await drop.store.feeds.messages({ activities: ['ACM'], limit: 10 });
    assert.deepEqual([done?.id, done?.state, done?.read, done?.added, others], [open.id, 'done', 5000, 5000, []]);
  });

  it('may find another mapping or another file when it comes back: that is taken from its start', async (t) => {
    const drop = await dropFor(t);
    const fields = { articleReference: 'sku', longArticleDescription: 'name', shortArticleDescription: 'name' };
    const byName = (column: string): string =>
      JSON.stringify({
        format: { kind: 'csv' },
        resources: { articles: { fields: { ...fields, shortArticleDescription: column } } },
      });
    const lines = (name: string): string =>
      `sku,name,short\n${Array.from({ length: 3000 }, (_, index) => `A${index},${name},short`).join('\n')}\n`;
    await drop.put('mappings/goods.json', byName('name'));
    await drop.put('inbox/ACM/goods/a.csv', lines('first'));
    await drop.round(stoppedInBetween(drop));
    await drop.put('mappings/goods.json', byName('short'));
    await drop.round(stoppedInBetween(drop));
    await drop.put('inbox/ACM/goods/a.csv', lines('second'));
    await drop.round();
    assert.deepEqual(drop.told, ['taken a.csv taken']);
    const all = await readAll(drop.store, articles);
    assert.equal(all.length, 3000);
    assert.ok(
      all.every((each) => each.longArticleDescription === 'second' && each.shortArticleDescription === 'short'),
    );
    const messages = await drop.store.feeds.messages({ activities: ['ACM'], limit: 10 });
    assert.deepEqual(
      messages.map(({ state }) => state),
      ['done', 'interrupted', 'interrupted'],
    );
  });
});

describe('a file that is not what it should be', () => {
  it('is put aside with the reason, and a message that was refused', async (t) => {
    const drop = await dropFor(t);
    await drop.put('mappings/sales.json', JSON.stringify({ ...mapping, trailer: { pattern: '^END;(?<count>\\d+)' } }));
    for (const [name, content] of [
      ['cut.csv', sales],
      ['counted.csv', `${sales}END;9\n`],
      ['columns.csv', 'a;b\n1;2\nEND;1\n'],
      ['packed.csv', Buffer.from([0x1f, 0x8b, 8, 0, 1])],
      ['wide.csv', Buffer.from(sales, 'utf16le')],
    ] as const)
      await drop.put(`inbox/ACM/sales/${name}`, content);
    await drop.round();
    assert.deepEqual(
      (await drop.files()).filter((path) => path.startsWith('archive') || path.startsWith('inbox')),
      [],
    );
    for (const [name, code] of [
      ['cut', 'truncated'],
      ['counted', 'control-count'],
      ['columns', 'bad-columns'],
      ['packed', 'compressed'],
      ['wide', 'utf-16'],
    ]) {
      const ack = await drop.json(`error/ACM/sales/${name}.csv.ack.json`);
      assert.equal(ack.outcome, 'refused');
      for (const message of ack.messages as Record<string, { code: string }>[]) assert.equal(message.fault?.code, code);
    }
    assert.deepEqual(await names(drop), []);
  });

  it('is put aside where its array within an object is not there once and whole; a whole one is taken', async (t) => {
    const drop = await dropFor(t);
    const fields = { articleReference: 'sku', longArticleDescription: 'name', shortArticleDescription: 'name' };
    const format = { kind: 'json', records: '/data/items' };
    await drop.put('mappings/sales.json', JSON.stringify({ format, resources: { articles: { fields } } }));
    // More than one transaction takes, so that something would be written before the end of the file is seen.
    const items = Array.from({ length: 2500 }, (_, index) => ({ sku: `A${index}`, name: 'Lamp' }));
    const whole = JSON.stringify({ exportedAt: '2026-03-02', data: { count: 2500, items }, signature: 'x' });
    for (const [name, content] of [
      ['cut', whole.slice(0, -1)],
      ['twice', `${whole.slice(0, -1)},"data":{}}`],
      ['trailing', `${whole}]`],
      ['elsewhere', whole.replace('"items"', '"rows"')],
    ] as const)
      await drop.put(`inbox/ACM/sales/${name}.json`, content);
    await drop.round();
    for (const [name, code, detail] of [
      ['cut', 'truncated', /it was cut off/],
      ['twice', 'records-twice', /"\/data" stands twice/],
      ['trailing', 'trailing-text', /Text follows the end/],
      ['elsewhere', 'records-not-found', /It has "count", "rows". Write .*"records": "\/data\/rows"/],
    ] as const) {
      const { outcome, messages } = await drop.json(`error/ACM/sales/${name}.json.ack.json`);
      assert.equal(outcome, 'refused');
      const [message] = messages as { fault: { code: string; detail: string } }[];
      assert.equal(message?.fault.code, code);
      assert.match(message?.fault.detail ?? '', detail);
    }
    assert.deepEqual(await names(drop), []);
    await drop.put('inbox/ACM/sales/whole.json', whole);
    await drop.round();
    assert.equal(drop.told.at(-1), 'taken whole.json taken');
    const { messages } = await drop.json('archive/ACM/sales/whole.json.ack.json');
    const [{ lines, read, new: added, refused, inRecords, structure } = {}] = messages as Record<string, number>[];
    assert.deepEqual([lines, read, added, refused, inRecords, structure], [2500, 2500, 2500, 0, 2500, 0]);
    assert.equal((await names(drop)).length, 2500);
  });

  it('is put aside where it is empty, no file, a link, or has a name that not everybody can read', async (t) => {
    const drop = await dropFor(t);
    await drop.put('secret.txt', article('SECRET'));
    await drop.put('inbox/ACM/articles/empty.ndjson', '');
    const inbox = join(drop.root, 'inbox/ACM/articles');
    await symlink(join(drop.root, 'secret.txt'), join(inbox, 'link.ndjson'));
    await symlink('nowhere', join(inbox, 'dangling.ndjson'));
    execFileSync('mkfifo', [join(inbox, 'pipe')]);
    await writeFile(Buffer.concat([Buffer.from(`${inbox}/bad`), Buffer.from([0xff, 0x0a])]), article('X'));
    await drop.put(`inbox/ACM/articles/${'long'.repeat(55)}`, article('X'));
    await drop.put('inbox/ACM/articles/é "quoted" $(x) *.ndjson', article('GOOD'));
    await drop.round();
    const codes = new Map<string, unknown>();
    for (const path of await drop.files())
      if (path.endsWith('.reason.json'))
        codes.set(path.slice('error/ACM/articles/'.length, -12).slice(0, 14), (await drop.json(path)).code);
    assert.deepEqual(
      [...codes].toSorted(),
      [
        ['bad__-ad4f9bd4'.slice(0, 14), 'odd-name'],
        ['dangling.ndjso', 'symbolic-link'],
        ['empty.ndjson', 'empty-file'],
        ['link.ndjson', 'symbolic-link'],
        ['longlonglonglo', 'odd-name'],
        ['pipe', 'no-file'],
      ]
        .map(([name, code]) => [
          name === 'bad__-ad4f9bd4' ? [...codes.keys()].find((each) => each.startsWith('bad__-')) : name,
          code,
        ])
        .toSorted(),
    );
    assert.deepEqual(await names(drop), ['GOOD']);
    assert.ok((await drop.files()).includes('secret.txt'));
  });

  it('is left while it has a temporary name', async (t) => {
    const drop = await dropFor(t);
    for (const name of ['.a.ndjson', 'a.tmp', 'a.ndjson.part', 'a.filepart', 'a.ndjson~', 'b.ndjson.ok'])
      await drop.put(`inbox/ACM/articles/${name}`, article('A'));
    await mkdir(join(drop.root, 'inbox/ACM/articles/folder'));
    await drop.round();
    assert.deepEqual([(await drop.files()).length, drop.told], [6, []]);
    await rename(join(drop.root, 'inbox/ACM/articles/a.ndjson.part'), join(drop.root, 'inbox/ACM/articles/a.ndjson'));
    await drop.again();
    assert.deepEqual(drop.told, ['taken a.ndjson taken']);
  });
});

describe('completeness', () => {
  it('by quiet: nobody has changed the file for the time', async (t) => {
    const drop = await dropFor(t);
    const now = performance.now.bind(performance);
    let passed = 0;
    t.mock.method(performance, 'now', () => now() + passed);
    const quietMs = 3_600_000;
    const path = join(drop.root, 'inbox/ACM/articles/a.ndjson');
    await drop.put('inbox/ACM/articles/a.ndjson', article('A'));
    // An old date says nothing: it may be that of the source.
    await utimes(path, 1, 1);
    await drop.round({ completeness: { sign: 'quiet', quietMs } });
    await drop.again();
    assert.deepEqual(drop.told, []);
    passed += quietMs;
    await writeFile(path, article('A') + article('B'));
    await drop.again();
    assert.deepEqual(drop.told, []);
    passed += quietMs;
    await drop.again();
    assert.deepEqual([drop.told, await names(drop)], [['taken a.ndjson taken'], ['A', 'B']]);
  });

  it('does not delay those behind it while it is missing: they are taken before it', async (t) => {
    const drop = await dropFor(t);
    for (const name of ['a.ndjson', 'b.ndjson', 'c.ndjson'])
      await drop.put(`inbox/ACM/articles/${name}`, article(name));
    for (const name of ['b.ok', 'c.ok']) await drop.put(`inbox/ACM/articles/${name}`, '');
    await drop.round({ completeness: { sign: 'ok', quietMs: 0 } });
    assert.deepEqual(drop.told, ['taken b.ndjson taken', 'taken c.ndjson taken']);
    await drop.put('inbox/ACM/articles/a.ok', '');
    await drop.again();
    assert.equal(drop.told.at(-1), 'taken a.ndjson taken');
  });

  it('by a companion, which goes with the file; one of an earlier file does not count', async (t) => {
    const drop = await dropFor(t);
    const inbox = join(drop.root, 'inbox/ACM/articles');
    const completeness = { sign: 'ok', quietMs: 0 } as const;
    for (const name of ['D.NDJSON', 'E.NDJSON', 'a.ndjson', 'b.ndjson', 'c.ndjson'])
      await drop.put(`inbox/ACM/articles/${name}`, article(name));
    await drop.round({ completeness });
    assert.deepEqual(drop.told, []);
    // Some systems write all names in capitals.
    await drop.put('inbox/ACM/articles/D.OK', '');
    await drop.put('inbox/ACM/articles/E.NDJSON.OK', '');
    await drop.put('inbox/ACM/articles/a.ndjson.ok', '');
    await drop.put('inbox/ACM/articles/b.ok', '');
    await drop.put('inbox/ACM/articles/c.ok', '');
    await utimes(join(inbox, 'c.ok'), 1, 1);
    await drop.again();
    assert.deepEqual(
      drop.told,
      ['D.NDJSON', 'E.NDJSON', 'a.ndjson', 'b.ndjson'].map((name) => `taken ${name} taken`),
    );
    assert.deepEqual(
      (await drop.files()).filter((path) => path.startsWith('inbox')),
      ['inbox/ACM/articles/c.ndjson', 'inbox/ACM/articles/c.ok'],
    );
  });

  it('a file that is changed while it is read is not taken for whole', async (t) => {
    const drop = await dropFor(t);
    const folder = join(drop.root, 'inbox/ACM/articles');
    await drop.put('inbox/ACM/articles/a.ndjson', article('A'));
    const { lstat } = await import('node:fs/promises');
    const { identityOf } = await import('../../../src/feeds/folder/inbox.ts');
    const identity = identityOf(await lstat(join(folder, 'a.ndjson'), { bigint: true }));
    const file = await openDropped(folder, Buffer.from('a.ndjson'), identity);
    t.after(() => file.close());
    await truncate(join(folder, 'a.ndjson'), 10);
    await assert.rejects(file.sha256(), /was changed/);
    await assert.rejects(openDropped(folder, Buffer.from('a.ndjson'), identity), /was changed/);
  });
});

describe('a folder that is not what it should be', () => {
  it('is told of in the log and by a file, until it is mended', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/XYZ/articles/a.ndjson', article('A'));
    await drop.put('inbox/ACM/sales/a.csv', sales);
    await drop.put('inbox/ACM/bad/a.csv', sales);
    await drop.put('inbox/ACM/odd name/a.csv', sales);
    await drop.put('inbox/stray.csv', sales);
    await drop.put('mappings/bad.json', '{"format":{"kind":"csv"},"resources":{"articles":{"fields":{"x":"y"}}}}');
    await mkdir(join(drop.root, 'elsewhere'));
    await symlink(join(drop.root, 'elsewhere'), join(drop.root, 'inbox/ACM/orders'));
    await drop.round();
    assert.deepEqual(drop.told.toSorted(), [
      'fault inbox/ACM/bad bad-mapping',
      'fault inbox/ACM/odd name odd-feed-name',
      'fault inbox/ACM/orders symbolic-link',
      'fault inbox/ACM/sales no-mapping',
      'fault inbox/XYZ unknown-activity',
      'fault inbox/stray.csv misplaced',
    ]);
    assert.match(
      String((await drop.json('error/ACM/bad.reason.json')).detail),
      /\/resources\/articles\/fields\/x names no field/,
    );
    assert.equal((await drop.json('error/XYZ.reason.json')).code, 'unknown-activity');
    await drop.again();
    assert.equal(drop.told.length, 6);
    await drop.put('mappings/sales.json', JSON.stringify(mapping));
    await drop.store.activities.add('XYZ', 'Xyz');
    await drop.again();
    assert.deepEqual(drop.told.slice(6).toSorted(), ['taken a.csv taken', 'taken a.ndjson taken']);
    const left = (await drop.files()).filter((path) => path.endsWith('.reason.json'));
    assert.deepEqual(left, [
      'error/ACM/bad.reason.json',
      'error/ACM/odd name.reason.json',
      'error/ACM/orders.reason.json',
      'error/stray.csv.reason.json',
    ]);
  });

  it('is told of where there is none at all', async (t) => {
    const drop = await dropFor(t);
    await drop.round({ root: join(drop.root, 'missing') });
    assert.deepEqual(drop.told, ['fault inbox no-folder']);
    assert.match(String((await drop.json('missing/error/inbox.reason.json')).remedy), /^Make it/);
  });

  it('that cannot be written to keeps its files, and they are taken once all the same', async (t) => {
    if (process.getuid?.() === 0) return t.skip('root may write everywhere');
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/a.ndjson', article('A'));
    await mkdir(join(drop.root, 'archive'));
    await chmod(join(drop.root, 'archive'), 0o500);
    await drop.round();
    assert.match(drop.told.join(), /^postponed a.ndjson .*\/archive\/ACM\/articles: EACCES/);
    await chmod(join(drop.root, 'archive'), 0o700);
    await drop.round();
    assert.deepEqual(drop.told.slice(1), ['taken a.ndjson taken']);
    assert.equal((await drop.store.feeds.messages({ activities: ['ACM'], limit: 10 })).length, 1);
    return undefined;
  });

  it('where a file stands in place of a folder keeps its files until that is mended', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/a.ndjson', article('A'));
    await drop.put('archive', 'in the way');
    await drop.round();
    assert.match(drop.told.join(), /^postponed a.ndjson .*\/archive\/ACM\/articles: ENOTDIR/);
    await rename(join(drop.root, 'archive'), join(drop.root, 'away'));
    await drop.round();
    assert.deepEqual(drop.told.slice(1), ['taken a.ndjson taken']);
    assert.equal((await drop.store.feeds.messages({ activities: ['ACM'], limit: 10 })).length, 1);
  });
});
