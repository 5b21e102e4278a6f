// Who may write what, and see what of it: every principal against every activity, at every endpoint that writes or
// tells of writes, on every engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addClient } from '../../src/auth/clients.ts';
import { order } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';
import { rowsIn } from '../contract/database.ts';
import { addPreparedUser } from '../contract/prepared-secrets.ts';
import { orderDocumentTable } from '../../src/store/tables/writes.ts';

/** Activity `GHO` is nobody's: there is none. What is another's must look the same. */
const activities = ['NOR', 'SOU'] as const;
type Activity = (typeof activities)[number] | 'GHO';
const principals = { north: ['NOR'], south: ['SOU'], both: ['NOR', 'SOU'] } as const;
type Principal = keyof typeof principals;

/** What an activity has: an order, a document of it, an article, and the operation that made it. */
interface Belongings {
  readonly orderId: string;
  readonly documentId: string;
  readonly operationId: string;
}
interface World {
  readonly app: RunningApp;
  readonly of: Readonly<Record<Activity, Belongings>>;
  readonly readOnly: string;
}

/** One thing that a principal may try. */
interface Attempt {
  readonly what: string;
  readonly ask: (world: World, principal: Principal, activity: Activity) => Promise<Answered>;
  /** Whether an answer to a principal that may shows that it was done. */
  readonly allowed: (answer: Answered, activity: Activity, world: World) => boolean;
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
    ask: ({ app }, principal, activity) =>
      app.send('/v1/articles', [article(activity, `NEW-${++counter}`, 'New')], { token: app.tokens[principal] }),
    allowed: resultOk,
  },
  {
    what: 'replace an article',
    ask: ({ app }, principal, activity) =>
      app.send('/v1/articles', [article(activity, 'OWN', `Replaced ${++counter}`)], { token: app.tokens[principal] }),
    allowed: resultOk,
  },
  {
    what: 'try out an article',
    ask: ({ app }, principal, activity) =>
      app.send('/v1/articles?dryRun=true&onExisting=reject', [article(activity, 'OWN', 'x')], {
        token: app.tokens[principal],
      }),
    allowed: (answer) => /already/.test(answer.body),
  },
  {
    what: 'attach a document by the id of the order',
    ask: ({ app, of }, principal, activity) =>
      app.upload(
        `/v1/orders/${of[activity].orderId}/docs/customs`,
        { content: pdf(`${++counter}`) },
        { token: app.tokens[principal] },
      ),
    allowed: resultOk,
  },
  {
    what: 'attach a document by the name of the order',
    ask: ({ app }, principal, activity) =>
      app.upload(
        `/v1/orders/O-${activity}/docs/customs`,
        { content: pdf(`${++counter}`) },
        { token: app.tokens[principal] },
      ),
    allowed: resultOk,
  },
  {
    what: 'attach a document by a name that each has',
    ask: ({ app }, principal, activity) =>
      app.upload(
        `/v1/orders/SAME/docs/customs?activityCode=${activity}`,
        { content: pdf(`${++counter}`) },
        { token: app.tokens[principal] },
      ),
    allowed: resultOk,
  },
  {
    what: 'find out that a document is there by sending it',
    ask: ({ app, of }, principal, activity) =>
      app.upload(
        `/v1/orders/${of[activity].orderId}/docs/invoice`,
        { content: pdf(`of ${activity}`) },
        { token: app.tokens[principal] },
      ),
    allowed: (answer, activity, { of }) => resultOk(answer) && answer.body.includes(of[activity].documentId),
  },
  {
    what: 'read an article',
    ask: ({ app }, principal, activity) =>
      app.get(`/v1/articles?activityCode=${activity}&limit=1`, { token: app.tokens[principal] }),
    allowed: (answer) => answer.list().length > 0,
  },
  {
    what: 'take entries of the outbox',
    ask: ({ app }, principal, activity) =>
      app.get(`/platform/outbox?consumer=take-${principal}-${activity}-${++counter}&after=${activity}:0`, {
        token: app.keys[principal],
      }),
    allowed: (answer, activity) => found(answer) && answer.body.includes(`"activityCode":"${activity}"`),
  },
  {
    what: 'acknowledge entries of the outbox',
    ask: ({ app }, principal, activity) =>
      app.send(
        '/platform/outbox/ack',
        { consumer: 'everything', position: `${activity}:1` },
        { token: app.keys[principal] },
      ),
    allowed: found,
  },
  {
    what: 'read what is known of a document',
    ask: ({ app, of }, principal, activity) =>
      app.get(`/platform/documents/${of[activity].documentId}`, { token: app.keys[principal] }),
    allowed: found,
  },
  {
    what: 'take the bytes of a document',
    ask: ({ app, of }, principal, activity) =>
      app.get(`/platform/documents/${of[activity].documentId}/content`, { token: app.keys[principal] }),
    allowed: (answer, activity) => found(answer) && answer.bytes.equals(pdf(`of ${activity}`)),
  },
  {
    what: 'read the audit trail of an activity',
    ask: ({ app }, principal, activity) =>
      app.get(`/platform/audit?activityCode=${activity}`, { token: app.keys[principal] }),
    allowed: (answer, activity) => found(answer) && answer.body.includes(`["${activity}"]`),
  },
  {
    what: 'look up an operation',
    ask: ({ app, of }, principal, activity) =>
      app.get(`/platform/audit?operationId=${of[activity].operationId}`, { token: app.keys[principal] }),
    allowed: (answer, activity) => found(answer) && answer.body.includes(`["${activity}"]`),
  },
];

