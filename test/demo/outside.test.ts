// The demonstration from outside: a client that follows every list by its cursors while days pass, and each fault with
// what shows of it. Nothing is asked but HTTP and the commands of a person.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Place } from '../commands/fixture.ts';
import { newDatabase } from '../contract/new-database.ts';
import { inGate, isInTurn, notInThisRun, onOtherEngine } from '../contract/rounds.ts';
import { pdf } from '../documents/samples.ts';
import {
  assertAddsUp,
  assertCheckDigits,
  assertCodesKnown,
  assertDetailsSum,
  assertParcelsHoldAll,
  assertRowsAddUp,
  createMirror,
  imageOf,
  type Mirror,
  takenAt,
  walk,
} from './outside/mirror.ts';
import { demoPlace, type DemoServer, letHappen, type Published, startDemo, untilSo } from './outside/server.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const on = serverUrl === undefined ? 'SQLite' : 'a PostgreSQL server';
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const activities = ['ACM', 'BEL'];

describe(`the demonstration on ${on}, from outside`, {
  skip: onOtherEngine() || notInThisRun(0),
  timeout: 1_200_000,
}, () => {
  it('adds up while days pass, and when things go wrong', async (t) => {
    const variables: Record<string, string> =
      serverUrl === undefined ? {} : { DATABASE_URL: await newDatabase(t, serverUrl) };
    const place = demoPlace(t, variables);
    if (inGate && isInTurn(0, 3))
      await t.test('a day at 3600x, seen by a client that follows', (own) => aDayGoesBy(own, place));
    // Children of the test before are ended with it.
    const server = await startDemo(t, place, '1x');
    const mirror = createMirror(server);
    await mirror.follow();
    await t.test('two days by demo advance', () => twoDaysAtOnce(server, mirror));
    await t.test('a document that a client attaches takes part', () => documentTakesPart(server, mirror));
    if (inGate) await t.test('an article that a client creates takes part', () => articleTakesPart(server, mirror));
    const tried = Object.entries(faults).filter(
      ([name], index) => isTriedAlways(name) || (inGate && isInTurn(index % 3, 3)),
    );
    for (const [fault, shows] of tried) await t.test(`demo fault ${fault}`, () => shows(server, mirror));
    await t.test('after all of it, the client has what is there', () => mirror.assertAsRead());
    await server.stop();
  });
});

/** On every run; the gate has the day and the other faults in turn, a third of them each time. */
const isTriedAlways = (fault: string): boolean => ['late-image', 'lost-movement'].includes(fault);

/** The clock runs as fast as it can; the client polls all the time. */
async function aDayGoesBy(t: TestContext, place: Place): Promise<void> {
  const server = await startDemo(t, place, '3600x');
  const mirror = createMirror(server);
  const first = await imageOf(server, 'ACM');
  let polls = 0;
  await mirror.follow();
  const known = mirror.of('ArticleStockMovement').length;
  for (const until = performance.now() + 400_000; ; polls += 1) {
    assert.ok(performance.now() < until, 'a day has passed');
    await mirror.follow();
    const image = await imageOf(server, 'ACM');
    assertRowsAddUp(image);
    if (takenAt(image) > takenAt(first)) {
      await mirror.follow();
      assertAddsUp(first, inActivity(mirror, 'ACM'), image);
    }
    if (takenAt(image) >= takenAt(first) + 2 * dayMs) break;
    await pause(500);
  }
  await server.stop();
  t.diagnostic(`${polls} rounds, ${mirror.of('ArticleStockMovement').length - known} movements came`);
  const again = await startDemo(t, place, '1x');
  const anew = createMirror(again);
  await anew.follow();
  await anew.assertAsRead();
  await again.stop();
}

function inActivity(mirror: Mirror, activity: string): readonly Published[] {
  // The code of a movement's activity is that of its event: its article tells whose it is.
  const own = new Set(
    mirror.of('Article').flatMap((article) => (article.activityCode === activity ? [article.articleReference] : [])),
  );
  return mirror.of('ArticleStockMovement').filter(({ articleReference }) => own.has(articleReference));
}

