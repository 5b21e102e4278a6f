// Activities whose codes and revisions look alike when they stand side by side: each gets its own pages, from the cache
// too.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { compositeKey } from '../../src/model/composite-key.ts';
import { article } from '../../src/resources/index.ts';
import { engines, provenWithoutServer } from '../contract/engines.ts';
import { type RunningApp, startApp, tokenFor } from '../contract/running-app.ts';

/** A at 11 changes, A1 at one and A11 at none would all be `A11`. */
const codes = ['A', 'A1', 'A11', '1', '11', '111'];
const mostChanges = 12;

for (const engine of engines) {
  describe(`look-alike activities on ${engine.name}`, { skip: engine.skip }, () => {
    let app: RunningApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.close());

    it('never get a page or an ETag of one another, at any revision', { timeout: 900_000 }, async () => {
      for (const code of codes) await app.app.store.activities.add(code, `Activity ${code}`);
      const tokens = new Map<string, string>();
      for (const code of codes) tokens.set(code, await tokenFor(app.app, [code]));
      const activityOfTag = new Map<string, string>();
      for (let change = 0; change <= mostChanges; change += 1) {
        for (const code of codes) {
          // Kept is what is asked for a second time; the third answer comes from the cache.
          for (let time = 0; time < 3; time += 1) {
            const answer = await app.get('/v1/articles', { token: tokens.get(code) ?? null });
            assert.deepEqual(
              answer.list().map(({ activityCode }) => activityCode),
              Array.from({ length: change }, () => code),
            );
            const tag = answer.headers.etag ?? '';
            assert.equal(activityOfTag.get(tag) ?? `${code} at ${change}`, `${code} at ${change}`);
            activityOfTag.set(tag, `${code} at ${change}`);
          }
        }
        for (const code of codes) {
          const text = { longArticleDescription: 'Lamp', shortArticleDescription: 'Lamp' };
          await app.load(article, code, [{ articleReference: `R${change}`, ...text }]);
        }
      }
      assert.equal(activityOfTag.size, codes.length * (mostChanges + 1));
    });
  });
}

describe('a key of several values', { skip: provenWithoutServer }, () => {
  it('stands for no others', () => {
    const part = fc.oneof(
      fc.string({ unit: fc.constantFrom('A', '1', ',', '"', '\\', '[', ' ', '\0') }),
      fc.nat({ max: 12 }),
      fc.constant(null),
      fc.array(fc.nat({ max: 3 })),
    );
    // What can be taken apart again stands for one thing alone.
    fc.assert(fc.property(fc.array(part), (parts) => assert.deepEqual(JSON.parse(compositeKey(...parts)), parts)));
  });
});
