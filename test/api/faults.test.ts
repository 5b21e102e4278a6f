// Writes and labels of which each step fails in turn, on every engine: all of a write is there or nothing, and the same
// request again ends it once; of a label never a second parcel under one key, and no parcel that got lost without a
// word.
import assert from 'node:assert/strict';
import { noDesk } from '../carriers/drive.ts';
import { createSecretKey, hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createDiskStorage } from '../../src/documents/disk.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { createChecker } from '../../src/model/check.ts';
import type { ChangePosition } from '../../src/model/plan.ts';
import { article, order } from '../../src/resources/index.ts';
import type { OutboxEntry } from '../../src/store/outbox-contract.ts';
import type { AuditEntry } from '../../src/store/audit-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { engines, storeOn, type EngineUnderTest } from '../contract/engines.ts';
import { pdf } from '../documents/samples.ts';
import { createFault, faultyEngine, faultyStorage, type Fault } from './faulty.ts';
import { filesIn, temporaryIn } from './uploads.ts';
import { type WriteAnswer, type WriteServer, writeServer } from './write-server.ts';
import { stridesOf } from '../contract/rounds.ts';
import { Writable } from 'node:stream';
import { clientRoutes } from '../../src/api/routes.ts';
import { createPageCache } from '../../src/api/lists.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { CarrierError, type Carrier, type CarrierLabel, type CarrierRequest } from '../../src/carriers/carrier.ts';
import type { CallCarrier } from '../../src/carriers/host.ts';
import { createLogger } from '../../src/http/log.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import type { Principal } from '../../src/http/route.ts';
import { createServer, defaultLimits } from '../../src/http/server.ts';
import { pdf as labelBytes, wish } from './shipping/fixture.ts';
import { changeRows, rowsIn } from '../contract/database.ts';
import { labelFileTable } from '../../src/store/tables/shipping.ts';
import { orderDocumentTable, storedAnswerTable } from '../../src/store/tables/writes.ts';
import { sql } from '../../src/store/statement.ts';

interface World {
  /** Fails where `fault` says so. */
  readonly server: WriteServer;
  readonly fault: Fault;
  /** The same database and files, without faults. */
  readonly store: Store;
  readonly storage: DocumentStorage;
  readonly folder: string;
  readonly close: () => Promise<void>;
}

/** One write, told apart from all others by a mark in what it writes. */
interface Write {
  readonly what: string;
  /** What must be there before. */
  readonly prepare?: (world: World, mark: string) => Promise<unknown>;
  readonly send: (world: World, mark: string, headers: Readonly<Record<string, string>>) => Promise<WriteAnswer>;
  /** How many records or documents, and how many entries in the outbox, it leaves where it leaves any. */
  readonly leaves: { readonly records: number; readonly entries: number };
}

const item = (articleReference: string, text: string) => ({
  activityCode: 'NOR',
  articleReference,
  longArticleDescription: 'Long',
  shortArticleDescription: text,
});
const file = (mark: string) => ({ content: pdf(mark) });

const writes: readonly Write[] = [
  {
    what: 'new articles',
    send: ({ server }, mark, headers) => server.articles([item(`${mark}A`, mark), item(`${mark}B`, mark)], headers),
    leaves: { records: 2, entries: 2 },
  },
  {
    what: 'articles of which one is changed, one is the same and one is refused',
    prepare: ({ server }, mark) => server.articles([item(`${mark}A`, 'before'), item(`${mark}B`, mark)]),
    send: ({ server }, mark, headers) =>
      server.articles([item(`${mark}A`, mark), item(`${mark}B`, mark), { ...item(`${mark}C`, mark), id: 1 }], headers),
    leaves: { records: 2, entries: 2 },
  },
  {
    what: 'articles that are all refused',
    send: ({ server }, mark, headers) => server.articles([{ ...item(`${mark}A`, mark), id: 1 }], headers),
    leaves: { records: 0, entries: 0 },
  },
  {
    what: 'a new document',
    send: ({ server }, mark, headers) => server.upload('O-1', file(mark), headers),
    leaves: { records: 1, entries: 1 },
  },
  {
    what: 'a document that is there',
    prepare: ({ server }, mark) => server.upload('O-1', file(mark)),
    send: ({ server }, mark, headers) => server.upload('O-1', file(mark), headers),
    leaves: { records: 1, entries: 1 },
  },
  {
    what: 'a document that is refused',
    send: ({ server }, mark, headers) => server.upload('O-1', { content: Buffer.from(mark) }, headers),
    leaves: { records: 0, entries: 0 },
  },
];