async function twoDaysAtOnce(server: DemoServer, mirror: Mirror): Promise<void> {
  const before = await Promise.all(activities.map((activity) => imageOf(server, activity)));
  await mirror.follow();
  const clock = await server.advance('2d');
  const images = await Promise.all(activities.map((activity) => imageOf(server, activity)));
  const readAt = Date.parse((await server.status()).clock);
  assert.ok((await mirror.follow()) > 100);
  for (const [index, activity] of activities.entries()) {
    const [from = [], to = []] = [before[index], images[index]];
    // The clock goes on while they are read: the next one may have come meanwhile.
    assert.ok([clock, readAt].map(newestImageAt).includes(takenAt(to)), new Date(takenAt(to)).toISOString());
    assertAddsUp(from, inActivity(mirror, activity), to);
    assertRowsAddUp(to);
    assert.ok(assertCodesKnown(server, 'ArticleStock', to) > to.length);
  }
  assertParcelsHoldAll(mirror.of('OrderReport'));
  const receptions = await receptionsOf(server, mirror);
  assert.ok(receptions.length > 20);
  assertDetailsSum(receptions);
  assert.ok(assertCheckDigits(mirror.of('Article'), mirror.of('OrderReport')) > 2000);
  for (const name of ['Article', 'ArticleStockMovement', 'Order', 'OrderReport', 'Procurement'] as const)
    assert.ok(assertCodesKnown(server, name, mirror.of(name)) > mirror.of(name).length, name);
  assertCodesKnown(server, 'ProcurementReport', receptions);
  await mirror.assertAsRead();
  assert.deepEqual(await classesBetween(server, clock - 50 * dayMs, clock), []);
}

/** When the newest nightly image was taken of those that are sent at an instant: a quarter of an hour later. */
function newestImageAt(clock: number): number {
  return Math.floor((clock - 4.25 * hourMs) / dayMs) * dayMs + 4 * hourMs;
}

/** When the first nightly image at or after an instant is taken. */
function nextImageAt(clock: number): number {
  return Math.ceil((clock - 4 * hourMs) / dayMs) * dayMs + 4 * hourMs;
}

/** Of the last hundred procurements. */
async function receptionsOf(server: DemoServer, mirror: Mirror): Promise<readonly Published[]> {
  const reports: Published[] = [];
  for (const { uniqueProcurementID } of mirror.of('Procurement').slice(-100))
    reports.push(...(await walk(server, `/v1/procurements/${String(uniqueProcurementID)}/reports`)).records);
  return reports;
}

/** A document that a client attaches is enclosed in the first parcel, or comes too late, and the order says which. */
async function documentTakesPart(server: DemoServer, mirror: Mirror): Promise<void> {
  await mirror.follow();
  const reported = new Set(mirror.of('OrderReport').map(({ orderUniqueID }) => orderUniqueID));
  const placed = mirror.of('Order').toSorted((a, b) => placedAt(a) - placedAt(b));
  const [last] = placed.slice(-1);
  assert.ok(last !== undefined);
  // Packed long ago, and not forgotten yet.
  const early = placed.find(
    (order) => placedAt(order) > placedAt(last) - 30 * dayMs && reported.has(order.orderUniqueID),
  );
  const late = placed.findLast(({ orderUniqueID }) => !reported.has(orderUniqueID));
  assert.ok(early !== undefined && late !== undefined);
  for (const name of [early.customerOrderID, early.internalId]) {
    const { status, body } = await attach(server, name, 'invoice');
    assert.equal(status, 404);
    assert.match(JSON.parse(body).detail, /id or orderUniqueID .* do not name it here/);
  }
  for (const [name, slug] of [
    [late.id, 'invoice'],
    [late.orderUniqueID, 'gift-message'],
    [early.orderUniqueID, 'customs'],
  ]) {
    const { status, body } = await attach(server, name, String(slug));
    assert.deepEqual([status, JSON.parse(body).status], [200, 200], body);
  }
  const listed: readonly Published[] = JSON.parse((await server.ask(`/v1/orders/${late.id}/docs`)).body);
  assert.deepEqual(listed.map(({ docSlug }) => docSlug).toSorted(), ['gift-message', 'invoice']);
  // The warehouse knows of them when it has read what clients wrote.
  const told = ['invoice', 'gift-message'].map(
    (slug) => `${slug} of order ${late.orderUniqueID} is going to be enclosed`,
  );
  const tooLate = `customs of order ${early.orderUniqueID} came too late`;
  await untilSo(async () => {
    const happened = (await server.status()).happened.map(({ text }) => text);
    return [...told, tooLate].every((text) => happened.includes(text));
  });
  // Nothing leaves on a Sunday, and what is out of stock waits.
  for (let days = 0; days < 7 && !isReported(mirror, late); days += 1) {
    await server.advance('1d');
    await mirror.follow();
  }
  const [now] = mirror.of('Order').filter(({ id }) => id === late.id);
  assert.equal(now?.preparationInstructions, 'Enclose: invoice, gift-message.');
  const ofOrder = mirror.of('OrderReport').filter(({ orderUniqueID }) => orderUniqueID === late.orderUniqueID);
  const enclosed = JSON.stringify(ofOrder).match(/"enclosedDocument","value":"[^"]*/g) ?? [];
  assert.deepEqual(enclosed.map((text) => text.split('"').at(-1)).toSorted(), ['gift-message', 'invoice']);
  const [before] = mirror.of('Order').filter(({ id }) => id === early.id);
  assert.match(String(before?.preparationInstructions), /customs/);
}

