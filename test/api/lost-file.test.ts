// A document whose file was lost or damaged in the storage: the same upload again brings it back, under the id that it
// has.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { order } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';
import { filesIn, temporaryIn } from './uploads.ts';

const path = '/v1/orders/N-1/docs/invoice';

for (const engine of engines) {
  describe(`a document whose file was lost, on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => {
      running = await startApp(engine);
      await running.load(order, 'NOR', [
        { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'N-1' },
      ]);
    });
    after(() => running.close());

    const losses: readonly (readonly [what: string, lose: (file: string) => void])[] = [
      ['is gone', (file) => rmSync(file)],
      ['is empty', (file) => truncateSync(file)],
      ['is cut', (file) => truncateSync(file, 100)],
      ['is longer', (file) => writeFileSync(file, 'more', { flag: 'a' })],
    ];
    for (const [what, lose] of losses) {
      it(`comes back when it ${what}`, async () => {
        const content = pdf(what);
        const before = filesIn(running.documentsFolder);
        const first = await running.upload(path, { content });
        const [name = ''] = filesIn(running.documentsFolder).filter((file) => !before.includes(file));
        const file = join(running.documentsFolder, name);
        lose(file);
        const again = await running.upload(path, { content });
        assert.deepEqual(again.object().passed, first.object().passed);
        assert.deepEqual(readFileSync(file), content);
        assert.deepEqual(filesIn(running.documentsFolder), [...before, name].toSorted());
        assert.deepEqual(temporaryIn(running.documentsFolder), []);
        assert.deepEqual(await outcomeOf(again), ['unchanged', true]);
        assert.deepEqual(await outcomeOf(await running.upload(path, { content })), ['unchanged', undefined]);
      });
    }

    it('comes back once when it is sent from all sides at once', async () => {
      const content = pdf('at once');
      const before = filesIn(running.documentsFolder);
      const first = await running.upload(path, { content });
      const [name = ''] = filesIn(running.documentsFolder).filter((file) => !before.includes(file));
      rmSync(join(running.documentsFolder, name));
      const sides = [running, engine.parallel ? await running.beside() : running];
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => (sides[index % 2] ?? running).upload(path, { content })),
      );
      for (const answer of answers) assert.deepEqual(answer.object().passed, first.object().passed);
      assert.deepEqual(readFileSync(join(running.documentsFolder, name)), content);
      assert.deepEqual(filesIn(running.documentsFolder), [...before, name].toSorted());
    });

    const outcomeOf = async (answer: Answered): Promise<readonly unknown[]> => {
      const [entry] = await running.app.store.audit.read({
        activityCodes: null,
        operationId: String(answer.object().operationId),
        action: null,
        actor: null,
        since: null,
        until: null,
        after: null,
        newestFirst: true,
        limit: 1,
      });
      const details: unknown = entry?.details;
      return [Reflect.get(Object(details), 'outcome'), Reflect.get(Object(details), 'restored')];
    };
  });
}
