// Kill -9 at each step of taking a file: no line lost, none twice, and the file moved exactly once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { definitions, article as articles, articleStockMovement as movements } from '../../../src/resources/index.ts';
import { openStore } from '../../../src/store/open.ts';
import { rounds, testSeed } from '../../contract/rounds.ts';
import { folderFor, readAll } from '../fixture.ts';
import { takeFiles } from './take-files.ts';

const mapping = {
  format: { kind: 'csv', delimiter: ';' },
  skip: [{ rule: 'charges', when: { column: 'sku', equals: 'POST' } }],
  resources: {
    articles: {
      fields: { articleReference: 'sku', longArticleDescription: 'sku', shortArticleDescription: 'sku' },
      distinct: {},
    },
    movements: { fields: { articleReference: 'sku', movementDirection: 'way' } },
  },
};
const count = 1200;
/** Every article twice, and lines that are the same: two movements all the same. One line in a hundred is refused. */
const lines = Array.from({ length: count }, (_, index) =>
  index % 100 === 99 ? `A${index};too long` : index % 100 === 98 ? 'POST;I' : `A${index >> 1};I`,
);
const whole = lines.filter((line) => line.endsWith(';I') && !line.startsWith('POST'));
const children = new URL('killed.ts', import.meta.url).pathname;
const node = join(import.meta.dirname, '../../../tools/node');

describe('a process that takes a file', () => {
  it('and is killed at any of its steps leaves what the next one completes', async (t) => {
    const folder = await folderFor(t);
    const [data, root] = [join(folder, 'start/data'), join(folder, 'start/feeds')];
    const store = await openStore({ dataDir: data, databaseUrl: null }, definitions);
    await store.activities.add('ACM', 'Acme Home');
    await store.close();
    await mkdir(join(root, 'inbox/ACM/day'), { recursive: true });
    await mkdir(join(root, 'mappings'));
    await writeFile(join(root, 'mappings/day.json'), JSON.stringify(mapping));
    await writeFile(join(root, 'inbox/ACM/day/a.csv'), `sku;way\n${lines.join('\n')}\n`);
    await writeFile(join(root, 'inbox/ACM/day/a.csv.ok'), '');
    const all = Number(/steps (\d+)/.exec(await fresh(folder, 'whole', 0))?.[1]);
    assert.ok(all > 20, `${all} steps`);
    await check(join(folder, 'whole'), 'without a kill');
    const wanted = rounds(all);
    for (let round = 0; round < wanted; round += 1) {
      const step = 1 + ((Math.floor((round * all) / wanted) + testSeed) % all);
      const told = await fresh(folder, 'killed', step);
      assert.doesNotMatch(told, /steps/, `step ${step} was not reached`);
      // Whoever died counts as alive for some seconds; the test does not wait for them.
      await forgetHolder(join(folder, 'killed/data'));
      const again = await takeFiles(join(folder, 'killed/data'), join(folder, 'killed/feeds'));
      await check(join(folder, 'killed'), `killed at step ${step} of ${all}; then ${again}`);
    }
  });
});

/** A copy of what there was at the start, and one run on it. */
async function fresh(folder: string, name: string, step: number): Promise<string> {
  await rm(join(folder, name), { recursive: true, force: true });
  await cp(join(folder, 'start'), join(folder, name), { recursive: true, preserveTimestamps: true });
  return run(join(folder, name), step);
}

function run(folder: string, step: number): string {
  const { stdout, stderr } = spawnSync(node, [children, join(folder, 'data'), join(folder, 'feeds'), String(step)], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

async function forgetHolder(data: string): Promise<void> {
  const name = (await readdir(data)).find((each) => each.endsWith('.db')) ?? '';
  const database = new DatabaseSync(join(data, name));
  database.exec('update feed_message set touched_at = 1');
  database.close();
}

async function check(folder: string, when: string): Promise<void> {
  const files = (await readdir(join(folder, 'feeds'), { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('day.json'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, 'feeds/').length))
    // Killed before its companion went with it: without a file it means nothing.
    .filter((path) => !path.endsWith('.ok'));
  const place = 'error/ACM/day';
  assert.deepEqual(
    files.toSorted(),
    ['a.csv', 'a.csv.ack.json', 'a.csv.movements.refused.ndjson'].map((name) => `${place}/${name}`),
    when,
  );
  const ack = JSON.parse(await readFile(join(folder, 'feeds', place, 'a.csv.ack.json'), 'utf8'));
  const counts = ack.messages.map(
    ({ resource, state, lines: seen, read, new: added, unchanged, refused }: Record<string, unknown>) =>
      [resource, state, seen, read, added, unchanged, refused].join(' '),
  );
  const distinct = new Set(lines.filter((line) => !line.startsWith('POST')).map((line) => line.split(';')[0])).size;
  assert.deepEqual(
    counts,
    [
      `articles done ${count + 1} ${distinct} ${distinct} 0 0`,
      `movements done ${count + 1} ${whole.length + 12} ${whole.length} 0 12`,
    ],
    when,
  );
  const refused = await readFile(join(folder, 'feeds', place, 'a.csv.movements.refused.ndjson'), 'utf8');
  assert.equal(refused.trim().split('\n').length, 12, when);
  const store = await openStore({ dataDir: join(folder, 'data'), databaseUrl: null }, definitions);
  try {
    const found = (await readAll(store, movements)).map(({ articleReference }) => articleReference);
    assert.deepEqual(found.toSorted(), whole.map((line) => line.split(';')[0]).toSorted(), when);
    assert.equal((await readAll(store, articles)).length, distinct, when);
    const messages = await store.feeds.messages({ activities: ['ACM'], limit: 10 });
    assert.deepEqual(
      messages.map(({ state }) => state),
      ['done', 'done'],
      when,
    );
  } finally {
    await store.close();
  }
}
