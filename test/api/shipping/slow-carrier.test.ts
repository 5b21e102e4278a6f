// A carrier that never answers: the operator says how long it may take, for one answer and for a whole request.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../contract/engines.ts';
import { labels, problem, startShipping, tracking, wish } from './fixture.ts';

const [engine = assert.fail('there is no engine')] = engines;

describe('a carrier that never answers', { timeout: 60_000 }, () => {
  for (const [name, settings] of [
    ['for one answer', { CARRIER_ANSWER_SECONDS: '1' }],
    ['for the whole request', { CARRIER_TOTAL_SECONDS: '1' }],
  ] as const) {
    it(`is given the time that is set ${name}, then the client is told 504`, async () => {
      const world = await startShipping(engine, settings);
      try {
        world.carrier.play(() => 'silence');
        assert.match(
          String(problem(await world.north.send(labels('north'), wish), 504, 'carrier-timeout').detail),
          /Whether there is a parcel is not known/,
        );
        problem(await world.north.get(tracking('north', 'X1')), 504, 'carrier-timeout');
      } finally {
        await world.close();
      }
    });
  }
});
