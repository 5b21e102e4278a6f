// What the copy of a message that is read twice does with the disk that it is on.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { streamSource } from '../../src/feeds/byte-source.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { Problem } from '../../src/model/problem.ts';

const [mib, gib] = [1_048_576, 1_073_741_824];

describe('the copy of a message', () => {
  it('leaves the database what it may need of the disk, however long the message is', async () => {
    for (const { size, reserve } of [
      { size: 1000 * gib, reserve: gib },
      { size: 10 * gib, reserve: gib / 2 },
    ]) {
      const looks: number[] = [];
      const copied = (mibs: number) =>
        streamSource(message(mibs), true, async () => ({ free: looks.shift() ?? 0, size }));
      for (const [mibs, ...free] of [
        [0.5, reserve - 1],
        [2.5, reserve + mib, reserve, reserve - 1],
      ] as const) {
        looks.push(...free);
        await assert.rejects(copied(mibs), (error) => {
          assert.ok(error instanceof Problem && error.cause instanceof OperatorError);
          assert.deepEqual([error.slug, error.headers['Retry-After']], ['unavailable', '30']);
          assert.match(
            error.cause.message,
            new RegExp(`^The message is copied first, and the disk of ${tmpdir()} has`),
          );
          assert.match(error.cause.remedy, /set TMPDIR to a folder on a larger disk/);
          return true;
        });
        assert.deepEqual(looks, []);
      }
      looks.push(reserve + mib, reserve);
      const source = await copied(1.5);
      assert.deepEqual([source.size, looks], [1.5 * mib, []]);
      await source.close();
    }
  });

  it('is not made of what is read once', async () => {
    const source = await streamSource(message(3), false, async () => ({ free: 0, size: gib }));
    let bytes = 0;
    for await (const chunk of source.read()) bytes += chunk.length;
    assert.equal(bytes, 3 * mib);
  });
});

async function* message(mibs: number): AsyncGenerator<Uint8Array> {
  for (let left = mibs * mib; left > 0; left -= 65_536) yield new Uint8Array(65_536);
}
