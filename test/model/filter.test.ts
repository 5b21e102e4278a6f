// The filter language: what it refuses and where, what it means, and that foreign parsers and clients agree.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type { ComparisonNode, ExpressionNode } from '@rsql/ast';
import type { Builder } from '@rsql/builder';
import rsqlParser from '@rsql/parser';
import fc from '../contract/properties.ts';
import { filterFields, parseFilter } from '../../src/model/filter.ts';
import type { FilterFields } from '../../src/model/filter.ts';
import type { Condition } from '../../src/model/plan.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Resource, ScalarField } from '../../src/model/resource.ts';
import { order, resources } from '../../src/resources/index.ts';
import { writtenFilter } from '../contract/arbitrary.ts';
import { rounds } from '../contract/rounds.ts';

// Its types promise a default export that its CommonJS file does not have.
const rsqlBuilder: Builder = createRequire(import.meta.url)('@rsql/builder');

const fields: FilterFields = new Map<string, ScalarField>([
  ['ref', { kind: 'text', max: 17, meaning: 'Reference.' }],
  ['quantity', { kind: 'integer', bits: 32, meaning: 'Quantity.' }],
  ['id', { kind: 'integer', bits: 53, meaning: 'Id.' }],
  ['weight', { kind: 'decimal', meaning: 'Weight.' }],
  ['fragile', { kind: 'boolean', meaning: 'Fragile.' }],
  ['at', { kind: 'date-time', meaning: 'When.' }],
  ['lines.ref', { kind: 'text', max: 17, meaning: 'Reference of a line.' }],
  ['lines.at', { kind: 'date-time', meaning: 'When, of a line.' }],
]);

const day = Date.UTC(2026, 0, 31);
const nextDay = Date.UTC(2026, 1, 1);

function refusal(text: string, known: FilterFields = fields): Problem {
  try {
    parseFilter(text, known);
  } catch (error) {
    assert.ok(error instanceof Problem, `${JSON.stringify(text)}: ${String(error)}`);
    return error;
  }
  return assert.fail(`accepted: ${text}`);
}