for (const engine of engines) {
  describe(`every principal against every activity on ${engine.name}`, { skip: engine.skip }, () => {
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
    for (const [principal, own] of Object.entries(principals) as readonly (readonly [Principal, readonly string[]])[]) {
      for (const activity of activities) {
        const may = own.includes(activity);
        it(`${principal} ${may ? 'may' : 'may not'} ${what} of ${activity}`, async () => {
          const untouched = await belongingsOf(world(), activity);
          const answer = await ask(world(), principal, activity);
          assert.equal(allowed(answer, activity, world()), may, answer.body);
          if (may) return;
          assert.equal(shown(answer, activity, world()), shown(await ask(world(), principal, 'GHO'), 'GHO', world()));
          assert.deepEqual(await belongingsOf(world(), activity), untouched);
        });
      }
    }
  }

  for (const activity of activities) {
    it(`a stored answer of ${activity} is for whoever got it first, not for others with the same key`, async () => {
      const { app } = world();
      const body = [article(activity, 'REPEATED', 'Repeated')];
      const headers = { 'idempotency-key': `of-${activity}` };
      const own = activity === 'NOR' ? 'north' : 'south';
      const first = await app.send('/v1/articles', body, { token: app.tokens[own], headers });
      assert.equal(
        (await app.send('/v1/articles', body, { token: app.tokens[own], headers })).headers['idempotency-replayed'],
        'true',
      );
      for (const principal of ['north', 'south', 'both'] as const) {
        if (principal === own) continue;
        const answer = await app.send('/v1/articles', body, { token: app.tokens[principal], headers });
        assert.equal(answer.headers['idempotency-replayed'], undefined);
        assert.notEqual(answer.object().operationId, first.object().operationId);
      }
    });

    it(`a client that may only read writes nothing of ${activity}`, async () => {
      const { app, of, readOnly } = world();
      const untouched = await belongingsOf(world(), activity);
      for (const answer of [
        await app.send('/v1/articles', [article(activity, 'OWN', 'By a reader')], { token: readOnly }),
        await app.send('/v1/articles?dryRun=true', [article(activity, 'OWN', 'By a reader')], { token: readOnly }),
        await app.upload(
          `/v1/orders/${of[activity].orderId}/docs/invoice`,
          { content: pdf('By a reader') },
          { token: readOnly },
        ),
      ])
        assert.deepEqual([answer.status, /read-only-client/.test(answer.body)], [403, true]);
      assert.deepEqual(await belongingsOf(world(), activity), untouched);
    });
  }

  it('tokens open nothing of the warehouse, and keys nothing of the clients', async () => {
    const { app, of } = world();
    for (const principal of ['north', 'south', 'both'] as const) {
      const [token, key] = [{ token: app.tokens[principal] }, { token: app.keys[principal] }];
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

/** All that a stranger could have changed of an activity. */
async function belongingsOf({ app }: World, activity: Activity): Promise<unknown> {
  const { store } = app.app;
  const token = activity === 'NOR' ? app.tokens.north : app.tokens.south;
  return {
    ends: await store.outbox.ends([activity]),
    articles: (await app.get('/v1/articles', { token })).body,
    progress: (await store.outbox.progress('everything', [activity])).map(({ acknowledged }) => acknowledged),
    documents: await rowsIn(store, orderDocumentTable, { activity }, { by: ['id'] }),
  };
}

/** An answer without what may differ: what was asked for, ids and numbers of this answer alone. */
function shown({ status, headers, body }: Answered, activity: Activity, { of }: World): string {
  const asked = [activity, of[activity].orderId, of[activity].documentId, of[activity].operationId].reduce(
    (text, part) => text.replaceAll(part, 'ASKED'),
    body,
  );
  const own = asked
    .replace(/"traceId":"[^"]+"/, '')
    .replace(/"operationId":"[^"]+"/, '')
    .replaceAll(/NEW-\d+/g, 'NEW')
    .replaceAll(/GHO|NOR|SOU/g, (code) => (code === activity ? 'ASKED' : code));
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
  const user = await addPreparedUser(
    app.app.store,
    { login: 'reader', password: 'pebble lantern orchard seventeen', activityCodes: ['NOR', 'SOU'], operator: false },
    now,
  );
  // Whoever takes in everything, so that there is something to acknowledge.
  await app.get('/platform/outbox?consumer=everything', { token: app.keys.both });
  return { app, of, readOnly: (await app.app.issueToken({ client, user, now })).accessToken };
}

async function belongings(app: RunningApp, activity: 'NOR' | 'SOU'): Promise<Belongings> {
  const token = activity === 'NOR' ? app.tokens.north : app.tokens.south;
  const activityName = activity === 'NOR' ? 'North Trading' : 'South Trading';
  await app.load(
    order,
    activity,
    [`O-${activity}`, 'SAME'].map((orderUniqueID) => ({
      ...order.example,
      activityCode: activity,
      activityName,
      orderUniqueID,
    })),
  );
  const created = await app.send('/v1/articles', [article(activity, 'OWN', 'Own')], { token });
  const [listed] = (await app.get(`/v1/orders?orderUniqueID=O-${activity}`, { token })).list();
  const orderId = String(listed?.id);
  const { passed } = (
    await app.upload(`/v1/orders/${orderId}/docs/invoice`, { content: pdf(`of ${activity}`) }, { token })
  ).object();
  assert.ok(Array.isArray(passed));
  return { orderId, documentId: String(passed[0]), operationId: String(created.object().operationId) };
}
