// Work that is watched: its context follows the calls, and its parts are told to a trace without the text of an error.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'node:test';
import type { Span } from '../../src/model/tracing.ts';
import { currentWork, inPart, inWork, waited, workOf } from '../../src/model/work.ts';

/** A span that writes down what becomes of it and of those below it. */
function noting(name: string, notes: unknown[]): Span {
  return {
    ...{ traceId: 't', traceparent: name, isSampled: true, rename: () => undefined },
    child: (child) => {
      notes.push(`${name}/${child}`);
      return noting(`${name}/${child}`, notes);
    },
    end: (_attributes, failure = null) => notes.push([name, failure]),
  };
}

describe('work', () => {
  it('is known to all that it calls, and to nobody else, however they take turns', async () => {
    const asked = async (name: string): Promise<unknown> =>
      inWork(
        workOf(() => ({ name })),
        async () => {
          await pause(Math.random() * 5);
          return currentWork().facts();
        },
      );
    const names = Array.from({ length: 20 }, (_, index) => `w${index}`);
    assert.deepEqual(
      await Promise.all(names.map(asked)),
      names.map((name) => ({ name })),
    );
    assert.deepEqual(currentWork().facts(), {});
  });

  it('has parts that are work themselves: what belongs to them is theirs', async () => {
    const notes: unknown[] = [];
    const work = workOf(() => ({ requestId: '1' }), { span: noting('request', notes) });
    const part = { stage: 'work', kind: 'internal', describe: () => ({ name: 'message' }) } as const;
    const facts = await inWork(work, () =>
      inPart(part, { message: 'ACM:1' }, async () => {
        await waited('turn', pause(1));
        return currentWork().facts();
      }),
    );
    assert.deepEqual(facts, { requestId: '1', message: 'ACM:1' });
    assert.deepEqual(notes, [
      'request/message',
      'request/message/turn',
      ['request/message/turn', null],
      ['request/message', null],
    ]);
  });

  it('tells the kind of an error, and passes the error on', async () => {
    const notes: unknown[] = [];
    const error = new RangeError('Camille Moreau');
    const work = workOf(() => ({}), { span: noting('task', notes) });
    await inWork(work, () => assert.rejects(waited('turn', Promise.reject(error)), error));
    assert.deepEqual(notes, ['task/turn', ['task/turn', 'RangeError']]);
  });
});