describe('a filter that cannot be read', () => {
  const nested = (levels: number): string => '('.repeat(levels) + 'ref==A' + ')'.repeat(levels);
  const cases: readonly (readonly [text: string, code: string, position: number])[] = [
    ['', 'syntax', 0],
    [' ', 'syntax', 0],
    ['ref', 'syntax', 3],
    ['ref=A', 'syntax', 3],
    ['ref = A', 'syntax', 3],
    ['ref== A', 'syntax', 5],
    ['ref==', 'syntax', 5],
    ['ref==A;', 'syntax', 7],
    ['ref==A,', 'syntax', 7],
    ['ref==A or ', 'syntax', 10],
    ['ref==A;;ref==B', 'syntax', 7],
    ['ref==A ;ref==B', 'syntax', 6],
    ['ref==A order==B', 'syntax', 6],
    ['ref==A AND ref==B', 'syntax', 6],
    ['ref==A ', 'syntax', 6],
    [' ref==A', 'syntax', 0],
    ['(ref==A', 'syntax', 7],
    ['ref==A)', 'syntax', 6],
    ['()', 'syntax', 1],
    ['(ref==A)(ref==B)', 'syntax', 8],
    ['ref=="A', 'syntax', 5],
    ['ref==\'A"', 'syntax', 5],
    ['ref=="A\\"', 'syntax', 5],
    ['ref=="A"B', 'syntax', 8],
    ['ref==A=B', 'syntax', 6],
    ['ref==(A,B)', 'syntax', 5],
    ['ref=in=()', 'syntax', 8],
    ['ref=in=(A,)', 'syntax', 10],
    ['ref=in=(A', 'syntax', 9],
    ['ref=in=(A B)', 'syntax', 9],
    ['quantity<>5', 'syntax', 9],
    ['at=ge=2026-01-31T08:00:00 02:00', 'syntax', 25],
    ['"ref"==A', 'syntax', 0],
    ['REF==A', 'unknown-field', 0],
    ['ref==A;reff==B', 'unknown-field', 7],
    ['😀😀==A', 'unknown-field', 0],
    ['ref==😀;nope==B', 'unknown-field', 7],
    ['__proto__==A', 'unknown-field', 0],
    ['constructor==A', 'unknown-field', 0],
    ['$where==A', 'unknown-field', 0],
    ['lines==A', 'unknown-field', 0],
    ['lines.ref.x==A', 'unknown-field', 0],
    ['ref=like=A', 'operator-not-allowed', 3],
    ['ref=IN=(A)', 'operator-not-allowed', 3],
    ['fragile>false', 'operator-not-allowed', 7],
    ['fragile=in=(true,false)', 'operator-not-allowed', 7],
    ['quantity==A', 'bad-value', 10],
    ['quantity==1.5', 'bad-value', 10],
    ['quantity==+1', 'bad-value', 10],
    ['quantity==01', 'bad-value', 10],
    ['quantity==""', 'bad-value', 10],
    ['quantity==2147483648', 'bad-value', 10],
    ['quantity==-2147483649', 'bad-value', 10],
    ['id==9007199254740992', 'bad-value', 4],
    ['weight==1e400', 'bad-value', 8],
    ['weight==.5', 'bad-value', 8],
    ['weight==Infinity', 'bad-value', 8],
    ['weight==0x1F', 'bad-value', 8],
    ['quantity==1*', 'bad-value', 10],
    ['fragile==1', 'bad-value', 9],
    ['fragile==TRUE', 'bad-value', 9],
    ['at==2026-02-30', 'bad-value', 4],
    ['at==yesterday', 'bad-value', 4],
    ['at=="2026-01-31T08:00:00 02:00"', 'bad-value', 4],
    ['at==0000-01-01', 'bad-value', 4],
    ['ref==*', 'bad-value', 5],
    ['ref==*A', 'bad-value', 5],
    ['ref==A*B', 'bad-value', 5],
    ['ref==A**', 'bad-value', 5],
    ['ref=="\\*"*', 'syntax', 9],
    ['ref>A*', 'bad-value', 4],
    ['ref=in=(A,B*)', 'bad-value', 10],
    ['ref==A\0', 'bad-value', 5],
    ['ref==\ud800', 'bad-value', 5],
    ['ref=="\udc00*"', 'bad-value', 5],
    ['ref=null=yes', 'bad-value', 9],
    ['ref=null=1', 'bad-value', 9],
    ['lines.at=out=(2026-01-31)', 'bad-value', 14],
    [nested(6), 'too-complex', 5],
    ['('.repeat(2000), 'too-complex', 5],
    ['('.repeat(2001), 'too-complex', 2000],
    ['('.repeat(1_000_000), 'too-complex', 2000],
    [Array.from({ length: 31 }, () => 'ref==A').join(','), 'too-complex', 210],
    [`ref=in=(${Array.from({ length: 101 }, () => 'A').join(',')})`, 'too-complex', 208],
    [`ref==${'A'.repeat(257)}`, 'too-complex', 5],
    [`ref=="${'A'.repeat(2000)}"`, 'too-complex', 2000],
  ];
  for (const [text, code, position] of cases) {
    it(`${text.length > 60 ? `${text.slice(0, 60)}…` : JSON.stringify(text)}: ${code} at ${position}`, () => {
      const problem = refusal(text);
      assert.equal(problem.slug, 'invalid-filter');
      assert.deepEqual([problem.extra.code, problem.extra.position], [code, position], problem.detail);
      assert.equal(problem.extra.parameter, 'filter');
      assert.deepEqual(problem.extra.allowedFields, [...fields.keys()]);
      assert.deepEqual(problem.extra.errors, { filter: [problem.detail] });
      assert.match(problem.detail, new RegExp(`at position ${position}\\b`));
      assert.ok(problem.detail.length < 400 && !/\p{Cc}/u.test(problem.detail), problem.detail);
    });
  }

  it('names the fields that are allowed, and the one that was probably meant', () => {
    const problem = refusal('quantitty==5');
    assert.deepEqual(problem.extra.allowedFields, [...fields.keys()]);
    assert.match(problem.detail, /did you mean 'quantity'\?/);
    assert.match(refusal('Lines.Ref==5').detail, /did you mean 'lines\.ref'\?/);
    assert.doesNotMatch(refusal('zzz==5').detail, /did you mean/);
  });

  it('says what to do about a plus sign that arrived as a space', () => {
    for (const text of [
      'at>=2026-01-31T08:00:00 02:00',
      '(at>=2026-01-31T08:00:00.5 02:00)',
      'at=="2026-01-31T08:00:00 02:00"',
      'at=in=(2026-01-31T08:00:00 02:00)',
    ]) {
      assert.match(refusal(text).detail, /%2B or use Z/, text);
    }
    assert.doesNotMatch(refusal('ref==A B').detail, /%2B/);
    assert.match(refusal('ref==A B').detail, /has to be quoted/);
  });

  it('says how far an open parenthesis goes', () => {
    assert.match(refusal('ref==A;(ref==B,ref==C').detail, /the '\(' at position 7/);
  });
});

