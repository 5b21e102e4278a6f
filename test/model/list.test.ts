// A list request to a plan: parameters, cursors and what they mean together.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { listParameters } from '../../src/model/list-parameters.ts';
import { readCursor } from '../../src/model/cursor.ts';
import { planList } from '../../src/model/list.ts';
import { nextCursor, nextQuery } from '../contract/continuation.ts';
import type { ListRequest } from '../../src/model/list.ts';
import type { Condition, ListPlan } from '../../src/model/plan.ts';
import { Problem } from '../../src/model/problem.ts';
import {
  article,
  articleStock,
  articleStockMovement,
  order,
  procurement,
  resources,
} from '../../src/resources/index.ts';
import { writtenFilter, writtenSort } from '../contract/arbitrary.ts';
import { rounds } from '../contract/rounds.ts';

type Pairs = ListRequest['query'];

const noon = Date.UTC(2026, 0, 31, 12);

function request(query: Pairs, other: Partial<ListRequest> = {}): ListRequest {
  return {
    resource: order,
    endpoint: 'listOrders',
    activities: ['ABC', 'XY'],
    fixed: [],
    query,
    now: noon,
    secret: 'a secret of this database',
    history: '01890000-0000-7000-8000-000000000001',
    ...other,
  };
}

const stockList = { resource: articleStock } as const;

const plan = (query: Pairs, other: Partial<ListRequest> = {}): ListPlan => planList(request(query, other)).plan;

function refusal(query: Pairs, other: Partial<ListRequest> = {}): Problem {
  try {
    planList(request(query, other));
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error;
  }
  return assert.fail(`accepted: ${JSON.stringify(query)}`);
}

/** The cursor that follows a page of this request. */
function cursorOf(query: Pairs, next: ListPlan['after'], other: Partial<ListRequest> = {}): string {
  const asked = request(query, other);
  return nextCursor(planList(asked), next);
}

const equals = (selector: string, value: string | number): Condition => ({ op: '==', selector, value });

