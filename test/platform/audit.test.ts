// The audit trail over the whole HTTP path, on every engine: what it keeps of each write, what it can be asked, and
// what a key may see.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { order } from '../../src/resources/index.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';

for (const engine of engines) {
  describe(`the audit trail on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => {
      running = await startApp(engine);
      await running.load(order, 'NOR', [
        { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'N-1' },
      ]);
    });
    after(() => running.close());
    auditTests(() => running, engine.name === 'PostgreSQL server');
  });
}

let references = 0;

/** @param concurrent writers do not wait for each other */
function auditTests(running: () => RunningApp, concurrent: boolean): void {
  const get = (query: string, options?: Parameters<RunningApp['get']>[1]): Promise<Answered> =>
    running().get(`/platform/audit?${query}`, options);
  const read = async (query: string, key: 'north' | 'south' | 'both' = 'both'): Promise<Page> =>
    pageOf(await get(query, { token: running().keys[key] }));
  /** All entries after one. */
  const since = async (
    after: string | null,
    key: 'north' | 'south' | 'both' = 'both',
    query = '',
  ): Promise<readonly Entry[]> => {
    const entries: Entry[] = [];
    for (let from = after; ; ) {
      const page = await read(`${query}${from === null ? '' : `&after=${from}`}`, key);
      entries.push(...page.entries);
      if (page.entries.length === 0) return entries;
      from = page.after;
    }
  };
  const end = async (): Promise<string | null> => (await since(null)).at(-1)?.id ?? null;
  /** Creates an article in each activity that is named; the answer is the operation's id. */
  const submit = async (token: 'north' | 'south' | 'both', ...codes: readonly string[]): Promise<string> => {
    const items = codes.map((activityCode) => ({
      activityCode,
      articleReference: `A${++references}`,
      longArticleDescription: 'Long',
      shortArticleDescription: 'Short',
    }));
    return String(
      (
        await running().send('/v1/articles', items, {
          token: running().tokens[token],
          headers: { 'x-forwarded-for': '203.0.113.7' },
        })
      ).object().operationId,
    );
  };

  describe('refuses', () => {
    const cases: readonly (readonly [query: string, problem: string])[] = [
      ['limit=0', 'invalid-parameter'],
      ['limit=101', 'invalid-parameter'],
      ['limit=ten', 'invalid-parameter'],
      ['since=yesterday', 'invalid-parameter'],
      ['until=2026-02-30', 'invalid-parameter'],
      ['operationId=x', 'invalid-parameter'],
      ['after=x', 'invalid-parameter'],
      ['after=00000000-0000-0000-0000-00000000000A', 'invalid-parameter'],
      ['activityCode=SOU', 'invalid-parameter'],
      ['activityCode=XXX', 'invalid-parameter'],
      ['activityCode=nor', 'invalid-parameter'],
      ['outcome=refused', 'unknown-parameter'],
      ['action=a&action=b', 'invalid-parameter'],
    ];
    for (const [query, problem] of cases) {
      it(`?${query}: ${problem}`, async () => {
        const answer = await get(query);
        assert.match(String(answer.object().type), new RegExp(`/${problem}$`), answer.body);
      });
    }

    it('other methods, and media types that it does not have', async () => {
      assert.equal((await get('', { method: 'DELETE' })).headers.allow, 'GET, HEAD, OPTIONS');
      assert.equal((await get('', { headers: { accept: 'text/csv' } })).status, 406);
    });
  });

  it('is empty for what never happened', async () => {
    for (const query of [
      'action=nothing',
      `operationId=${crypto.randomUUID()}`,
      'actor=%00',
      'since=2100-01-01',
      'until=1990-01-01',
      'since=2026-03-02&until=2026-03-01',
    ])
      assert.deepEqual(await read(query), { entries: [], after: null });
  });

  it('tells who wrote what, from where, and with what outcome', async () => {
    const operationId = await submit('north', 'NOR', 'SOU');
    const [entry, ...more] = (await read(`operationId=${operationId}`)).entries;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [entry?.actorKind, entry?.action, entry?.activityCodes, entry?.outcome, entry?.target, entry?.address],
      ['client', 'articles.submit', ['NOR'], 'partly', null, '127.0.0.1'],
    );
    assert.match(String(entry?.actor), /^nor/);
    const { answer, ...counts } = Object(entry?.details);
    assert.deepEqual(counts, {
      onExisting: 'replace',
      atomic: false,
      items: 2,
      passed: 1,
      new: 1,
      changed: 0,
      unchanged: 0,
    });
    assert.equal(answer.operationId, operationId);
  });

  it('tells of uploads without the name of the file, and of what the warehouse acknowledged', async () => {
    const from = await end();
    await running().upload('/v1/orders/N-1/docs/invoice', { content: pdf('audited'), name: 'Anna Schmidt.pdf' });
    const { position } = (await running().get('/platform/outbox?consumer=wms')).object();
    await running().send('/platform/outbox/ack', { consumer: 'wms', position });
    const entries = await since(from);
    assert.deepEqual(
      entries.map(({ action, actorKind, target, outcome }) => [action, actorKind, target, outcome]).slice(1),
      [['outbox.acknowledge', 'platform-key', 'wms', 'accepted']],
    );
    assert.deepEqual([entries[0]?.action, entries[0]?.actorKind], ['document.upload', 'client']);
    assert.doesNotMatch(JSON.stringify(entries), /Schmidt/);
    await running().send('/platform/outbox/ack', { consumer: 'wms', position });
    assert.equal((await since(from)).length, entries.length);
  });

  it('keeps no entry of a dry run and of reading, and of a request that could not be read the refusal', async () => {
    const from = await end();
    await running().send('/v1/articles?dryRun=true', [
      { activityCode: 'NOR', articleReference: 'X', longArticleDescription: 'L', shortArticleDescription: 'S' },
    ]);
    await running().send('/v1/articles', '[');
    await running().upload('/v1/orders/N-9/docs/invoice', { content: pdf() });
    await running().get('/v1/articles');
    await running().get('/platform/outbox');
    assert.deepEqual(
      (await since(from)).map(({ action, outcome }) => [action, outcome]),
      [
        ['articles.submit', 'refused'],
        ['document.upload', 'refused'],
      ],
    );
  });

  it('gives a page after the other, oldest first, each entry once', async () => {
    const from = await end();
    const written: string[] = [];
    for (let count = 0; count < 7; count += 1) written.push(await submit('both', count % 2 === 0 ? 'NOR' : 'SOU'));
    for (const limit of [1, 2, 3, 7, 100])
      assert.deepEqual(
        (await since(from, 'both', `limit=${limit}`)).map(({ operationId }) => operationId),
        written,
        `limit ${limit}`,
      );
    const all = await since(from);
    assert.deepEqual(
      all.map(({ at }) => at),
      all.map(({ at }) => at).toSorted(),
    );
    const last = await read(`after=${all.at(-1)?.id}`);
    assert.deepEqual(last, { entries: [], after: all.at(-1)?.id });
    assert.deepEqual(
      (await since(from, 'both', `since=${all[3]?.at}&until=${all[5]?.at}`)).map(({ id }) => id),
      all.filter(({ at }) => at >= String(all[3]?.at) && at < String(all[5]?.at)).map(({ id }) => id),
    );
    assert.deepEqual((await since(from, 'both', `actor=${all[0]?.actor}&action=articles.submit`)).length, 7);
  });

  it('shows a key what concerns its activities alone, whichever page that is on', async () => {
    const from = await end();
    const own: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      own.push(await submit('both', 'NOR'));
      await submit('both', 'SOU');
      // Both together would tell the one of the other.
      await submit('both', 'NOR', 'SOU');
    }
    for (const limit of [1, 2, 4, 100])
      assert.deepEqual(
        (await since(from, 'north', `limit=${limit}`)).map(({ operationId }) => operationId),
        own,
        `limit ${limit}`,
      );
    assert.equal((await since(from, 'both')).length, 12);
    assert.equal((await since(from, 'both', 'activityCode=SOU')).length, 8);
    const foreign = await submit('south', 'SOU');
    assert.deepEqual((await read(`operationId=${foreign}`, 'north')).entries, []);
    assert.equal((await read(`operationId=${foreign}`, 'south')).entries.length, 1);
    assert.doesNotMatch((await get('', { token: running().keys.north })).body, /"activityCodes":\[[^\]]*SOU/);
  });

  it('loses no entry to whoever goes on after its last one, also where a writer takes longer than others', {
    timeout: 60_000,
  }, async () => {
    const from = await end();
    const [audited, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const entry: NewAuditEntry = {
      actorKind: 'client',
      actor: 'shop',
      subject: null,
      action: 'slow',
      activityCodes: ['SOU'],
      target: null,
      operationId: null,
      outcome: 'accepted',
      address: null,
      details: null,
    };
    const slow = running().app.store.records.submit(['SOU'], async (unit) => {
      await unit.audit(entry);
      audited.resolve();
      await mayEnd.promise;
    });
    await audited.promise;
    const quick = submit('both', 'NOR');
    // On a server they write at the same time; elsewhere the one waits for the other.
    if (concurrent) await quick;
    const seen = concurrent ? [...(await since(from))] : [];
    mayEnd.resolve();
    await Promise.all([slow, quick]);
    seen.push(...(await since(seen.at(-1)?.id ?? from)));
    assert.deepEqual(seen.map(({ action }) => action).toSorted(), ['articles.submit', 'slow']);
  });

  it('tells whoever goes on after an entry that is no more, and only then', async () => {
    await submit('both', 'NOR');
    const last = await end();
    assert.deepEqual(await read(`after=${last}`), { entries: [], after: last });
    const answer = await get(`after=${crypto.randomUUID()}`);
    assert.deepEqual(
      [answer.status, String(answer.object().type).split('/').at(-1), Object.keys(Object(answer.object().errors))],
      [410, 'position-gone', ['after']],
    );
    // An entry that the key may not see marks a place all the same.
    const foreign = (await read(`operationId=${await submit('south', 'SOU')}`, 'south')).entries[0]?.id;
    assert.deepEqual((await read(`after=${foreign}`, 'north')).entries, []);
  });

  it('shows a key of every activity also what concerns none, and an activity that is unheard of', async () => {
    const { store } = running().app;
    const { text } = await addPlatformKey(
      store,
      { name: 'SIEM', activityCodes: null, roles: ['outbox', 'audit'] },
      Date.now(),
    );
    const action = 'nobody.told';
    for (const activityCodes of [[], ['NEW'], ['NOR', 'NEW']])
      await store.audit.append({
        actorKind: 'command',
        actor: 'olga',
        subject: null,
        action,
        activityCodes,
        target: null,
        operationId: null,
        outcome: 'accepted',
        address: null,
        details: null,
      });
    const codes = async (token: string): Promise<unknown> =>
      pageOf(await get(`action=${action}`, { token })).entries.map(({ activityCodes }) => activityCodes);
    assert.deepEqual(await codes(text), [[], ['NEW'], ['NOR', 'NEW']]);
    assert.deepEqual(await codes(running().keys.both), []);
    assert.deepEqual(
      pageOf(await get(`action=${action}&activityCode=NOR`, { token: text })).entries.map(
        ({ activityCodes }) => activityCodes,
      ),
      [['NOR', 'NEW']],
    );
  });

  it('shows the refusal of everything to the keys of the caller’s activity, whatever it asked for', async () => {
    const operationId = String(
      (await running().send('/v1/articles', [{ activityCode: 'SOU', articleReference: 'X' }])).object().operationId,
    );
    for (const [key, seen] of [
      ['north', 1],
      ['south', 0],
      ['both', 1],
    ] as const)
      assert.equal((await read(`operationId=${operationId}`, key)).entries.length, seen, key);
    assert.equal(
      (
        await running().app.store.audit.read({
          activityCodes: null,
          operationId,
          action: null,
          actor: null,
          since: null,
          until: null,
          after: null,
          newestFirst: false,
          limit: 1,
        })
      ).length,
      1,
    );
  });
}

type Entry = Readonly<Record<'id' | 'at' | 'actor', string>> & Readonly<Record<string, unknown>>;
interface Page {
  readonly entries: readonly Entry[];
  readonly after: string | null;
}

function pageOf(answer: Answered): Page {
  assert.equal(answer.status, 200, answer.body);
  const { entries, after: next } = answer.object();
  assert.ok(Array.isArray(entries) && (next === null || typeof next === 'string'));
  return { entries, after: next };
}