function placedAt({ customerOrderPlacementDate }: Published): number {
  return Date.parse(String(customerOrderPlacementDate));
}

function isReported(mirror: Mirror, order: Published): boolean {
  return mirror.of('OrderReport').some(({ orderUniqueID }) => orderUniqueID === order.orderUniqueID);
}

function attach({ ask }: DemoServer, order: unknown, slug: string): ReturnType<DemoServer['ask']> {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(pdf())], 'enclosed.pdf', { type: 'application/pdf' }));
  return ask(`/v1/orders/${encodeURIComponent(String(order))}/docs/${slug}`, form);
}

/** An article that a client creates is received, counted, ordered and shipped. */
async function articleTakesPart(server: DemoServer, mirror: Mirror): Promise<void> {
  const articleReference = 'OUTSIDE-1';
  const described = { longArticleDescription: 'Desk lamp, blue', shortArticleDescription: 'Desk lamp' };
  const article = { activityCode: 'ACM', articleReference, ...described };
  assert.equal((await server.ask('/v1/articles', [article])).status, 200);
  await server.advance('5d');
  await mirror.follow();
  const holds = (record: Published): boolean => JSON.stringify(record).includes(`"${articleReference}"`);
  for (const name of ['ArticleStockMovement', 'Procurement', 'Order', 'OrderReport'] as const)
    assert.ok(mirror.of(name).some(holds), name);
  assert.ok((await imageOf(server, 'ACM')).some(holds));
}

