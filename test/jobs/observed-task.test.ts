// Rounds of background work as work that is watched: a trace of each, and their name for slow statements.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { observedTask } from '../../src/jobs/observed-task.ts';
import type { Task } from '../../src/jobs/scheduler.ts';
import type { Span, Tracing } from '../../src/model/tracing.ts';
import { currentWork } from '../../src/model/work.ts';

function noting(): { readonly tracing: Tracing; readonly notes: readonly unknown[] } {
  const notes: unknown[] = [];
  const span: Span = {
    ...{ traceId: 'abc', traceparent: '', isSampled: true, rename: () => undefined, child: () => span },
    end: (_attributes, failure = null) => notes.push(failure),
  };
  const tracing: Tracing = {
    serve: () => assert.fail('it is no request'),
    begin: (name, attributes) => {
      notes.push(name, attributes);
      return span;
    },
  };
  return { tracing, notes };
}

const task = (name: string | null, run: Task['run']): Task => ({ name, failure: 'it failed', everyMs: 1, run });

describe('a watched task', () => {
  it('is a trace of its own, and what the log says of what it asks', async () => {
    const { tracing, notes } = noting();
    const facts: unknown[] = [];
    await observedTask(
      task('audit', async () => facts.push(currentWork().facts())),
      tracing,
    ).run();
    assert.deepEqual(facts, [{ task: 'audit', trace: 'abc' }]);
    assert.deepEqual(notes, ['task audit', { 'logistics.task': 'audit' }, null]);
  });

  it('fails as before, and its trace tells the kind of failure alone', async () => {
    const { tracing, notes } = noting();
    const failure = new TypeError('Moreau');
    await assert.rejects(
      observedTask(
        task('audit', () => Promise.reject(failure)),
        tracing,
      ).run(),
      failure,
    );
    assert.deepEqual(notes.at(-1), 'TypeError');
  });

  it('is left alone where it has no name, and has its name without a trace too', async () => {
    const own = task(null, async () => undefined);
    assert.equal(observedTask(own, null), own);
    const facts: unknown[] = [];
    await observedTask(
      task('audit', async () => facts.push(currentWork().facts())),
      null,
    ).run();
    assert.deepEqual(facts, [{ task: 'audit' }]);
  });
});