for (const engine of engines) {
  describe(`writes of which a step fails on ${engine.name}`, { skip: engine.skip }, () => {
    let world: World;
    before(async () => {
      world = await makeWorld(engine);
    });
    after(() => world.close());
    faultTests(() => world);
  });
}

function faultTests(world: () => World): void {
  for (const [index, write] of writes.entries()) {
    for (const [half, mode] of (['fails', 'dies'] as const).entries()) {
      it(`${write.what}: each step ${mode}${mode === 'dies' ? ', and all that follows with it' : ''}`, async (t) => {
        // Writes have most steps in common: where not all are tried, each write tries others.
        const { first, stride } = stridesOf(2 * index + half, 5);
        for (let step = first, met: string | null = ''; met !== null; step += stride) {
          assert.ok(step < 200, 'it comes to an end');
          met = await failingWrite(world(), write, step, mode);
          if (met === null) t.diagnostic(`${step - stride} steps`);
        }
        await assertFilesOfRows(world());
      });
    }
  }
}

/**
 * Sends a write of which a step fails, and then again until it is done. Returns the step; null where there are not so
 * many.
 */
async function failingWrite(
  world: World,
  { prepare, send, leaves }: Write,
  step: number,
  mode: 'fails' | 'dies',
): Promise<string | null> {
  const { fault, store } = world;
  const mark = newMark();
  const headers = { 'idempotency-key': mark };
  const before = await store.outbox.ends(['NOR']);
  await prepare?.(world, mark);
  const nothing = await traces(world, mark, before);
  const whole = { ...leaves, audit: nothing.audit + 1, answers: nothing.answers + 1 };
  fault.arm(step, mode);
  const first = await send(world, mark, headers);
  const met = fault.disarm();
  const place = `step ${step}, ${met ?? 'none'}`;
  const left = await traces(world, mark, before);
  const isWhole = isDeepStrictEqual(left, whole);
  assert.ok([200, 500, 503].includes(first.status), `${place}: ${first.text}`);
  assert.ok(
    isWhole || (first.status !== 200 && isDeepStrictEqual(left, nothing)),
    `${place} left ${JSON.stringify(left)}`,
  );

  // A claim whose holder died, or never heard that it has it, ends by itself.
  await changeRows(store, storedAnswerTable, { claimedUntil: 0 }, { answer: null });
  const again = await send(world, mark, headers);
  assert.equal(again.status, 200, `${place}: ${again.text}`);
  assert.equal(again.headers['idempotency-replayed'], isWhole ? 'true' : undefined, place);
  assert.equal((await send(world, mark, headers)).text, again.text, place);
  if (first.status === 200) assert.equal(again.text, first.text, place);
  assert.deepEqual(await traces(world, mark, before), whole, place);
  const operation = (entries: readonly { readonly operationId: string | null }[]): number =>
    entries.filter(({ operationId }) => operationId === again.body.operationId).length;
  assert.equal(operation(await auditOf(store, mark)), 1, place);
  assert.equal(operation(await entriesOf(store, mark, before)), whole.entries - nothing.entries, place);
  return met;
}

let marks = 0;
const newMark = (): string => `M${String(++marks).padStart(6, '0')}`;

interface Traces {
  readonly records: number;
  readonly entries: number;
  readonly audit: number;
  readonly answers: number;
}

/**
 * How often what a write leaves is there.
 * @param since before it was sent
 */
async function traces({ store }: World, mark: string, since: ChangePosition): Promise<Traces> {
  const articles = (
    await Promise.all(
      ['A', 'B', 'C'].map((end) =>
        store.lists.find(article, ['NOR'], 'articleReference', mark + end, ['shortArticleDescription']),
      ),
    )
  )
    .flat()
    .filter(({ values }) => values[0] === mark);
  const documents = await rowsIn(store, orderDocumentTable, { sha256: sha256Of(mark) });
  const answers = await rowsIn(store, storedAnswerTable, sql`answer is not null`);
  return {
    records: articles.length + documents.length,
    entries: (await entriesOf(store, mark, since)).length,
    audit: (await auditOf(store, mark)).length,
    answers: answers.length,
  };
}

async function entriesOf(store: Store, mark: string, since: ChangePosition): Promise<readonly OutboxEntry[]> {
  const { entries } = await store.outbox.read(['NOR'], since, 100_000);
  return entries.filter(({ body }) => body.includes(`"${mark}"`) || body.includes(sha256Of(mark)));
}

