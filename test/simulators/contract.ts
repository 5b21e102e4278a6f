// What every carrier must do with its simulator over a real socket: make labels, give them again, track, fail, and send
// nothing that cannot be read.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { lonelyPostcode } from '../../simulators/nearby.ts';
import type { Simulator } from '../../simulators/server.ts';
import {
  type Carrier,
  type CarrierAccount,
  CarrierError,
  type CarrierLabel,
  type CarrierExchange,
} from '../../src/carriers/carrier.ts';
import { isSupported } from '../../src/carriers/desk.ts';
import { type PointQuery, tidyPoints } from '../../src/carriers/points.ts';
import { type LabelField, type LabelRequest, labelRequestFields } from '../../src/model/shipping.ts';
import type { Operation } from '../carriers/contract.ts';
import { carrierAccount, callCarrier, type Driven, failureOf, resultOf } from '../carriers/drive.ts';
import { rounds } from '../contract/rounds.ts';

/** What is known of a simulator, to try the carrier against it over a socket. */
interface SimulatorSubject {
  readonly name?: string;
  readonly carrier: Carrier;
  readonly start: () => Promise<Simulator>;
  /** A request that the simulator takes. */
  readonly request: LabelRequest;
  /** A number of the right form that no parcel has. */
  readonly unknownNumber: string;
  /** A request whose parcel goes to a point: points are looked for, and labels made to them. */
  readonly pointRequest?: LabelRequest;
  /** Operations that this account cannot do, though the carrier has them. */
  readonly without?: readonly Operation[];
}

const sampleTime = Date.UTC(2026, 10, 21, 12);

/** What is wrong with a request; null where it is taken. */
function fieldsAtFault(driven: Driven<unknown>): readonly string[] | null {
  return driven.error === null ? null : failureOf(driven).reasons.map(({ pointer }) => pointer);
}

/** Whether a carrier has an operation. */
function offers({ desk, ...carrier }: Carrier, operation: Operation): boolean {
  if (operation === 'handOver') return isSupported(desk.handover.close);
  if (operation === 'voidLabel' || operation === 'findPoints' || operation === 'dryRun')
    return isSupported(desk[operation]);
  return carrier[operation] !== null;
}

