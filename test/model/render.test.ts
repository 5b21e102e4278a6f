// The text that is stored and read: its exact form, what the service assigns, what survives an update, and its columns.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { createChecker } from '../../src/model/check.ts';
import type { Assignment, IncomingRecord, RenderedRecord } from '../../src/model/record.ts';
import { createRenderer } from '../../src/model/render.ts';
import { columnFields, nestedSelectors, type Resource } from '../../src/model/resource.ts';
import {
  article,
  articleStockMovement,
  order,
  orderReport,
  procurementReport,
  resources,
} from '../../src/resources/index.ts';
import { incomingRecord } from './record-arbitrary.ts';
import { validatorOf } from './response-validator.ts';

const context = { activity: 'AUR', activityName: 'Aurora Outfitters' };
const monday = '2026-03-02T08:00:00.000Z';
const tuesday = '2026-03-03T08:00:00.000Z';

describe('a rendered record', () => {
  it('is the exact text that the interface describes', () => {
    const input = {
      articleReference: 'TEE "M"',
      movedQuantity: -2,
      movementTimestamp: '2026-03-02T07:59:00+01:00',
      movementReason: null,
    };
    assert.equal(
      render(articleStockMovement, input, assignment(monday)).body,
      '{"id":1,"dateCreation":"2026-03-02T08:00:00.000Z","dateLastUpdate":"2026-03-02T08:00:00.000Z",' +
        '"activityCode":null,"stockUnitID":null,' +
        '"movementTimestamp":"2026-03-02T06:59:00.000Z","articleReference":"TEE \\"M\\"","movedQuantity":-2,' +
        '"movementDirection":null,"movementCode":null,' +
        '"movementReason":null,"gradeCode":null,"dateProcessed":null}',
    );
  });

  it('has its columns in the order of the definition, instants as milliseconds and booleans as 0 and 1', () => {
    const input = {
      articleReference: 'A1',
      longArticleDescription: 'Long',
      shortArticleDescription: 'Short',
      articleType: 2,
      disableProduit: true,
      customField1: '2026-01-31',
    };
    const { columns } = render(article, input, assignment(monday));
    const names = [...columnFields(article).keys()];
    assert.equal(columns.length, names.length);
    const stored = names.map((name, index) => [name, columns[index]] as const);
    // The others are null, however many fields are added.
    assert.deepEqual(Object.fromEntries(stored.filter(([, value]) => value !== null)), {
      activityCode: 'AUR',
      articleReference: 'A1',
      shortArticleDescription: 'Short',
      dateCreated: Date.parse(monday),
      dateLastUpdated: Date.parse(monday),
      articleType: 2,
      customField1: Date.parse('2026-01-31'),
      disableProduit: 1,
      id: uuid(1),
    });
  });

  it('keeps what is unpublished in its columns alone', () => {
    const { body, columns } = render(procurementReport, { uniqueProcurementID: 'PO-1' }, assignment(monday));
    assert.equal(body.includes('PO-1'), false);
    assert.equal(columns.at(-1), 'PO-1');
  });

  it('has a row for each element and nested selector, nulls included', () => {
    const input = {
      articleReference: 'A1',
      longArticleDescription: 'Long',
      shortArticleDescription: 'Short',
      barcodes: [{ code: '1' }, { code: '2' }],
      logisticalVariants: [
        { logisticalVariantCode: 'UVC', barcodes: [{ code: '3' }] },
        { logisticalVariantCode: 'PCB' },
      ],
    };
    assert.deepEqual(render(article, input, assignment(monday)).nested, [
      { selector: 'barcodes.code', value: '1' },
      { selector: 'barcodes.code', value: '2' },
      { selector: 'logisticalVariants.logisticalVariantCode', value: 'UVC' },
      { selector: 'logisticalVariants.logisticalVariantCode', value: 'PCB' },
      { selector: 'logisticalVariants.barcodes.code', value: '3' },
    ]);
    const { nested } = render(order, { orderUniqueID: 'O1', orderEntries: [{ orderLineID: '1' }] }, assignment(monday));
    assert.deepEqual(nested, [{ selector: 'orderEntries.articleReference', value: null }]);
  });

  it('gets ids from the outside in, and a parcel entry the id of its parcel', () => {
    const input = {
      orderUniqueID: 'O1',
      lignes: [{ orderLineID: '1' }],
      parcels: [
        { packageNumber: 'P1', entries: [{ articleReference: 'A' }] },
        { packageNumber: 'P2', entries: [{ articleReference: 'B' }] },
      ],
    };
    const report = read(render(orderReport, input, assignment(monday)));
    assert.equal(report.id, 1);
    assert.deepEqual(ids(report.lignes), [2]);
    assert.deepEqual(ids(report.parcels), [3, 5]);
    assert.deepEqual(
      report.parcels?.map(({ entries }) => entries?.map(({ id, parcelId }) => [id, parcelId])),
      [[[4, 3]], [[6, 5]]],
    );
  });

  for (const resource of resources) {
    it(`fits the response schema of ${resource.record}, whatever was sent, first written or replaced`, () => {
      const validate = validatorOf(resource);
      const check = createChecker(resource);
      const renderer = createRenderer(resource);
      const columns = columnFields(resource).size;
      const selectors = new Set(nestedSelectors(resource).map(({ selector }) => selector));
      fc.assert(
        fc.property(incomingRecord(resource), incomingRecord(resource), (first, second) => {
          const before = renderer(accepted(check(first, context)), assignment(monday), null);
          for (const rendered of [
            before,
            renderer(accepted(check(second, context)), assignment(tuesday), before.body),
          ]) {
            assert.ok(validate(JSON.parse(rendered.body)), JSON.stringify(validate.errors));
            assert.equal(rendered.columns.length, columns);
            for (const { selector } of rendered.nested) assert.ok(selectors.has(selector));
          }
        }),
        { numRuns: 50 },
      );
    });

    it(`of ${resource.record} is the same when it is rendered in turns`, async () => {
      const renderer = createRenderer(resource);
      const check = createChecker(resource);
      // Ids are taken in another order, since what is no list comes first.
      const same = { ...assignment(monday), number: () => 7, uuid: () => uuid(7) };
      await fc.assert(
        fc.asyncProperty(incomingRecord(resource), incomingRecord(resource), async (first, second) => {
          let turns = 0;
          const turn = (): undefined => {
            turns += 1;
            return undefined;
          };
          const [one, other] = [first, second].map((input) => accepted(check(input, context)));
          assert.ok(one !== undefined && other !== undefined);
          const before = renderer(one, same, null);
          assert.deepEqual(sorted(await renderer.inTurns(one, same, null, turn)), sorted(before));
          const later = { ...same, now: Date.parse(tuesday) };
          const replaced = renderer(other, later, before.body);
          assert.deepEqual(sorted(await renderer.inTurns(other, later, before.body, turn)), sorted(replaced));
          const lists = Object.entries(resource.fields).filter(([, { kind }]) => kind === 'list');
          const elements = lists.reduce((sum, [name]) => sum + Array(JSON.parse(before.body)[name]).flat().length, 0);
          assert.ok(turns >= elements);
        }),
        { numRuns: 50 },
      );
    });

    it(`of ${resource.record} that is written again unchanged differs in its own update date alone`, () => {
      const renderer = createRenderer(resource);
      const check = createChecker(resource);
      const updated = Object.keys(resource.fields).find((name) => resource.fields[name]?.assigned === 'updated') ?? '';
      fc.assert(
        fc.property(incomingRecord(resource), (input) => {
          const incoming = accepted(check(input, context));
          const before = renderer(incoming, assignment(monday), null).body;
          const after = renderer(incoming, assignment(tuesday, 1000), before).body;
          assert.deepEqual(JSON.parse(after), { ...JSON.parse(before), [updated]: tuesday });
        }),
        { numRuns: 50 },
      );
    });
  }
});