async function auditOf(store: Store, mark: string): Promise<readonly AuditEntry[]> {
  const all = await store.audit.read({
    activityCodes: null,
    operationId: null,
    action: null,
    actor: null,
    since: null,
    until: null,
    after: null,
    newestFirst: true,
    limit: 1000,
  });
  const signs = [mark, sha256Of(mark), hash('sha256', mark)];
  return all.filter((entry) => signs.some((sign) => JSON.stringify(entry).includes(sign)));
}

function sha256Of(mark: string): string {
  return hash('sha256', file(mark).content);
}

/** Every row has its file; what else lies there is gone after a sweep. */
async function assertFilesOfRows({ store, storage, folder }: World): Promise<void> {
  const rows = (await rowsIn(store, orderDocumentTable)).map(({ storedAs: name }) => name).toSorted();
  const files = new Set(filesIn(folder));
  assert.deepEqual(
    rows.filter((name) => !files.has(name)),
    [],
  );
  assert.deepEqual(temporaryIn(folder), []);
  await sweepDocuments({ storage, known: store.documents.known, now: Date.now() + 2 * 3_600_000 });
  assert.deepEqual(filesIn(folder), rows);
}

async function makeWorld(engine: EngineUnderTest): Promise<World> {
  const database = await engine.create();
  const opened = await database.open();
  const store = await storeOn(opened);
  await store.activities.add('NOR', 'North Trading');
  const checked = createChecker(order)(
    { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'O-1' },
    { activity: 'NOR', activityName: 'North Trading' },
  );
  assert.ok(checked.ok);
  await store.records.write(order, 'NOR', [checked.record]);
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const storage = createDiskStorage({ folder, database: store.epoch, failed: () => undefined });
  const fault = createFault();
  const server = writeServer(await storeOn(faultyEngine(opened, fault)), faultyStorage(storage, fault));
  return {
    server,
    fault,
    store,
    storage,
    folder,
    close: async () => {
      await server.close();
      await store.close();
      await database.remove();
      rmSync(folder, { recursive: true });
    },
  };
}

interface LabelWorld {
  /** Fails where `fault` says so. */
  readonly send: (key: string) => Promise<Heard>;
  /** Asks what was there without faults. */
  readonly get: (path: string) => Promise<Heard>;
  readonly fault: Fault;
  readonly store: Store;
  readonly storage: DocumentStorage;
  readonly folder: string;
  /** Numbers of the parcels that the carrier made. */
  readonly parcels: string[];
  /** The carrier refuses for now. */
  readonly carrier: { refuses: boolean };
  readonly close: () => Promise<void>;
}

