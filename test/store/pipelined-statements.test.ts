// Statements whose answers are awaited together: none is forgotten, and the first failure is the one that is told.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { withPipeline } from '../../src/store/pipelined-statements.ts';

describe('statements that are sent ahead', () => {
  it('tell why the first of them failed, whatever the work threw because of it', async () => {
    const work = withPipeline(async (pipeline) => {
      pipeline.add(Promise.resolve());
      pipeline.add(failing('the disk is full', 5));
      pipeline.add(failing('the transaction has ended', 10));
      await failing('the transaction has ended', 15);
    });
    await assert.rejects(work, /the disk is full/);
  });

  it('fail the work that did not wait for them', async () => {
    await assert.rejects(
      withPipeline(async (pipeline) => {
        pipeline.add(failing('the disk is full', 5));
        await pause(20);
        return 'done';
      }),
      /the disk is full/,
    );
  });

  it('leave the failure of the work itself as it is', async () => {
    let answered = false;
    await assert.rejects(
      withPipeline(async (pipeline) => {
        pipeline.add(pause(10).then(() => (answered = true)));
        throw new Error('no');
      }),
      /^Error: no$/,
    );
    assert.ok(answered, 'nothing runs any more when the work has ended');
  });

  it('are all answered when the result is given', async () => {
    const answered: number[] = [];
    const result = await withPipeline(async (pipeline) => {
      for (const wait of [10, 5]) pipeline.add(pause(wait).then(() => answered.push(wait)));
      return 'done';
    });
    assert.deepEqual([result, answered], ['done', [5, 10]]);
  });
});

async function failing(message: string, after: number): Promise<never> {
  await pause(after);
  throw new Error(message);
}
