// Having a label voided over the platform interface: once, twice, at once from two sides, after the parcel was taken,
// and after an outcome that nobody knows, on every engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import type { AuditEntry } from '../../src/store/audit-contract.ts';
import { maxVoidMs } from '../../src/store/label-voids.ts';
import {
  labels,
  numberOf,
  problem,
  type Script,
  type Shipping,
  shipment,
  startShipping,
  tracking,
  wish,
} from '../api/shipping/fixture.ts';
import { engines } from '../contract/engines.ts';
import type { Requests } from '../contract/running-app.ts';

for (const engine of engines) {
  describe(`voiding labels on ${engine.name}`, { skip: engine.skip }, () => {
    let world: Shipping;
    let token: string;
    before(async () => {
      world = await startShipping(engine);
      const { text } = await addPlatformKey(
        world.running.app.store,
        { name: 'desk', activityCodes: ['NOR'], roles: ['shipping'] },
        world.clock.now,
      );
      token = text;
    });
    after(() => world.close());

    const path = (number: string, context = 'north', carrier = 'karrio'): string =>
      `/platform/shippings/labels/${context}/${carrier}/${number}`;
    const voided = (number: string, requests: Requests = world.running, query = '', carrier = 'karrio') =>
      requests.get(`${path(number, 'north', carrier)}/void${query}`, { method: 'POST', token });
    const stateOf = async (number: string, carrier = 'karrio') =>
      (await world.running.get(path(number, 'north', carrier), { token })).object();
    const made = async (changes: Readonly<Record<string, string>> = {}, headers = {}, carrier = 'karrio') => {
      world.carrier.play(null);
      return numberOf(await world.north.send(labels('north', carrier), { ...wish, ...changes }, { headers }));
    };
    const cancels = (): number => world.carrier.asked().filter(({ path: asked }) => asked.endsWith('/cancel')).length;
    const audit = async (): Promise<readonly AuditEntry[]> =>
      world.running.app.store.audit.read({
        ...{ activityCodes: null, operationId: null, action: 'label.void', actor: null, since: null, until: null },
        ...{ after: null, newestFirst: true, limit: 1000 },
      });
    /** Finds a shipment, and cancels it as the script says. */
    const cancelling =
      (reply: Script): Script =>
      (asked) => {
        if (asked.path.endsWith('/cancel')) return reply(asked);
        const number = new URL(asked.path, 'http://carrier').searchParams.get('tracking_number') ?? '';
        return { status: 200, body: { results: [shipment(number)] } };
      };
    const done: Script = () => ({ status: 200, body: { ...shipment('x'), status: 'cancelled' } });

    it('voids a label: its files and number are answered no more, and its key makes no second parcel', async () => {
      const key = { 'Idempotency-Key': `"${uuidv7()}"` };
      const number = await made({}, key);
      assert.equal((await stateOf(number)).state, 'made');
      world.carrier.play(cancelling(done));
      const answer = await voided(number);
      assert.equal(answer.status, 200, answer.body);
      const { state, void: told } = answer.object();
      assert.equal(state, 'voided');
      assert.equal(Object(told).detail, `Karrio has voided the parcel ${number}.`);
      problem(await world.north.get(`${labels('north')}/${number}`), 404, 'resource-not-found');
      assert.equal((await stateOf(number)).state, 'voided');
      const [entry] = await audit();
      assert.equal(entry?.outcome, 'accepted');
      assert.equal(entry?.actorKind, 'platform-key');
      assert.deepEqual(entry?.activityCodes, ['NOR']);
      assert.equal(Object(entry?.details).expeditionNumber, number);
    });

    it('is answered alike the second time, without the carrier being asked or a second entry', async () => {
      const number = await made();
      world.carrier.play(cancelling(done));
      const first = await voided(number);
      const [asked, entries] = [cancels(), (await audit()).length];
      const second = await voided(number);
      assert.equal(second.status, 200);
      assert.deepEqual(second.object(), first.object());
      assert.equal(cancels(), asked);
      assert.equal((await audit()).length, entries);
    });

    it('asks the carrier once when two ask at once, also at two processes', async () => {
      const number = await made();
      const beside = await world.running.beside();
      let open = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      world.carrier.play(
        cancelling(async (asked) => {
          await gate;
          return done(asked);
        }),
      );
      const before = cancels();
      const first = voided(number);
      while (cancels() === before) await new Promise((resolve) => setTimeout(resolve, 5));
      const refused = await voided(number, beside);
      problem(refused, 409, 'void-in-progress');
      assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
      open();
      assert.equal((await first).status, 200);
      assert.equal(cancels(), before + 1);
      assert.equal((await voided(number, beside)).status, 200);
      assert.equal(cancels(), before + 1);
    });

    it('says so of a parcel that the carrier has, and leaves the label as it is', async () => {
      const number = await made();
      world.carrier.play(
        cancelling(() => ({ status: 424, body: { messages: [{ code: '2', message: 'colis pris en charge' }] } })),
      );
      const { carrierCode, carrierMessage } = problem(await voided(number), 409, 'not-voidable');
      assert.deepEqual([carrierCode, carrierMessage], ['2', 'colis pris en charge']);
      const { state, void: told } = await stateOf(number);
      assert.equal(state, 'made');
      assert.equal(Object(told).state, 'refused');
      assert.equal((await audit())[0]?.outcome, 'refused');
      world.carrier.play(null);
      assert.equal((await world.north.get(`${labels('north')}/${number}`)).status, 200);
    });

    for (const [name, lost] of [
      ['hangs up', () => 'hang up'],
      ['fails', () => ({ status: 500, body: {} })],
      ['answers nonsense', () => ({ status: 200, body: [] })],
    ] as const satisfies readonly (readonly [string, Script])[]) {
      it(`states that nobody knows where the carrier ${name}, and asks it again`, async () => {
        const number = await made();
        world.carrier.play(cancelling(lost));
        const { detail } = problem(await voided(number), 502, 'carrier-unavailable');
        assert.match(String(detail), /Whether the label is void is not known: send the same request again\./);
        const { state, void: told } = await stateOf(number);
        assert.equal(state, 'made');
        assert.equal(Object(told).state, 'unknown');
        assert.equal((await audit())[0]?.outcome, 'failed');
        // It had been heard: Karrio finds the shipment cancelled.
        world.carrier.play(() => ({ status: 200, body: { results: [{ ...shipment(number), status: 'cancelled' }] } }));
        assert.equal((await voided(number)).status, 200);
        assert.equal((await stateOf(number)).state, 'voided');
      });
    }

    it('takes a parcel that the carrier knows no more for void only where it was asked before', async () => {
      const number = await made();
      const gone: Script = () => ({ status: 200, body: { results: [] } });
      world.carrier.play(gone);
      problem(await voided(number), 409, 'not-voidable');
      world.carrier.play(cancelling(() => 'hang up'));
      problem(await voided(number), 502, 'carrier-unavailable');
      world.carrier.play(gone);
      assert.equal((await voided(number)).status, 200);
    });

    it('can be asked again after the process was killed between the carrier and the database', async () => {
      const number = await made();
      const { store } = world.running.app;
      const label = await store.labels.find({ activity: 'NOR', context: 'north', carrier: 'karrio' }, number);
      assert.ok(label !== null);
      // What such a process leaves behind.
      assert.equal((await store.labelVoids.begin(label, { id: uuidv7(), at: world.clock.now })).state, 'begun');
      assert.equal(Object((await stateOf(number)).void).state, 'asked');
      world.carrier.play(() => ({ status: 200, body: { results: [{ ...shipment(number), status: 'cancelled' }] } }));
      problem(await voided(number), 409, 'void-in-progress');
      world.clock.now += maxVoidMs;
      assert.equal((await voided(number)).status, 200);
    });

    it('keeps that it is void, whatever an attempt that was overtaken says later', async () => {
      const number = await made();
      const { store } = world.running.app;
      const label = await store.labels.find({ activity: 'NOR', context: 'north', carrier: 'karrio' }, number);
      assert.ok(label !== null);
      const late = { id: uuidv7(), at: world.clock.now };
      await store.labelVoids.begin(label, late);
      world.clock.now += maxVoidMs;
      world.carrier.play(cancelling(done));
      assert.equal((await voided(number)).status, 200);
      const [entry] = await audit();
      assert.ok(entry !== undefined);
      const kept = await store.labelVoids.end(
        label,
        { ...late, endedAt: world.clock.now },
        { state: 'refused', detail: 'No.', voidedParcels: [], audit: entry },
      );
      assert.equal(kept.state, 'voided');
      assert.equal((await stateOf(number)).state, 'voided');
      // Nor does fetching the label, begun before, bring it back.
      await store.records.submit([], (unit) => unit.putLabel({ ...label, result: '{}' }, []));
      assert.equal((await stateOf(number)).state, 'voided');
    });

    it('notes a destroyed label as not used without asking the carrier', async () => {
      const number = await made();
      const asked = world.carrier.asked().length;
      const answer = await voided(number, world.running, '?unused=true');
      assert.equal(answer.status, 200, answer.body);
      assert.match(String(Object(answer.object().void).detail), /not used/);
      assert.equal(world.carrier.asked().length, asked);
      assert.equal(Object((await audit())[0]?.details).unused, true);
    });

    it('voids labels of the sandbox until the parcel is collected, and tracks them no more', async () => {
      const number = await made({}, {}, 'sandbox');
      assert.equal((await voided(number, world.running, '', 'sandbox')).status, 200);
      problem(await world.north.get(tracking('north', number, 'sandbox')), 404, 'resource-not-found');
      const late = await made({}, {}, 'sandbox');
      world.clock.now += 7 * 86_400_000;
      const { carrierCode } = problem(await voided(late, world.running, '', 'sandbox'), 409, 'not-voidable');
      assert.equal(carrierCode, 'SBX-501');
    });

    it('tries both failures of a void at the sandbox', async () => {
      const refused = await made({ nDossier: 'SANDBOX-VOID-REFUSED' }, {}, 'sandbox');
      assert.equal(
        problem(await voided(refused, world.running, '', 'sandbox'), 409, 'not-voidable').carrierCode,
        'SBX-502',
      );
      const slow = await made({ nDossier: 'SANDBOX-VOID-SLOW' }, {}, 'sandbox');
      problem(await voided(slow, world.running, '', 'sandbox'), 504, 'carrier-timeout');
      assert.equal(Object((await stateOf(slow, 'sandbox')).void).state, 'unknown');
    });

    it('finds a shipment by the number of any of its parcels', async () => {
      const number = await made({ nbPackage: '2', weight: '2000' }, {}, 'sandbox');
      const label = (await world.north.get(`${labels('north', 'sandbox')}/${number}`)).object();
      const outputs: readonly unknown[] = Array.isArray(label.outputs) ? label.outputs : [];
      const parcels = outputs.filter((output) => Object(output).name === 'ParcelNumber');
      assert.equal(parcels.length, 2);
      for (const parcel of parcels.map((output) => String(Object(output).value))) {
        assert.deepEqual((await world.north.get(`${labels('north', 'sandbox')}/${parcel}`)).object(), label);
        assert.equal((await world.north.get(tracking('north', parcel, 'sandbox'))).status, 200);
        problem(await world.south.get(`${labels('south', 'sandbox')}/${parcel}`), 404, 'resource-not-found');
        assert.equal((await stateOf(parcel, 'sandbox')).expeditionNumber, number);
      }
      assert.equal((await voided(String(Object(parcels[1]).value), world.running, '', 'sandbox')).status, 200);
      problem(await world.north.get(`${labels('north', 'sandbox')}/${number}`), 404, 'resource-not-found');
    });

    it('refuses what is not there, what is somebody else’s, and what cannot be read, and changes nothing', async () => {
      world.carrier.play(null);
      const foreign = numberOf(await world.south.send(labels('south'), wish));
      problem(await voided('KR99999999'), 404, 'resource-not-found');
      problem(await voided(foreign), 404, 'resource-not-found');
      problem(
        await world.running.get(`${path(foreign, 'south')}/void`, { method: 'POST', token }),
        404,
        'resource-not-found',
      );
      const own = await made();
      problem(await voided(own, world.running, '?unused=perhaps'), 400, 'invalid-parameter');
      problem(await voided(own, world.running, '?force=true'), 400, 'unknown-parameter');
      assert.equal((await stateOf(own)).void, null);
    });
  });
}
