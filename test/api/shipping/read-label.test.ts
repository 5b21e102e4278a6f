// GET /shippings/labels/{context}/{carrier}/{id} and the links of labels: who gets what again, for how
// long, and what is kept of it.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createDiskStorage } from '../../../src/documents/disk.ts';
import { sweepDocuments } from '../../../src/documents/sweep.ts';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import { filesIn } from '../uploads.ts';
import {
  labels,
  numberOf,
  output,
  pathOf,
  pdf,
  problem,
  type Script,
  type Shipping,
  startShipping,
  wish,
} from './fixture.ts';
import { changeRows, rowIn, rowsIn } from '../../contract/database.ts';
import { labelFileTable, shippingLabelTable } from '../../../src/store/tables/shipping.ts';

const day = 86_400_000;
const retention = 30;

/** What is stored of labels is proven on every engine below HTTP, and their making over HTTP too. */
const [engine = assert.fail('there is no engine')] = engines;

describe('labels that are read again', () => {
  let shipping: Shipping;
  before(async () => {
    shipping = await startShipping(engine, { LABEL_RETENTION_DAYS: String(retention) });
  });
  after(() => shipping.close());
  describe('what was made here', () => readTests(() => shipping));
  describe('what was made elsewhere', () => fetchTests(() => shipping));
  describe('a link', () => linkTests(() => shipping));
});

/** Runs with the clock moved, and moves it back. */
async function later<T>({ clock }: Shipping, milliseconds: number, work: () => Promise<T>): Promise<T> {
  clock.now += milliseconds;
  try {
    return await work();
  } finally {
    clock.now -= milliseconds;
  }
}

/** Runs with a carrier that does as the script says. */
async function playing<T>({ carrier }: Shipping, script: Script, work: () => Promise<T>): Promise<T> {
  carrier.play(script);
  try {
    return await work();
  } finally {
    carrier.play(null);
  }
}

function make(world: Shipping, context = 'north', carrier = 'karrio', body: unknown = wish): Promise<Answered> {
  return world.north.send(labels(context, carrier), body);
}