describe('a list request that is refused', () => {
  const cases: readonly (readonly [query: Pairs, slug: string, parameter: string, other?: Partial<ListRequest>])[] = [
    [[['limit', '0']], 'invalid-parameter', 'limit'],
    [[['limit', '-1']], 'invalid-parameter', 'limit'],
    [[['limit', 'ten']], 'invalid-parameter', 'limit'],
    [[['limit', '1.5']], 'invalid-parameter', 'limit'],
    [[['limit', '1e1']], 'invalid-parameter', 'limit'],
    [[['limit', '']], 'invalid-parameter', 'limit'],
    [
      [
        ['limit', '10'],
        ['limit', '10'],
      ],
      'invalid-parameter',
      'limit',
    ],
    [
      [
        ['filter', 'id==A'],
        ['filter', 'id==A'],
      ],
      'invalid-parameter',
      'filter',
    ],
    [
      [
        ['sort', 'id'],
        ['sort', '-id'],
      ],
      'invalid-parameter',
      'sort',
    ],
    [
      [
        ['updatedSince', '2026-01-01'],
        ['updatedSince', '2026-01-01'],
      ],
      'invalid-parameter',
      'updatedSince',
    ],
    [[['updatedSince', '']], 'invalid-parameter', 'updatedSince'],
    [[['updatedSince', 'yesterday']], 'invalid-parameter', 'updatedSince'],
    [[['updatedSince', '2026-02-30']], 'invalid-parameter', 'updatedSince'],
    [[['filter', 'nope==1']], 'invalid-filter', 'filter'],
    [[['filter', ' ']], 'invalid-filter', 'filter'],
    [[['sort', 'nope']], 'invalid-sort', 'sort'],
    [[['sort', 'orderEntries.articleReference']], 'invalid-sort', 'sort'],
    [[['internalId', 'A']], 'invalid-parameter', 'internalId'],
    [
      [
        ['internalId', '1'],
        ['internalId', ''],
      ],
      'invalid-parameter',
      'internalId',
    ],
    [[['internalId', '1*']], 'invalid-parameter', 'internalId'],
    [[['dateCreation', '31.01.2026']], 'invalid-parameter', 'dateCreation'],
    [[['id', 'A'.repeat(257)]], 'invalid-parameter', 'id'],
    [[['id', '']], 'invalid-parameter', 'id'],
    [[['id', 'A,B']], 'invalid-parameter', 'id'],
    [[['id', ',']], 'invalid-parameter', 'id'],
    [[['dateCreation', '']], 'invalid-parameter', 'dateCreation'],
    [[['stockImageExtractionDate', '2026-01-31']], 'invalid-parameter', 'stockImageExtractionDate', stockList],
    [[['stockImageExtractionDate', '']], 'invalid-parameter', 'stockImageExtractionDate', stockList],
    [[['id', 'A\0']], 'invalid-parameter', 'id'],
    [Array.from({ length: 101 }, (_, index) => ['id', String(index)] as const), 'invalid-parameter', 'id'],
    [[['disableProduit', '1']], 'invalid-parameter', 'disableProduit', { resource: article }],
    [[['date', '2026-02-01']], 'invalid-parameter', 'date', { resource: articleStock }],
    [[['date', '2026-01-31T12:00:00.001Z']], 'invalid-parameter', 'date', { resource: articleStock }],
    [[['date', 'today']], 'invalid-parameter', 'date', { resource: articleStock }],
    [
      [
        ['date', '2026-01-31'],
        ['date', '2026-01-30'],
      ],
      'invalid-parameter',
      'date',
      { resource: articleStock },
    ],
    [[['date', '2026-01-31']], 'unknown-parameter', 'date'],
    [[['fitler', 'id==A']], 'unknown-parameter', 'fitler'],
    [[['Filter', 'id==A']], 'unknown-parameter', 'Filter'],
    [[['', 'id==A']], 'unknown-parameter', ''],
    [[['orderEntries.articleReference', 'A']], 'unknown-parameter', 'orderEntries.articleReference'],
    [[['uniqueProcurementID', 'A']], 'unknown-parameter', 'uniqueProcurementID'],
    [[['__proto__', 'A']], 'unknown-parameter', '__proto__'],
    [[['constructor', 'A']], 'unknown-parameter', 'constructor'],
    [[['cursor', '']], 'invalid-cursor', 'cursor'],
    [[['cursor', 'AAAA']], 'invalid-cursor', 'cursor'],
    [[['cursor', 'A'.repeat(100)]], 'invalid-cursor', 'cursor'],
    [
      [
        ['cursor', 'A'],
        ['cursor', 'A'],
      ],
      'invalid-parameter',
      'cursor',
    ],
  ];
  for (const [query, slug, parameter, other] of cases) {
    it(`${JSON.stringify(query).slice(0, 80)}: ${slug}`, () => {
      const problem = refusal(query, other);
      assert.equal(problem.slug, slug, problem.detail);
      assert.equal(problem.extra.parameter, parameter);
      assert.deepEqual(Object.keys(problem.extra.errors ?? {}), [parameter]);
    });
  }

  it('says what to write in place of what would be an empty list by mistake', () => {
    const detail = (name: string, value: string, other = {}): string => refusal([[name, value]], other).detail;
    assert.match(detail('id', ''), /leave it out, or write filter=id=null=true .* and filter=id==""/);
    assert.match(detail('internalId', ''), /leave it out, or write filter=internalId=null=true for .* a value\.$/);
    assert.match(detail('id', 'A 1, B&,C'), /are written id=A%201&id=B%26, and .* filter=id=="…"\.$/);
    assert.match(
      detail('internalId', '1,2'),
      /whole number .* Several values are written internalId=…&internalId=…\.$/,
    );
    assert.match(detail('stockImageExtractionDate', '2026-01-31', stockList), /write date=2026-01-31 to see/);
    assert.match(detail('stockImageExtractionDate', 'x&y', stockList), /write date=2026-01-31 to see/);
    const spelled: Pairs = [['filter', 'id==""']];
    assert.deepEqual(plan(spelled).where, [equals('id', '')]);
  });

  it('names the known parameters, and the one that was probably meant', () => {
    const problem = refusal([
      ['fitler', 'id==A'],
      ['colour', 'red'],
    ]);
    assert.match(
      problem.detail,
      /'fitler': did you mean 'filter'\? Known parameters: filter, sort, .*, ownerActivity, id,/,
    );
    assert.deepEqual(problem.extra.knownParameters, listParameters(order));
    assert.deepEqual(Object.keys(problem.extra.errors ?? {}), ['fitler', 'colour']);
  });

  it('says what to do about a plus sign that arrived as a space', () => {
    assert.match(refusal([['updatedSince', '2026-01-31T08:00:00 02:00']]).detail, /%2B or use Z/);
    assert.match(refusal([['dateCreation', '2026-01-31T08:00:00 02:00']]).detail, /%2B or use Z/);
  });

  it('is refused with a Problem whatever the parameters are', () => {
    const name = fc.oneof(fc.constantFrom(...listParameters(order)), fc.string());
    const value = fc.oneof(
      fc.constantFrom('', '1', 'id', 'id==A', '2026-01-31', 'true'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), (query) => {
        try {
          planList(request(query));
        } catch (error) {
          assert.ok(error instanceof Problem, String(error));
        }
      }),
      { numRuns: rounds(1000) },
    );
  });
});