describe('a replaced record', () => {
  it('keeps its id and creation date, and gets the time of the write as its update date', () => {
    const before = render(order, { orderUniqueID: 'O1', paymentMode: 'Card' }, assignment(monday));
    const after = read(render(order, { orderUniqueID: 'O1' }, assignment(tuesday, 1000), before.body));
    assert.deepEqual(
      [after.id, after.internalId, after.dateCreation, after.dateLastUpdate],
      [uuid(1), 1, monday, tuesday],
    );
    assert.equal(after.paymentMode, null);
  });

  it('keeps what was assigned to its elements by their key, whatever their place', () => {
    const before = render(order, lines(['1', 'A'], ['2', 'B'], ['3', 'C']), assignment(monday));
    const after = read(
      render(order, lines(['3', 'C'], ['4', 'D'], ['1', 'X']), assignment(tuesday, 1000), before.body),
    );
    assert.deepEqual(
      after.orderEntries?.map((line) => [line.orderLineID, line.id, line.dateCreation, line.dateLastUpdate]),
      [
        ['3', 4, monday, monday],
        ['4', 1001, tuesday, tuesday],
        ['1', 2, monday, tuesday],
      ],
    );
  });

  it('tells elements with the same key apart by their order', () => {
    const before = render(order, lines(['1', 'A'], ['1', 'B']), assignment(monday));
    const after = read(
      render(order, lines(['1', 'A'], ['1', 'B'], ['1', 'C']), assignment(tuesday, 1000), before.body),
    );
    assert.deepEqual(ids(after.orderEntries), [2, 3, 1001]);
  });

  it('changes the update date of a parcel whose contents change, and of those contents, but of no other', () => {
    const input = (quantity: number) => ({
      orderUniqueID: 'O1',
      lignes: [{ orderLineID: '1' }],
      parcels: [
        {
          packageNumber: 'P1',
          entries: [{ articleReference: 'A', shippedQuantityInPackage: quantity }, { articleReference: 'B' }],
        },
        { packageNumber: 'P2', entries: [{ articleReference: 'A' }] },
      ],
    });
    const before = render(orderReport, input(1), assignment(monday));
    const after = read(render(orderReport, input(2), assignment(tuesday, 1000), before.body));
    assert.deepEqual(dates(after.lignes), [monday]);
    assert.deepEqual(dates(after.parcels), [tuesday, monday]);
    assert.deepEqual(
      after.parcels?.map(({ entries }) => dates(entries)),
      [[tuesday, monday], [monday]],
    );
    assert.deepEqual(
      after.parcels?.map(({ entries }) => ids(entries)),
      [[4, 5], [7]],
    );
  });

  it('keeps the id of a nested record that stays, and gives one to a nested record that comes', () => {
    const least = { articleReference: 'A1', longArticleDescription: 'Long', shortArticleDescription: 'Short' };
    const without = render(article, least, assignment(monday));
    assert.equal(read(without).alcool, null);
    const first = render(article, { ...least, alcool: { degree: 4 } }, assignment(monday, 100), without.body);
    const second = render(article, { ...least, alcool: { degree: 5 } }, assignment(tuesday, 1000), first.body);
    assert.equal(read(first).alcool?.id, uuid(101));
    assert.equal(read(second).alcool?.id, uuid(101));
    assert.equal(read(second).id, uuid(1));
  });

  it('matches elements by their place where nothing identifies them', () => {
    const details = article.fields.logisticalVariants;
    const unkeyed: Resource = {
      ...article,
      fields: { ...article.fields, logisticalVariants: { ...details, key: [] } },
    };
    const variants = (...codes: readonly string[]) => ({
      articleReference: 'A1',
      longArticleDescription: 'L',
      shortArticleDescription: 'S',
      logisticalVariants: codes.map((code) => ({ logisticalVariantCode: code })),
    });
    const before = render(unkeyed, variants('UVC', 'PCB'), assignment(monday));
    const after = read(render(unkeyed, variants('PAL', 'PCB', 'UVC'), assignment(tuesday, 1000), before.body));
    assert.deepEqual(ids(after.logisticalVariants), [uuid(2), uuid(3), uuid(1001)]);
  });

  it('gets the fields that its stored text lacks, and counts an element that says nothing new as unchanged', () => {
    const before: Node = JSON.parse(render(order, lines(['1', 'A']), assignment(monday)).body);
    const { gradeCode: _, ...line } = { ...before.orderEntries?.[0] };
    const older = JSON.stringify({ ...before, internalId: undefined, orderEntries: [line] });
    const after = read(render(order, lines(['1', 'A']), assignment(tuesday, 1000), older));
    assert.equal(after.internalId, 1001);
    assert.deepEqual(after.orderEntries, before.orderEntries);
  });
});

