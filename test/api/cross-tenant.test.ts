// Who may write what, and see what of it: every caller against every owner, at every endpoint that writes or tells of
// writes, on every engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addClient } from '../../src/auth/clients.ts';
import { addUser } from '../../src/auth/users.ts';
import { order } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';
import { rowsIn } from '../contract/database.ts';
import { orderDocumentTable } from '../../src/store/tables/writes.ts';

/** Activity `GHO` is nobody's: there is none. What is another's must look the same. */
const owners = ['NOR', 'SOU'] as const;
type Owner = (typeof owners)[number] | 'GHO';
const callers = { north: ['NOR'], south: ['SOU'], both: ['NOR', 'SOU'] } as const;
type Caller = keyof typeof callers;

/** What an owner has: an order, a document of it, an article, and the operation that made it. */
interface Belongings {
  readonly orderId: string;
  readonly documentId: string;
  readonly operationId: string;
}
interface World {
  readonly app: RunningApp;
  readonly of: Readonly<Record<Owner, Belongings>>;
  readonly readOnly: string;
}

/** One thing that a caller may try. */
interface Attempt {
  readonly what: string;
  readonly ask: (world: World, caller: Caller, owner: Owner) => Promise<Answered>;
  /** Whether an answer to a caller who may shows that it was done. */
  readonly allowed: (answer: Answered, owner: Owner, world: World) => boolean;
}

let counter = 0;
const article = (activityCode: string, articleReference: string, text: string) => ({
  activityCode,
  articleReference,
  longArticleDescription: text,
  shortArticleDescription: 'Short',
});
const resultOk = (answer: Answered): boolean => answer.status === 200 && answer.object().status === 200;
const found = (answer: Answered): boolean => answer.status === 200;

const attempts: readonly Attempt[] = [
  {
    what: 'create an article',
    ask: ({ app }, caller, owner) =>
      app.send('/v1/articles', [article(owner, `NEW-${++counter}`, 'New')], { token: app.tokens[caller] }),
    allowed: resultOk,
  },
  {
    what: 'replace an article',
    ask: ({ app }, caller, owner) =>
      app.send('/v1/articles', [article(owner, 'OWN', `Replaced ${++counter}`)], { token: app.tokens[caller] }),
    allowed: resultOk,
  },
  {
    what: 'try out an article',
    ask: ({ app }, caller, owner) =>
      app.send('/v1/articles?dryRun=true&onExisting=reject', [article(owner, 'OWN', 'x')], {
        token: app.tokens[caller],
      }),
    allowed: (answer) => /already/.test(answer.body),
  },
  {
    what: 'attach a document by the id of the order',
    ask: ({ app, of }, caller, owner) =>
      app.upload(
        `/v1/orders/${of[owner].orderId}/docs/customs`,
        { content: pdf(`${++counter}`) },
        { token: app.tokens[caller] },
      ),
    allowed: resultOk,
  },
  {
    what: 'attach a document by the name of the order',
    ask: ({ app }, caller, owner) =>
      app.upload(`/v1/orders/O-${owner}/docs/customs`, { content: pdf(`${++counter}`) }, { token: app.tokens[caller] }),
    allowed: resultOk,
  },
  {
    what: 'attach a document by a name that each has',
    ask: ({ app }, caller, owner) =>
      app.upload(
        `/v1/orders/SAME/docs/customs?activityCode=${owner}`,
        { content: pdf(`${++counter}`) },
        { token: app.tokens[caller] },
      ),
    allowed: resultOk,
  },
  {
    what: 'find out that a document is there by sending it',
    ask: ({ app, of }, caller, owner) =>
      app.upload(
        `/v1/orders/${of[owner].orderId}/docs/invoice`,
        { content: pdf(`of ${owner}`) },
        { token: app.tokens[caller] },
      ),
    allowed: (answer, owner, { of }) => resultOk(answer) && answer.body.includes(of[owner].documentId),
  },
  {
    what: 'read an article',
    ask: ({ app }, caller, owner) =>
      app.get(`/v1/articles?activityCode=${owner}&limit=1`, { token: app.tokens[caller] }),
    allowed: (answer) => answer.list().length > 0,
  },
  {
    what: 'take entries of the outbox',
    ask: ({ app }, caller, owner) =>
      app.get(`/platform/outbox?consumer=take-${caller}-${owner}-${++counter}&after=${owner}:0`, {
        token: app.keys[caller],
      }),
    allowed: (answer, owner) => found(answer) && answer.body.includes(`"activityCode":"${owner}"`),
  },
  {
    what: 'acknowledge entries of the outbox',
    ask: ({ app }, caller, owner) =>
      app.send('/platform/outbox/ack', { consumer: 'everything', position: `${owner}:1` }, { token: app.keys[caller] }),
    allowed: found,
  },
  {
    what: 'read what is known of a document',
    ask: ({ app, of }, caller, owner) =>
      app.get(`/platform/documents/${of[owner].documentId}`, { token: app.keys[caller] }),
    allowed: found,
  },
  {
    what: 'take the bytes of a document',
    ask: ({ app, of }, caller, owner) =>
      app.get(`/platform/documents/${of[owner].documentId}/content`, { token: app.keys[caller] }),
    allowed: (answer, owner) => found(answer) && answer.bytes.equals(pdf(`of ${owner}`)),
  },
  {
    what: 'read the audit trail of an activity',
    ask: ({ app }, caller, owner) => app.get(`/platform/audit?activityCode=${owner}`, { token: app.keys[caller] }),
    allowed: (answer, owner) => found(answer) && answer.body.includes(`["${owner}"]`),
  },
  {
    what: 'look up an operation',
    ask: ({ app, of }, caller, owner) =>
      app.get(`/platform/audit?operationId=${of[owner].operationId}`, { token: app.keys[caller] }),
    allowed: (answer, owner) => found(answer) && answer.body.includes(`["${owner}"]`),
  },
];