function readTests(world: () => Shipping): void {
  const read = (context: string, number: string, carrier = 'karrio'): Promise<Answered> =>
    world().north.get(`${labels(context, carrier)}/${number}`);

  it('is not found by another number, carrier or client: always with the same answer', async () => {
    const mine = numberOf(await make(world(), 'north', 'sandbox'));
    const theirs = numberOf(await world().south.send(labels('south', 'sandbox'), wish));
    const answers = [
      await read('north', theirs, 'sandbox'),
      await read('north', '0', 'sandbox'),
      await read('north', `${mine}0`, 'sandbox'),
      await read('north', mine.slice(0, -1), 'sandbox'),
    ].map((answer) => problem(answer, 404, 'resource-not-found').detail);
    assert.equal(new Set(answers).size, 1);
    const accounts = [
      await world().south.get(`${labels('north', 'sandbox')}/${mine}`),
      await read('south', theirs, 'sandbox'),
      await read('nowhere', mine, 'sandbox'),
      await read('north', mine, 'nobody'),
    ];
    const [foreign, theirOwn, unknown, carrier] = accounts.map((answer) =>
      String(problem(answer, 404, 'resource-not-found').detail),
    );
    assert.equal(theirOwn, unknown);
    assert.match(`${foreign}`, /contexts are: south\./);
    assert.match(`${carrier}`, /carriers are: .*sandbox/);
  });

  it('is found by its number and carrier in every context of its activity', async () => {
    const made = await make(world(), 'north', 'sandbox');
    const number = numberOf(made);
    assert.deepEqual((await read('bare', number, 'sandbox')).bytes, made.bytes);
    problem(await world().south.get(`${labels('south', 'sandbox')}/${number}`), 404, 'resource-not-found');
  });

  it('is not found under what can be no number', async () => {
    for (const number of ['%00', 'a%20b', 'x'.repeat(65), '%C3%A9', '%0d%0aX:1', '%E2%80%8B'])
      problem(await read('north', number, 'sandbox'), 404, 'resource-not-found');
  });

  it('takes no parameters, no body, and wants a token', async () => {
    const number = numberOf(await make(world(), 'north', 'sandbox'));
    const path = `${labels('north', 'sandbox')}/${number}`;
    problem(await world().north.get(`${path}?format=A4`), 400, 'unknown-parameter');
    problem(await world().north.get(path, { token: null }), 401, 'missing-token');
    assert.equal((await world().north.get(path, { method: 'DELETE' })).status, 405);
  });

  it('is answered byte for byte as when it was made, to readers too, in any media type', async () => {
    for (const [context, carrier, body] of [
      ['north', 'karrio', wish],
      ['north', 'sandbox', wish],
      ['bare', 'sandbox', { ...wish, outputType: 'ZplCode' }],
    ] as const) {
      const made = await make(world(), context, carrier, body);
      const path = `${labels(context, carrier)}/${numberOf(made)}`;
      const asked = world().carrier.asked().length;
      for (const accept of ['application/json', 'text/json', 'text/plain']) {
        const again = await world().reader.get(path, { headers: { accept } });
        assert.deepEqual([again.status, again.bytes, again.headers['cache-control']], [200, made.bytes, 'no-store']);
        assert.match(again.headers['content-type'] ?? '', new RegExp(`^${accept}`));
      }
      const head = await world().north.get(path, { method: 'HEAD' });
      assert.deepEqual(
        [head.status, head.bytes.length, head.headers['content-length']],
        [200, 0, String(made.bytes.length)],
      );
      assert.equal(world().carrier.asked().length, asked, 'the carrier is not asked');
    }
  });

  it('is found by another process', async () => {
    const made = await make(world());
    assert.deepEqual(
      (await (await world().northBeside()).get(`${labels('north')}/${numberOf(made)}`)).bytes,
      made.bytes,
    );
  });

  it('is not there where nobody knows whether it was made', async () => {
    await playing(
      world(),
      () => 'hang up',
      () => make(world(), 'north'),
    );
    problem(
      await playing(
        world(),
        () => ({ status: 200, body: { results: [] } }),
        () => read('north', 'KR99999999'),
      ),
      404,
      'resource-not-found',
    );
  });

  it('is unknown while its account is removed, and found again under the account that takes its place', async () => {
    const context = await world().context({ carrier: 'sandbox' });
    const made = await make(world(), context, 'sandbox');
    const path = `${labels(context, 'sandbox')}/${numberOf(made)}`;
    const { carrierAccounts } = world().running.app.store;
    await carrierAccounts.remove(context, 'sandbox');
    assert.equal(
      problem(await world().north.get(path), 404, 'resource-not-found').detail,
      problem(await read('nowhere', '1'), 404, 'resource-not-found').detail,
    );
    problem(await make(world(), context, 'sandbox'), 404, 'resource-not-found');
    await world().context({ name: context, carrier: 'sandbox' });
    assert.deepEqual((await world().north.get(path)).bytes, made.bytes);
    await carrierAccounts.remove(context, 'sandbox');
    await world().context({ name: context, carrier: 'sandbox', activity: 'SOU' });
    for (const side of [world().north, world().south]) problem(await side.get(path), 404, 'resource-not-found');
  });

  it('has no outputs any more when its files are no longer kept', async () => {
    const made = await make(world());
    const path = `${labels('north')}/${numberOf(made)}`;
    assert.deepEqual((await later(world(), retention * day - 1, () => world().north.get(path))).bytes, made.bytes);
    const old = await later(world(), retention * day, () => world().north.get(path));
    assert.deepEqual(old.object(), { status: '0', expeditionNumber: numberOf(made), outputs: [] });
  });
}

