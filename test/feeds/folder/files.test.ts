// Whole files of the trade through the folder drop: a real export by its mapping, and files that were damaged.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { article as articles, order as orders } from '../../../src/resources/index.ts';
import { enginesAboveStorage } from '../../contract/engines.ts';
import { seedsOf } from '../../contract/rounds.ts';
import { readAll } from '../fixture.ts';
import { mutated, randomOf, seeds } from '../mapping/mutation.ts';
import { dropFor } from './fixture.ts';

const retail = readFileSync(new URL('../../../docs/examples/mappings/online-retail.json', import.meta.url), 'utf8');
const sample = new URL('../../../../shared/data/online-retail-sample.csv', import.meta.url);
const skip = existsSync(sample) ? false : 'the sample is not here: ../shared/data/online-retail-sample.csv';

type Said = Readonly<Record<string, unknown>>;

for (const engine of enginesAboveStorage)
  describe(`on ${engine.name}`, { skip: engine.skip }, () => {
    it('a file becomes messages once, half of it refused, and is moved with all that was refused', async (t) => {
      const drop = await dropFor(t, engine);
      const count = 1200;
      const mapping = {
        format: { kind: 'csv' },
        resources: {
          articles: {
            fields: { articleReference: 'sku', longArticleDescription: 'name', shortArticleDescription: 'name' },
          },
          movements: { fields: { articleReference: 'sku', movementDirection: 'way' } },
        },
      };
      await drop.put('mappings/day.json', JSON.stringify(mapping));
      const lines = Array.from({ length: count }, (_, index) => `A${index},${index % 2 === 0 ? 'Lamp' : ''},I`);
      await drop.put('inbox/ACM/day/a.csv', `sku,name,way\n${lines.join('\n')}\n`);
      await drop.round();
      assert.deepEqual(drop.told, ['taken a.csv lines-refused']);
      const { messages } = await drop.json('error/ACM/day/a.csv.ack.json');
      assert.deepEqual(
        (messages as readonly Said[]).map(({ read, new: added, refused, lines: all }) => [read, added, refused, all]),
        [
          [count, count / 2, count / 2, count + 1],
          [count, count, 0, count + 1],
        ],
      );
      const refused = await readFile(join(drop.root, 'error/ACM/day/a.csv.articles.refused.ndjson'), 'utf8');
      const numbers = refused
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).line);
      assert.deepEqual(
        numbers,
        Array.from({ length: count / 2 }, (_, index) => 3 + 2 * index),
      );
      await drop.round();
      assert.equal(drop.told.length, 1);
    });
  });

describe('the sample of a real export', { skip }, () => {
  it('goes in through the folder drop, and every line is accounted for', async (t) => {
    const drop = await dropFor(t);
    await drop.put('mappings/online-retail.json', retail);
    await drop.put('inbox/ACM/online-retail/sample.csv', readFileSync(sample));
    await drop.round();
    assert.deepEqual(drop.told, ['taken sample.csv taken']);
    const ack = await drop.json('archive/ACM/online-retail/sample.csv.ack.json');
    const counts = (ack.messages as readonly Said[]).map(({ resource, lines, skipped, read, new: added, refused }) => [
      ...[resource, lines, read, added, refused],
      Object.values(skipped as object).reduce((sum: number, each: number) => sum + each, 0),
    ]);
    // 1000 lines: one names the columns, thirteen are left out by rules, 986 are in records.
    assert.deepEqual(counts, [
      ['articles', 1000, 584, 584, 0, 13],
      ['orders', 1000, 61, 61, 0, 13],
    ]);
    const lines = (await readAll(drop.store, orders)).flatMap(({ orderEntries }) => orderEntries);
    assert.deepEqual([(await readAll(drop.store, articles)).length, lines.length], [584, 986]);
  });
});

describe('damaged files', () => {
  it('leave the inbox, each with an acknowledgement or a reason, whose counts add up', async (t) => {
    const drop = await dropFor(t);
    const group = { by: ['no'] };
    const fields = { orderUniqueID: 'no', deliveryAddressCity: 'city' };
    const lists = { orderEntries: { fields: { orderLineID: { position: true }, articleReference: 'sku' } } };
    const csv = { kind: 'csv', delimiter: ';' };
    await drop.put(
      'mappings/sales.json',
      JSON.stringify({ format: csv, resources: { orders: { group, fields, lists } } }),
    );
    const all = seedsOf(150);
    for (const seed of all) {
      const bytes = mutated(seeds[seed % seeds.length] ?? Buffer.alloc(0), randomOf(seed));
      await drop.put(`inbox/ACM/${seed % 3 === 0 ? 'orders' : 'sales'}/${seed}.x`, bytes);
    }
    await drop.round();
    const files = await drop.files();
    assert.equal(drop.told.filter((each) => each.startsWith('taken ')).length, all.length, drop.told.join('\n'));
    assert.deepEqual(
      files.filter((path) => path.startsWith('inbox/')),
      [],
    );
    assert.equal(files.filter((path) => path.endsWith('.x')).length, all.length);
    for (const path of files.filter((each) => each.endsWith('.x'))) {
      const told = [`${path}.ack.json`, `${path}.reason.json`].filter((each) => files.includes(each));
      assert.equal(told.length, 1, path);
      const { messages = [], file } = await drop.json(told[0] ?? '');
      assert.equal(file, basename(path));
      for (const { read, new: added, changed, unchanged, refused } of messages as readonly Record<string, number>[])
        assert.equal(read, (added ?? 0) + (changed ?? 0) + (unchanged ?? 0) + (refused ?? 0), path);
    }
  });
});
