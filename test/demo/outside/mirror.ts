// A client that holds every list of the interface and follows it by its cursors, with what it may rely on at any time.
import assert from 'node:assert/strict';
import { checkDigit } from '../../../src/model/check-digit.ts';
import type { DemoServer, Published } from './server.ts';

/** Lists with cursors, by the schema of their records. */
const lists = {
  Article: '/v1/articles',
  ArticleStockMovement: '/v1/articles/movements',
  Order: '/v1/orders',
  OrderReport: '/v1/orders/reports',
  Procurement: '/v1/procurements',
} as const;
type Listed = keyof typeof lists;
const names = Object.keys(lists) as readonly Listed[];

export interface Mirror {
  /** Reads what is new. @returns how many records came */
  readonly follow: () => Promise<number>;
  readonly of: (name: Listed) => readonly Published[];
  /** What a client has that begins now is what this one has, once nothing new comes. */
  readonly assertAsRead: () => Promise<void>;
}

export function createMirror(server: DemoServer): Mirror {
  const held = new Map<Listed, Map<unknown, Published>>(names.map((name) => [name, new Map()]));
  const cursors = new Map<Listed, string>();
  const follow = async (): Promise<number> => {
    let came = 0;
    for (const name of names) {
      const cursor = cursors.get(name);
      const walked = await walk(server, `${lists[name]}?${cursor === undefined ? 'limit=1000' : `cursor=${cursor}`}`);
      for (const record of walked.records) held.get(name)?.set(record.id, record);
      cursors.set(name, walked.cursor);
      came += walked.records.length;
    }
    return came;
  };
  return {
    follow,
    of: (name) => [...(held.get(name)?.values() ?? [])],
    assertAsRead: async () => {
      for (let tries = 0; ; tries += 1) {
        await follow();
        const fresh = new Map<Listed, readonly Published[]>();
        for (const name of names) fresh.set(name, (await walk(server, `${lists[name]}?limit=1000`)).records);
        // The warehouse lives: it may tell of something meanwhile.
        if ((await follow()) > 0 && tries < 5) continue;
        for (const name of names) assertSame(name, fresh.get(name) ?? [], held.get(name) ?? new Map());
        return;
      }
    },
  };
}

/** Named are the first that differ: a comparison of all would hold all, and what they have in common, in memory. */
function assertSame(name: string, fresh: readonly Published[], held: ReadonlyMap<unknown, Published>): void {
  const differing = fresh.filter((record) => JSON.stringify(held.get(record.id)) !== JSON.stringify(record));
  const shown = differing.slice(0, 2).flatMap((record) => [record, held.get(record.id)]);
  assert.equal(differing.length, 0, `${name}: ${JSON.stringify(shown).slice(0, 4000)}`);
  assert.equal(held.size, fresh.length, `${name}: the client has others`);
}