for (const engine of engines) {
  describe(`every caller against every owner on ${engine.name}`, { skip: engine.skip }, () => {
    let world: World;
    before(async () => {
      world = await makeWorld(await startApp(engine));
    });
    after(() => world.app.close());
    matrixTests(() => world);
  });
}

function matrixTests(world: () => World): void {
  for (const { what, ask, allowed } of attempts) {
    for (const [caller, activities] of Object.entries(callers) as readonly (readonly [Caller, readonly string[]])[]) {
      for (const owner of owners) {
        const may = activities.includes(owner);
        it(`${caller} ${may ? 'may' : 'may not'} ${what} of ${owner}`, async () => {
          const untouched = await belongingsOf(world(), owner);
          const answer = await ask(world(), caller, owner);
          assert.equal(allowed(answer, owner, world()), may, answer.body);
          if (may) return;
          assert.equal(shown(answer, owner, world()), shown(await ask(world(), caller, 'GHO'), 'GHO', world()));
          assert.deepEqual(await belongingsOf(world(), owner), untouched);
        });
      }
    }
  }

  for (const owner of owners) {
    it(`a stored answer of ${owner} is for whoever got it first, not for others with the same key`, async () => {
      const { app } = world();
      const body = [article(owner, 'REPEATED', 'Repeated')];
      const headers = { 'idempotency-key': `of-${owner}` };
      const own = owner === 'NOR' ? 'north' : 'south';
      const first = await app.send('/v1/articles', body, { token: app.tokens[own], headers });
      assert.equal(
        (await app.send('/v1/articles', body, { token: app.tokens[own], headers })).headers['idempotency-replayed'],
        'true',
      );
      for (const caller of ['north', 'south', 'both'] as const) {
        if (caller === own) continue;
        const answer = await app.send('/v1/articles', body, { token: app.tokens[caller], headers });
        assert.equal(answer.headers['idempotency-replayed'], undefined);
        assert.notEqual(answer.object().operationId, first.object().operationId);
      }
    });

    it(`a client that may only read writes nothing of ${owner}`, async () => {
      const { app, of, readOnly } = world();
      const untouched = await belongingsOf(world(), owner);
      for (const answer of [
        await app.send('/v1/articles', [article(owner, 'OWN', 'By a reader')], { token: readOnly }),
        await app.send('/v1/articles?dryRun=true', [article(owner, 'OWN', 'By a reader')], { token: readOnly }),
        await app.upload(
          `/v1/orders/${of[owner].orderId}/docs/invoice`,
          { content: pdf('By a reader') },
          { token: readOnly },
        ),
      ])
        assert.deepEqual([answer.status, /read-only-client/.test(answer.body)], [403, true]);
      assert.deepEqual(await belongingsOf(world(), owner), untouched);
    });
  }

  it('tokens open nothing of the warehouse, and keys nothing of the clients', async () => {
    const { app, of } = world();
    for (const caller of ['north', 'south', 'both'] as const) {
      const [token, key] = [{ token: app.tokens[caller] }, { token: app.keys[caller] }];
      const answers = [
        await app.get('/platform/outbox', token),
        await app.send('/platform/outbox/ack', { position: 'NOR:1' }, token),
        await app.get(`/platform/documents/${of.NOR.documentId}`, token),
        await app.get(`/platform/documents/${of.NOR.documentId}/content`, token),
        await app.get('/platform/audit', token),
        await app.get('/v1/articles', key),
        await app.send('/v1/articles', [article('NOR', 'OWN', 'By a key')], key),
        await app.upload(`/v1/orders/${of.NOR.orderId}/docs/invoice`, { content: pdf('By a key') }, key),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 401),
      );
    }
  });
}

