// The command `migrate`.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { Environment } from '../../src/commands/environment.ts';
import { runMigrations } from '../../src/commands/migrate.ts';
import { createRenderer } from '../../src/model/render.ts';
import { formOf } from '../../src/model/body-form.ts';
import { text } from '../../src/resources/fields.ts';
import { article } from '../../src/resources/index.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { environmentOf, json, run, runProgram, succeed, temporaryFolder } from './fixture.ts';

describe('migrate', () => {
  it('refuses a database that is newer than the program, as every command does', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { PORT: '0' } };
    await succeed(place, 'migrate');
    const database = new DatabaseSync(join(place.folder, 'data/logistics-connect.db'));
    database.exec("insert into migration (name, applied_at) values ('9999-later', 0)");
    database.close();
    for (const command of [['migrate'], ['activity', 'list'], ['activity', 'add', 'ACM', 'Acme'], ['serve']]) {
      const { code, stdout, stderr } = await run(place, ...command);
      assert.deepEqual([code, stdout], [1, ''], command.join(' '));
      assert.match(
        stderr,
        /^logistics-connect: The database is newer than this program: it has the step 9999-later\.[^\n]*\n$/,
      );
    }
  });

  it('refuses a folder that cannot be made', async (t) => {
    const { code, stderr } = await run(
      { folder: temporaryFolder(t), variables: { DATA_DIR: '/dev/null/data' } },
      'migrate',
    );
    assert.equal(code, 1);
    assert.match(stderr, /cannot be opened: .* Check that DATA_DIR is a folder/);
  });

  it('distributes no tables where there is no cluster, and takes no number of parts that is none', async (t) => {
    const place = { folder: temporaryFolder(t) };
    const { code, stderr } = await run(place, 'migrate', '--distribute');
    assert.equal(code, 1);
    assert.match(stderr, /not one of Citus: .*create extension citus/);
    for (const shards of ['0', '1025', 'many', '1.5'])
      assert.equal((await run(place, 'migrate', '--distribute', '--shards', shards)).code, 2, shards);
  });

  it('runs what is missing, then nothing', async (t) => {
    const place = { folder: temporaryFolder(t) };
    const names = migrations.map(({ name }) => name);
    assert.deepEqual(await json(place, 'migrate'), {
      engine: 'sqlite',
      applied: names,
      rewritten: {},
      version: names.at(-1),
    });
    assert.deepEqual(await json(place, 'migrate'), {
      engine: 'sqlite',
      applied: [],
      rewritten: {},
      version: names.at(-1),
    });
    assert.equal(await succeed(place, 'migrate'), `Nothing to do: the database is at ${names.at(-1)}.\n`);
  });

  it('writes stored texts anew where a definition gained a field, so that the server need not', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const given = { articleReference: 'A1', longArticleDescription: 'Lamp', shortArticleDescription: 'Lamp' };
    await succeed({ ...place, stdin: JSON.stringify([given]) }, 'import', 'articles', '-', '--activity', 'ACM');
    const wider = {
      ...article,
      fields: { ...article.fields, finish: text(20, 'Finish.', { since: formOf(article) + 1 }) },
    };
    const stdout = new PassThrough();
    const environment: Environment = { ...environmentOf(place), stdout };
    assert.equal(
      await runMigrations(environment, { json: false }, { resources: [wider], rendererOf: createRenderer }),
      0,
    );
    assert.equal(String(stdout.read()), 'wrote texts of articles anew: 1\n');
    const database = new DatabaseSync(join(place.folder, 'data/logistics-connect.db'));
    assert.equal(JSON.parse(String(database.prepare('select body from article').get()?.body)).finish, null);
    database.close();
  });

  it('runs once when several processes start at the same time', async (t) => {
    const place = { folder: temporaryFolder(t) };
    const runs = await Promise.all([1, 2, 3].map(() => runProgram(t, place, 'migrate', '--json')));
    const applied: unknown[] = [];
    for (const { code, stdout, stderr } of runs) {
      assert.equal(code, 0, stderr);
      applied.push(...JSON.parse(stdout).applied);
    }
    assert.deepEqual(
      applied,
      migrations.map(({ name }) => name),
    );
  });
});
