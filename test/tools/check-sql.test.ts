// The check that SQL stands in storage alone: it finds statements and pieces of them however they are written, and
// takes no sentence for one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { literalsIn, sqlFindings } from '../../tools/check-sql.ts';

/** In the sources below `§` stands for the dollar of a template. */
const asWritten = (source: string): string => source.replaceAll('§', '$');

const findingsIn = (source: string, path = 'src/auth/users.ts'): readonly string[] =>
  sqlFindings(new Map([[path, asWritten(source)]]));

describe('the check for SQL finds', () => {
  const cases: readonly (readonly [what: string, source: string])[] = [
    ['a statement in a string', "read('select id from user_account');"],
    ['one in capitals', 'read("SELECT * FROM user_account");'],
    ['one over several lines of a template', 'const t = `\n  select\n    id, login\n  from user_account\n`;'],
    ['one with values put in', 'const t = `select §{columns} from §{table} where id = §{id}`;'],
    ['one behind a tag', 'run(sql`delete from user_account`);'],
    ['one within what a template is given', "const t = `a §{read('delete from user_account')} b`;"],
    ['an insert', "'insert into user_account values (?)'"],
    ['an update', '`update user_account set login = §{login}`'],
    ['an update of a quoted table', '\'update "user_account" set login = 1\''],
    ['a table that is made', "'create table t (a text)'"],
    ['an index that is removed', "'DROP INDEX t_by_a'"],
    ['a pragma', "database.exec('pragma encoding')"],
    ['the beginning of a transaction', "database.exec('BEGIN IMMEDIATE')"],
    ['its end', "database.exec('commit')"],
    ['the beginning of a statement that is put together', "const t = 'select ' + columns;"],
    ['an order', "const t = query + ' order by login';"],
    ['a condition', 'const t = `§{query} where login = §{login}`;'],
    ['a condition on null', "const t = query + ' where disabled_at is null';"],
    ['what is done on a conflict', "const t = insert + ' on conflict do nothing';"],
    ['a join', "const t = 'user_account left join activity on true';"],
    ['a statement behind a regular expression with quotes', "const quote = /['\"`]/; read('delete from t');"],
    ['a statement behind a division', "const half = total / 2; read('delete from t'); const third = total / 3;"],
    ['a statement behind an apostrophe in a comment', "// the client's\nread('delete from t');"],
  ];
  for (const [what, source] of cases) {
    it(what, () => {
      const [finding, ...others] = findingsIn(source);
      assert.match(finding ?? '', /^src\/auth\/users\.ts:\d+: SQL stands in src\/store alone: /);
      assert.deepEqual(others, []);
    });
  }

  it('the line on which the text begins', () => {
    assert.match(findingsIn("const a = 1;\n\nread(\n  'delete from t',\n);")[0] ?? '', /^src\/auth\/users\.ts:4: /);
  });
});

describe('the check for SQL takes for none', () => {
  const cases: readonly (readonly [what: string, source: string])[] = [
    [
      'sentences',
      "const help = 'Select one from the list, or delete it. Update the rest; set it where it is needed.';",
    ],
    ['a sentence of commands', "const help = 'Create it, or choose another table, in the order of the names.';"],
    ['a comment', '// select id from user_account\n/* delete from user_account */\nconst a = 1;'],
    ['a regular expression', 'const words = /delete from \\w+/;'],
    ['code', 'const { from, where } = select(order, by); users.update(id).set(from);'],
    ['an address', "const address = '/connect/authorize?select=from';"],
  ];
  for (const [what, source] of cases) it(what, () => assert.deepEqual(findingsIn(source), []));

  it('whatever stands in storage', () => {
    assert.deepEqual(findingsIn("read('select id from user_account')", 'src/store/users.ts'), []);
  });
});

describe('the texts of a source', () => {
  it('are those of strings and templates, with what is in them in its place', () => {
    const source = "f('a\\'b', `c §{g(`d §{1}`, { e: 'f' })} h`, /'/g, i / j, \"k\"); // 'l'";
    assert.deepEqual(
      literalsIn(asWritten(source)).map(({ text }) => text),
      ["a\\'b", 'c ? h', 'd ?', 'f', 'k'],
    );
  });
});
