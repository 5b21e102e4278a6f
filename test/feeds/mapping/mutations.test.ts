// Files that were damaged in every way, in pieces of any length: no crash, and no line unaccounted for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorError } from '../../../src/model/operator-error.ts';
import { seedsOf } from '../../contract/rounds.ts';
import { linesIn, made, mappingOf } from './fixture.ts';
import { linesOfJson } from './json-lines.ts';
import { layoutOfSeed, layouts } from './layouts.ts';
import { mutated, randomOf, seeds } from './mutation.ts';

const mappings = layouts.map(mappingOf);

describe('damaged files', () => {
  it('are read to their end: each line is in a record, skipped, or of the file itself', async () => {
    let [whole, refusedRecords, wholeFiles] = [0, 0, 0];
    for (const seed of seedsOf(10_000, 500)) {
      const random = randomOf(seed);
      const bytes = mutated(seeds[seed % seeds.length] ?? Buffer.alloc(0), random);
      // Each second one is read as what it was before the damage.
      const own = layoutOfSeed[seed % seeds.length] ?? 0;
      const mapping = mappings[random(2) === 0 ? own : random(mappings.length)];
      assert.ok(mapping);
      for (const { resource } of mapping.resources) {
        try {
          const found = await made(mapping, bytes, { resource: resource.name, piece: 1 + random(400) });
          whole += 1;
          refusedRecords += found.refused.length;
          const kind: string = mapping.format.kind;
          const lines: number = kind === 'json' || kind === 'ndjson' ? await linesOfJson(kind, bytes) : linesIn(bytes);
          assert.equal(found.counts.lines, lines, `seed ${seed}`);
        } catch (error) {
          // A file of another layout or encoding altogether is refused as a whole.
          assert.ok(
            error instanceof OperatorError,
            `seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`,
          );
          wholeFiles += 1;
        }
      }
    }
    // The seeds fit some of the layouts: it is not one refusal after the other.
    assert.ok(whole > wholeFiles / 4 && refusedRecords > 0, `${whole} read, ${wholeFiles} refused as a whole`);
  });
});