/** Follows `Link` from page to page. */
export async function walk(
  { ask }: Pick<DemoServer, 'ask'>,
  path: string,
): Promise<{ readonly records: readonly Published[]; readonly cursor: string }> {
  const records: Published[] = [];
  for (let next = path; ; ) {
    const { status, headers, body } = await ask(next);
    assert.equal(status, 200, `${next}: ${body}`);
    const found: readonly Published[] = JSON.parse(body);
    records.push(...found);
    const link = /<https:\/\/[^/]+([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (link === undefined) return { records, cursor: headers.get('sync-cursor') ?? '' };
    next = link;
  }
}

/** The latest stock image of an activity. */
export async function imageOf(server: DemoServer, activity: string): Promise<readonly Published[]> {
  const { records } = await walk(server, `/v1/articles/stock?activityCode=${activity}&limit=1000`);
  const dates = new Set(records.map(({ stockImageExtractionDate }) => stockImageExtractionDate));
  assert.equal(dates.size, 1, 'rows of one image');
  return records;
}

export function takenAt(image: readonly Published[]): number {
  return Date.parse(String(image[0]?.stockImageExtractionDate));
}

/** An image is the one before with the movements between them, by article, stock unit and grade. */
export function assertAddsUp(
  before: readonly Published[],
  movements: readonly Published[],
  after: readonly Published[],
): void {
  const [from, to] = [takenAt(before), takenAt(after)];
  const moved = movements.filter(({ movementTimestamp }) => {
    const at = Date.parse(String(movementTimestamp));
    return at > from && at <= to;
  });
  const expected = new Map<string, number>();
  const post = (record: Published, quantity: number): void => {
    const place = [record.articleReference, record.stockUnitID, record.gradeCode].join(' ');
    expected.set(place, (expected.get(place) ?? 0) + quantity);
  };
  for (const row of before) post(row, Number(row.totalStockQuantity));
  for (const each of moved) post(each, Number(each.movedQuantity) * (each.movementDirection === 'I' ? 1 : -1));
  for (const row of after) post(row, -Number(row.totalStockQuantity));
  const differing = [...expected].filter(([, quantity]) => quantity !== 0);
  assert.equal(differing.length, 0, JSON.stringify(differing.slice(0, 20)));
}

/** In each row: available = total - not started - in preparation - blocked. */
export function assertRowsAddUp(image: readonly Published[]): void {
  for (const row of image) {
    const promised = Number(row.notStartedProductionQuantity) + Number(row.inProgressPreparationQuantity);
    const free = Number(row.totalStockQuantity) - promised - Number(row.totalBlockedQuantity);
    assert.equal(row.totalAvailableForSaleQuantity, free, JSON.stringify(row));
    assert.ok(free >= 0);
  }
}

const list = (value: unknown): readonly Published[] => (Array.isArray(value) ? value : []);
const sum = (records: readonly Published[], name: string): number =>
  records.reduce((total, record) => total + Number(record[name]), 0);

/** What is in the parcels of a report is what was prepared, article by article. */
export function assertParcelsHoldAll(reports: readonly Published[]): void {
  for (const report of reports) {
    const entries = list(report.parcels).flatMap((parcel) => list(parcel.entries));
    const left = new Map<unknown, number>();
    const add = (article: unknown, quantity: number): void =>
      void left.set(article, (left.get(article) ?? 0) + quantity);
    for (const { articleReference, preparedQuantity } of list(report.lignes))
      add(articleReference, Number(preparedQuantity));
    for (const { articleReference, shippedQuantityInPackage } of entries)
      add(articleReference, -Number(shippedQuantityInPackage));
    assert.deepEqual(
      [...left.values()].filter((quantity) => quantity !== 0),
      [],
      JSON.stringify(report).slice(0, 200),
    );
  }
}

/** The details of each line of a reception sum to it. */
export function assertDetailsSum(reports: readonly Published[]): void {
  for (const line of reports.flatMap(({ entries }) => list(entries)))
    assert.equal(sum(list(line.details), 'receivedQuantity'), line.receivedQuantity);
}

/** Every code of 8, 12, 13 or 14 digits and every SSCC has its check digit (GS1). @returns how many there are */
export function assertCheckDigits(articles: readonly Published[], reports: readonly Published[]): number {
  const barcodes = articles.flatMap((article) => [
    ...list(article.barcodes),
    ...list(article.logisticalVariants).flatMap((variant) => list(variant.barcodes)),
  ]);
  const parcels = reports.flatMap((report) => list(report.parcels));
  const codes = [
    ...barcodes.map(({ code }) => String(code)).filter((code) => /^(\d{8}|\d{12,14})$/.test(code)),
    ...parcels
      .flatMap(({ packageSSCC, palletSSCC }) => [packageSSCC, palletSSCC])
      .filter((code) => code !== null)
      .map(String),
  ];
  for (const code of codes) assert.equal(checkDigit(code.slice(0, -1)), code.at(-1), code);
  return codes.length;
}

interface CodeList {
  readonly fields: readonly string[];
  readonly codes: readonly { readonly code: unknown }[];
}

/** Every code of these records is in the lists that the interface publishes. @returns how many were looked up */
export function assertCodesKnown({ document }: DemoServer, name: string, records: readonly Published[]): number {
  const published = new Map<string, CodeList>(Object.entries(Object(document['x-code-lists'])));
  const codesOf = new Map<string, ReadonlySet<unknown>>();
  for (const { fields, codes } of published.values())
    for (const field of fields) codesOf.set(field, new Set(codes.map(({ code }) => code)));
  let seen = 0;
  const look = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const element of value) look(element, path);
    else if (typeof value === 'object' && value !== null)
      for (const [field, inner] of Object.entries(value)) look(inner, `${path}.${field}`);
    else if (value !== null && codesOf.has(path)) {
      assert.ok(codesOf.get(path)?.has(value), `${path}: ${String(value)} is no code that is published`);
      seen += 1;
    }
  };
  for (const record of records) look(record, name);
  return seen;
}
