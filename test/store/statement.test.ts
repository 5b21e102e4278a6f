// Statements: values never become text, pieces nest, and each engine gets its own words.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anyOf, greatest, typedInteger, limitTo } from '../../src/store/sql-dialects.ts';
import { compile, onPostgres, perEngine, planAnew, sql, statementRunner } from '../../src/store/statement.ts';

describe('a statement', () => {
  it('has values where values were put in, whatever they say', () => {
    const injected = `'; drop table article; --`;
    const statement = sql`select 1 from ${sql.quoted('article')} where id = ${injected} and n = ${7} or x is ${null}`;
    assert.deepEqual(compile(statement, 'sqlite'), {
      text: 'select 1 from "article" where id = ? and n = ? or x is ?',
      values: [injected, 7, null],
      plannedAnew: false,
    });
    assert.deepEqual(compile(statement, 'postgres'), {
      text: 'select 1 from "article" where id = $1 and n = $2 or x is $3',
      values: [injected, 7, null],
      plannedAnew: false,
    });
  });

  it('takes pieces, whose values are counted where they stand', () => {
    const inner = sql`select id from a where x = ${1} and y in (${sql.join([2, sql`coalesce(${3}, 0)`])})`;
    const outer = sql`select ${0} from (${inner}) t where z = ${4}`;
    assert.deepEqual(compile(outer, 'postgres'), {
      text: 'select $1 from (select id from a where x = $2 and y in ($3, coalesce($4, 0))) t where z = $5',
      values: [0, 1, 2, 3, 4],
      plannedAnew: false,
    });
    assert.equal(
      compile(sql`${inner} union ${inner}`, 'postgres').text,
      'select id from a where x = $1 and y in ($2, coalesce($3, 0)) union ' +
        'select id from a where x = $4 and y in ($5, coalesce($6, 0))',
      'a piece that stands twice has its values twice',
    );
  });

  it('is one line, however its source is laid out', () => {
    const statement = sql`
      select a
      from b where c = ${1}
        and d = '  two  blanks'
    `;
    assert.equal(compile(statement, 'sqlite').text, "select a from b where c = ? and d = '  two  blanks'");
    assert.equal(compile(sql`a${sql` and b`}`, 'sqlite').text, 'a and b', 'blanks at an end are meant');
  });

  it('refuses what is neither a value nor SQL, even where it looks like SQL', () => {
    const forged: unknown = JSON.parse('{"texts":["drop table article"],"parts":[]}');
    // What a request brings in has whatever type it has.
    for (const value of [forged, undefined, true, 1n, [], Symbol('x'), { toString: () => 'x' }])
      assert.throws(() => compile(sql`select ${value as string}`, 'sqlite'), /cannot stand in a statement/);
  });

  it('doubles quotes in names and literals', () => {
    assert.equal(compile(sql`${sql.quoted('a"b')}`, 'sqlite').text, '"a""b"');
    assert.equal(compile(sql`${sql.literal("it's")}`, 'sqlite').text, "'it''s'");
  });

  it('joins conditions, of which there may be none', () => {
    assert.equal(compile(sql.all([]), 'sqlite').text, 'true');
    assert.equal(compile(sql.all([sql`a = ${1}`, sql`b`]), 'sqlite').text, 'a = ? and b');
    assert.equal(compile(sql.join([]), 'sqlite').text, '');
  });

  it('says in the words of each engine what they say differently', () => {
    const statement = sql`a ${anyOf(sql`b`, ['x', 'y"'])} ${greatest([typedInteger(1), sql`c`])} ${limitTo(5)}`;
    assert.deepEqual(compile(statement, 'sqlite'), {
      text: 'a b in (select value from json_each(?)) max(?, c) limit +?',
      values: ['["x","y\\""]', 1, 5],
      plannedAnew: false,
    });
    assert.deepEqual(compile(statement, 'postgres'), {
      text: 'a b = any($1::text[]) greatest($2::bigint, c) limit $3',
      values: ['{"x","y\\""}', 1, 5],
      plannedAnew: false,
    });
  });

  it('makes only the form that is needed', () => {
    const make = (): never => assert.fail('the other engine needs this one');
    assert.equal(compile(perEngine({ sqlite: () => sql`here`, postgres: make }), 'sqlite').text, 'here');
  });

  it('keeps being planned anew through what is made of it', () => {
    assert.equal(compile(planAnew(sql`select 1`), 'sqlite').plannedAnew, true);
  });

  it('is not run on an engine on which it is empty', async () => {
    const run: string[] = [];
    const query = statementRunner('sqlite', async ({ text }) => {
      run.push(text);
      return [[1]];
    });
    assert.deepEqual(await query(onPostgres(() => sql`set local enable_sort = off`)), []);
    assert.deepEqual(await query(sql`select 1`), [[1]]);
    assert.deepEqual(run, ['select 1']);
  });
});