interface Heard {
  readonly status: number;
  readonly text: string;
  readonly bytes: Buffer;
  readonly replayed: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

for (const engine of engines) {
  describe(`labels of which a step fails on ${engine.name}`, { skip: engine.skip }, () => {
    let world: LabelWorld;
    before(async () => {
      world = await makeLabelWorld(engine);
    });
    after(() => world.close());

    for (const mode of ['fails', 'dies'] as const) {
      it(`when each step ${mode}${mode === 'dies' ? ', and all that follows with it' : ''}`, async (t) => {
        const outcomes = new Map<string, number>();
        for (let step = 1, met: string | null = ''; met !== null; step += 1) {
          assert.ok(step < 100, 'it comes to an end');
          const { step: name, outcome } = await failingLabel(world, step, mode);
          met = name;
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
        t.diagnostic(JSON.stringify(Object.fromEntries(outcomes)));
        // Each of these ends is met, or the test would prove little.
        assert.deepEqual([...outcomes.keys()].toSorted(), ['made by the first', 'made by the second', 'nobody knows']);
        // One failure alone leaves doubt only around the question to the carrier.
        if (mode === 'fails') assert.equal(outcomes.get('nobody knows'), 2);
        await assertFilesOfLabels(world);
      });

      it(`when each step ${mode} of a label that the carrier refuses: none is made, whoever repeats`, async () => {
        world.carrier.refuses = true;
        let doubts = 0;
        for (let step = 1, met: string | null = ''; met !== null; step += 1) {
          const { parcels, fault } = world;
          const key = newKey();
          const before = parcels.length;
          fault.arm(step, mode);
          await world.send(key);
          met = fault.disarm();
          await endClaims(world);
          const again = await world.send(key);
          assert.ok([422, 504].includes(again.status), `step ${step}, ${met}: ${again.text}`);
          assert.equal(parcels.length, before);
          if (again.status === 504) doubts += 1;
        }
        // Storage that fails once makes no doubt of a refusal that the carrier has spoken.
        if (mode === 'fails') assert.equal(doubts, 1, 'only the question to the carrier leaves doubt');
        world.carrier.refuses = false;
      });
    }
  });
}

let keys = 0;
const newKey = (): string => `key-${++keys}`;

/** Asks for a label of which a step fails, and then again until the end is known. */
async function failingLabel(
  world: LabelWorld,
  step: number,
  mode: 'fails' | 'dies',
): Promise<{ readonly step: string | null; readonly outcome: string }> {
  const { fault, parcels, store } = world;
  const key = newKey();
  const before = parcels.length;
  fault.arm(step, mode);
  const first = await world.send(key);
  const met = fault.disarm();
  const place = `step ${step}, ${met ?? 'none'}`;
  assert.ok([200, 500, 503, 504].includes(first.status), `${place}: ${first.text}`);
  const madeByFirst = parcels.length - before;

  await endClaims(world);
  const again = await world.send(key);
  const third = await world.send(key);
  assert.ok(parcels.length - before <= 1, `${place}: ${parcels.length - before} parcels`);
  assert.deepEqual([third.status, third.body.expeditionNumber], [again.status, again.body.expeditionNumber], place);
  const audit = (
    await store.audit.read({
      activityCodes: null,
      operationId: null,
      action: 'label.create',
      actor: null,
      since: null,
      until: null,
      after: null,
      newestFirst: true,
      limit: 1000,
    })
  ).filter(
    ({ outcome, details }) =>
      outcome === 'accepted' && JSON.stringify(details).includes(`"${parcels[before] ?? 'none'}"`),
  );

  if (again.status !== 200) {
    assert.equal(again.status, 504, `${place}: ${again.text}`);
    assert.match(again.text, /not known whether it made a label/, place);
    assert.notEqual(first.status, 200, place);
    assert.equal(audit.length, 0, place);
    return { step: met, outcome: 'nobody knows' };
  }
  assert.equal(again.body.expeditionNumber, parcels[before], place);
  assert.equal(audit.length, 1, place);
  if (first.status === 200) assert.equal(again.text, first.text, place);
  assert.equal(again.replayed, madeByFirst === 1, place);
  await assertLabelWorks(world, again, place);
  return { step: met, outcome: madeByFirst === 1 ? 'made by the first' : 'made by the second' };
}

/** A claim whose holder died, or never heard that it has it, ends by itself. */
async function endClaims({ store }: LabelWorld): Promise<void> {
  await changeRows(store, storedAnswerTable, { claimedUntil: 0 }, { answer: null });
}

/**
 * The label can be fetched again, and its link has the bytes; or they stand in the link itself where they could not be
 * stored.
 */
async function assertLabelWorks({ get }: LabelWorld, made: Heard, place: string): Promise<void> {
  assert.equal((await get(`/v1/shippings/labels/north/counting/${made.body.expeditionNumber}`)).text, made.text, place);
  const { outputs } = made.body;
  const link = new URL(String(Array.isArray(outputs) ? outputs[0].value : ''));
  const bytes =
    link.protocol === 'data:' ? Buffer.from(await (await fetch(link)).arrayBuffer()) : (await get(link.pathname)).bytes;
  assert.deepEqual(bytes, labelBytes, place);
}

/** Every row has its file; what else lies there is gone after a sweep. */
async function assertFilesOfLabels({ store, storage, folder }: LabelWorld): Promise<void> {
  const rows = (await rowsIn(store, labelFileTable)).map(({ storedAs: name }) => name).toSorted();
  const files = new Set(filesIn(folder));
  assert.deepEqual(
    rows.filter((name) => !files.has(name)),
    [],
  );
  assert.deepEqual(temporaryIn(folder), []);
  await sweepDocuments({
    storage,
    known: (names) => store.labels.knownFiles(names),
    now: Date.now() + 2 * 3_600_000,
  });
  assert.deepEqual(filesIn(folder), rows);
}

async function makeLabelWorld(engine: EngineUnderTest): Promise<LabelWorld> {
  const database = await engine.create();
  const opened = await database.open();
  const store = await storeOn(opened);
  await store.activities.add('NOR', 'North Trading');
  await store.carrierAccounts.put(
    {
      activity: 'NOR',
      context: 'north',
      carrier: 'counting',
      settings: {},
      secrets: null,
      sender: {},
      dailyLimit: null,
    },
    Date.now(),
  );
  const folder = mkdtempSync(join(tmpdir(), 'label-crash-'));
  const storage = createDiskStorage({ folder, database: store.epoch, failed: () => undefined });
  const fault = createFault();
  const parcels: string[] = [];
  const carrier = { refuses: false };
  const faulty = serve({
    store: await storeOn(faultyEngine(opened, fault)),
    documents: faultyStorage(storage, fault),
    callCarrier: faultyCallCarrier(fault),
    carrier: countingCarrier(parcels, carrier),
  });
  const sound = serve({
    store,
    documents: storage,
    callCarrier: faultyCallCarrier(createFault()),
    carrier: countingCarrier(parcels, carrier),
  });
  return {
    fault,
    store,
    storage,
    folder,
    parcels,
    carrier,
    send: (key) =>
      faulty.ask('POST', '/v1/shippings/labels/north/counting', JSON.stringify(wish), {
        'content-type': 'application/json',
        'idempotency-key': key,
      }),
    get: (path) => sound.ask('GET', path),
    close: async () => {
      await faulty.close();
      await sound.close();
      await store.close();
      await database.remove();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Makes a parcel each time that it is asked. */
function countingCarrier(parcels: string[], state: { readonly refuses: boolean }): Carrier {
  return {
    desk: noDesk,
    name: 'counting',
    title: 'The counting carrier',
    settings: [],
    outputs: { PdfUrl: ['10x15'] },
    origins: () => [],
    check: () => [],
    // biome-ignore lint/correctness/useYield: it asks nobody.
    createLabel: function* (): Generator<CarrierRequest, CarrierLabel> {
      if (state.refuses) throw new CarrierError('refused', 'No.', { carrierCode: '7' });
      const number = `P${String(parcels.length + 1).padStart(6, '0')}`;
      parcels.push(number);
      return {
        expeditionNumber: number,
        outputs: [{ name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: labelBytes }],
      };
    },
    fetchLabel: null,
    track: null,
    probe: null,
  };
}

/** Steps: before the carrier hears of the request, and when it has acted but nobody hears of that. */
function faultyCallCarrier({ step }: Fault): CallCarrier {
  return async (exchange) => {
    step('asking the carrier');
    const result = await exchange.next();
    step('the carrier has answered');
    if (result.done !== true) throw new Error('this carrier asks nobody');
    return result.value;
  };
}

function serve({
  store,
  documents,
  callCarrier,
  carrier,
}: {
  readonly store: Store;
  readonly documents: DocumentStorage;
  readonly callCarrier: CallCarrier;
  readonly carrier: Carrier;
}) {
  const principal: Principal = {
    kind: 'client',
    clientId: 'shop',
    subject: 'anna',
    activityCodes: ['NOR'],
    readOnly: false,
  };
  const routes = clientRoutes({
    store,
    cursorSecret: createSecretKey('', 'utf8'),
    pages: createPageCache(0),
    documentSlugs: [],
    documents,
    callCarrier,
    baseUrl: 'https://api.logistics.example/v1',
    labelRetentionDays: 90,
    now: Date.now,
    cipher: createCipher(null),
    onFault: () => undefined,
    loadCarrier: async (name) => (name === carrier.name ? carrier : null),
  });
  const server = createServer({
    mounts: [{ prefix: '/v1', routes }],
    authenticate: () => principal,
    authenticatePlatform: () => principal,
    baseUrl: 'https://api.logistics.example/v1',
    limits: defaultLimits,
    rates: { read: 0, write: 0, label: 0, platform: 0 },
    corsOrigins: [],
    trustProxy: false,
    logger: createLogger('silent', new Writable({ write: (_chunk, _encoding, done) => done() })),
    metrics: createMetrics({ process: false }),
  });
  return {
    ask: async (
      method: 'GET' | 'POST',
      url: string,
      payload?: string,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Heard> => {
      const {
        statusCode,
        body: text,
        rawPayload: bytes,
        headers: heard,
      } = await server.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
      return {
        status: statusCode,
        text,
        bytes,
        replayed: heard['idempotency-replayed'] === 'true',
        body: text.startsWith('{') ? Object(JSON.parse(text)) : {},
      };
    },
    close: () => server.close(),
  };
}