/** Registers the tests that every carrier must pass with its simulator, over a real socket. */
export function simulatorContract({
  name,
  carrier,
  start,
  request,
  unknownNumber,
  pointRequest,
  without = [],
}: SimulatorSubject): void {
  describe(`the carrier ${name ?? carrier.name} with its simulator`, () => {
    let simulator: Simulator;
    let account: CarrierAccount;
    before(async () => {
      simulator = await start();
      account = carrierAccount(carrier, simulator.settings);
    });
    after(() => simulator.close());
    const can = (operation: Operation): boolean => offers(carrier, operation) && !without.includes(operation);
    const ask = async <T>(exchange: CarrierExchange<T> | undefined) => {
      assert.ok(exchange !== undefined);
      return callCarrier(exchange, carrier.origins(account));
    };
    const task = (expeditionNumber: string) => ({ account, expeditionNumber, label: null, now: sampleTime });
    const create = async (sequence: number) =>
      resultOf(await ask(carrier.createLabel?.({ account, request, sequence, now: sampleTime })));

    it('runs on the loopback address alone, which is an origin of the account that it gives', () => {
      assert.match(simulator.url, /^http:\/\/127\.0\.0\.1:\d+/);
      assert.ok(carrier.origins(account).includes(new URL(simulator.url).origin));
    });

    it('makes labels, each of a parcel of its own, with documents that are what they say', {
      skip: !can('createLabel'),
    }, async () => {
      const [first, second] = [await create(1), await create(2)];
      assert.notEqual(first.expeditionNumber, '');
      assert.notEqual(first.expeditionNumber, second.expeditionNumber);
      assert.notEqual(first.outputs.length, 0);
      for (const output of first.outputs) {
        if (output.kind === 'document' && output.mediaType === 'application/pdf')
          assert.ok(output.bytes.subarray(0, 1024).includes('%PDF-'));
        if (output.kind === 'document') assert.notEqual(output.bytes.length, 0);
      }
    });

    it('gives the label again', { skip: !can('createLabel') || !can('fetchLabel') }, async () => {
      const { expeditionNumber } = await create(3);
      const again = resultOf(await ask(carrier.fetchLabel?.(task(expeditionNumber))));
      assert.equal(again.expeditionNumber, expeditionNumber);
      assert.notEqual(again.outputs.length, 0);
    });

    it('tells how far a parcel is', { skip: !can('createLabel') || !can('track') }, async () => {
      const { expeditionNumber } = await create(4);
      const { status, steps } = resultOf(await ask(carrier.track?.(task(expeditionNumber))));
      assert.match(status, /^8[0-3]$/);
      for (const { date, hour } of steps) assert.match(`${date} ${hour}`, /^(\d{4}-\d\d-\d\d)? (\d\d:\d\d)?$/);
      assert.deepEqual(
        steps.map(({ date }) => date),
        steps.map(({ date }) => date).toSorted(),
      );
    });

    const noSearch = !can('findPoints') || pointRequest === undefined;
    const pointsNear = async (changes: Partial<PointQuery> = {}) => {
      const way = carrier.desk.findPoints;
      assert.ok(isSupported(way) && pointRequest !== undefined, 'a request to a point is needed');
      const { destCountry, destZip, destCity, destAddr2, modeLiv } = pointRequest;
      const query = { destCountry, destZip, destCity, destAddr2, modeLiv, weight: '', ...changes };
      const pointTask = { account, query, limit: 10, now: sampleTime };
      return { driven: await ask(way(pointTask)), pointTask };
    };

    it('gives points near an address, each of which a label can be made to', { skip: noSearch }, async () => {
      const { driven, pointTask } = await pointsNear();
      const points = tidyPoints(resultOf(driven), pointTask);
      assert.notEqual(points.length, 0);
      for (const { labelRequest: fields, name: called, street, zip, city, country, openingHours } of points) {
        for (const text of [called, street, zip, city]) assert.match(text, /^\S.*\S$/);
        assert.equal(country, pointTask.query.destCountry);
        for (const { from, to } of openingHours) assert.ok(/^\d\d:\d\d$/.test(from) && from < to, `${from} ${to}`);
        const wanted = { ...(pointRequest ?? request), ...fields };
        assert.deepEqual(carrier.check(wanted, account), []);
        const made = await ask(carrier.createLabel?.({ account, request: wanted, sequence: 9, now: sampleTime }));
        assert.notEqual(resultOf(made).expeditionNumber, '');
        const acting = made.requests.find(({ repeat }) => repeat === 'never');
        assert.ok(acting?.body?.includes(fields.shippingPickupPoint), `the order names ${fields.shippingPickupPoint}`);
      }
    });

    it('gives none where there is none, and says which part of the address is wrong', { skip: noSearch }, async () => {
      assert.deepEqual(resultOf((await pointsNear({ destZip: lonelyPostcode })).driven), []);
      const { kind, reasons } = failureOf((await pointsNear({ destCountry: 'US' })).driven);
      assert.deepEqual([kind, reasons.map(({ pointer }) => pointer)], ['invalid', ['/destCountry']]);
    });

    it('says when points cannot be had', { skip: noSearch }, async () => {
      for (const word of ['FAULT500', 'FAULTTEXT', 'FAULTEMPTY', 'FAULTSHAPE', 'FAULTHALF'])
        assert.equal(failureOf((await pointsNear({ destZip: word })).driven).kind, 'unavailable', word);
    });

    it('tries a request as it would make a label of it, and makes none', { skip: !can('dryRun') }, async () => {
      const way = carrier.desk.dryRun;
      assert.ok(isSupported(way));
      const tried = await ask(way({ account, request, now: sampleTime }));
      assert.match(resultOf(tried), / would take this request\.$/);
      assert.ok(tried.requests.every(({ repeat }) => repeat === 'safe'));
      const refused = { ...request, destZip: '00000' };
      const dry = await ask(way({ account, request: refused, now: sampleTime }));
      const wet = await ask(carrier.createLabel?.({ account, request: refused, sequence: 10, now: sampleTime }));
      assert.deepEqual(fieldsAtFault(dry), fieldsAtFault(wet));
    });

    const voidLabel = async (label: CarrierLabel, again = false) => {
      const way = carrier.desk.voidLabel;
      assert.ok(isSupported(way));
      const outputs = label.outputs.flatMap((output) =>
        output.kind === 'text' ? [{ name: output.name, value: output.text }] : [],
      );
      const named = outputs.filter(({ name: output }) => output === 'ParcelNumber').map(({ value }) => value);
      const { expeditionNumber } = label;
      const parcelNumbers = named.length > 0 ? named : [expeditionNumber];
      return ask(way({ ...task(expeditionNumber), parcelNumbers, outputs, again }));
    };

    it('voids a label, and says of one that is void what can be understood', { skip: !can('voidLabel') }, async () => {
      const label = await create(6);
      assert.match(resultOf(await voidLabel(label)), /has voided the parcel.*\.$/);
      const { result, error } = await voidLabel(label, true);
      assert.ok(result !== null || (error instanceof CarrierError && error.kind === 'unknown'), String(error));
    });

    it('does not void the label of a parcel that it has', { skip: !can('voidLabel') }, async () => {
      const taken = { ...request, destAddr1: 'TAKEN' };
      const label = resultOf(
        await ask(carrier.createLabel?.({ account, request: taken, sequence: 7, now: sampleTime })),
      );
      assert.equal(failureOf(await voidLabel(label)).kind, 'refused');
    });

    it('voids no label that does not exist', { skip: !can('voidLabel') }, async () => {
      const error = failureOf(await voidLabel({ expeditionNumber: unknownNumber, outputs: [] }));
      assert.match(error.kind, /^(unknown|refused)$/);
      assert.equal(error.acted, 'no');
    });

    const handOver = async (parcelNumbers: readonly string[]) => {
      const { close } = carrier.desk.handover;
      assert.ok(isSupported(close));
      const now = Date.now();
      return ask(close({ account, parcelNumbers, day: new Date(now).toISOString().slice(0, 10), now }));
    };

    it('takes over the parcels of a day, and again those that it has', { skip: !can('handOver') }, async () => {
      const numbers = [(await create(8)).expeditionNumber, (await create(9)).expeditionNumber];
      for (const round of ['first', 'again']) {
        const { detail, number, slip } = resultOf(await handOver(numbers));
        assert.match(detail, /\.$/, round);
        assert.equal(slip === null, number === null);
        if (slip !== null) assert.ok(slip.subarray(0, 1024).includes('%PDF-'));
      }
    });

    it('is sent nothing that it cannot read: what the rules let through is a label or a refusal', {
      skip: !can('createLabel'),
    }, async () => {
      await fc.assert(
        fc.asyncProperty(awkwardChanges, async (changes) => {
          const values = { ...request, ...changes };
          if (carrier.check(values, account).length > 0) return;
          const { error } = await ask(
            carrier.createLabel?.({ account, request: values, sequence: 5, now: sampleTime }),
          );
          assert.ok(
            error === null || (error instanceof CarrierError && error.kind === 'refused'),
            `${String(error)} to ${JSON.stringify(changes)}`,
          );
        }),
        { numRuns: rounds(100) },
      );
    });

    for (const operation of ['fetchLabel', 'track'] as const) {
      it(`${operation} knows no parcel that does not exist`, { skip: !can(operation) }, async () => {
        assert.equal(failureOf(await ask<unknown>(carrier[operation]?.(task(unknownNumber)))).kind, 'unknown');
      });
    }

    it('finds the account in order', { skip: !can('probe') }, async () => {
      assert.match(resultOf(await ask(carrier.probe?.(account, sampleTime))), /\.$/);
    });

    it('fails as unreachable once the simulator is gone', async () => {
      const other = await start();
      const gone = carrierAccount(carrier, other.settings);
      await other.close();
      const exchange = can('createLabel')
        ? carrier.createLabel?.({ account: gone, request, sequence: 1, now: sampleTime })
        : carrier.track?.({ ...task(unknownNumber), account: gone });
      assert.ok(exchange !== undefined);
      assert.equal(failureOf(await callCarrier<unknown>(exchange, carrier.origins(gone))).kind, 'unavailable');
    });
  });
}