function fetchTests(world: () => Shipping): void {
  const path = (number: string, context = 'north'): string => `${labels(context)}/${number}`;
  const asked = async (ask: () => Promise<unknown>): Promise<number> => {
    const before = world().carrier.asked().length;
    await ask();
    return world().carrier.asked().length - before;
  };

  it('is fetched from the carrier once, kept, and its link works', async () => {
    const first = await world().north.get(path('ELSEWHERE-1'));
    assert.equal(numberOf(first), 'ELSEWHERE-1');
    assert.deepEqual((await world().running.get(pathOf(output(first)), { token: null })).bytes, pdf);
    assert.equal(
      await asked(async () => {
        for (const side of [world().north, await world().northBeside()])
          assert.deepEqual((await side.get(path('ELSEWHERE-1'))).bytes, first.bytes);
      }),
      0,
    );
  });

  it('is fetched anew when its files are no longer kept, and takes the place of what was there', async () => {
    const first = await world().north.get(path('ELSEWHERE-2'));
    await later(world(), retention * day, async () => {
      const again = await world().north.get(path('ELSEWHERE-2'));
      assert.notEqual(output(again), output(first));
      assert.equal((await world().running.get(pathOf(output(again)), { token: null })).status, 200);
      assert.deepEqual((await world().north.get(path('ELSEWHERE-2'))).bytes, again.bytes);
    });
    const rows = await rowsIn(world().running.app.store, shippingLabelTable, { expeditionNumber: 'ELSEWHERE-2' });
    assert.equal(rows.length, 1);
  });

  it('does not count for the limit of the day', async () => {
    const context = await world().context({ dailyLimit: 1 });
    assert.equal((await world().north.get(path('ELSEWHERE-3', context))).status, 200);
    assert.equal((await make(world(), context)).status, 200);
  });

  it('is not given to an activity where another one made it here: two accounts may be one to the carrier', async () => {
    const number = numberOf(await world().south.send(labels('south'), wish));
    assert.equal(await asked(async () => problem(await world().north.get(path(number)), 404, 'resource-not-found')), 0);
    assert.equal((await world().south.get(path(number, 'south'))).status, 200);
  });

  it('is not given to another activity in another spelling either: the carrier may know the parcel by it', async () => {
    const number = numberOf(await world().south.send(labels('south'), wish));
    for (const spelling of [number.toLowerCase(), `${number.slice(0, 4)}-${number.slice(4)}`, `${number}.`]) {
      const paths = [path(spelling), `/v1/shippings/tracking/north/karrio/${spelling}`];
      for (const other of paths)
        assert.equal(
          await asked(async () => problem(await world().north.get(other), 404, 'resource-not-found')),
          0,
          other,
        );
    }
  });

  it('is unknown where the carrier, asked once a minute, does not know it, and where it cannot be asked', async () => {
    const ask = () =>
      playing(
        world(),
        () => ({ status: 200, body: { results: [] } }),
        () => world().north.get(path('NOT-THERE')),
      );
    assert.equal(
      await asked(async () => {
        const details = [await ask(), await later(world(), 59_999, ask)].map(
          (answer) => problem(answer, 404, 'resource-not-found').detail,
        );
        assert.equal(new Set(details).size, 1);
      }),
      1,
    );
    assert.equal(
      await asked(() =>
        later(world(), 60_000, async () => assert.equal((await world().north.get(path('NOT-THERE'))).status, 200)),
      ),
      1,
    );
    problem(await world().north.get(`${labels('north', 'sandbox')}/NOT-THERE`), 404, 'resource-not-found');
    problem(await world().north.get(`${labels('north', 'laposte')}/NOT-THERE`), 404, 'resource-not-found');
  });

  for (const [what, script] of [
    ['is away', () => 'hang up'],
    ['is busy', () => ({ status: 503, body: '' })],
    ['makes no sense', () => ({ status: 200, body: 'sorry' })],
    [
      'gives no label',
      () => ({ status: 200, body: { results: [{ tracking_number: 'AWAY-1', id: 'x', shipping_documents: [] }] } }),
    ],
  ] as const satisfies readonly (readonly [string, Script])[]) {
    it(`is answered 502 while the carrier ${what}, and fetched afterwards`, async () => {
      const answer = await playing(world(), script, () => world().north.get(path('AWAY-1')));
      const { detail } = problem(answer, 502, 'carrier-unavailable');
      assert.equal(answer.headers['retry-after'], '30');
      assert.ok(!/Whether there is a parcel/.test(String(detail)), 'reading makes none');
      assert.equal(numberOf(await world().north.get(path(`AWAY-${what.length}`))), `AWAY-${what.length}`);
    });
  }

  it('is answered 502 where the account does not work, and the operator is told', async () => {
    const lines = world().running.logged().length;
    const answer = await playing(
      world(),
      () => ({ status: 401, body: { errors: [{ code: 'no', message: 'No.' }] } }),
      () => world().north.get(path('AWAY-9')),
    );
    assert.match(String(problem(answer, 502, 'carrier-unavailable').detail), /Tell whoever runs the service/);
    assert.match(world().running.logged().slice(lines), /an account at a carrier does not work/);
  });
}