describe('a list request', () => {
  it('without parameters asks for everything in change order', () => {
    assert.deepEqual(plan([]), {
      resource: order,
      activities: ['ABC', 'XY'],
      where: [],
      sort: [],
      after: null,
      updatedSince: null,
      limit: 100,
      imageAt: null,
      walkStarts: null,
    });
  });

  it('treats an empty filter and an empty sort as absent', () => {
    assert.deepEqual(
      plan([
        ['filter', ''],
        ['sort', ''],
      ]),
      plan([]),
    );
  });

  it('takes limits from 1 to 100, and more as 100', () => {
    for (const [text, limit] of [
      ['1', 1],
      ['100', 100],
      ['101', 100],
      ['007', 7],
      ['9'.repeat(400), 100],
    ] as const)
      assert.equal(plan([['limit', text]]).limit, limit);
  });

  it('takes the conditions of the path, the equality parameters and the filter together', () => {
    const fixed = [equals('articleReference', 'A1')];
    const { where } = plan(
      [
        ['filter', 'gradeCode==STD;(id==1,id==2)'],
        ['stockUnitID', 'U1'],
      ],
      { resource: articleStockMovement, fixed },
    );
    assert.deepEqual(where, [
      equals('articleReference', 'A1'),
      equals('gradeCode', 'STD'),
      { op: 'or', of: [equals('id', 1), equals('id', 2)] },
      equals('stockUnitID', 'U1'),
    ]);
  });

  it('takes equality parameters literally, by type, and any of repeated ones', () => {
    const day = Date.UTC(2026, 0, 31);
    const cases: readonly (readonly [Pairs, Condition])[] = [
      [[['id', 'A*']], equals('id', 'A*')],
      [[['id', '"A"']], equals('id', '"A"')],
      [
        [
          ['id', 'B'],
          ['id', 'A'],
          ['id', 'B'],
        ],
        { op: 'in', selector: 'id', values: ['A', 'B'] },
      ],
      [[['internalId', '5']], equals('internalId', 5)],
      [[['dateCreation', '2026-01-31T01:00:00+01:00']], equals('dateCreation', day)],
      [[['dateCreation', '20260131T0100+01']], equals('dateCreation', day)],
      [[['dateCreation', '2026-01-31']], { op: 'range', selector: 'dateCreation', from: day, to: day + 86_400_000 }],
    ];
    for (const [query, condition] of cases) assert.deepEqual(plan(query).where, [condition]);
    assert.deepEqual(plan([['disableProduit', 'true']], { resource: article }).where, [equals('disableProduit', 1)]);
    assert.deepEqual(
      plan(
        [
          ['disableProduit', 'true'],
          ['disableProduit', 'false'],
        ],
        { resource: article },
      ).where,
      [{ op: 'in', selector: 'disableProduit', values: [0, 1] }],
    );
  });

  it('takes updatedSince as an instant or the start of a day, also with a sort', () => {
    assert.equal(plan([['updatedSince', '2026-01-31T01:00:00+01:00']]).updatedSince, Date.UTC(2026, 0, 31));
    const both = plan([
      ['updatedSince', '2026-01-31'],
      ['sort', '-id'],
    ]);
    assert.deepEqual([both.updatedSince, both.sort], [Date.UTC(2026, 0, 31), [{ field: 'id', descending: true }]]);
  });

  it('takes the date of an image as an instant or the end of a day, today included', () => {
    const stock = { resource: articleStock };
    assert.equal(plan([['date', '2026-01-30']], stock).imageAt, Date.UTC(2026, 0, 31) - 1);
    assert.equal(plan([['date', '2026-01-31']], stock).imageAt, Date.UTC(2026, 1, 1) - 1);
    assert.equal(plan([['date', '2026-01-31T12:00:00Z']], stock).imageAt, noon);
  });

  it('sorts and dedupes the activities', () => {
    assert.deepEqual(plan([], { activities: ['XY', 'ABC', 'XY'] }).activities, ['ABC', 'XY']);
  });

  it('reads no activity that a condition on the published activity leaves out', () => {
    assert.deepEqual(plan([['activityCode', 'XY']]).activities, ['XY']);
    assert.deepEqual(plan([['filter', 'activityCode==XY;id==A']]).activities, ['XY']);
    assert.deepEqual(
      plan([
        ['activityCode', 'XY'],
        ['activityCode', 'ZZZ'],
      ]).activities,
      ['XY'],
    );
    assert.deepEqual(
      plan([['filter', 'activityCode=in=(XY,ABC);id==A']]).where,
      [{ op: '==', selector: 'id', value: 'A' }],
      'what the activities say already need not be looked for',
    );
    assert.equal(plan([['filter', 'activityCode!=XY']]).where.length, 1);
    assert.deepEqual(plan([['filter', 'activityCode==XY,id==A']]).activities, ['ABC', 'XY']);
    assert.deepEqual(
      plan([['activityCode', 'XY']], { resource: articleStockMovement }).activities,
      ['ABC', 'XY'],
      'the event code of a movement is no activity',
    );
  });

  it('reads the activity of ownerActivity alone, whatever activityCode means in the resource', () => {
    assert.deepEqual(plan([['ownerActivity', 'XY']]).activities, ['XY']);
    assert.deepEqual(plan([['ownerActivity', 'XY']]).where, []);
    const both: Pairs = [
      ['ownerActivity', 'XY'],
      ['activityCode', 'ABC'],
    ];
    assert.deepEqual(plan(both, { resource: articleStockMovement }), {
      ...plan([['activityCode', 'ABC']], { resource: articleStockMovement }),
      activities: ['XY'],
    });
    assert.deepEqual(plan(both).where[0], { op: 'in', selector: 'activityCode', values: [] });
  });

  it('refuses the ownerActivity of somebody else, naming at most fifty of its own', () => {
    const many = Array.from({ length: 60 }, (_, index) => `A${String(index).padStart(2, '0')}`);
    const { slug, message } = refusal([['ownerActivity', 'ZZZ']], { activities: many });
    assert.equal(slug, 'invalid-parameter');
    assert.match(message, /A00, A01,.*A49, and 10 more\.$/);
  });

  it('tells a lost activity of a cursor with ownerActivity as a cursor that does not fit', () => {
    const cursor = cursorOf([['ownerActivity', 'XY']], { XY: 5 });
    assert.equal(refusal([['cursor', cursor]], { activities: ['ABC'] }).slug, 'cursor-mismatch');
    assert.deepEqual(plan([['cursor', cursor]], { activities: ['ABC', 'NEW', 'XY'] }).after, { XY: 5 });
  });

  it("matches nothing for an activity that is not the caller's", () => {
    const { activities, where } = plan([['activityCode', 'ZZZ']]);
    assert.deepEqual(activities, ['ABC', 'XY']);
    assert.deepEqual(where[0], { op: 'in', selector: 'activityCode', values: [] });
  });

  for (const resource of resources) {
    it(`of ${resource.name} carries any filter and sort into the plan and through its cursor`, () => {
      fc.assert(
        fc.property(writtenFilter(resource), writtenSort(resource), fc.nat(150), (filter, sort, limit) => {
          const query: Pairs = [
            ['filter', filter.text],
            ['sort', sort.text],
            ['limit', String(limit + 1)],
          ];
          const asked = request(query, { resource });
          const planned = planList(asked);
          assert.deepEqual(planned.plan.sort, sort.keys);
          const next =
            sort.keys.length === 0
              ? { ABC: 5, XY: 0 }
              : { values: sort.keys.map(() => null), activity: 'ABC', tieBreaker: 5 };
          const following = planList({ ...asked, query: nextQuery(planned, next) });
          const after =
            sort.keys.length > 0
              ? next
              : Object.fromEntries(planned.plan.activities.map((activity) => [activity, activity === 'ABC' ? 5 : 0]));
          assert.deepEqual(following.plan, { ...planned.plan, after });
          assert.deepEqual(nextQuery(following, next), nextQuery(planned, next));
        }),
        { numRuns: rounds(100) },
      );
    });
  }
});

