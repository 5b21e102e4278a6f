// Writes that are refused as a whole or fail, on every engine: each leaves one entry in the audit trail, and no more
// than is known of it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addClient } from '../../src/auth/clients.ts';
import { definitions, order } from '../../src/resources/index.ts';
import { createRefusalRecorder, maxRefusalEntries } from '../../src/api/refused-writes.ts';
import type { Call, Principal } from '../../src/http/route.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Quotas } from '../../src/model/quota.ts';
import { createStore } from '../../src/store/open.ts';
import { engines, provenWithoutServer } from '../contract/engines.ts';
import type { AuditEntry, NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';
import { labels, startShipping, wish } from './shipping/fixture.ts';
import { changeRows, removeRows, renameTable } from '../contract/database.ts';
import { addPreparedUser } from '../contract/prepared-secrets.ts';
import { until } from '../contract/until.ts';
import { storedAnswerTable } from '../../src/store/tables/writes.ts';

interface World {
  readonly app: RunningApp;
  readonly readOnly: string;
}

interface Refusal {
  readonly what: string;
  readonly ask: (world: World) => Promise<Answered>;
  readonly action: string;
  readonly status: number;
  readonly problem: string;
}

const articles = '/v1/articles';
const item = {
  activityCode: 'NOR',
  articleReference: 'SECRET-7',
  longArticleDescription: 'Long',
  shortArticleDescription: 'Short',
};
const file = { content: pdf('a document') };
const upload = '/v1/orders/O-NOR/docs/invoice';
const everything = {
  activityCodes: null,
  operationId: null,
  action: null,
  actor: null,
  since: null,
  until: null,
  after: null,
  newestFirst: false,
} as const;

const refusals: readonly Refusal[] = [
  {
    what: 'articles that are no JSON',
    ask: ({ app }) => app.send(articles, '[{'),
    action: 'articles.submit',
    status: 400,
    problem: 'malformed-json',
  },
  {
    what: 'articles with an unknown parameter',
    ask: ({ app }) => app.send(`${articles}?secret=SECRET-7`, [item]),
    action: 'articles.submit',
    status: 400,
    problem: 'unknown-parameter',
  },
  {
    what: 'articles with a broken query',
    ask: ({ app }) => app.send(`${articles}?dryRun=%zz`, [item]),
    action: 'articles.submit',
    status: 400,
    problem: 'invalid-parameter',
  },
  {
    what: 'articles with a key that is none',
    ask: ({ app }) => app.send(articles, [item], { headers: { 'idempotency-key': '"' } }),
    action: 'articles.submit',
    status: 400,
    problem: 'invalid-parameter',
  },
  {
    what: 'articles of a client that may only read',
    ask: ({ app, readOnly }) => app.send(articles, [item], { token: readOnly }),
    action: 'articles.submit',
    status: 403,
    problem: 'read-only-client',
  },
  {
    what: 'articles whose answer cannot have the type that is wanted',
    ask: ({ app }) => app.send(articles, [item], { headers: { accept: 'image/png' } }),
    action: 'articles.submit',
    status: 406,
    problem: 'not-acceptable',
  },
  {
    what: 'too many bytes of articles',
    ask: ({ app }) => app.send(articles, Buffer.alloc(10 * 1_048_576 + 1, ' ')),
    action: 'articles.submit',
    status: 413,
    problem: 'payload-too-large',
  },
  {
    what: 'articles of another media type',
    ask: ({ app }) => app.send(articles, [item], { headers: { 'content-type': 'text/csv' } }),
    action: 'articles.submit',
    status: 415,
    problem: 'unsupported-media-type',
  },
  {
    what: 'a document of an order of somebody else',
    ask: ({ app }) => app.upload('/v1/orders/O-SOU/docs/invoice', file),
    action: 'document.upload',
    status: 404,
    problem: 'resource-not-found',
  },
  {
    what: 'a document of a kind that there is not',
    ask: ({ app }) => app.upload('/v1/orders/O-NOR/docs/novel', file),
    action: 'document.upload',
    status: 404,
    problem: 'resource-not-found',
  },
  {
    what: 'a document that is no form',
    ask: ({ app }) => app.send(upload, file.content, { headers: { 'content-type': 'application/pdf' } }),
    action: 'document.upload',
    status: 415,
    problem: 'unsupported-media-type',
  },
  {
    what: 'a label in a context that there is not',
    ask: ({ app }) => app.send('/v1/shippings/labels/nowhere/sandbox', {}),
    action: 'label.create',
    status: 404,
    problem: 'resource-not-found',
  },
];

for (const engine of engines) {
  describe(`writes that are refused as a whole on ${engine.name}`, { skip: engine.skip }, () => {
    let world: World;
    before(async () => {
      world = await makeWorld(await startApp(engine));
    });
    after(() => world.app.close());
    refusalTests(() => world);
    otherTests(() => world);
  });
}

describe('requests beyond a limit', { skip: provenWithoutServer }, () => {
  it('leave no entry', async (t) => {
    const [engine = assert.fail()] = engines;
    const world = await makeWorld(await startApp(engine, { RATE_WRITES: '1' }));
    t.after(() => world.app.close());
    assert.equal((await entriesOf(world, ({ app }) => app.send(articles, '['), 1))[1].length, 1);
    const [answer, entries] = await entriesOf(world, ({ app }) => app.send(articles, '['), 0);
    assert.deepEqual([answer.status, entries], [429, []]);
  });
});

for (const engine of engines) {
  describe(`many refused writes of one client on ${engine.name}`, { skip: engine.skip }, () => {
    it('leave entries up to a bound, and one more that counts the others, of each client by itself', async (t) => {
      const world = await makeWorld(await startApp(engine));
      let closed = false;
      t.after(() => (closed ? undefined : world.app.close()));
      const { audit } = world.app.app.store;
      const read = async (): Promise<readonly AuditEntry[]> =>
        (await audit.read({ ...everything, limit: 500 }, { client: 'test' })).filter(
          ({ outcome }) => outcome === 'refused',
        );
      const before = (await read()).length;
      const ask = (times: number, one: () => Promise<Answered>) => Promise.all(Array.from({ length: times }, one));
      await ask(maxRefusalEntries + 30, () => world.app.send(articles, [item], { token: world.readOnly }));
      await ask(5, () => world.app.upload('/v1/orders/O-NOR/docs/invoice', file, { token: world.readOnly }));
      await ask(3, () => world.app.send(articles, '[', { token: world.app.tokens.north }));
      await until(async () => (await read()).length >= before + maxRefusalEntries + 3);
      assert.equal((await read()).length, before + maxRefusalEntries + 3);
      // What is written when the server stops can be read in its store until that is closed.
      const entries = await new Promise<readonly AuditEntry[]>((resolve, reject) => {
        const { store } = world.app.app;
        const close = store.close.bind(store);
        Object.assign(store, { close: () => read().then(resolve, reject).then(close) });
        closed = true;
        world.app.close().catch(reject);
      });
      const summaries = entries.filter(({ details }) => JSON.stringify(details).includes('further'));
      assert.equal(entries.length, before + maxRefusalEntries + 3 + summaries.length);
      assert.deepEqual(
        summaries.map(({ action, outcome, activityCodes, target }) => [action, outcome, activityCodes, target]),
        [
          ['articles.submit', 'refused', ['NOR'], null],
          ['document.upload', 'refused', ['NOR'], null],
        ],
      );
      for (const [index, further] of [
        [0, 30],
        [1, 5],
      ] as const) {
        const details = JSON.stringify(summaries[index]?.details);
        assert.match(
          details,
          new RegExp(
            `^{"further":${further},"problems":{"read-only-client":${further}},"since":"20.*Z","until":"20.*Z"}$`,
          ),
        );
        assert.ok(summaries[index]?.actor && summaries[index]?.subject && summaries[index]?.address);
      }
    });
  });
}

/** Of an entry for many: how many. */
function furtherOf({ details }: AuditEntry): number {
  return Number(/"further":(\d+)/.exec(JSON.stringify(details))?.[1] ?? 0);
}

/** Quotas of one process. */
const ownQuotas: Quotas = {
  take: async ({ quota, windowMs }) => ({
    ...{ granted: quota, used: quota },
    ...{ windowEnd: performance.now(), endsInMs: windowMs },
  }),
  giveBack: async () => undefined,
};

for (const engine of engines)
  describe(`refused writes at two processes on ${engine.name}`, { skip: engine.skip }, () => {
    it('have as many entries of their own as at one, and none is lost', async (t) => {
      const database = await engine.create();
      const stores = await Promise.all([0, 1].map(async () => createStore(await database.open(), definitions)));
      t.after(async () => {
        for (const store of stores) await store.close();
        await database.remove();
      });
      const recorders = stores.map((store) =>
        createRefusalRecorder({ store, now: Date.now, onLost: (error) => assert.fail(String(error)) }),
      );
      const principal: Principal = {
        kind: 'client',
        clientId: 'shop',
        subject: 'mia',
        activityCodes: ['NOR'],
        readOnly: true,
      };
      const call = { principal, address: '192.0.2.1', requestId: 'r', queryText: '' } as Call;
      const problem = new Problem('read-only-client', 'x');
      const each = 35;
      // No patience with storage ends, however long the machine stands still.
      t.mock.timers.enable({ apis: ['setTimeout'] });
      await Promise.all(
        recorders.map(async (recorder) => {
          for (let count = 0; count < each; count += 1)
            await recorder.record({ action: 'articles.submit', problem, call });
        }),
      );
      const read = async (): Promise<readonly AuditEntry[]> =>
        (await stores[0]?.audit.read({ ...everything, limit: 100 }, { client: 'test' })) ?? [];
      const own = (await read()).length;
      assert.ok(own <= maxRefusalEntries && own >= maxRefusalEntries - 2, `${own} entries`);
      for (const recorder of recorders) await recorder.close();
      t.mock.timers.reset();
      const entries = await read();
      assert.ok(entries.length <= own + recorders.length, `${entries.length} entries`);
      const further = entries.map(furtherOf).reduce((sum, one) => sum + one, 0);
      assert.equal(own + further, recorders.length * each);
    });
  });

describe('what is counted of refused writes', { skip: provenWithoutServer }, () => {
  it('is written after the minute, says what all have in common, and leaves failed writes their entries', async (t) => {
    let clock = 5000;
    t.mock.method(performance, 'now', () => clock);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const appended: NewAuditEntry[] = [];
    const lost: unknown[] = [];
    let away = false;
    const append = async (entry: NewAuditEntry): Promise<void> => {
      if (away) throw new Error('away');
      appended.push(entry);
    };
    const recorder = createRefusalRecorder({
      store: { audit: { append }, quotas: ownQuotas } as unknown as Pick<Store, 'audit' | 'quotas'>,
      now: Date.now,
      onLost: (error) => lost.push(error),
    });
    const write = (problem: Problem, changes: Partial<Principal> = {}, address = '192.0.2.1'): Promise<void> => {
      const principal: Principal = {
        kind: 'client',
        clientId: 'shop',
        subject: 'mia',
        activityCodes: ['NOR'],
        readOnly: true,
        ...changes,
      };
      return recorder.record({
        action: 'articles.submit',
        problem,
        call: { principal, address, requestId: 'r', queryText: '' } as Call,
      });
    };
    const [refused, failed] = [new Problem('read-only-client', 'x'), new Problem('internal-error', 'x')];
    for (let index = 0; index < maxRefusalEntries + 4; index += 1) await write(refused);
    await write(new Problem('malformed-json', 'x'), { activityCodes: ['NOR', 'SOU'] }, '192.0.2.2');
    await write(failed);
    // Somebody else at the same client has entries of their own.
    await write(refused, { subject: 'leo' });
    assert.equal(appended.length, maxRefusalEntries + 2);
    clock += 60_000;
    t.mock.timers.tick(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(appended.length, maxRefusalEntries + 3);
    const { subject, address, activityCodes, details } = appended.at(-1) ?? assert.fail();
    assert.deepEqual([subject, address, activityCodes], ['mia', null, []]);
    assert.match(JSON.stringify(details), /^{"further":5,"problems":{"read-only-client":4,"malformed-json":1}/);
    await write(refused);
    assert.equal(appended.length, maxRefusalEntries + 4);
    for (let index = 0; index < maxRefusalEntries; index += 1) await write(refused);
    away = true;
    await recorder.close();
    assert.equal(lost.length, 1);
  });
});

describe('labels that a carrier refuses, or of which nobody knows', { skip: provenWithoutServer }, () => {
  it('leave the entry that tells of the label, and no other', async (t) => {
    const [engine = assert.fail()] = engines;
    const { carrier, north, running, close } = await startShipping(engine);
    t.after(close);
    const world: World = { app: running, readOnly: '' };
    for (const [reply, status, outcome] of [
      [{ status: 400, body: { errors: [{ message: 'No.', code: '7' }] } }, 400, 'refused'],
      ['hang up', 502, 'failed'],
    ] as const) {
      carrier.play(() => reply);
      const [answer, entries] = await entriesOf(world, () => north.send(labels('north'), wish), 1);
      assert.equal(answer.status, status, answer.body);
      assert.deepEqual(
        entries.map((entry) => [entry.action, entry.outcome, entry.target, entry.activityCodes]),
        [['label.create', outcome, 'north/karrio', ['NOR']]],
      );
    }
  });
});

function refusalTests(world: () => World): void {
  for (const { what, ask, action, status, problem } of refusals) {
    it(`leaves one entry: ${what}`, async () => {
      const [answer, entries] = await entriesOf(world(), ask, 1);
      assert.equal(answer.status, status, answer.body);
      assert.equal(entries.length, 1);
      const [entry] = entries;
      const { id: _id, at: _at, actor: _actor, subject: _subject, address: _address, ...said } = entry ?? assert.fail();
      assert.deepEqual(said, {
        actorKind: 'client',
        action,
        activityCodes: ['NOR'],
        target: null,
        operationId: null,
        outcome: 'refused',
        details: { problem, status, requestId: answer.headers['x-request-id'] },
      });
      assert.ok(entry?.actor && entry.subject && entry.address);
      assert.doesNotMatch(JSON.stringify(entry), /SECRET|O-SOU|novel|nowhere/);
    });
  }
}

function otherTests(world: () => World): void {
  it('leaves an entry that concerns no activity where the caller has several', async () => {
    const [, [entry]] = await entriesOf(world(), ({ app }) => app.send(articles, '{', { token: app.tokens.both }), 1);
    assert.deepEqual(entry?.activityCodes, []);
  });

  it('leaves none where nobody knows who calls, or nothing was to be written', async () => {
    const silent: readonly ((world: World) => Promise<Answered>)[] = [
      ({ app }) => app.send(articles, '[', { token: null }),
      ({ app }) => app.send(articles, '[', { token: 'wrong' }),
      ({ app }) => app.send(articles, '[', { token: app.keys.north }),
      ({ app }) => app.send(`${articles}?dryRun=true`, '['),
      ({ app }) => app.get(`${articles}?secret=7`),
      ({ app }) => app.send('/v1/nothing', []),
      ({ app }) => app.send('/v1/orders', []),
    ];
    for (const ask of silent) {
      const [answer, entries] = await entriesOf(world(), ask, 0);
      assert.ok(answer.status >= 400, answer.body);
      assert.deepEqual(entries, []);
    }
  });

  it('leaves one entry where a handler has made it: for refused items, and for a document by its content', async () => {
    for (const ask of [
      ({ app }: World) => app.send(articles, [{ ...item, id: 1 }]),
      ({ app }: World) => app.upload(upload, { content: Buffer.from('x') }),
    ]) {
      const [answer, entries] = await entriesOf(world(), ask, 1);
      assert.equal(answer.object().status, 422, answer.body);
      assert.deepEqual(
        entries.map(({ operationId, outcome }) => [operationId, outcome]),
        [[answer.object().operationId, 'refused']],
      );
    }
  });

  it('leaves an entry for each request refused with 400, whose key stays free, and one for one done', async () => {
    const headers = { 'idempotency-key': 'refused' };
    const [first, [entry]] = await entriesOf(world(), ({ app }) => app.send(articles, '{}', { headers }), 1);
    assert.deepEqual([first.status, entry?.outcome], [400, 'refused']);
    const [again, more] = await entriesOf(world(), ({ app }) => app.send(articles, '{}', { headers }), 1);
    assert.deepEqual([again.status, again.headers['idempotency-replayed'], more.length], [400, undefined, 1]);
    const done = { headers };
    assert.equal((await entriesOf(world(), ({ app }) => app.send(articles, [item], done), 1))[1].length, 1);
    assert.equal((await entriesOf(world(), ({ app }) => app.send(articles, [item], done), 0))[1].length, 0);
    const [, [misuse]] = await entriesOf(world(), ({ app }) => app.send(articles, '[]', { headers }), 1);
    assert.deepEqual(Object(misuse?.details).problem, 'idempotency-key-reused');
  });

  it('leaves none while the same request is still running', async () => {
    const { store } = world().app.app;
    const headers = { 'idempotency-key': 'running' };
    await world().app.send(articles, [item], { headers });
    await changeRows(store, storedAnswerTable, { answer: null, claimedUntil: Date.now() + 600_000 });
    const [answer, entries] = await entriesOf(world(), ({ app }) => app.send(articles, [item], { headers }), 0);
    assert.deepEqual([answer.status, entries], [409, []]);
    await removeRows(store, storedAnswerTable);
  });

  it('says that a write failed, where storage can take that', async () => {
    const {
      app: { app },
    } = world();
    await renameTable(app.store, 'order_document', 'order_document_away');
    const [answer, [entry]] = await entriesOf(world(), ({ app: running }) => running.upload(upload, file), 1);
    await renameTable(app.store, 'order_document_away', 'order_document');
    assert.equal(answer.status, 500);
    assert.deepEqual(
      [entry?.outcome, entry?.activityCodes, Object(entry?.details).problem],
      ['failed', ['NOR'], 'internal-error'],
    );
  });

  it('is answered alike where it cannot be recorded, and the log says so', async () => {
    const {
      app: { app, logged },
    } = world();
    await renameTable(app.store, 'audit_entry', 'audit_entry_away');
    const answer = await world().app.send(articles, '[{');
    await renameTable(app.store, 'audit_entry_away', 'audit_entry');
    assert.equal(answer.status, 400, answer.body);
    assert.match(answer.body, /malformed-json/);
    await until(() => /could not be recorded/.test(logged()));
  });

  it('is seen with a key of the activity, and with no key where it concerns none', async () => {
    const { app } = world();
    const seen = async (key: string): Promise<readonly unknown[]> => {
      const { entries } = (await app.get('/platform/audit?action=document.upload', { token: key })).object();
      return Array.isArray(entries) ? entries.filter(({ operationId }) => operationId === null) : [];
    };
    await app.upload('/v1/orders/none/docs/invoice', file, { token: app.tokens.both });
    assert.ok((await seen(app.keys.north)).length > 0);
    assert.deepEqual(await seen(app.keys.south), []);
    assert.ok((await seen(app.keys.both)).every((entry) => JSON.stringify(Object(entry).activityCodes) === '["NOR"]'));
  });
}

/**
 * The answer, and the entries that came with it.
 * @param expected where a machine stands still for two seconds, the answer comes before the entry: it is waited for
 */
async function entriesOf(
  world: World,
  ask: (world: World) => Promise<Answered>,
  expected: number,
): Promise<readonly [Answered, readonly AuditEntry[]]> {
  const { store } = world.app.app;
  const read = () => store.audit.read({ ...everything, limit: 1000 });
  const before = (await read()).length;
  const answer = await ask(world);
  await until(async () => (await read()).length >= before + expected);
  return [answer, (await read()).slice(before)];
}

async function makeWorld(app: RunningApp): Promise<World> {
  for (const [activity, name] of [
    ['NOR', 'North Trading'],
    ['SOU', 'South Trading'],
  ] as const) {
    await app.load(order, activity, [
      { ...order.example, activityCode: activity, activityName: name, orderUniqueID: `O-${activity}` },
    ]);
  }
  const { store, issueToken } = app.app;
  const now = Date.now();
  const { client } = await addClient(
    store,
    {
      name: 'reader',
      redirectUris: ['http://127.0.0.1/callback'],
      activityCodes: ['NOR'],
      readOnly: true,
      confidential: false,
    },
    now,
  );
  const user = await addPreparedUser(
    store,
    { login: 'reader', password: 'pebble lantern orchard seventeen', activityCodes: ['NOR'], operator: false },
    now,
  );
  return { app, readOnly: (await issueToken({ client, user, now })).accessToken };
}
