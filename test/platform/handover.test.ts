// Handing the parcels of a day over: none, one, many; twice, at once from two sides, half way through a crash, and
// never with a label of somebody else or one that is void. On every engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import type { AuditEntry } from '../../src/store/audit-contract.ts';
import { maxHandoverMs } from '../../src/store/handovers.ts';
import type { StoredLabel } from '../../src/store/labels.ts';
import { labels, numberOf, problem, type Shipping, startShipping, wish } from '../api/shipping/fixture.ts';
import { noPoppler, pageTexts, printedPdf, symbolsIn } from '../carriers/sandbox/readers.ts';
import { engines } from '../contract/engines.ts';
import type { Answered, Requests } from '../contract/running-app.ts';
import { type SlipCarrier, startSlipCarrier } from './slip-carrier.ts';
import { leftToGate } from '../contract/rounds.ts';

interface List {
  readonly handoverId: string;
  readonly state: string;
  readonly detail: string;
  readonly number: string | null;
  readonly labels: number;
  readonly parcels: number;
  readonly document: string | null;
}
interface Day {
  readonly day: string;
  readonly openLabels: number;
  readonly doubtfulLabels: number;
  readonly handovers: readonly List[];
}

const dayMs = 86_400_000;
const parcel = { ...wish, modeCol: 'depot', modeLiv: 'DOM', destTel1: '0600000000' };