describe('a cursor of a list', () => {
  const query: Pairs = [
    ['sort', '+id'],
    ['filter', 'id==A*'],
    ['limit', '7'],
    ['operationType', 'B'],
    ['operationType', 'A'],
    ['updatedSince', '2026-01-31'],
  ];
  const last = { values: ['A1'], activity: 'ABC', tieBreaker: 5 };

  it('goes on with its query alone', () => {
    assert.deepEqual(plan([['cursor', cursorOf(query, last)]]), { ...plan(query), after: last });
    assert.deepEqual(plan([['cursor', cursorOf([], { ABC: 5 })]]), { ...plan([]), after: { ABC: 5, XY: 0 } });
    assert.deepEqual(
      plan([['cursor', cursorOf([['date', '2026-01-31']], { ABC: 5 }, { resource: articleStock })]], {
        resource: articleStock,
      }),
      { ...plan([['date', '2026-01-31']], { resource: articleStock }), after: { ABC: 5, XY: 0 } },
    );
  });

  it('takes the same parameters beside it, in any order and spelling, and another limit', () => {
    const cursor = ['cursor', cursorOf(query, last)] as const;
    const same: readonly Pairs[] = [
      query,
      query.toReversed(),
      [['sort', 'id']],
      [['filter', 'id=="A*"']],
      [
        ['operationType', 'A'],
        ['operationType', 'B'],
      ],
      [['updatedSince', '2026-01-31T00:00:00Z']],
      [['filter', '']],
    ];
    for (const pairs of same)
      assert.deepEqual(plan([...pairs, cursor]), { ...plan(query), after: last }, JSON.stringify(pairs));
    assert.deepEqual(plan([cursor, ['limit', '50']]), { ...plan(query), after: last, limit: 50 });
  });

  it('refuses other parameters beside it', () => {
    const other: readonly Pairs[] = [
      [['sort', '-id']],
      [['filter', 'id==A']],
      [['operationType', 'A']],
      [['updatedSince', '2026-01-30']],
      [['dateCreation', '2026-01-31']],
      [['activityCode', 'ABC']],
    ];
    for (const pairs of other)
      assert.equal(
        refusal([...pairs, ['cursor', cursorOf(query, last)]]).slug,
        'cursor-mismatch',
        JSON.stringify(pairs),
      );
    assert.equal(
      refusal([
        ['sort', 'id'],
        ['cursor', cursorOf([], { ABC: 5 })],
      ]).slug,
      'cursor-mismatch',
    );
    assert.equal(
      refusal([
        ['fitler', 'x'],
        ['cursor', cursorOf([], { ABC: 5 })],
      ]).slug,
      'unknown-parameter',
    );
  });

  it('serves no other path, endpoint or database', () => {
    const one = {
      endpoint: 'listMovementsOfArticle',
      resource: articleStockMovement,
      fixed: [equals('articleReference', 'A1')],
    };
    const cursor: Pairs = [['cursor', cursorOf([], { ABC: 5 }, one)]];
    assert.deepEqual(plan(cursor, one).after, { ABC: 5, XY: 0 });
    assert.equal(refusal(cursor, { ...one, fixed: [equals('articleReference', 'A2')] }).slug, 'cursor-mismatch');
    assert.equal(refusal(cursor, { ...one, endpoint: 'listMovements' }).slug, 'cursor-mismatch');
    assert.equal(refusal(cursor, { ...one, history: 'another history' }).slug, 'cursor-expired');
    assert.equal(refusal(cursor, { ...one, secret: 'another secret' }).slug, 'invalid-cursor');
  });

  it('is refused when an activity was lost', () => {
    for (const [pairs, next] of [
      [[], { ABC: 5, XY: 6 }],
      [[], { ABC: 5 }],
      [query, last],
    ] as const) {
      assert.equal(refusal([['cursor', cursorOf(pairs, next)]], { activities: ['ABC'] }).slug, 'cursor-mismatch');
    }
  });

  it('reads an activity that was gained from its start in change order, and is refused in value order', () => {
    const activities = ['ABC', 'NEW', 'XY'];
    assert.deepEqual(plan([['cursor', cursorOf([], { ABC: 5, XY: 6 })]], { activities }).after, {
      ABC: 5,
      NEW: 0,
      XY: 6,
    });
    assert.equal(refusal([['cursor', cursorOf(query, last)]], { activities }).slug, 'cursor-mismatch');
  });

  it('of one activity of several is not touched by the others', () => {
    const pairs: Pairs = [['activityCode', 'ABC']];
    for (const activities of [['ABC'], ['ABC', 'NEW']]) {
      assert.deepEqual(plan([['cursor', cursorOf(pairs, { ABC: 5 })]], { activities }).after, { ABC: 5 });
      assert.deepEqual(plan([['cursor', cursorOf([...pairs, ['sort', 'id']], last)]], { activities }).after, last);
    }
    assert.equal(refusal([['cursor', cursorOf(pairs, { ABC: 5 })]], { activities: ['XY'] }).slug, 'cursor-mismatch');
  });

  it("of an activity that is not the caller's begins when it becomes so", () => {
    const cursor = cursorOf([['activityCode', 'NEW']], null);
    assert.deepEqual(plan([['cursor', cursor]], { activities: ['ABC', 'NEW', 'XY'] }).after, { NEW: 0 });
  });

  it('of an empty page stays where the page began', () => {
    assert.deepEqual(plan([['cursor', cursorOf([], null)]]).after, { ABC: 0, XY: 0 });
    assert.deepEqual(plan([['cursor', cursorOf([['cursor', cursorOf([], { ABC: 5, XY: 6 })]], null)]]).after, {
      ABC: 5,
      XY: 6,
    });
    assert.equal(plan([['cursor', cursorOf([['sort', 'id']], null)]]).after, null);
  });

  it('carries long queries too, so that the next address is short and the cursor is enough by itself', () => {
    const references = Array.from({ length: 99 }, (_, index) => `WEB-2026-${String(index * 7919).padStart(6, '0')}`);
    const days = Array.from({ length: 90 }, (_, index) => new Date(noon + index * 86_400_000).toISOString());
    for (const long of [
      [['filter', `orderUniqueID=in=(${references.join()})`]],
      days.flatMap(
        (day): Pairs => [
          ['expectedPrepDate', day],
          ['invoiceIssuanceDate', day],
        ],
      ),
    ] satisfies Pairs[]) {
      const planned = planList(request(long));
      const pairs = nextQuery(planned, { ABC: 5, XY: 6 });
      assert.deepEqual(
        pairs.map(([name]) => name),
        ['cursor'],
      );
      assert.ok((pairs[0]?.[1].length ?? 0) <= 3000, `${pairs[0]?.[1].length}`);
      assert.deepEqual(plan(pairs), { ...planned.plan, after: { ABC: 5, XY: 6 } });
      assert.deepEqual(plan([...long, ...pairs]), plan(pairs), 'repeating the query is right as well');
    }
  });

  it('carries no query that is too long even when it is compressed, which is then repeated beside it', () => {
    let drawn = 1;
    const anyCharacter = (): string => {
      drawn = (drawn * 48_271) % 2_147_483_647;
      return String.fromCodePoint(0x4e00 + (drawn % 20_000));
    };
    const value = (): string => Array.from({ length: 250 }, anyCharacter).join('');
    const long: Pairs = [
      ['filter', `orderUniqueID=in=("${Array.from({ length: 7 }, value).join('","')}")`],
      ['sort', 'id,orderUniqueID,customerOrderID'],
    ];
    const next = {
      values: ['😀'.repeat(36), '😀'.repeat(20), '😀'.repeat(30)],
      activity: 'ABC',
      tieBreaker: Number.MAX_SAFE_INTEGER,
    };
    const asked = request(long);
    const planned = planList(asked);
    const pairs = nextQuery(planned, next);
    const [[name, cursor] = ['', '']] = pairs;
    assert.equal(name, 'cursor');
    assert.ok(cursor.length < 1000, `${cursor.length}`);
    assert.deepEqual(plan(pairs), { ...planned.plan, after: next });
    assert.deepEqual(plan([['limit', '3'], ...pairs]).limit, 3);
    const alone = refusal([['cursor', cursor]]);
    assert.equal(alone.slug, 'cursor-mismatch');
    assert.match(alone.detail, /too long to be carried/);
    assert.equal(
      refusal([
        ['cursor', cursor],
        ['sort', 'id'],
      ]).slug,
      'cursor-mismatch',
    );
  });

  it('is shorter than 4 kB at its longest, and than 500 characters in usual cases', () => {
    const usual: Pairs = [
      [
        'filter',
        'dateLastUpdate=ge=2026-01-01T00:00:00Z;activityCode=in=(ABC,DEF);orderEntries.articleReference==A1234567',
      ],
      ['sort', '-dateLastUpdate'],
      ['limit', '50'],
    ];
    assert.ok(cursorOf(usual, { values: [noon], activity: 'ABC', tieBreaker: 123_456_789 }).length < 500);
    const longest: Pairs = [
      ['filter', `gradeCode==${'€'.repeat(256)}`],
      ['sort', 'gradeCode,articleLotNumber,articleReference'],
    ];
    const next = {
      values: ['😀'.repeat(255), '😀'.repeat(35), '😀'.repeat(17)],
      activity: 'ABC',
      tieBreaker: Number.MAX_SAFE_INTEGER,
    };
    const asked = request(longest, { resource: articleStock });
    assert.equal(nextQuery(planList(asked), next).length, 1);
    assert.ok(nextCursor(planList(asked), next).length < 4096);
    const activities = Array.from({ length: 150 }, (_, index) => String(index).padStart(3, '0'));
    assert.ok(
      cursorOf([], Object.fromEntries(activities.map((activity) => [activity, 1_000_000_000])), { activities }).length <
        4096,
    );
  });
});