describe('limits of a filter', () => {
  const accepted: readonly string[] = [
    `${'('.repeat(5)}ref==A${')'.repeat(5)}`,
    Array.from({ length: 30 }, () => 'ref==A').join(';'),
    `ref=in=(${Array.from({ length: 100 }, () => 'A').join(',')})`,
    'quantity=in=(-2147483648,2147483647)',
    'id=in=(-9007199254740991,9007199254740991)',
    `ref==${'A'.repeat(256)}`,
    `ref==${'😀'.repeat(256)}`,
    // 2000 characters: seven comparisons of 262 with their commas, and one of 166.
    `${Array.from({ length: 7 }, () => `ref==${'😀'.repeat(256)}`).join(',')},ref=="B${'\\a'.repeat(79)}"`,
  ];
  for (const text of accepted)
    it(`${text.slice(0, 30)}… (${[...text].length} characters) is within them`, () =>
      assert.ok(parseFilter(text, fields)));

  it('refuse one character more', () => {
    const problem = refusal(
      `${Array.from({ length: 7 }, () => `ref==${'😀'.repeat(256)}`).join(',')},ref=="BC${'\\a'.repeat(79)}"`,
    );
    assert.deepEqual([problem.extra.code, problem.extra.position], ['too-complex', 2000]);
  });

  it('counts characters, not UTF-16 units', () => {
    const text = `ref=in=(${Array.from({ length: 99 }, () => '😀'.repeat(18)).join(',')})`;
    assert.ok(text.length > 2000 && [...text].length <= 2000);
    assert.equal(parseFilter(text, fields).op, 'in');
  });
});