const freeFields = [
  'expAddr1',
  'expAddr2',
  'expCity',
  'expZip',
  'expTel1',
  'expMail',
  'destAddr1',
  'destAddr2',
  'destCity',
  'destZip',
  'destTel1',
  'destMail',
  'nClient',
  'nDossier',
  'instruction',
  'content',
  'weight',
  'nbPackage',
  'crtValue',
] as const satisfies readonly LabelField[];

/**
 * A few fields with texts that are longer, shorter or stranger than those of the sample, but no longer than the
 * interface has them.
 */
const awkwardChanges = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom(...freeFields),
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 120 }),
        fc.nat(40_000).map(String),
        fc.constant(''),
        fc.constantFrom(
          'a@b.cd',
          `${'x'.repeat(60)}@example.com`,
          '"é"@example.com',
          '+33 (0)6 12 34 56 78',
          '<b>&amp;</b>',
          'x'.repeat(35),
          `${'word '.repeat(12)}`,
        ),
      ),
    ),
    { minLength: 1, maxLength: 3, selector: ([field]) => field },
  )
  .map(
    (changes): Partial<LabelRequest> =>
      Object.fromEntries(
        changes.map(([field, text]) => [field, Array.from(text).slice(0, labelRequestFields[field].max).join('')]),
      ),
  );
