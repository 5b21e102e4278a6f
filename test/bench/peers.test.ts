// The comparison with other frameworks: that it finds the answer that differs, whatever way it does, and that its
// tables and cursors say what they mean.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { articleBatch } from '../../bench/peers/dataset.ts';
import { warmUp } from '../../bench/measure.ts';
import { compareAnswers, compareCreation, firstDifference } from '../../bench/peers/compare.ts';
import { readOptions } from '../../bench/peers/options.ts';
import { plainRecords, type Subject } from '../../bench/peers/subject.ts';
import { peerTables, peerTableStatements } from '../../bench/peers/tables.ts';
import { worksOn } from '../../bench/peers/work.ts';
import { requestBytes, uniqueMark } from '../../bench/request-bytes.ts';
import { order } from '../../src/resources/index.ts';

describe('answers of two servers', () => {
  it('are alike field by field, and in instants however they are written', () => {
    const one = [{ id: 1, at: '2026-03-02T14:05:09.120Z', lines: [{ quantity: 0.239, code: null }] }];
    const other = [{ lines: [{ code: null, quantity: 0.239 }], at: '2026-03-02T15:05:09.120000+01:00', id: 1 }];
    assert.equal(firstDifference(one, other, ''), null);
  });

  for (const [what, found, place] of [
    ['a value', [{ id: 1, lines: [{ code: 'B' }] }], '[0].lines[0].code: "B", not "A"'],
    ['a type', [{ id: '1', lines: [{ code: 'A' }] }], '[0].id: "1", not 1'],
    ['a missing field', [{ lines: [{ code: 'A' }] }], '[0].id: undefined, not 1'],
    ['a field too many', [{ id: 1, lines: [{ code: 'A', more: null }] }], '[0].lines[0].more: null, not undefined'],
    ['a record too few', [], ': 0 elements, not 1'],
    ['a nested record too many', [{ id: 1, lines: [{ code: 'A' }, {}] }], '[0].lines: 2 elements, not 1'],
    ['no list', { error: 'gone' }, ': {"error":"gone"}, not [{"id":1,"lines":[{"code":"A"}]}]'],
  ] as const) {
    it(`differ by ${what}, and it is said where`, () => {
      assert.equal(firstDifference([{ id: 1, lines: [{ code: 'A' }] }], found, ''), place);
    });
  }

  it('differ in instants that are not the same', () => {
    assert.match(firstDifference('2026-03-02T14:05:09Z', '2026-03-02T14:05:09.001Z', 'at') ?? '', /^at: /);
  });
});

