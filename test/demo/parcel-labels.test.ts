// The labels of the demonstration's own parcels: right for the carrier, printed when somebody asks, and moving with
// what the warehouse says.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sandbox } from '../../src/carriers/sandbox/index.ts';
import { contentsOf } from '../../src/carriers/sandbox/label/content.ts';
import { trackingOf } from '../../src/carriers/sandbox/tracking.ts';
import { instantOf } from '../../src/carriers/paris-time.ts';
import { demoActivities } from '../../src/demo/activities.ts';
import type { ParcelLabel } from '../../src/demo/messages.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { createWarehouse } from '../../src/demo/warehouse.ts';
import type { PlainRecord } from '../../src/demo/catalogue.ts';
import { noPoppler, pageTexts } from '../carriers/sandbox/readers.ts';
import { engines } from '../contract/engines.ts';
import { baseUrl, type RunningApp, startApp, tokenFor } from '../contract/running-app.ts';

const dayMs = 86_400_000;
const list = (value: unknown): readonly PlainRecord[] => (Array.isArray(value) ? value : []);

/** Labels and reported parcels of a week, by tracking number. */
function aWeekFrom(filledAt: number) {
  const warehouse = createWarehouse(filledAt);
  warehouse.advance(filledAt - dayMs, () => false);
  const labels = new Map<string, ParcelLabel & { readonly activity: string }>();
  const parcels = new Map<string, PlainRecord>();
  for (const message of warehouse.advance(filledAt + 7 * dayMs)) {
    if (message.kind === 'labels')
      for (const label of message.labels) labels.set(label.number, { ...label, activity: message.activity });
    if (message.kind === 'feed' && message.resource === 'order-reports')
      for (const report of message.records)
        for (const parcel of list(report.parcels)) parcels.set(String(parcel.shipmentTrackingNumber), parcel);
  }
  return [...parcels].flatMap(([number, parcel]) => {
    const label = labels.get(number);
    return label === undefined ? [] : [{ parcel, label }];
  });
}

/** Milliseconds of a step, which says the time of France. */
function instantOfStep({ date, hour }: { readonly date: string; readonly hour: string }): number {
  const [day = '', month = '', year = ''] = date.split(/\D/);
  return instantOf(Date.parse(`${year.length === 4 ? `${year}-${month}-${day}` : `${day}-${month}-${year}`}T${hour}Z`));
}

describe('the labels of the demonstration', () => {
  // Winter and summer time.
  const parcels = ['2026-03-03T10:00:00Z', '2026-07-07T10:00:00Z'].flatMap((text) => aWeekFrom(Date.parse(text)));

  it('are requests that the carrier takes, with the SSCC that the report has', () => {
    assert.ok(parcels.length > 300);
    for (const { label, parcel } of parcels) {
      const companyPrefix = demoActivities.find(({ code }) => code === label.activity)?.parcelPrefix ?? '';
      const account = { settings: { companyPrefix } };
      assert.deepEqual(sandbox.check(label.request, account), []);
      const sequence = Number(label.number.slice(companyPrefix.length, -1));
      const [content] = contentsOf({ account, request: label.request, sequence, now: label.createdAt });
      assert.deepEqual([content?.expeditionNumber, content?.sscc], [label.number, parcel.packageSSCC]);
    }
  });

  it('move after they were loaded, on the same day', () => {
    for (const { label, parcel } of parcels) {
      const loadedAt = Date.parse(String(parcel.packageLoadDate));
      const { steps } = trackingOf({
        ...{ expeditionNumber: label.number, request: label.request, createdAt: label.createdAt },
        ...{ now: loadedAt + 20 * dayMs, speed: 1 },
      });
      const collected = steps.find(({ wording }) => wording === 'Collected') ?? assert.fail('it is never collected');
      const passed = instantOfStep(collected) - loadedAt;
      assert.ok(passed > 0 && passed < dayMs / 4, `${label.number}: ${JSON.stringify(collected)}, ${passed} ms`);
    }
  });
});

/** What storage does with labels is proven on every engine with those of carriers. */
const [engine = assert.fail('there is no engine')] = engines;

describe('labels of the demonstration', () => {
  let running: RunningApp;
  let token: string;
  before(async () => {
    running = await startApp(engine);
    await seedDemo(running.app.store, Date.now());
    token = await tokenFor(running.app, ['ACM', 'BEL']);
  });
  after(() => running.close());

  const parcelsOf = async (activity: string): Promise<readonly PlainRecord[]> => {
    const since = new Date(Date.now() - 10 * dayMs).toISOString();
    const filter = new URLSearchParams({ activityCode: activity, filter: `firstPackageCreationDate>${since}` });
    const reports = await running.get(`/v1/orders/reports?${filter}`, { token });
    assert.equal(reports.status, 200, reports.body);
    return reports.list().flatMap((report) => list(report.parcels));
  };

  for (const [activity, context] of [
    ['ACM', 'acm'],
    ['BEL', 'bel'],
  ] as const)
    it(`can be printed and tracked by the numbers in the reports of ${activity}`, async () => {
      const [parcel] = await parcelsOf(activity);
      assert.ok(parcel);
      const number = String(parcel.shipmentTrackingNumber);
      const path = `/v1/shippings/labels/${context}/sandbox/${number}`;
      const label = (await running.get(path, { token })).object();
      assert.deepEqual([label.status, label.expeditionNumber], ['0', number], JSON.stringify(label));
      const [output] = list(label.outputs);
      assert.equal(output?.name, 'PdfUrl');
      const file = await running.get(String(output.value).slice(new URL(baseUrl).origin.length), { token: null });
      assert.deepEqual(
        [file.status, file.headers['content-type'], file.bytes.subarray(0, 5).toString()],
        [200, 'application/pdf', '%PDF-'],
      );
      // The same again: it is drawn once.
      assert.deepEqual((await running.get(path, { token })).object(), label);
      const tracking = (await running.get(`/v1/shippings/tracking/${context}/sandbox/${number}`, { token })).object();
      assert.ok(list(tracking.steps).length > 0);
      if (noPoppler === false)
        assert.ok((pageTexts(file.bytes)[0] ?? '').replaceAll(/\D/g, '').includes(String(parcel.packageSSCC)));
      const other = await running.get(`/v1/shippings/labels/${context}/sandbox/${number}0`, { token });
      assert.equal(other.status, 404);
    });
});