/** All that a stranger could have changed of an owner. */
async function belongingsOf({ app }: World, owner: Owner): Promise<unknown> {
  const { store } = app.app;
  const token = owner === 'NOR' ? app.tokens.north : app.tokens.south;
  return {
    ends: await store.outbox.ends([owner]),
    articles: (await app.get('/v1/articles', { token })).body,
    progress: (await store.outbox.progress('everything', [owner])).map(({ acknowledged }) => acknowledged),
    documents: await rowsIn(store, orderDocumentTable, { owner }, { by: ['id'] }),
  };
}

/** An answer without what may differ: what was asked for, ids and numbers of this answer alone. */
function shown({ status, headers, body }: Answered, owner: Owner, { of }: World): string {
  const asked = [owner, of[owner].orderId, of[owner].documentId, of[owner].operationId].reduce(
    (text, part) => text.replaceAll(part, 'ASKED'),
    body,
  );
  const own = asked
    .replace(/"traceId":"[^"]+"/, '')
    .replace(/"operationId":"[^"]+"/, '')
    .replaceAll(/NEW-\d+/g, 'NEW')
    .replaceAll(/GHO|NOR|SOU/g, (code) => (code === owner ? 'ASKED' : code));
  return JSON.stringify([status, Object.keys(headers).toSorted(), own]);
}

async function makeWorld(app: RunningApp): Promise<World> {
  const of = {
    NOR: await belongings(app, 'NOR'),
    SOU: await belongings(app, 'SOU'),
    GHO: { orderId: crypto.randomUUID(), documentId: crypto.randomUUID(), operationId: crypto.randomUUID() },
  };
  const now = Date.now();
  const { client } = await addClient(
    app.app.store,
    {
      name: 'reader',
      redirectUris: ['http://127.0.0.1/callback'],
      activityCodes: ['NOR', 'SOU'],
      readOnly: true,
      confidential: false,
    },
    now,
  );
  const user = await addUser(
    app.app.store,
    { login: 'reader', password: 'pebble lantern orchard seventeen', activityCodes: ['NOR', 'SOU'], operator: false },
    now,
  );
  // Whoever takes in everything, so that there is something to acknowledge.
  await app.get('/platform/outbox?consumer=everything', { token: app.keys.both });
  return { app, of, readOnly: (await app.app.issueToken({ client, user, now })).accessToken };
}

async function belongings(app: RunningApp, owner: 'NOR' | 'SOU'): Promise<Belongings> {
  const token = owner === 'NOR' ? app.tokens.north : app.tokens.south;
  const activityName = owner === 'NOR' ? 'North Trading' : 'South Trading';
  await app.load(
    order,
    owner,
    [`O-${owner}`, 'SAME'].map((orderUniqueID) => ({
      ...order.example,
      activityCode: owner,
      activityName,
      orderUniqueID,
    })),
  );
  const created = await app.send('/v1/articles', [article(owner, 'OWN', 'Own')], { token });
  const [listed] = (await app.get(`/v1/orders?orderUniqueID=O-${owner}`, { token })).list();
  const orderId = String(listed?.id);
  const { passed } = (
    await app.upload(`/v1/orders/${orderId}/docs/invoice`, { content: pdf(`of ${owner}`) }, { token })
  ).object();
  assert.ok(Array.isArray(passed));
  return { orderId, documentId: String(passed[0]), operationId: String(created.object().operationId) };
}
