// The nine lists over the whole HTTP path, on every engine: who sees what, paging, polling, conditional requests,
// refusals.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import parseLink from 'http-link-header';
import { listEndpoint } from '../../src/api/list-endpoints.ts';
import { listPaths } from '../../src/api/routes.ts';
import type { Resource } from '../../src/model/resource.ts';
import {
  article,
  articleStock,
  articleStockMovement,
  order,
  orderReport,
  procurement,
  procurementReport,
  resources,
} from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, baseUrl, type RunningApp, startApp } from '../contract/running-app.ts';

/** Path of each list, with the parent of a northern record. */
const paths = listPaths.map(({ path, operation }) => ({
  operationId: operation,
  resource: listEndpoint(operation).resource,
  hasParent: listEndpoint(operation).parent !== null,
  path: `/v1${path}`
    .replace('{articleReference}', 'NOR-A1')
    .replace('{uniqueOrderID}', 'NOR-O1')
    .replace('{uniqueProcurementID}', 'NOR-P1'),
}));

/** Number of the load, so that each one differs from those before. */
let loads = 0;

for (const engine of engines) {
  describe(`the lists on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => {
      loads = 0;
      running = await startApp(engine);
      for (const activity of ['NOR', 'SOU']) await loadAll(running, activity, 1, 5);
    });
    after(() => running.close());
    listTests(() => running);
  });
}

function listTests(running: () => RunningApp): void {
  for (const { operationId, path, hasParent, resource } of paths) {
    describe(operationId, () => {
      it('refuses a request without a token, with 401 and where to get one', async () => {
        const answer = await running().get(path, { token: null });
        assert.equal(answer.status, 401);
        const metadata = 'https://api.logistics.example/.well-known/oauth-protected-resource/v1';
        assert.equal(answer.headers['www-authenticate'], `Bearer realm="logistics", resource_metadata="${metadata}"`);
        assert.equal(answer.object().type, `${baseUrl}/problems/missing-token`);
      });

      it('refuses an unknown parameter and names the known ones', async () => {
        const answer = await running().get(`${path}?fliter=x`);
        assert.equal(answer.status, 400);
        assert.equal(answer.object().type, `${baseUrl}/problems/unknown-parameter`);
        assert.match(String(answer.object().detail), /did you mean 'filter'.*updatedSince/s);
      });

      it('refuses a wrong filter with its position, and a foreign or damaged cursor', async () => {
        const filter = await running().get(`${path}?filter=${encodeURIComponent('dateLastUpdate=ge=')}`);
        assert.equal(filter.status, 400);
        assert.equal(typeof filter.object().position, 'number');
        for (const cursor of ['x', '%00', 'A'.repeat(5000)]) {
          const answer = await running().get(`${path}?cursor=${cursor}`);
          assert.equal(answer.status, 400, cursor.slice(0, 10));
          assert.equal(answer.object().type, `${baseUrl}/problems/invalid-cursor`);
        }
      });

      it('answers other methods with 405 and Allow, OPTIONS with 204, a type that it has not with 406', async () => {
        for (const method of ['PUT', 'PATCH', 'DELETE']) {
          const answer = await running().get(path, { method });
          assert.equal(answer.status, 405, method);
          assert.match(answer.headers.allow ?? '', /GET, HEAD/);
        }
        assert.equal((await running().get(path, { method: 'OPTIONS' })).status, 204);
        const answer = await running().get(path, { headers: { accept: 'application/xml' } });
        assert.equal(answer.status, 406);
        assert.equal(answer.object().status, 406);
      });

      it('shows each caller the records of its activities alone', async () => {
        const own = await running().get(path);
        assert.equal(own.status, 200, own.body);
        assert.ok(own.list().length > 0);
        assert.doesNotMatch(own.body, /SOU/);
        const foreign = await running().get(path, { token: running().tokens.south });
        if (hasParent) assert.equal(foreign.status, 404);
        else assert.doesNotMatch(foreign.body, /NOR/);
        const both = await running().get(path, { token: running().tokens.both });
        assert.equal(both.list().length, own.list().length + (hasParent ? 0 : foreign.list().length));
      });

      it('shows one activity of several alone, by ownerActivity, through its links and polls too', async () => {
        const token = running().tokens.both;
        for (const [code, own] of [
          ['NOR', running().tokens.north],
          ['SOU', running().tokens.south],
        ] as const) {
          const alone = await running().get(path, { token: own });
          const narrowed = await running().get(`${path}?ownerActivity=${code}`, { token });
          assert.equal(narrowed.status, alone.status);
          if (alone.status === 404) {
            assert.match(String(narrowed.object().detail), /in activity SOU\.$/);
            continue;
          }
          assert.deepEqual(narrowed.list(), alone.list());
          assert.deepEqual(await walk(running(), `${path}?ownerActivity=${code}&limit=2`, token), alone.list());
          const sorted = await running().get(`${path}?sort=-id`, { token: own });
          assert.deepEqual(
            await walk(running(), `${path}?sort=-id&limit=2&ownerActivity=${code}`, token),
            sorted.list(),
          );
          const cursor = narrowed.headers['sync-cursor'] ?? '';
          assert.deepEqual((await running().get(`${path}?cursor=${cursor}`, { token })).list(), []);
          const mixed = await running().get(
            `${path}?cursor=${cursor}&ownerActivity=${code === 'NOR' ? 'SOU' : 'NOR'}`,
            {
              token,
            },
          );
          assert.match(String(mixed.object().type), /cursor-mismatch$/);
        }
      });

      it('refuses an ownerActivity that is not of the token, and names those that are', async () => {
        for (const query of ['SOU', 'XXX', '', 'NOR,SOU', 'nor', 'NOR&ownerActivity=NOR', '%00']) {
          const answer = await running().get(`${path}?ownerActivity=${query}`);
          assert.equal(answer.status, 400, query);
          assert.match(String(answer.object().type), /invalid-parameter$/);
          if (!query.includes('&')) assert.match(String(answer.object().detail), /of this token: NOR\.$/);
        }
        const { errors } = (await running().get(`${path}?ownerActivity=X`, { token: running().tokens.both })).object();
        assert.match(JSON.stringify(errors), /ownerActivity.*NOR, SOU/);
      });

      it('answers an unknown parent exactly like a foreign one', {
        skip: !hasParent && 'no parent in the path',
      }, async () => {
        const foreign = await running().get(path, { token: running().tokens.south });
        for (const name of ['XXX-9', 'x'.repeat(300), '%00', '%F0%9F%98%80', 'NOR%2FA1']) {
          const unknown = await running().get(path.replace(/NOR-[AOP]1/, name), { token: running().tokens.south });
          assert.equal(unknown.status, 404, name);
          assert.deepEqual(withoutPlace(unknown), withoutPlace(foreign));
        }
      });

      it('writes every declared property, in the order of the interface', async () => {
        for (const record of (await running().get(path)).list())
          assert.deepEqual(Object.keys(record), Object.keys(resource.fields));
      });

      it('pages to the end by Link, each record once, with links made from the base URL', async () => {
        const whole = (await running().get(path, { token: running().tokens.both })).list();
        const seen: unknown[] = [];
        let next: string | undefined = `${path}?limit=2`;
        while (next !== undefined) {
          const answer: Answered = await running().get(next, {
            token: running().tokens.both,
            headers: { host: 'evil.example' },
          });
          assert.equal(answer.status, 200, answer.body);
          seen.push(...answer.list());
          const link: string | undefined = answer.headers.link;
          const [target] = link === undefined ? [] : parseLink.parse(link).get('rel', 'next');
          assert.ok(target === undefined || target.uri.startsWith(`${baseUrl}/`), target?.uri);
          next = target?.uri.slice(new URL(baseUrl).origin.length);
          assert.ok(seen.length <= whole.length);
        }
        assert.deepEqual(seen, whole);
      });

      it('answers an unchanged poll with 304, HEAD without a body, the same bytes in each media type', async () => {
        const first = await running().get(path);
        const again = await running().get(path, { headers: { 'if-none-match': first.headers.etag ?? '' } });
        assert.deepEqual([again.status, again.body], [304, '']);
        const head = await running().get(path, { method: 'HEAD' });
        assert.deepEqual(
          [head.status, head.body, head.headers['content-length']],
          [200, '', first.headers['content-length']],
        );
        for (const type of ['text/json', 'text/plain', 'application/json']) {
          const answer = await running().get(path, { headers: { accept: type } });
          assert.equal(answer.body, first.body);
          assert.equal(answer.headers['content-type'], `${type}; charset=utf-8`);
        }
      });

      it('takes If-None-Match: * for what it shows, never for what it refuses', async () => {
        const headers = { 'if-none-match': '*' };
        assert.equal((await running().get(path, { headers })).status, 304);
        assert.equal((await running().get(`${path}?filter=nonsense`, { headers })).status, 400);
        if (hasParent) assert.equal((await running().get(path.replace('NOR-', 'NONE-'), { headers })).status, 404);
      });

      it('shows exactly what changed to a reader that keeps its Sync-Cursor', async () => {
        const start = await running().get(path);
        const cursor = start.headers['sync-cursor'];
        const idle = await running().get(`${path.split('?')[0]}?cursor=${cursor}`);
        assert.deepEqual([idle.status, idle.list()], [200, []]);
        await loadAll(running(), 'NOR', 2, 1);
        const poll = await running().get(`${path}?cursor=${cursor}`);
        const changed = poll.list().map((record) => JSON.stringify(record));
        const now = (await running().get(path)).list().map((record) => JSON.stringify(record));
        const before = new Set(start.list().map((record) => JSON.stringify(record)));
        assert.ok(changed.length > 0);
        assert.deepEqual(
          changed,
          now.filter((record) => !before.has(record)),
        );
      });

      it('covers what was written with updatedSince and Sync-Covered-Until, without gap or repetition', async () => {
        const since = (await running().get(`${path}?updatedSince=2000-01-01`)).headers['sync-covered-until'] ?? '';
        await loadAll(running(), 'NOR', 3, 1);
        const answer = await running().get(`${path}?updatedSince=${since}`);
        assert.ok(answer.list().length > 0);
        const until = answer.headers['sync-covered-until'] ?? '';
        assert.ok(until > since);
        assert.deepEqual((await running().get(`${path}?updatedSince=${until}`)).list(), []);
      });
    });
  }

  it('answers for each activity apart where two have the same references, in paths too', async () => {
    const token = running().tokens.both;
    for (const activity of ['NOR', 'SOU']) {
      const [own] = (
        await running().get(`/v1/articles/${activity}-A1/movements?ownerActivity=${activity}`, { token })
      ).list();
      await running().load(articleStockMovement, activity, [
        { ...own, id: null, articleReference: 'SAME', movementReason: activity },
      ]);
      const reports = await running().get(`/v1/orders/${activity}-O1/reports`, { token });
      await running().load(orderReport, activity, [{ ...reports.list()[0], id: null, orderUniqueID: 'SAME' }]);
    }
    for (const path of ['/v1/articles/SAME/movements', '/v1/orders/SAME/reports']) {
      assert.equal((await running().get(path, { token })).list().length, 2);
      const [north, south] = [
        await running().get(`${path}?ownerActivity=NOR`, { token }),
        await running().get(`${path}?ownerActivity=SOU`, { token }),
      ];
      assert.deepEqual([north.list().length, south.list().length], [1, 1]);
      assert.notEqual(north.list()[0]?.id, south.list()[0]?.id);
    }
    await running().load(article, 'NOR', [{ ...articleRecord('NOR', 78), articleReference: 'ONLY-NOR' }]);
    const known = await running().get('/v1/articles/ONLY-NOR/movements?ownerActivity=NOR', { token });
    const unknown = await running().get('/v1/articles/ONLY-NOR/movements?ownerActivity=SOU', { token });
    assert.deepEqual([known.status, known.list(), unknown.status], [200, [], 404]);
  });

  it('gives a known parent without children an empty list', async () => {
    await running().load(article, 'NOR', [articleRecord('NOR', 77)]);
    const answer = await running().get('/v1/articles/NOR-A77/movements');
    assert.deepEqual([answer.status, answer.list()], [200, []]);
  });

  it('shows the newest stock image of a date, nothing before the first, and refuses the future', async () => {
    const dates = [
      ...new Set((await running().get('/v1/articles/stock')).list().map((row) => row.stockImageExtractionDate)),
    ];
    assert.equal(dates.length, 1);
    assert.deepEqual((await running().get('/v1/articles/stock?date=2020-01-01')).list(), []);
    assert.equal((await running().get('/v1/articles/stock?date=2999-01-01')).status, 400);
    const first = await running().get('/v1/articles/stock?date=2026-03-02T00:01:30Z');
    assert.deepEqual(
      [...new Set(first.list().map((row) => row.stockImageExtractionDate))],
      ['2026-03-02T00:01:00.000Z'],
    );
  });

  it('filters and sorts as asked', async () => {
    const filter = encodeURIComponent('barcodes.code==9521234567890,articleReference=in=(NOR-A2,SOU-A2)');
    const filtered = await running().get(`/v1/articles?filter=${filter}&sort=-articleReference`, {
      token: running().tokens.both,
    });
    assert.deepEqual(
      filtered.list().map((record) => record.articleReference),
      ['SOU-A2', 'NOR-A2'],
    );
    const equal = await running().get('/v1/articles?articleReference=NOR-A1&articleReference=NOR-A3');
    assert.deepEqual(
      equal
        .list()
        .map((record) => record.articleReference)
        .sort(),
      ['NOR-A1', 'NOR-A3'],
    );
  });

  it('follows a query of thousands of characters by Link to the end, and by its Sync-Cursor alone', async () => {
    const references = Array.from({ length: 90 }, (_, index) => `REF:${index}:${':'.repeat(60)}`);
    const query = ['NOR-A1', 'NOR-A3', ...references].map((reference) => `articleReference=${reference}`).join('&');
    const address = `/v1/articles?limit=1&${query}`;
    assert.ok(address.length > 7000 && address.length < 8192, `${address.length}`);
    const walked = await walk(running(), address, running().tokens.north);
    assert.deepEqual(
      walked,
      (await running().get('/v1/articles?articleReference=NOR-A1&articleReference=NOR-A3')).list(),
    );
    const first = await running().get(address);
    const next = await running().get(`/v1/articles?cursor=${first.headers['sync-cursor']}`);
    assert.deepEqual(next.list(), walked.slice(1));
  });

  it('compresses when asked, and logs neither tokens nor what was asked for', async () => {
    for (const coding of ['zstd', 'br', 'gzip']) {
      const answer = await running().get('/v1/orders?limit=100', { headers: { 'accept-encoding': coding } });
      assert.equal(answer.headers['content-encoding'], coding);
    }
    await running().get('/v1/orders?customerOrderID=Personal', {});
    const logged = running().logged();
    assert.match(logged, /"route":"\/v1\/orders"/);
    assert.doesNotMatch(logged, /Personal|eyJ|Bearer/);
  });
}

function withoutPlace(answer: Answered): Record<string, unknown> {
  const { instance: _instance, traceId: _traceId, ...rest } = answer.object();
  return rest;
}

/** Everything of one activity; another `state` changes each record, so that a reader has to see it. */
async function loadAll(running: RunningApp, activity: string, state: number, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_item, index) => index + 1);
  loads += 1;
  for (const resource of resources) {
    const make = recordsOf.get(resource) ?? ((...words) => exampleRecord(resource, ...words));
    await running.load(
      resource,
      activity,
      numbers.map((number) => make(activity, number, state * 1000 + loads)),
    );
  }
}

type MakeRecord = (activity: string, number: number, state: number) => Record<string, unknown>;

/** Records that know of one another. */
const recordsOf: ReadonlyMap<Resource, MakeRecord> = new Map<Resource, MakeRecord>([
  [article, articleRecord],
  [articleStockMovement, movementRecord],
  [order, orderRecord],
  [orderReport, orderReportRecord],
  [procurement, procurementRecord],
  [procurementReport, procurementReportRecord],
  [articleStock, stockRecord],
]);

/** Records of any other resource: its example under another key, with the state in a text. */
function exampleRecord(
  { key, fields, example, activityField, activityNameField }: Resource,
  activity: string,
  number: number,
  state: number,
): Record<string, unknown> {
  const given = Object.keys(fields).filter(
    (name) => fields[name]?.assigned === undefined && name !== activityField && name !== activityNameField,
  );
  const text = given.find((name) => {
    const field = fields[name];
    return field?.kind === 'text' && field.format === undefined && !key.includes(name);
  });
  return {
    ...Object.fromEntries(given.map((name) => [name, key.includes(name) ? `${activity}-${number}` : example[name]])),
    ...(text === undefined ? {} : { [text]: `State ${state}` }),
  };
}

function articleRecord(activity: string, number: number, state = 0): Record<string, unknown> {
  return {
    articleReference: `${activity}-A${number}`,
    longArticleDescription: `Chaise n° ${number} «é» 椅子`,
    shortArticleDescription: `State ${state}`,
    barcodes: [{ code: `952${number}`, isPrimary: true }],
  };
}

function movementRecord(activity: string, _number: number, state = 0): Record<string, unknown> {
  return {
    articleReference: `${activity}-A1`,
    movedQuantity: state,
    movementDirection: 'I',
    movementTimestamp: new Date(1_772_000_000_000 + _number * 1000 + state).toISOString(),
  };
}

function orderRecord(activity: string, number: number, state = 0): Record<string, unknown> {
  return {
    orderUniqueID: `${activity}-O${number}`,
    customerOrderID: `State ${state}`,
    orderEntries: [{ orderLineID: '1', articleReference: `${activity}-A1`, quantityToPrepare: 2 }],
  };
}

function orderReportRecord(activity: string, _number: number, state = 0): Record<string, unknown> {
  return {
    orderUniqueID: `${activity}-O1`,
    firstPackageCreationDate: new Date(1_772_000_000_000 + _number * 1000).toISOString(),
    nomflux: `State ${state}`,
  };
}

function procurementRecord(activity: string, number: number, state = 0): Record<string, unknown> {
  return { uniqueProcurementID: `${activity}-P${number}`, supplierName: `State ${state}` };
}

function procurementReportRecord(activity: string, number: number, state = 0): Record<string, unknown> {
  return { uniqueProcurementID: `${activity}-P1`, receptionUniqueID: `R${number}`, supplierCode: `S${state}` };
}

function stockRecord(activity: string, number: number, state = 0): Record<string, unknown> {
  return {
    articleReference: `${activity}-A${number}`,
    stockImageExtractionDate: new Date(Date.UTC(2026, 2, 2) + (state % 1000) * 60_000).toISOString(),
    totalStockQuantity: state,
  };
}

/** The records of all pages from this address on. */
async function walk(running: RunningApp, address: string, token: string): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (let next: string | undefined = address; next !== undefined; ) {
    const answer: Answered = await running.get(next, { token });
    seen.push(...answer.list());
    const link: string | undefined = answer.headers.link;
    const [target] = link === undefined ? [] : parseLink.parse(link).get('rel', 'next');
    next = target?.uri.slice(new URL(baseUrl).origin.length);
  }
  return seen;
}