describe('what a filter means', () => {
  const eq = (value: string): Condition => ({ op: '==', selector: 'ref', value });
  const cases: readonly (readonly [text: string, condition: Condition])[] = [
    ['ref==A', eq('A')],
    ['ref==null', eq('null')],
    ['ref==""', eq('')],
    ["ref=='it\\'s'", eq("it's")],
    ['ref=="a\\\\b"', eq('a\\b')],
    ['ref==a\\b', eq('a\\b')],
    ['ref=="(a;b,c)=\'~ <>!"', eq("(a;b,c)='~ <>!")],
    ['ref=="line\nbreak"', eq('line\nbreak')],
    ['ref==2026-01-31', eq('2026-01-31')],
    ['ref==e\u0301', eq('é')],
    ['ref==e\u0301*', { op: 'prefix', selector: 'ref', value: 'é' }],
    ['ref=="\\*"', eq('*')],
    ['ref=="A\\*"', eq('A*')],
    ['ref=="\\"*"', { op: 'prefix', selector: 'ref', value: '"' }],
    ['ref==A*', { op: 'prefix', selector: 'ref', value: 'A' }],
    ['ref=="A B*"', { op: 'prefix', selector: 'ref', value: 'A B' }],
    ['ref=="A\\**"', { op: 'prefix', selector: 'ref', value: 'A*' }],
    ['ref==A\\*', { op: 'prefix', selector: 'ref', value: 'A\\' }],
    ['lines.ref!=A*', { op: 'not-prefix', selector: 'lines.ref', value: 'A' }],
    ['ref=lt=A', { op: '<', selector: 'ref', value: 'A' }],
    ['ref=in=A', { op: 'in', selector: 'ref', values: ['A'] }],
    ['ref=out=(A,"B,C")', { op: 'out', selector: 'ref', values: ['A', 'B,C'] }],
    ['ref=null=true', { op: 'null', selector: 'ref', is: true }],
    ['ref=null="false"', { op: 'null', selector: 'ref', is: false }],
    ['quantity>=-5', { op: '>=', selector: 'quantity', value: -5 }],
    ['quantity==-0', { op: '==', selector: 'quantity', value: 0 }],
    ['quantity=="5"', { op: '==', selector: 'quantity', value: 5 }],
    ['id==9007199254740991', { op: '==', selector: 'id', value: Number.MAX_SAFE_INTEGER }],
    ['weight<1.5e-3', { op: '<', selector: 'weight', value: 0.0015 }],
    ['weight==-0.0', { op: '==', selector: 'weight', value: 0 }],
    ['fragile==true', { op: '==', selector: 'fragile', value: 1 }],
    ['fragile!=false', { op: '!=', selector: 'fragile', value: 0 }],
    ['at==2026-01-31T01:00:00+01:00', { op: '==', selector: 'at', value: day }],
    ['at==20260131T010000+0100', { op: '==', selector: 'at', value: day }],
    ['at=="2026-01-31T00:00:00,000Z"', { op: '==', selector: 'at', value: day }],
    ['at==20260131', { op: 'range', selector: 'at', from: day, to: day + 86_400_000 }],
    ['at==2026-01-31T00:00:00', { op: '==', selector: 'at', value: day }],
    ['at==2026-01-31', { op: 'range', selector: 'at', from: day, to: nextDay }],
    ['at!=2026-01-31', { op: 'not-range', selector: 'at', from: day, to: nextDay }],
    ['at<2026-01-31', { op: '<', selector: 'at', value: day }],
    ['at>=2026-01-31', { op: '>=', selector: 'at', value: day }],
    ['at<=2026-01-31', { op: '<', selector: 'at', value: nextDay }],
    ['at>2026-01-31', { op: '>=', selector: 'at', value: nextDay }],
    ['at=in=(2026-01-31)', { op: 'range', selector: 'at', from: day, to: nextDay }],
    [
      'at=in=(2026-01-31,2026-02-01T00:00:00Z)',
      {
        op: 'or',
        of: [
          { op: 'in', selector: 'at', values: [nextDay] },
          { op: 'range', selector: 'at', from: day, to: nextDay },
        ],
      },
    ],
    [
      'at=out=(2026-01-31,1970-01-01T00:00:00Z)',
      {
        op: 'and',
        of: [
          { op: 'out', selector: 'at', values: [0] },
          { op: 'not-range', selector: 'at', from: day, to: nextDay },
        ],
      },
    ],
    ['ref==A;ref==B,ref==C', { op: 'or', of: [{ op: 'and', of: [eq('A'), eq('B')] }, eq('C')] }],
    ['ref==A or ref==B and ref==C', { op: 'or', of: [eq('A'), { op: 'and', of: [eq('B'), eq('C')] }] }],
    ['ref==A;(ref==B,ref==C)', { op: 'and', of: [eq('A'), { op: 'or', of: [eq('B'), eq('C')] }] }],
    ['((ref==A))', eq('A')],
    ['ref==or or ref==and  and   ref==x', { op: 'or', of: [eq('or'), { op: 'and', of: [eq('and'), eq('x')] }] }],
  ];
  for (const [text, condition] of cases)
    it(JSON.stringify(text), () => assert.deepEqual(parseFilter(text, fields), condition));
});

