// Random requests to POST /articles on every engine, against a plain model: what is answered, and what is there
// afterwards.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { article } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { rounds } from '../contract/rounds.ts';

/** Faults that an item can have, with the code that each is refused with. */
const faults = {
  unknown: 'unknown-property',
  type: 'wrong-type',
  readOnly: 'read-only',
  barcode: 'duplicate',
  name: 'wrong-activity',
  long: 'too-long',
} as const;

interface Item {
  readonly activity: 'NOR' | 'SOU' | 'XXX' | null;
  readonly reference: string | null;
  readonly price: number;
  readonly faults: readonly (keyof typeof faults)[];
}
interface Mode {
  readonly onExisting: 'replace' | 'reject' | 'skip' | null;
  readonly atomic: boolean;
  readonly dryRun: boolean;
}
interface Request extends Mode {
  readonly items: readonly (Item | null)[];
  readonly principal: 'north' | 'both';
}

const anyItem: fc.Arbitrary<Item | null> = fc.option(
  fc.record({
    activity: fc.constantFrom('NOR', 'NOR', 'NOR', 'SOU', 'SOU', 'XXX', null),
    reference: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('A', 'B', 'C', 'D/E', 'é') },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    price: fc.integer({ min: 1, max: 2 }),
    faults: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.uniqueArray(fc.constantFrom('unknown', 'type', 'readOnly', 'barcode', 'name', 'long'), {
          minLength: 1,
          maxLength: 2,
        }),
      },
    ),
  }),
  { freq: 15 },
);

const anyRequest: fc.Arbitrary<Request> = fc.record({
  items: fc.array(anyItem, { minLength: 1, maxLength: 6 }),
  principal: fc.constantFrom('north', 'both'),
  onExisting: fc.constantFrom(null, 'replace', 'reject', 'skip'),
  atomic: fc.boolean(),
  dryRun: fc.boolean(),
});

/** What there is, by key: the price that a client gave, and the alcohol data that only the warehouse can give. */
type State = ReadonlyMap<string, { readonly price: number; readonly degree: number | null }>;

let runs = 0;

for (const engine of engines) {
  describe(`random requests to POST /articles on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => (running = await startApp(engine)));
    after(() => running.close());

    it('are answered as a plain model says, and leave what it says', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyRequest, { minLength: 1, maxLength: 5 }), async (requests) => {
          runs += 1;
          const prefix = `R${runs}-`;
          await running.load(article, 'NOR', [{ ...withoutOwner(prefix, 'A', 1), alcool: { degree: 4.5 } }]);
          let state: State = new Map([[`NOR/${prefix}A`, { price: 1, degree: 4.5 }]]);
          for (const request of requests) {
            const position = await running.app.store.outbox.ends(['NOR', 'SOU']);
            const answer = await running.send(
              `/v1/articles${queryOf(request)}`,
              request.items.map((item) => (item === null ? 7 : bodyOf(prefix, item))),
              { token: running.tokens[request.principal] },
            );
            const expected = model(prefix, state, request);
            assert.equal(answer.status, 200, answer.body);
            assert.deepEqual(
              {
                status: answer.object().status,
                passed: answer.object().passed,
                errors: codesOf(answer.object().errors),
              },
              expected.answer,
            );
            const { entries } = await running.app.store.outbox.read(['NOR', 'SOU'], position, 100);
            assert.deepEqual(
              entries
                .map(({ activity, body }) => `${activity}/${Reflect.get(Object(JSON.parse(body)), 'articleReference')}`)
                .toSorted(),
              expected.changes.toSorted(),
            );
            state = expected.state;
            assert.deepEqual(await readable(running, prefix), Object.fromEntries(state));
          }
        }),
        { numRuns: rounds(60) },
      );
    });
  });
}

function model(
  prefix: string,
  state: State,
  { items, principal, onExisting, atomic, dryRun }: Request,
): { readonly answer: object; readonly state: State; readonly changes: readonly string[] } {
  const own = principal === 'north' ? ['NOR'] : ['NOR', 'SOU'];
  const taken = new Set<string>();
  const resolved = items.map((item, index) => {
    if (item === null) return { key: `#${index}`, codes: ['wrong-type'], item };
    const codes = codesFor(item, own);
    const name = nameOf(prefix, item);
    if (name === null) return { key: `#${index}`, codes, item };
    if (taken.has(name)) return { key: `#${index}`, codes: [...codes, 'duplicate-in-request'], item };
    taken.add(name);
    // Compared with what is stored, as read-only properties are: of what could be taken otherwise.
    if (codes.length === 0 && item.faults.includes('name')) return { key: name, codes: ['wrong-activity'], item };
    if (codes.length === 0 && onExisting === 'reject' && state.has(name)) return { key: name, codes: ['exists'], item };
    return { key: name, codes, item };
  });
  const nothing = atomic && resolved.some(({ codes }) => codes.length > 0);
  const passed = nothing ? [] : resolved.filter(({ codes }) => codes.length === 0);
  const failed = resolved.filter(({ codes }) => nothing || codes.length > 0);
  const after = new Map(state);
  const changes: string[] = [];
  for (const { key, item } of dryRun ? [] : passed) {
    const before = after.get(key);
    if (item === null || before?.price === item.price || (before !== undefined && onExisting === 'skip')) continue;
    after.set(key, { price: item.price, degree: before?.degree ?? null });
    changes.push(key);
  }
  const status = failed.length === 0 ? 200 : passed.length === 0 ? 422 : 207;
  const errors = Object.fromEntries(
    failed.map(({ key, codes }) => [key, codes.length === 0 ? ['not-attempted'] : codes.toSorted()]),
  );
  return { answer: { status, passed: passed.map(({ key }) => key), errors }, state: after, changes };
}

