// How the bodies of carriers' answers are read: a part in each round of the event loop, whatever they bring at once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAnswerBodies } from '../../src/carriers/answer-bodies.ts';
import { provenWithoutServer } from '../contract/engines.ts';

const megabyte = 1_048_576;
const chunk = new Uint8Array(65_536);

/** An answer that is there as a whole, so that reading it waits for nothing. */
function answerOf(bytes: number, given: () => void): Response {
  let left = bytes;
  const body = new ReadableStream({
    pull: (controller) => {
      given();
      controller.enqueue(chunk);
      left -= chunk.length;
      if (left <= 0) controller.close();
    },
  });
  return new Response(body);
}

describe('large answers of carriers', { skip: provenWithoutServer }, () => {
  it('are read in parts, with turns for others between them', async () => {
    const begin = createAnswerBodies({ maxAnswerBytes: 20 * megabyte, maxLargeAnswerBytes: 100 * megabyte });
    let [ofRound, most] = [0, 0];
    const nextRound = (): void => {
      ofRound = 0;
      watching = setImmediate(nextRound);
    };
    let watching = setImmediate(nextRound);
    const bodies = await Promise.all(
      [1, 2, 3, 4].map(() =>
        begin().read(
          answerOf(10 * megabyte, () => {
            ofRound += chunk.length;
            most = Math.max(most, ofRound);
          }),
        ),
      ),
    );
    clearImmediate(watching);
    assert.deepEqual(
      bodies.map((body) => body.length),
      Array(4).fill(10 * megabyte),
    );
    // One is shared; each may have its first 256 KiB besides, and what is read ahead of it.
    assert.ok(most <= 3 * megabyte, `${most} bytes in one round`);
  });
});