describe('any filter', () => {
  it('is refused with a place within the text, or understood; nothing else is thrown', () => {
    const pieces = fc.constantFrom(
      'ref',
      'lines.ref',
      'at',
      'quantity',
      '==',
      '!=',
      '=in=',
      '=null=',
      '<',
      '(',
      ')',
      ';',
      ',',
      ' and ',
      ' or ',
      ' ',
      '"',
      "'",
      '\\',
      '*',
      'A',
      '5',
      'true',
      '2026-01-31',
      '2026-01-31T08:00:00 02:00',
      '😀',
      '\ud800',
      '\0',
      '=',
      '+',
      '.',
    );
    const noise = fc.oneof(
      fc.array(pieces, { maxLength: 20 }).map((some) => some.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: fc.constantFrom('(', ')', '"', '\\', ','), minLength: 1900, maxLength: 2100 }),
    );
    fc.assert(
      fc.property(noise, (text) => {
        try {
          parseFilter(text, fields);
        } catch (error) {
          assert.ok(error instanceof Problem, String(error));
          const position = Number(error.extra.position);
          assert.ok(Number.isInteger(position) && position >= 0 && position <= [...text].length, error.detail);
        }
      }),
      { numRuns: rounds(2000) },
    );
  });

  for (const resource of resources) {
    it(`that is written from a condition on ${resource.name} is read back as that condition`, () => {
      const known = filterFields(resource);
      fc.assert(
        fc.property(writtenFilter(resource), ({ text, condition }) => {
          assert.deepEqual(parseFilter(text, known), condition);
        }),
        { numRuns: rounds(200) },
      );
    });
  }
});

describe('beside foreign software', () => {
  const texts: FilterFields = new Map([...filterFields(order)].filter(([, field]) => field.kind === 'text'));

  it('builds the same tree as @rsql/parser', () => {
    fc.assert(
      fc.property(writtenFilter(order, texts), ({ text }) => {
        // The other parser knows no wildcards, and its grammar leaves escapes to what they escape.
        fc.pre(!text.includes('*'));
        assert.deepEqual(flat(parseFilter(text, texts)), flat(fromTree(rsqlParser.parse(text))));
      }),
      { numRuns: rounds(1000) },
    );
  });

  it('refuses what @rsql/parser refuses', () => {
    const piece = fc.constantFrom('id', '==A', '!=', '=in=', '(', ')', ';', ',', ' and ', ' or ', '"', 'B', 'id==C');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((some) => some.join('')),
        (text) => {
          let accepted = true;
          try {
            rsqlParser.parse(text);
          } catch {
            accepted = false;
          }
          if (!accepted) refusal(text, texts);
        },
      ),
      { numRuns: rounds(2000) },
    );
  });

  it('reads what the client library @rsql/builder writes', () => {
    const { and, or, eq, neq, in: isIn, ge, lt } = rsqlBuilder;
    const tree = and(
      or(eq('ref', 'A B'), neq('quantity', 5)),
      isIn('ref', ['C', 'it\'s "D"']),
      and(ge('at', '2026-01-31T00:00:00Z'), lt('weight', 1.5)),
    );
    assert.deepEqual(flat(parseFilter(written(tree), fields)), {
      op: 'and',
      of: [
        {
          op: 'or',
          of: [
            { op: '==', selector: 'ref', value: 'A B' },
            { op: '!=', selector: 'quantity', value: 5 },
          ],
        },
        { op: 'in', selector: 'ref', values: ['C', 'it\'s "D"'] },
        { op: '>=', selector: 'at', value: day },
        { op: '<', selector: 'weight', value: 1.5 },
      ],
    });
  });
});

