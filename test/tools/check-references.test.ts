// The check of references: it finds each one that leads nowhere, and lets the rest be.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { referenceFindings } from '../../tools/check-references.ts';

/** A project with two decisions of its own, three open points, and a few clauses. */
const project: readonly (readonly [path: string, text: string])[] = [
  ['docs/decisions/0002-database-driver.md', '# 2. The driver\n\n## Why `pg`\n'],
  ['docs/decisions/0017-positions.md', '# 17. Positions\n'],
  ['docs/decisions/interface.md', '# What is open\n\n### D1 Numbers\n\n### D2 Dates\n\n### D3 Lengths\n'],
  ['docs/interface.md', '# Interface\n\n## 4. Endpoints\n\n### 4.1 Articles\n\n### 4.2 Stock\n\n## 8. Limits\n'],
  ['src/model/check.ts', ''],
];

function findingsIn(path: string, ...lines: readonly string[]): readonly string[] {
  const files = new Map([...project, [path, lines.join('\n')]]);
  const folders = ['docs', 'docs/decisions', 'src', 'src/model'];
  return referenceFindings(files, (asked) => files.has(asked) || folders.includes(asked.replace(/\/$/, '')));
}

describe('the check of references finds', () => {
  const openPoint = (name: string): string =>
    `decision ${name} is not there: it wants a heading "${name}" in docs/decisions/interface.md`;
  const noPage = (number: string): string =>
    `decision ${Number(number)} is not there: it wants a page docs/decisions/${number}-….md`;
  const clause = (name: string): string =>
    `clause ${name} is not there: it wants a heading "${name}" in docs/interface.md`;
  const cases: readonly (readonly [what: string, path: string, text: string, finding: string])[] = [
    ['an open point that nobody has decided', 'src/a.ts', '// As decision D9 says.', openPoint('D9')],
    ['one at the end of a list', 'src/a.ts', '// (decisions D1, D2 and D9)', openPoint('D9')],
    ['one inside of a range', 'src/a.ts', '// (decisions D2 to D4)', openPoint('D4')],
    ['one without the word', 'src/a.ts', '// Else 404 (D9).', openPoint('D9')],
    ['a page that is not there', 'test/a.test.ts', '// See decision 18.', noPage('0018')],
    ['one of several pages', 'docs/a.md', 'See decisions 2 and 18.', noPage('0018')],
    [
      'a page named by its path',
      'src/a.ts',
      '// docs/decisions/0018-idempotency.md',
      'there is no docs/decisions/0018-idempotency.md',
    ],
    ['a page named by its number', 'src/a.ts', '// docs/decisions/0018-…', 'there is no docs/decisions/0018-'],
    ['a guide that is not there', 'src/a.ts', `const help = 'see docs/operation.md';`, 'there is no docs/operation.md'],
    ['a clause that is not there', 'src/a.ts', `const text = 'Reports (clause 4.9).';`, clause('4.9')],
    ['a clause called by the interface', 'src/a.ts', '// As interface 4.9 says.', clause('4.9')],
    ['a part', 'src/a.ts', '// The largest page (interface part 7).', clause('7')],
    ['a part of the interface', 'src/a.ts', '// See part 7 of the interface.', clause('7')],
    ['the end of a range of clauses', 'src/a.ts', '// interface 4.1 to 4.3', clause('4.3')],
    ['a link to a page', 'docs/a.md', '[there](missing.md)', 'the link leads to docs/missing.md, which is not there'],
    [
      'a link to a heading',
      'docs/a.md',
      '[there](interface.md#43-orders)',
      'the link leads to a heading #43-orders that docs/interface.md does not have',
    ],
    [
      'a link to a heading of the same page',
      'docs/a.md',
      '[there](#below)',
      'the link leads to a heading #below that docs/a.md does not have',
    ],
    [
      'a source file that a comment names',
      'src/a.ts',
      '// See `model/plan.ts`.',
      'there is no model/plan.ts, neither here nor under src',
    ],
    ['a folder', 'docs/a.md', '`src/store/`', 'there is no src/store/, neither here nor under src'],
    ['a name that no code has', 'src/a.ts', '/** See `goneAway`. */', 'no code has the name goneAway'],
    ['one of an object, in a page', 'docs/a.md', 'It says so (`Call.goneAway()`).', 'no code has the name goneAway'],
    [
      'a source file that a page names',
      'docs/a.md',
      '`src/model/plan.ts`',
      'there is no src/model/plan.ts, neither here nor under src',
    ],
  ];
  for (const [what, path, text, finding] of cases)
    it(what, () => assert.deepEqual(findingsIn(path, text), [`${path}:1: ${finding}`]));

  it('a reference that goes on in the next line of a comment', () => {
    assert.deepEqual(findingsIn('src/a.ts', '/**', ' * As said (decision', ' * D9).', ' */').length, 1);
    assert.deepEqual(findingsIn('src/a.ts', '// As said (clause', '// 4.9).').length, 1);
  });

  it('the line of each', () => {
    const found = findingsIn('src/a.ts', '// One.', '// decision D8', '// decision D9').map(
      (finding) => finding.split(': ')[0],
    );
    assert.deepEqual(found, ['src/a.ts:2', 'src/a.ts:3']);
  });
});

describe('the check of references lets be', () => {
  const cases: readonly (readonly [what: string, path: string, ...lines: readonly string[]])[] = [
    ['decisions that are there', 'src/a.ts', '// decisions D1 to D3, D2; decision 17; decisions 2 and 17'],
    ['clauses that are there', 'src/a.ts', '// clauses 4.1 and 4.2, interface 4.1 to 4.2, interface part 8'],
    ['a sentence that ends with a clause', 'src/a.ts', '// As said in clause 4.1.'],
    [
      'clauses of other documents',
      'src/a.ts',
      '// RFC 6750, 3.1; RFC 9110, section 13.1.2; version 2 of its interface',
    ],
    [
      'numbers behind a decision',
      'src/a.ts',
      '// Since decision 2, 99 of 100 are as fast; without decision D1, 5 are.',
    ],
    ['names that look like points in a program', 'test/a.test.ts', "const order = ['A1', 'D9'];"],
    [
      'links that resolve',
      'docs/a.md',
      '[a](interface.md#41-articles) [b](decisions/0002-database-driver.md#why-pg) [c](decisions/) [d](#here)',
      '',
      '# Here',
    ],
    ['links that lead outside', 'docs/a.md', '[a](https://example.com/a.md#b) [c](mailto:a@example.com)'],
    ['a link to the server itself', 'src/api/a.md', `[a](\${baseUrl}/changelog) [b](/docs)`],
    ['what looks like a link in code', 'docs/a.md', '```sh', 'echo [a](b.md)', '# no heading', '```'],
    ['names that the code has', 'src/a.ts', '/** See `Call.goneAway`. */', 'const goneAway = 1;'],
    ['names of other programs', 'docs/a.md', '`Response.formData()` and `preStop`'],
    ['source files from the root or from src', 'docs/a.md', '`src/model/check.ts`, `model/check.ts`, `src/model/`'],
  ];
  for (const [what, path, ...lines] of cases) it(what, () => assert.deepEqual(findingsIn(path, ...lines), []));
});