/** As much of the rendered records as these tests look at. */
interface Node {
  readonly id?: unknown;
  readonly internalId?: number;
  readonly parcelId?: number;
  readonly orderLineID?: string;
  readonly gradeCode?: string | null;
  readonly paymentMode?: string | null;
  readonly dateCreation?: string;
  readonly dateLastUpdate?: string;
  readonly alcool?: Node | null;
  readonly lignes?: readonly Node[];
  readonly parcels?: readonly Node[];
  readonly entries?: readonly Node[];
  readonly orderEntries?: readonly Node[];
  readonly logisticalVariants?: readonly Node[];
}

function render(
  resource: Resource,
  input: unknown,
  assign: Assignment,
  previous: string | null = null,
): RenderedRecord {
  return createRenderer(resource)(accepted(createChecker(resource)(input, context)), assign, previous);
}

function read({ body }: RenderedRecord): Node {
  return JSON.parse(body);
}

function ids(elements: readonly Node[] | undefined): readonly unknown[] | undefined {
  return elements?.map(({ id }) => id);
}

function dates(elements: readonly Node[] | undefined): readonly (string | undefined)[] | undefined {
  return elements?.map(({ dateLastUpdate }) => dateLastUpdate);
}

function lines(...given: readonly (readonly [id: string, article: string])[]): unknown {
  return {
    orderUniqueID: 'O1',
    orderEntries: given.map(([orderLineID, articleReference]) => ({ orderLineID, articleReference })),
  };
}

/** Counts from `start` on: numbers and UUIDs each in their own series. */
function assignment(now: string, start = 0): Assignment {
  let numbers = start;
  let uuids = start;
  const uuidOf = (): string => {
    uuids += 1;
    return uuid(uuids);
  };
  return { number: () => (numbers += 1), uuid: uuidOf, now: Date.parse(now) };
}

function uuid(count: number): string {
  return `019b9c3e-5c00-7a41-8d2f-${String(count).padStart(12, '0')}`;
}

/** Values for nested selectors have no order. */
function sorted({ nested, ...others }: RenderedRecord): object {
  return { ...others, nested: nested.map((each) => JSON.stringify(each)).toSorted() };
}

function accepted(checked: ReturnType<ReturnType<typeof createChecker>>): IncomingRecord {
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.record;
}
