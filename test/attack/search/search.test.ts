// A short round of the search in the gate: no request and no file that it comes upon may cost more than reading it
// does.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rounds, testSeed } from '../../contract/rounds.ts';
import { removeOriginal } from '../prepared.ts';
import { processOf } from '../processes.ts';
import { addKeys } from '../storage.ts';
import { skip, startTarget, type Target } from '../target.ts';
import { administrationSurfaces } from './administration-surfaces.ts';
import { cursorSurfaces } from './cursor-surfaces.ts';
import { feedSurfaces, refuseLine } from './feed-surfaces.ts';
import { importCost, importSurfaces } from './import-lines.ts';
import { requestCost } from './requests.ts';
import { search, table } from './search.ts';
import { surfaces } from './surfaces.ts';
import { warehouseSurfaces } from './warehouse-surfaces.ts';

/** A run of the gate tries other texts than the one before it. */
const seed = 20_260_302 + testSeed;
/**
 * Of processor time for each byte: a tenth of one to read and check JSON, a thousand times that where it was compressed
 * to a thousandth.
 */
const mostMicrosecondsPerByte = 200;
/** Of processor time: some twenty times what was found; normalizing without a bound cost twelve. */
const mostMicrosecondsPerImportedByte = 4;
/** The same, with what is written of a record, be it as short as two bytes. */
const mostMicrosecondsPerFedByte = 60;
/** By which the process may grow over all requests: what they leave behind, such as caches, has bounds of its own. */
const mostMegabytes = 400;
/** Of processor time for one request, whatever its length: others wait for as long. */
const mostMilliseconds = 1500;

describe('the costliest request by byte', { skip, timeout: 900_000 }, () => {
  let target: Target | undefined;
  before(async () => {
    target = await startTarget({}, { pace: null });
  });
  after(async () => {
    await target?.stop();
  });

  it('is not far from the cheapest', async (t) => {
    assert.ok(target !== undefined);
    const [key = ''] = await addKeys(target.database, 1, ['administration', 'operations']);
    const [desk = ''] = await addKeys(target.database, 1, ['outbox', 'audit', 'stock', 'shipping']);
    const places = [
      ...surfaces,
      ...(await cursorSurfaces(target)),
      ...administrationSurfaces(key),
      ...warehouseSurfaces(desk),
    ];
    const { memory } = processOf(target.pid);
    const found = await search(places, requestCost(target), {
      seed,
      longest: 15_000,
      texts: rounds(5000),
    });
    t.diagnostic(`\n${table(found.slice(0, 5))}`);
    const grown = (processOf(target.pid).memory - memory) / 1e6;
    t.diagnostic(`the process grew by ${grown.toFixed(0)} MB`);
    assert.ok(grown < mostMegabytes, `${grown.toFixed(0)} MB`);
    const worst = found.filter(
      ({ microseconds, microsecondsPerByte }) =>
        microsecondsPerByte > mostMicrosecondsPerByte || microseconds > mostMilliseconds * 1000,
    );
    assert.deepEqual(
      worst.map(({ surface, text, microseconds }) => ({ surface, text: text.slice(0, 2000), microseconds })),
      [],
    );
    assert.deepEqual(
      found
        .filter(({ status }) => status === 0 || status >= 500)
        .map(({ surface, status, text }) => ({ surface, status, text: text.slice(0, 500) })),
      [],
    );
  });

  it('that sends or mends a feed is not far from any other', async (t) => {
    assert.ok(target !== undefined);
    await refuseLine(target);
    const found = await search(feedSurfaces, requestCost(target), {
      seed,
      longest: 6000,
      texts: rounds(1500),
    });
    t.diagnostic(`\n${table(found)}`);
    const worst = found.filter(({ microsecondsPerByte }) => microsecondsPerByte > mostMicrosecondsPerFedByte);
    assert.deepEqual(
      worst.map(({ surface, text, microseconds }) => ({ surface, text: text.slice(0, 2000), microseconds })),
      [],
    );
    assert.deepEqual(
      found
        .filter(({ status }) => status === 0 || status >= 500)
        .map(({ surface, status, text }) => ({ surface, status, text: text.slice(0, 500) })),
      [],
    );
  });

  it('of an imported file is not far from that of any other', async (t) => {
    const found = await search(importSurfaces, importCost, { seed, longest: 10_000, texts: rounds(2500) });
    t.diagnostic(`\n${table(found)}`);
    const worst = found.filter(({ microsecondsPerByte }) => microsecondsPerByte > mostMicrosecondsPerImportedByte);
    assert.deepEqual(
      worst.map(({ surface, text, microseconds }) => ({ surface, text: text.slice(0, 2000), microseconds })),
      [],
    );
    assert.deepEqual(
      found.filter(({ status }) => status === 0).map(({ surface, text }) => ({ surface, text: text.slice(0, 500) })),
      [],
    );
  });
});

after(removeOriginal);