describe('the fields that a filter may name', () => {
  it('are the filterable published ones, nested ones with dots', () => {
    const resource: Resource = {
      name: 'things',
      record: 'Thing',
      clause: null,
      table: 'thing',
      storage: 'records',
      activityField: null,
      activityNameField: null,
      key: [],
      imageField: null,
      fields: {
        seen: { kind: 'text', max: 5, meaning: 'Filterable.', filterable: true },
        sorted: { kind: 'text', max: 5, meaning: 'Sortable.', sortable: true },
        plain: { kind: 'text', max: 5, meaning: 'Neither.' },
        lines: {
          kind: 'list',
          record: 'Line',
          key: [],
          meaning: 'Lines.',
          fields: {
            ref: { kind: 'text', max: 5, meaning: 'Filterable.', filterable: true },
            other: { kind: 'text', max: 5, meaning: 'Neither.' },
          },
        },
      },
      unpublished: { parent: { kind: 'text', max: 5, meaning: 'Unpublished.', filterable: true } },
      closed: false,
      indexes: [],
      sortIndexes: [],
      example: {},
    };
    assert.deepEqual([...filterFields(resource).keys()], ['seen', 'sorted', 'lines.ref']);
  });
});

/** The text of a tree of @rsql/builder, whose emitter does not quote: values quoted, groups in parentheses. */
function written(node: ExpressionNode): string {
  if (node.type === 'COMPARISON') {
    const { left, operator, right } = comparisonOf(node);
    const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
    const value = Array.isArray(right.value) ? `(${right.value.map(quote).join(',')})` : quote(right.value);
    return `${left.selector}${operator}${value}`;
  }
  const { left, operator, right } = node;
  return `(${written(asExpression(left))}${operator}${written(asExpression(right))})`;
}

/** Condition of a tree of @rsql/parser over text fields. */
function fromTree(node: ExpressionNode): Condition {
  if (node.type !== 'COMPARISON') {
    const of = [fromTree(asExpression(node.left)), fromTree(asExpression(node.right))];
    return { op: node.operator === 'and' || node.operator === ';' ? 'and' : 'or', of };
  }
  const {
    left: { selector },
    operator,
    right: { value },
  } = comparisonOf(node);
  const text = String(value);
  switch (operator) {
    case '==':
    case '!=':
      return { op: operator, selector, value: text };
    case '<':
    case '=lt=':
      return { op: '<', selector, value: text };
    case '<=':
    case '=le=':
      return { op: '<=', selector, value: text };
    case '>':
    case '=gt=':
      return { op: '>', selector, value: text };
    case '>=':
    case '=ge=':
      return { op: '>=', selector, value: text };
    case '=in=':
      return { op: 'in', selector, values: [value].flat() };
    case '=out=':
      return { op: 'out', selector, values: [value].flat() };
    case '=null=':
      return { op: 'null', selector, is: value === 'true' };
    default:
      return assert.fail(operator);
  }
}

function comparisonOf(node: ExpressionNode): ComparisonNode {
  return 'selector' in node.left && 'value' in node.right
    ? { ...node, type: 'COMPARISON', left: node.left, right: node.right }
    : assert.fail('no comparison');
}

function asExpression(node: ExpressionNode['left' | 'right']): ExpressionNode {
  return 'operator' in node ? node : assert.fail('no expression');
}

/** Both parsers group alike, but one in pairs: groups of the same kind inside each other become one. */
function flat(condition: Condition): Condition {
  if (condition.op !== 'and' && condition.op !== 'or') return condition;
  const of = condition.of.map(flat).flatMap((part) => (part.op === condition.op ? part.of : [part]));
  return { op: condition.op, of };
}
