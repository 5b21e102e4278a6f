// Filling a store with the demonstration: whole, once, and to the same end after an interruption.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { demoActivities, demoRecords } from '../../src/demo/demo.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { resources } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { leftToGate } from '../contract/rounds.ts';
import { readAll } from '../feeds/fixture.ts';
import type { Store } from '../../src/store/store.ts';
import { assertAsPlayed, storeOf } from './fixture.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const activities = demoActivities.map(({ code }) => code);
const revisions = (store: Store): Promise<unknown> =>
  Promise.all(resources.map((resource) => store.lists.revision(resource, activities)));

/** The way of the records is that of all feeds, and proven on every engine with these. */
const [engine = assert.fail('there is no engine')] = engines;

describe('the demonstration', () => {
  let store: Store;
  let close: () => Promise<void>;
  before(async () => {
    ({ store, close } = await storeOf(engine));
    await store.activities.add('XYZ', 'Another');
    let steps = 0;
    const interrupt = (): void => {
      steps += 1;
      if (steps > 11) throw new Error('stopped');
    };
    await assert.rejects(seedDemo(store, NOW, interrupt), /stopped/);
    await seedDemo(store, NOW);
  });
  after(() => close());

  it('an interrupted start is completed by the next one, and further ones change nothing', {
    skip: leftToGate,
  }, async () => {
    const filled = await revisions(store);
    for (const activity of demoActivities) {
      const expected = demoRecords(activity, NOW);
      for (const resource of resources) {
        const records = expected.get(resource.name) ?? [];
        const latest = records.filter(
          (record) => record.stockImageExtractionDate === records.at(-1)?.stockImageExtractionDate,
        );
        assert.equal(
          (await readAll(store, resource, [activity.code])).length,
          latest.length,
          `${resource.name} of ${activity.name}`,
        );
      }
    }
    await seedDemo(store, NOW);
    assert.deepEqual(await revisions(store), filled);
    await assertAsPlayed(store);
  });

  it('gives each activity a context at the sandbox with own label numbers, and leaves others alone', async () => {
    const accounts = await store.carrierAccounts.list();
    assert.deepEqual(
      accounts.map(({ activity, context, carrier }) => [activity, context, carrier]),
      [
        ['ACM', 'acm', 'sandbox'],
        ['BEL', 'bel', 'sandbox'],
      ],
    );
    const prefixes = [
      ...accounts.map(({ settings }) => settings.companyPrefix),
      ...demoActivities.map(({ prefix }) => prefix),
    ];
    assert.equal(new Set(prefixes).size, 4);
    assert.deepEqual(
      (await store.activities.list()).map(({ code }) => code),
      ['ACM', 'BEL', 'XYZ'],
    );
  });
});