describe('the fingerprint of a query', () => {
  /** What the cursor of a list carries of its query, the same for all positions. */
  const hash = (query: Pairs, other: Partial<ListRequest> = {}): string => {
    const asked = request(query, other);
    return readCursor(nextCursor(planList(asked), null), asked.endpoint, asked).queryHash;
  };

  it('is the same for the same query in another order, with another limit, and through a cursor', () => {
    const query: Pairs = [
      ['filter', 'id==A'],
      ['operationType', 'A'],
      ['operationType', 'B'],
    ];
    assert.equal(hash(query.toReversed()), hash(query));
    assert.equal(hash([...query, ['limit', '5'], ['sort', '']]), hash(query));
    assert.equal(hash([['cursor', cursorOf(query, { ABC: 5 })]]), hash(query));
  });

  it('differs where the query or the path does', () => {
    const all = [
      hash([]),
      hash([['id', 'A']]),
      hash([['id', 'B']]),
      hash([['sort', 'id']]),
      hash([['updatedSince', '2026-01-31']]),
      hash([], { fixed: [equals('id', 'A')] }),
    ];
    assert.equal(new Set(all).size, all.length);
  });

  it('stays what it was: cursors that clients keep depend on it', () => {
    assert.equal(
      hash(
        [
          ['filter', 'uniqueProcurementID==A'],
          ['sort', '-id'],
        ],
        { resource: procurement, fixed: [equals('supplierCode', 'S')] },
      ),
      'wvmDjsryk96ImKZg',
    );
  });
});