function codesFor(item: Item, own: readonly string[]): string[] {
  const known = item.activity !== null && own.includes(item.activity);
  return [
    ...item.faults.filter((fault) => fault !== 'name').map((fault) => faults[fault]),
    ...(item.activity === null ? ['required'] : known ? [] : ['activity-forbidden']),
    ...(item.reference === null ? ['required'] : []),
  ];
}

function nameOf(prefix: string, { activity, reference }: Item): string | null {
  return activity === null || reference === null ? null : `${activity}/${prefix}${reference}`;
}

function bodyOf(prefix: string, item: Item): Record<string, unknown> {
  const has = (fault: keyof typeof faults): boolean => item.faults.includes(fault);
  return {
    ...(item.activity === null ? {} : { activityCode: item.activity }),
    ...withoutOwner(prefix, item.reference, item.price),
    ...(has('unknown') ? { colour: 'red' } : {}),
    ...(has('type') ? { articleType: 'x' } : {}),
    ...(has('readOnly') ? { id: 'x' } : {}),
    ...(has('barcode') ? { barcodes: [{ code: '1' }, { code: '1' }] } : {}),
    ...(has('name') ? { activityName: 'Another' } : {}),
    ...(has('long') ? { customsCode: 'x'.repeat(16) } : {}),
  };
}

function withoutOwner(prefix: string, reference: string | null, price: number): Record<string, unknown> {
  const named = reference === null ? {} : { articleReference: prefix + reference };
  return {
    ...named,
    longArticleDescription: 'Long',
    shortArticleDescription: 'Short',
    articlePrice1: price,
    barcodes: [{ code: '1', isPrimary: true }],
  };
}

function queryOf({ onExisting, atomic, dryRun }: Request): string {
  return `?${onExisting === null ? '' : `onExisting=${onExisting}&`}atomic=${atomic}&dryRun=${dryRun}`;
}

function codesOf(errors: unknown): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(Object(errors)).map(([key, reasons]) => [
      key,
      Array.isArray(reasons) ? reasons.map(({ code }) => String(code)).toSorted() : [],
    ]),
  );
}

async function readable({ get, tokens }: RunningApp, prefix: string): Promise<Record<string, unknown>> {
  const answer = await get(`/v1/articles?filter=${encodeURIComponent(`articleReference=='${prefix}*'`)}`, {
    token: tokens.both,
  });
  return Object.fromEntries(
    answer
      .list()
      .map((record) => [
        `${record.activityCode}/${record.articleReference}`,
        { price: record.articlePrice1, degree: Reflect.get(Object(record.alcool), 'degree') ?? null },
      ]),
  );
}