/** What shows of each fault. */
const faults: Readonly<Record<string, (server: DemoServer, mirror: Mirror) => Promise<void>>> = {
  'late-image': async (server) => {
    const now = Date.parse((await server.status()).clock);
    // Well before the next image is taken, at whatever hour this runs: the clock goes on meanwhile.
    const clock = nextImageAt(now) - now < 10 * minuteMs ? await server.advance('15m') : now;
    const image = nextImageAt(clock);
    await server.fault('late-image');
    await server.advance(`${Math.ceil((image + hourMs - clock) / minuteMs)}m`);
    assert.equal(takenAt(await imageOf(server, 'ACM')), image - dayMs);
    assert.equal(takenAt(await imageOf(server, 'BEL')), image);
    await server.advance('5h');
    assert.equal(takenAt(await imageOf(server, 'ACM')), image);
    assert.deepEqual(await classesBetween(server, image - dayMs, image), []);
  },
  'lost-movement': async (server) => {
    const { at, words } = await letHappen(server, 'lost-movement', /^a movement of ACM is lost: \S+ of (\S+)$/);
    await server.advance('1d');
    assert.deepEqual(await classesAround(server, at), [`${words[0]} missing-movement`]);
  },
  'late-movement': async (server, mirror) => {
    const told = /^the shipment of (\S+) for order (\S+) is booked after the next stock image$/;
    const { at, words } = await letHappen(server, 'late-movement', told);
    await server.advance('2d');
    await mirror.follow();
    // It says when it left; the image of the night before it was booked does not know it.
    const left = mirror.of('ArticleStockMovement').filter((each) => Date.parse(String(each.movementTimestamp)) === at);
    assert.ok(
      left.some((each) => each.articleReference === words[0] && Date.parse(String(each.dateProcessed)) > at + hourMs),
    );
    const image = nextImageAt(at);
    for (const [from, to] of [
      [image - dayMs, image],
      [image, image + dayMs],
    ] as const)
      assert.deepEqual(await classesBetween(server, from, to), [`${words[0]} late-movement`]);
    assert.deepEqual(await classesBetween(server, image - dayMs, image + dayMs), []);
  },
  'misdated-image': async (server) => {
    const { at } = await letHappen(server, 'misdated-image', /is taken that says it was taken fifty minutes ago$/);
    const says = at - 50 * minuteMs;
    const found = (await classesBetween(server, says - dayMs / 2, says)).map((each) => each.split(' ')[1]);
    assert.ok(found.length > 0);
    // What changed its grade in that hour is told as such.
    for (const each of found) assert.ok(['movement-after-extraction', 'grade-change'].includes(each ?? ''), each);
    assert.ok(found.includes('movement-after-extraction'));
    const night = Math.floor(at / dayMs) * dayMs + dayMs + 4 * hourMs;
    await server.advance('1d');
    assert.deepEqual(await classesBetween(server, night - dayMs, night), []);
  },
  'lost-grade-change': async (server) => {
    const told = /^one half of a change of grade of ACM is lost: BLOCK of (\S+)$/;
    const { at, words } = await letHappen(server, 'lost-grade-change', told);
    await server.advance('1d');
    assert.deepEqual(await classesAround(server, at), [`${words[0]} grade-change`]);
  },
  'movement-without-direction': async (server) => {
    const told = /^a movement of ACM has no direction: \S+ of (\S+)$/;
    const { at, words } = await letHappen(server, 'movement-without-direction', told);
    await server.advance('1d');
    assert.deepEqual(await classesAround(server, at), [`${words[0]} unknown`]);
  },
  'duplicate-message': async (server, mirror) => {
    const duplicates = async (): Promise<readonly Published[]> =>
      messagesOf(server, ({ state }) => state === 'duplicate');
    const before = (await duplicates()).length;
    const told = /^message (\d+) of the (\S+) of ACM is sent twice$/;
    const { words } = await letHappen(server, 'duplicate-message', told);
    const found = await duplicates();
    assert.equal(found.length, before + 1);
    assert.deepEqual([String(found[0]?.sequence), found[0]?.resource], words);
    await mirror.assertAsRead();
  },
  'out-of-order': async (server) => {
    const { words } = await letHappen(server, 'out-of-order', /^message (\d+) of the orders of ACM is sent late$/);
    const [late] = await messagesOf(server, (each) => each.resource === 'orders' && Number(each.counts.refused) > 0);
    assert.equal(String(late?.sequence), words[0]);
    const { lines } = await server.platform(`/feeds/lines?message=${String(late?.id)}`);
    assert.ok(Array.isArray(lines) && lines.length > 0);
    for (const { reasons, content } of lines) {
      assert.equal(reasons[0].code, 'older-than-stored');
      const { records } = await walk(server, `/v1/orders?orderUniqueID=${content.orderUniqueID}`);
      assert.notEqual(records[0]?.prepOrderGroupID ?? null, content.prepOrderGroupID);
    }
    const { feeds } = await server.platform('/feeds');
    assert.ok(Array.isArray(feeds));
    assert.deepEqual(
      feeds.filter(({ missing }) => missing.length > 0),
      [],
    );
  },
  'short-pick': async (server, mirror) => {
    const told = /^a piece of (\S+) is not found for order (\S+)$/;
    const { at, words } = await letHappen(server, 'short-pick', told);
    await server.advance('1d');
    await mirror.follow();
    const { records } = await walk(server, `/v1/orders/${words[1]}/reports`);
    assert.ok(records.some(({ prepClosedState }) => prepClosedState === 1));
    assertParcelsHoldAll(records);
    const picked = mirror.of('ArticleStockMovement').filter((each) => each.movementReason === 'PIC');
    const isTold = (each: Published): boolean => Date.parse(String(each.movementTimestamp)) === at;
    assert.ok(picked.some((each) => each.articleReference === words[0] && isTold(each)));
  },
  'damaged-reception': async (server, mirror) => {
    const { at, words } = await letHappen(server, 'damaged-reception', /^a part of (\S+) of \S+ is damaged$/);
    await server.advance('1d');
    await mirror.follow();
    const blocked = mirror
      .of('ArticleStockMovement')
      .filter((each) => each.articleReference === words[0] && each.movementReason === 'DAM')
      .filter((each) => Math.abs(Date.parse(String(each.movementTimestamp)) - at) < dayMs / 2);
    // As much comes as damaged as goes as good: of that part, and perhaps of another one of the same day.
    const moved = (direction: string, grade: string): readonly number[] =>
      blocked
        .filter((each) => each.movementDirection === direction && each.gradeCode === grade)
        .map((each) => Number(each.movedQuantity))
        .toSorted((one, other) => one - other);
    const [goes, comes] = [moved('O', 'STD'), moved('I', 'DAM')];
    assert.ok(blocked.some((each) => Date.parse(String(each.movementTimestamp)) === at + 20 * minuteMs));
    assert.deepEqual([comes, comes.length + goes.length], [goes, blocked.length]);
    assert.deepEqual(await classesAround(server, at), []);
  },
  'carrier-down': async (server, mirror) => {
    const numbers = mirror
      .of('OrderReport')
      .filter((report) => report.activityCode === 'ACM')
      .flatMap(({ parcels }) => (Array.isArray(parcels) ? parcels : []))
      .map(({ shipmentTrackingNumber }) => String(shipmentTrackingNumber))
      .slice(-250);
    // Each time another one: what was asked is kept for some minutes.
    const tracked = async (): Promise<number> =>
      (await server.ask(`/v1/shippings/tracking/acm/sandbox/${numbers.pop()}`)).status;
    assert.equal(await tracked(), 200);
    await server.fault('carrier-down');
    await untilSo(async () => (await tracked()) === 502);
    const label = { modeCol: 'CCC', modeLiv: 'HOM', weight: '1200', nbPackage: '1', destAddr1: 'Camille Moreau' };
    const to = { destAddr2: '6 place des Vosges', destZip: '75004', destCity: 'Paris', destCountry: 'FR' };
    const wanted = { ...label, ...to, destTel1: '+33600000000' };
    assert.equal((await server.ask('/v1/shippings/labels/acm/sandbox', wanted)).status, 502);
    assert.equal((await server.ask('/v1/shippings/labels/bel/sandbox', wanted)).status, 200);
  },
};

/** Articles that differ, with the class of each. */
async function classesBetween(server: DemoServer, from: number, to: number): Promise<readonly string[]> {
  return (await server.reconcile(from, to)).map((place) => `${place.articleReference} ${place.class}`);
}

/** The same between the two nightly images around what was told at an instant: no other fault lies there. */
function classesAround(server: DemoServer, at: number): Promise<readonly string[]> {
  const moved = at - 10 * minuteMs;
  const image = nextImageAt(moved);
  return classesBetween(server, image - dayMs, image);
}

interface ShownMessage extends Published {
  readonly counts: Published;
}

/** Messages of ACM, the newest first. */
async function messagesOf(
  server: DemoServer,
  isWanted: (message: ShownMessage) => boolean,
): Promise<readonly ShownMessage[]> {
  const found: ShownMessage[] = [];
  for (let after = ''; ; ) {
    const page = await server.platform(`/feeds/messages?activity=ACM${after}`);
    const messages: readonly ShownMessage[] = Array.isArray(page.messages) ? page.messages : [];
    found.push(...messages.filter(isWanted));
    if (page.after === null) return found;
    after = `&after=${encodeURIComponent(String(page.after))}`;
  }
}