function linkTests(world: () => Shipping): void {
  const open = (path: string, options: Parameters<Shipping['north']['get']>[1] = {}): Promise<Answered> =>
    world().running.get(path, { token: null, ...options });
  const newLink = async (): Promise<string> => pathOf(output(await make(world())));

  it('gives the bytes of the carrier to whoever has it, with a name, for the time being', async () => {
    const made = await make(world());
    const path = pathOf(output(made));
    for (const options of [
      {},
      { token: world().running.tokens.south },
      { token: 'nonsense' },
      { headers: { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'gzip, br, zstd' } },
    ]) {
      const file = await open(path, options);
      assert.deepEqual([file.status, file.bytes], [200, pdf]);
      const {
        'content-type': type,
        'content-length': length,
        'content-disposition': disposition,
        'cache-control': cache,
        'referrer-policy': referrer,
        'x-robots-tag': robots,
        'x-content-type-options': sniff,
        'content-encoding': coding,
      } = file.headers;
      assert.deepEqual([type, length, coding, sniff], ['application/pdf', String(pdf.length), undefined, 'nosniff']);
      assert.deepEqual(
        [disposition, referrer, robots],
        [`inline; filename="label-${numberOf(made)}.pdf"`, 'no-referrer', 'noindex'],
      );
      assert.equal(cache, 'private, max-age=86400, immutable');
    }
  });

  it('answers HEAD as GET, without the bytes', async () => {
    const path = await newLink();
    const head = await open(path, { method: 'HEAD' });
    assert.deepEqual(
      [head.status, head.bytes.length, head.headers['content-length'], head.headers['content-type']],
      [200, 0, String(pdf.length), 'application/pdf'],
    );
  });

  it('leads nowhere for whoever guesses it', async () => {
    const path = await newLink();
    const token = path.split('/').at(-1) ?? '';
    const other = token.startsWith('A') ? 'B' : 'A';
    for (const guess of [
      `${other}${token.slice(1)}`,
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase() === token ? token.toLowerCase() : token.toUpperCase(),
      'A'.repeat(43),
      'x',
      '%00',
      `${token}%00`,
      `..%2F${token}`,
      `${token}.pdf`,
      "' or 1=1 --",
    ]) {
      const answer = await open(`/v1/shippings/files/${encodeURI(decodeURI(guess))}`);
      assert.equal(answer.status, 404, guess);
    }
    problem(await open(`/v1/shippings/files/${'A'.repeat(43)}`), 404, 'resource-not-found');
  });

  it('is another one for each label, and says nothing of it', async () => {
    const made = await make(world());
    const token = pathOf(output(made)).split('/').at(-1) ?? '';
    assert.equal(Buffer.from(token, 'base64url').length, 32);
    assert.ok(!Buffer.from(token, 'base64url').toString('latin1').includes(numberOf(made)));
    assert.notEqual(await newLink(), await newLink());
    const rows = await rowsIn(world().running.app.store, labelFileTable);
    assert.ok(!JSON.stringify(rows).includes(token), 'the table holds only a hash');
  });

  it('is none that another media type could be had from', async () => {
    problem(await open(await newLink(), { headers: { accept: 'application/json' } }), 406, 'not-acceptable');
  });

  it('ends at its time, and not before', async () => {
    const path = await newLink();
    const last = await later(world(), retention * day - 1000, () => open(path));
    assert.deepEqual(
      [last.status, last.headers['cache-control']],
      [200, 'private, max-age=1, immutable'],
      'nobody keeps it for longer',
    );
    assert.match(
      String(problem(await later(world(), retention * day, () => open(path)), 404, 'resource-not-found').detail),
      /expired: links of labels work for 30 days/,
    );
  });

  it('still works when the account is gone: the parcel is on its way', async () => {
    const context = await world().context();
    const path = pathOf(output(await make(world(), context)));
    await world().running.app.store.carrierAccounts.remove(context, 'karrio');
    assert.deepEqual((await open(path)).bytes, pdf);
  });

  it('keeps its name harmless, whatever number the carrier gives', async () => {
    const made = await playing(
      world(),
      () => ({
        status: 201,
        body: {
          id: 'x',
          status: 'created',
          tracking_number: 'a"b /../é',
          shipping_documents: [{ category: 'label', format: 'PDF', base64: pdf.toString('base64') }],
        },
      }),
      () => make(world()),
    );
    assert.match(
      (await open(pathOf(output(made)))).headers['content-disposition'] ?? '',
      /^inline; filename="label-a_b[\w.-]+\.pdf"$/,
    );
  });

  it('has a file that the sweep leaves alone, and takes once it has expired', async () => {
    const {
      running: {
        app: { store },
        documentsFolder,
      },
    } = world();
    const kept = await newLink();
    const expired = await newLink();
    const storage = createDiskStorage({ folder: documentsFolder, database: store.epoch, failed: () => undefined });
    const known = async (names: readonly string[]): Promise<ReadonlySet<string>> =>
      (await store.documents.known(names)).union(await store.labels.knownFiles(names));
    const sweep = () => sweepDocuments({ storage, known, now: Date.now() + 2 * 3_600_000 });
    await sweep();
    assert.deepEqual([(await open(kept)).status, (await open(expired)).status], [200, 200]);

    const tokenHash = hash('sha256', expired.split('/').at(-1) ?? '', 'base64url');
    await changeRows(store, labelFileTable, { expiresAt: world().clock.now }, { tokenHash });
    const row = await rowIn(store, labelFileTable, { tokenHash });
    assert.equal(await store.labels.forgetFiles(world().clock.now), 1);
    assert.ok(filesIn(documentsFolder).includes(row.storedAs));
    assert.deepEqual(await sweep(), { files: 1, leftovers: 0 });
    assert.ok(!filesIn(documentsFolder).includes(row.storedAs));
    assert.deepEqual([(await open(kept)).bytes, (await open(expired)).status], [pdf, 404]);
  });
}