for (const engine of engines) {
  describe(`handing parcels over on ${engine.name}`, { skip: engine.skip }, () => {
    let world: Shipping;
    let carrier: SlipCarrier;
    let token: string;
    before(async () => {
      world = await startShipping(engine);
      carrier = await startSlipCarrier();
      const { text } = await addPlatformKey(
        world.running.app.store,
        { name: 'desk', activityCodes: ['NOR'], roles: ['shipping'] },
        world.clock.now,
      );
      token = text;
    });
    after(async () => {
      await world.close();
      await carrier.close();
    });

    const path = (context: string, name: string): string => `/platform/shippings/handovers/${context}/${name}`;
    const ask = (method: string, context: string, name = 'colissimo', query = '', requests: Requests = world.running) =>
      requests.get(`${path(context, name)}${query}`, { method, token });
    const dayOf = (answer: Answered): Day => {
      assert.equal(answer.status, 200, answer.body);
      return JSON.parse(answer.body) as Day;
    };
    const handOver = async (context: string, name?: string, query?: string): Promise<Day> =>
      dayOf(await ask('POST', context, name, query));
    const stateOf = async (context: string, name?: string, query?: string): Promise<Day> =>
      dayOf(await ask('GET', context, name, query));
    const paper = async ({ document }: List): Promise<Buffer> => {
      assert.ok(document !== null);
      const { pathname } = new URL(document);
      const answer = await world.running.get(pathname, { token });
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.headers['content-type'], 'application/pdf');
      return answer.bytes;
    };
    /** A context of its own, so that no test sees the labels of another. */
    const ofColissimo = (activity = 'NOR') =>
      world.context({ activity, carrier: 'colissimo', settings: carrier.settings });
    const made = async (context: string, changes = {}, name = 'colissimo', requests = world.north): Promise<string> =>
      numberOf(await requests.send(labels(context, name), { ...(name === 'colissimo' ? parcel : wish), ...changes }));
    const audit = async (): Promise<readonly AuditEntry[]> =>
      world.running.app.store.audit.read({
        ...{ activityCodes: null, operationId: null, action: 'label.hand-over', actor: null, since: null, until: null },
        ...{ after: null, newestFirst: true, limit: 1000 },
      });
    const labelOf = async (context: string, number: string, name = 'colissimo'): Promise<StoredLabel> => {
      const label = await world.running.app.store.labels.find({ activity: 'NOR', context, carrier: name }, number);
      assert.ok(label !== null);
      return label;
    };
    const voided = (context: string, number: string, name = 'colissimo', query = '') =>
      world.running.get(`/platform/shippings/labels/${context}/${name}/${number}/void${query}`, {
        method: 'POST',
        token,
      });

    it('makes no list of no labels', async () => {
      const context = await ofColissimo();
      const { handovers, openLabels, doubtfulLabels } = await handOver(context);
      assert.deepEqual([handovers, openLabels, doubtfulLabels], [[], 0, 0]);
    });

    it('makes one slip of the carrier, and gives the same bytes whenever it is asked', async () => {
      const context = await ofColissimo();
      const number = await made(context);
      assert.equal((await stateOf(context)).openLabels, 1);
      const asked = carrier.slips().length;
      const first = await handOver(context);
      const [list] = first.handovers;
      assert.ok(list !== undefined && first.handovers.length === 1);
      assert.deepEqual([list.state, list.labels, list.parcels, first.openLabels], ['made', 1, 1, 0]);
      assert.match(String(list.number), /^\d+$/);
      assert.deepEqual(carrier.slips().slice(asked), [[number]]);
      const bytes = await paper(list);
      assert.ok(bytes.includes(number));
      assert.deepEqual(await handOver(context), first);
      assert.deepEqual(await stateOf(context), first);
      assert.deepEqual(await paper(list), bytes);
      assert.equal(carrier.slips().length, asked + 1);
      const [entry] = await audit();
      assert.deepEqual([entry?.outcome, entry?.activityCodes, entry?.actorKind], ['accepted', ['NOR'], 'platform-key']);
      assert.equal(Object(entry?.details).number, list.number);
    });

    it('puts what was made later on a list of its own, and every parcel of a shipment on the same', async () => {
      const context = await ofColissimo();
      await made(context);
      await handOver(context);
      await made(context, { nbPackage: '3', weight: '3000' });
      const { handovers } = await handOver(context);
      assert.deepEqual(
        handovers.map((list) => [list.labels, list.parcels]),
        [
          [1, 1],
          [1, 3],
        ],
      );
      assert.equal(carrier.slips().at(-1)?.length, 3);
      const numbers = carrier.slips().flat();
      assert.equal(new Set(numbers).size, numbers.length);
    });

    it('leaves void labels and returns out, and says of how many it does not know', async () => {
      const context = await ofColissimo();
      const [void1, kept] = [await made(context), await made(context)];
      assert.equal((await voided(context, void1, 'colissimo', '?unused=true')).status, 200);
      await made(context, { modeLiv: 'CORE', expMail: 'camille@example.com', expAddr1: 'Camille Moreau' });
      const doubtful = await labelOf(context, kept);
      const unknown = { ...doubtful, id: uuidv7(), state: 'unknown' as const, expeditionNumber: null, result: null };
      await world.running.app.store.records.submit([], (unit) => unit.putLabel(unknown, []));
      const { handovers, openLabels, doubtfulLabels } = await handOver(context);
      assert.deepEqual([handovers.length, openLabels, doubtfulLabels], [1, 0, 1]);
      assert.deepEqual(carrier.slips().at(-1), [kept]);
    });

    it('keeps to the day that is asked for: from midnight to midnight in France', async () => {
      const context = await ofColissimo();
      const before = world.clock.now;
      // 23:30 in Paris, then 00:30.
      world.clock.now = Date.UTC(2026, 10, 24, 22, 30);
      const late = await made(context);
      world.clock.now += 3_600_000;
      const early = await made(context);
      assert.equal((await stateOf(context)).openLabels, 1);
      await handOver(context);
      assert.deepEqual(carrier.slips().at(-1), [early]);
      const yesterday = await handOver(context, 'colissimo', '?day=2026-11-24');
      assert.deepEqual([yesterday.day, yesterday.handovers.length], ['2026-11-24', 1]);
      assert.deepEqual(carrier.slips().at(-1), [late]);
      for (const day of ['2026-11-26', '2026-02-30', 'yesterday', '', '1999-01-01'])
        problem(await ask('POST', context, 'colissimo', `?day=${day}`), 400, 'invalid-parameter');
      problem(await ask('POST', context, 'colissimo', '?force=true'), 400, 'unknown-parameter');
      world.clock.now = before;
    });

    it('cuts a day into slips of fifty parcels at most, none of them twice', async () => {
      const context = await ofColissimo();
      const template = await labelOf(context, await made(context));
      const { store } = world.running.app;
      const numbers = Array.from({ length: 104 }, (_, index) => `6A7${String(index).padStart(10, '0')}`);
      await store.records.submit([], (unit) =>
        unit.addLabels(
          'NOR',
          numbers.map((expeditionNumber) => ({ ...template, id: uuidv7(), requestKey: null, expeditionNumber })),
        ),
      );
      carrier.play(async () => slipOf('77'));
      const asked = carrier.slips().length;
      const { handovers, openLabels } = await handOver(context);
      carrier.play(null);
      assert.deepEqual([handovers.map((list) => list.parcels), openLabels], [[50, 50, 5], 0]);
      const told = carrier.slips().slice(asked).flat();
      assert.deepEqual(told.toSorted(), [...numbers, template.expeditionNumber].toSorted());
    });

    it('asks the carrier once when two ask at once, also at two processes', async () => {
      const context = await ofColissimo();
      await made(context);
      const beside = await world.running.beside();
      let open = (): void => undefined;
      const gate = new Promise<null>((resolve) => {
        open = () => resolve(null);
      });
      carrier.play(() => gate);
      const asked = carrier.slips().length;
      const first = handOver(context);
      while (carrier.slips().length === asked) await new Promise((resolve) => setTimeout(resolve, 5));
      const refused = await ask('POST', context, 'colissimo', '', beside);
      problem(refused, 409, 'handover-in-progress');
      assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
      // Nor is a label voided while it is put on a list.
      const [number = ''] = carrier.slips().at(-1) ?? [];
      problem(await voided(context, number, 'colissimo', '?unused=true'), 409, 'void-in-progress');
      open();
      assert.equal((await first).handovers.length, 1);
      carrier.play(null);
      assert.equal(dayOf(await ask('POST', context, 'colissimo', '', beside)).handovers.length, 1);
      assert.equal(carrier.slips().length, asked + 1);
      assert.equal((await voided(context, number, 'colissimo', '?unused=true')).status, 200);
    });

    it('makes one list of each label when ten ask at once', async () => {
      const context = await world.context({ carrier: 'sandbox' });
      for (let count = 0; count < 5; count += 1) await made(context, {}, 'sandbox');
      const beside = await world.running.beside();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          ask('POST', context, 'sandbox', '', index % 2 === 0 ? world.running : beside),
        ),
      );
      for (const answer of answers) assert.ok([200, 409].includes(answer.status), answer.body);
      const { handovers, openLabels } = await handOver(context, 'sandbox');
      const isMade = handovers.filter(({ state }) => state === 'made');
      assert.deepEqual([isMade.reduce((sum, list) => sum + list.labels, 0), openLabels], [5, 0]);
    });

    it('frees the labels of a slip that the carrier refuses, and says which parcel it is about', async () => {
      const context = await ofColissimo();
      const number = await made(context);
      const { store } = world.running.app;
      const stranger = { ...(await labelOf(context, number)), id: uuidv7(), requestKey: null };
      const unknown = { ...stranger, expeditionNumber: '6A00000000009' };
      await store.records.submit([], (unit) => unit.addLabels('NOR', [unknown]));
      const members = problem(await ask('POST', context), 422, 'carrier-rejected');
      assert.equal(members.carrierCode, '50031');
      assert.match(String(members.carrierMessage), /6A00000000009/);
      const { handovers, openLabels } = await stateOf(context);
      assert.deepEqual([handovers.map(({ state }) => state), openLabels], [['refused'], 2]);
      assert.equal((await audit())[0]?.outcome, 'refused');
      assert.equal((await voided(context, '6A00000000009', 'colissimo', '?unused=true')).status, 200);
      assert.deepEqual(
        (await handOver(context)).handovers.map(({ state }) => state),
        ['refused', 'made'],
      );
      assert.deepEqual(carrier.slips().at(-1), [number]);
    });

    for (const [name, lost, status] of [
      ['hangs up', 'hang up', 502],
      ['makes the slip, and its answer is lost', 'lose the answer', 502],
      ['fails', { status: 500, body: '<html>' }, 502],
      ['answers nonsense', { status: 200, body: '[]' }, 502],
      [
        'answers half a slip',
        { status: 200, body: '{"messages":[{"id":"0","type":"INFOS"}],"bordereauHeader":null}' },
        502,
      ],
    ] as const) {
      it(`states that nobody knows where the carrier ${name}, and asks for the same parcels again`, async () => {
        const context = await ofColissimo();
        const number = await made(context);
        carrier.play(async () => lost);
        const { detail } = problem(await ask('POST', context), status, 'carrier-unavailable');
        assert.match(String(detail), /Whether the carrier has the list is not known: send the same request again\./);
        carrier.play(null);
        const later = await made(context);
        const { handovers, openLabels } = await stateOf(context);
        assert.deepEqual([handovers.map(({ state }) => state), openLabels], [['unknown'], 1]);
        assert.equal((await audit())[0]?.outcome, 'failed');
        const asked = carrier.slips().length;
        const after = await handOver(context);
        assert.deepEqual(
          after.handovers.map(({ state, labels: count }) => [state, count]),
          [
            ['made', 1],
            ['made', 1],
          ],
        );
        assert.deepEqual(carrier.slips().slice(asked), [[number], [later]]);
      });
    }

    it('can be asked again after the process was killed between the carrier and the database', async () => {
      const context = await ofColissimo();
      const [number, gone] = [await made(context), await made(context)];
      const { store } = world.running.app;
      const account = await store.carrierAccounts.find(['NOR'], context, 'colissimo');
      assert.ok(account !== null);
      const span = { activity: 'NOR', accountId: account.id, since: 0, until: world.clock.now + dayMs };
      const [portion] = await Array.fromAsync(store.handovers.portionsOfDay(span));
      const open = await store.handovers.withParcels('NOR', portion?.open ?? []);
      // What such a process leaves behind.
      const list = {
        ...{ activity: 'NOR', id: uuidv7(), accountId: account.id, context, carrier: 'colissimo' },
        ...{ day: (await stateOf(context)).day, state: 'asked' as const, attempt: uuidv7(), askedAt: world.clock.now },
        ...{ endedAt: null, detail: '', number: null, createdAt: world.clock.now },
      };
      assert.ok(await store.handovers.begin(list, open));
      assert.ok(!(await store.handovers.begin({ ...list, id: uuidv7() }, open)), 'a label is on one list at most');
      problem(await ask('POST', context), 409, 'handover-in-progress');
      assert.equal((await stateOf(context)).handovers[0]?.state, 'asked');
      world.clock.now += maxHandoverMs;
      // One of them is voided before it is asked for again.
      assert.equal((await voided(context, gone, 'colissimo', '?unused=true')).status, 200);
      const { handovers } = await handOver(context);
      assert.deepEqual(
        handovers.map((one) => [one.handoverId, one.state, one.labels]),
        [[list.id, 'made', 1]],
      );
      assert.deepEqual(carrier.slips().at(-1), [number]);
      // What the killed process says late changes nothing.
      const [entry] = await audit();
      assert.ok(entry !== undefined);
      const kept = await store.handovers.end(
        { ...list, labels: 2, parcels: 2 },
        { attempt: list.attempt, endedAt: world.clock.now },
        { state: 'refused', detail: 'No.', number: null, labels: 2, parcels: 2, file: null, audit: entry },
      );
      assert.equal(kept.state, 'made');
    });

    it('draws a list for the driver where the carrier has none, whose bars say the numbers', {
      skip: noPoppler,
    }, async () => {
      const context = await world.context({
        carrier: 'sandbox',
        sender: { expAddr1: 'North Trading', expCity: 'Lille' },
      });
      for (const nDossier of ['WEB-1', 'Żółć 東京', 'x'.repeat(30)]) await made(context, { nDossier }, 'sandbox');
      const shipment = await made(context, { nbPackage: '2', weight: '2000' }, 'sandbox');
      const { handovers } = await handOver(context, 'sandbox');
      const [list] = handovers;
      assert.ok(list !== undefined && handovers.length === 1);
      assert.deepEqual([list.state, list.labels, list.parcels, list.number], ['made', 4, 5, null]);
      const pdf = await paper(list);
      const text = pageTexts(pdf).join('\n');
      for (const words of [
        'Bordereau de remise / Handover list Sandbox',
        'Chauffeur / Driver',
        'WEB-1',
        'Żółć 東京',
        'FR 75004',
        '4 expéditions, 5 colis, 5,600 kg / 4 shipments, 5 parcels, 5.600 kg',
      ])
        assert.ok(text.includes(words), words);
      // What is said to the operator, in English, is not for the driver.
      assert.ok(!text.includes('driver signs'));
      // Nobody's name and street is on it.
      assert.ok(!text.includes('Moreau') && !text.includes('Vosges'));
      const read = (await Promise.all(printedPdf(pdf).map(symbolsIn))).flat();
      const parcels = read.map(({ text: number }) => number);
      assert.equal(parcels.length, 5);
      for (const number of parcels) assert.ok(text.includes(number));
      const found = await world.running.app.store.labels.find(
        { activity: 'NOR', context, carrier: 'sandbox' },
        parcels.at(-1) ?? '',
      );
      assert.ok(found !== null);
      assert.notEqual(shipment, '');
    });

    it('hands two thousand labels over in lists that each have room for them', { skip: leftToGate }, async () => {
      const context = await world.context({ carrier: 'sandbox' });
      const template = await labelOf(context, await made(context, {}, 'sandbox'), 'sandbox');
      const { store } = world.running.app;
      const many = Array.from({ length: 1999 }, (_, index) => ({
        ...template,
        ...{ id: uuidv7(), requestKey: null, expeditionNumber: String(952_777_000_000_000_000n + BigInt(index)) },
      }));
      for (let first = 0; first < many.length; first += 500)
        await store.records.submit([], (unit) => unit.addLabels('NOR', many.slice(first, first + 500)));
      let found = await handOver(context, 'sandbox');
      for (let round = 0; found.openLabels > 0 && round < 20; round += 1) found = await handOver(context, 'sandbox');
      assert.equal(found.openLabels, 0);
      assert.deepEqual(new Set(found.handovers.map(({ parcels }) => parcels)), new Set([200]));
      assert.equal(found.handovers.length, 10);
    });

    it('forgets the paper with the labels, and keeps that there was a list', async () => {
      const context = await world.context({ carrier: 'sandbox' });
      await made(context, {}, 'sandbox');
      const { day, handovers } = await handOver(context, 'sandbox');
      const [list] = handovers;
      assert.ok(list !== undefined);
      const before = world.clock.now;
      world.clock.now += 91 * dayMs;
      const { pathname } = new URL(list.document ?? '');
      problem(await world.running.get(pathname, { token }), 404, 'resource-not-found');
      const { labels: store } = world.running.app.store;
      assert.ok((await store.forgetFiles(world.clock.now)) > 0);
      assert.deepEqual((await stateOf(context, 'sandbox', `?day=${day}`)).handovers[0]?.labels, 1);
      world.clock.now = before;
    });

    it('refuses what is somebody else’s as if it were not there', async () => {
      const theirs = await ofColissimo('SOU');
      await made(theirs, {}, 'colissimo', world.south);
      problem(await ask('GET', theirs), 404, 'resource-not-found');
      problem(await ask('POST', theirs), 404, 'resource-not-found');
      problem(await ask('POST', 'nowhere'), 404, 'resource-not-found');
      const { text } = await addPlatformKey(
        world.running.app.store,
        { name: 'south desk', activityCodes: ['SOU'], roles: ['shipping'] },
        world.clock.now,
      );
      const list = dayOf(await world.running.get(path(theirs, 'colissimo'), { method: 'POST', token: text }))
        .handovers[0];
      assert.ok(list?.document !== undefined && list.document !== null);
      const { pathname } = new URL(list.document);
      assert.equal((await world.running.get(pathname, { token: text })).status, 200);
      problem(await world.running.get(pathname, { token }), 404, 'resource-not-found');
      const own = await ofColissimo();
      const through = pathname.replace(theirs, own);
      problem(await world.running.get(through, { token }), 404, 'resource-not-found');
      problem(
        await world.running.get(`${path(own, 'colissimo')}/nonsense/document`, { token }),
        404,
        'resource-not-found',
      );
    });
  });
}

/** What the carrier answers with a slip, without looking at the parcels. */
function slipOf(number: string): { readonly status: number; readonly body: string; readonly type: string } {
  const boundary = 'uuid:5d1c';
  const part = (id: string, body: string): string =>
    `\r\n--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-ID: <${id}>\r\n\r\n${body}`;
  const info = JSON.stringify({
    messages: [{ id: '0', type: 'INFOS' }],
    bordereauHeader: { bordereauNumber: Number(number) },
  });
  return {
    status: 200,
    body: `${part('jsonInfos', info)}${part('deliveryPaper', '%PDF-1.4\n%%EOF\n')}\r\n--${boundary}--`,
    type: `multipart/related; boundary="${boundary}"`,
  };
}