describe('servers that are compared', () => {
  const answers = { now: { status: 200, body: '[{"id":1}]' } };
  const servers: Server[] = [];
  const subjects: Subject[] = [];

  before(async () => {
    for (const name of ['reference', 'other']) {
      const server = createServer((request, response) => {
        request.resume();
        const { status, body } = name === 'reference' ? { status: 200, body: '[{"id":1}]' } : answers.now;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(body);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      subjects.push(subjectAt(name, address.port));
    }
  });
  after(() => {
    for (const server of servers) server.close();
  });

  const works = worksOn({ movements: 100_000, orders: 5000, stock: 20_000 }, ['A'], [{ a: 1 }]);
  const compare = (): Promise<number> => {
    const [reference, ...others] = subjects;
    assert.ok(reference);
    return compareAnswers(reference, others, works);
  };

  it('pass when they answer alike', async () => {
    answers.now = { status: 200, body: '[ { "id": 1 } ]' };
    assert.ok((await compare()) > 50);
  });

  it('are an error by name, work, place and field when one does not', async () => {
    answers.now = { status: 200, body: '[{"id":2}]' };
    await assert.rejects(compare(), /other answers otherwise than reference: movements, \[0\]\.id: 2, not 1/);
  });

  it('are an error when one refuses', async () => {
    answers.now = { status: 500, body: 'no' };
    await assert.rejects(compare(), /other answers \/movements with 500: no/);
  });

  it('are an error when one does not create what it was sent', async () => {
    answers.now = { status: 200, body: '{"status":200,"passed":[]}' };
    await assert.rejects(compareCreation(subjects.slice(1), '[{}]'), /other created 0 articles/);
    answers.now = { status: 200, body: '{"status":200,"passed":["A"]}' };
    await compareCreation(subjects.slice(1), '[{}]');
  });
});

describe('the kinds of work', () => {
  it('ask for no page twice before all others, unless they poll', () => {
    for (const { name, queries } of worksOn({ movements: 1_000_000, orders: 50_000, stock: 20_000 }, ['A', 'B'], [])) {
      const asked = queries.map((query) => JSON.stringify(query));
      assert.equal(new Set(asked).size, asked.length, name);
      assert.ok(queries.length >= 100 || name.startsWith('poll-') || name === 'articles-created', name);
    }
  });

  it('send articles that no other request has', () => {
    const next = requestBytes(80, '/articles', '', `[{"articleReference":"1-${uniqueMark}"}]`);
    const [one, other] = [next().toString(), next().toString()];
    assert.notEqual(one, other);
    const [head = '', body = ''] = one.split('\r\n\r\n');
    assert.match(head, new RegExp(`\r\nContent-Length: ${body.length}$`));
    assert.match(body, /^\[\{"articleReference":"1-[a-z0-9]{2,14}"\}\]$/);
  });
});

describe('the tables of peers', () => {
  it('hold every scalar field of an order, and its nested records each in one of their own', () => {
    const table = peerTables.find(({ name }) => name === 'customer_order');
    const scalars = Object.entries(order.fields).filter(([, { kind }]) => kind !== 'list');
    assert.deepEqual(
      table?.columns.map(({ name }) => name),
      scalars.map(([name]) => name),
    );
    assert.deepEqual(
      peerTables.flatMap(({ name, parent }) => (parent === null ? [] : [`${name} in ${parent.table}.${parent.field}`])),
      [
        'order_line in customer_order.orderEntries',
        'sub_order in customer_order.orderSubOrders',
        'sub_order_line in sub_order.orderEntries',
        'article_barcode in article.barcodes',
      ],
    );
    assert.equal(peerTableStatements.length, peerTables.length);
  });

  it('hold every field of the articles that are created', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    try {
      const sent = new Set((await articleBatch(folder)).flatMap((record) => Object.keys(record)));
      const columns = peerTables.find(({ name }) => name === 'article')?.columns.map(({ name }) => name) ?? [];
      assert.deepEqual(sent.difference(new Set([...columns, 'barcodes'])), new Set());
      assert.ok(sent.size > 20);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the options', () => {
  it('are long runs of three sizes unless it is said', () => {
    assert.deepEqual(readOptions([])?.movements, [100_000, 1_000_000, 10_000_000]);
    assert.deepEqual(readOptions(['--quick', '--peers', 'none'])?.peers, []);
    assert.equal(readOptions(['--help']), null);
  });

  it('are refused when they are none', () => {
    assert.throws(() => readOptions(['--movements', '5']), /multiples of 10,000/);
    assert.throws(() => readOptions(['--rounds', 'many']), /--rounds: a number above 0/);
    assert.throws(() => readOptions(['--quik']), /quik/);
  });
});

function subjectAt(name: string, port: number): Subject {
  return {
    ...{ name, kind: 'peer', engine: 'PostgreSQL', pid: process.pid, hasSeveralProcesses: false, port },
    pathOf: ({ list }) => `/${list}`,
    articlesPath: '/articles',
    headers: {},
    recordsOf: plainRecords,
    prepare: async () => undefined,
    note: '',
    stop: async () => undefined,
  };
}

describe('warming up', () => {
  const runsUntilWarm = async (costs: (run: number) => number): Promise<number> => {
    let runs = 0;
    const run = async () => ({ done: 1, seconds: 1, cpuSeconds: costs(runs++) });
    await warmUp([{ name: 'one', run }], ({ cpuSeconds, done }) => cpuSeconds / done);
    return runs;
  };

  it('ends when three runs took hardly less than the best before them', async () => {
    assert.equal(await runsUntilWarm((run) => [9, 5, 5.5, 4, 3.95, 4.2, 3.9][run] ?? 0), 7);
  });

  it('is not ended by one slow run, and does not go on for ever', async () => {
    assert.equal(await runsUntilWarm((run) => (run < 12 ? 100 - 8 * run + (run % 2) * 20 : 50)), 14);
    assert.equal(await runsUntilWarm((run) => 0.9 ** run), 30);
  });
});
