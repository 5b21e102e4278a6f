// What the host makes of failures: whether a parcel may exist, what the exchange hears of it, and where it ends.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CarrierError } from '../../src/carriers/carrier.ts';
import { defaultHostLimits } from '../../src/carriers/host.ts';
import { answering, asking, closedOrigin, failed, get, host, serve, type Talk } from './local-servers.ts';

describe('the host of carriers, where something fails,', () => {
  describe('says whether a parcel may exist', () => {
    it('no, where nobody listens', async (t) => {
      const origin = await closedOrigin(t);
      const { callCarrier, calls } = host();
      const error = await failed(callCarrier(asking(get(origin, 'never')), [origin]));
      assert.deepEqual([error.kind, error.acted], ['unavailable', 'no']);
      assert.deepEqual(
        calls.map(({ status, failure }) => [status, failure]),
        [[null, 'ECONNREFUSED']],
      );
    });

    it('no, where there is no such machine', async () => {
      const origin = 'http://carrier.invalid';
      assert.equal((await failed(host().callCarrier(asking(get(origin, 'never')), [origin]))).acted, 'no');
    });

    it('no, where a header cannot be sent: nothing leaves', async (t) => {
      const server = await serve(t, answering('x'));
      for (const value of ['secret\nX-More: 1', 'clé€', 'a\0b']) {
        const error = await failed(
          host().callCarrier(asking({ ...get(server.origin, 'never'), headers: { authorization: value } }), [
            server.origin,
          ]),
        );
        assert.deepEqual([error.kind, error.acted], ['configuration', 'no']);
        assert.ok(!error.message.includes(value));
      }
      assert.equal(server.requests(), 0);
    });

    it('perhaps, once a request that could make one was answered, even where the next was never sent', async (t) => {
      const [server, gone] = [await serve(t, answering('made')), await closedOrigin(t)];
      for (const next of [get(gone), get('http://elsewhere.example')]) {
        const error = await failed(
          host().callCarrier(asking(get(server.origin, 'never'), next), [server.origin, gone]),
        );
        assert.equal(error.acted, 'unknown');
      }
    });

    it('no, after any number of harmless answers', async (t) => {
      const [server, gone] = [await serve(t, answering('token')), await closedOrigin(t)];
      const error = await failed(
        host().callCarrier(asking(get(server.origin), get(server.origin), get(gone, 'never')), [server.origin, gone]),
      );
      assert.equal(error.acted, 'no');
    });
  });

  describe('throws a failure into the exchange', () => {
    it('which may do without that answer', async (t) => {
      const [server, gone] = [await serve(t, answering('made 17')), await closedOrigin(t)];
      const result = await host().callCarrier(
        (function* (): Talk<string> {
          const label = (yield get(server.origin, 'never')).body.toString();
          try {
            return (yield get(gone)).body.toString();
          } catch (error) {
            assert.ok(error instanceof CarrierError);
            return `${label}, without its PDF`;
          }
        })(),
        [server.origin, gone],
      );
      assert.equal(result, 'made 17, without its PDF');
    });

    it('which may say more of it, such as the number of the parcel that exists', async (t) => {
      const [server, gone] = [await serve(t, answering('17')), await closedOrigin(t)];
      const error = await failed(
        host().callCarrier(
          (function* (): Talk<string> {
            const number = (yield get(server.origin, 'never')).body.toString();
            try {
              return (yield get(gone)).body.toString();
            } catch {
              throw new CarrierError('unavailable', `Parcel ${number} exists.`, { acted: 'unknown' });
            }
          })(),
          [server.origin, gone],
        ),
      );
      assert.equal(error.message, 'Parcel 17 exists.');
    });

    it('which can clean up', async (t) => {
      const gone = await closedOrigin(t);
      const { callCarrier } = host();
      let cleaned = 0;
      await failed(
        callCarrier(
          (function* (): Talk<void> {
            try {
              yield get(gone, 'never');
            } finally {
              cleaned += 1;
            }
          })(),
          [gone],
        ),
      );
      assert.equal(cleaned, 1);
    });
  });

  describe('ends an exchange that has no end', () => {
    it('after twenty requests', async (t) => {
      const server = await serve(t, answering('more'));
      assert.equal(defaultHostLimits.maxRequests, 20);
      const error = await failed(
        host().callCarrier(
          (function* (): Talk<never> {
            for (;;) yield get(server.origin);
          })(),
          [server.origin],
        ),
      );
      assert.deepEqual([error.kind, error.acted, server.requests()], ['unavailable', 'no', 20]);
    });

    it('after four more for each parcel that it asks about', async (t) => {
      const server = await serve(t, answering('more'));
      const asking = (function* (): Talk<never> {
        for (;;) yield get(server.origin);
      })();
      const error = await failed(host().callCarrier(asking, [server.origin], 3));
      assert.deepEqual([error.kind, server.requests()], ['unavailable', 32]);
    });

    it('even one that does not listen', async (t) => {
      const server = await serve(t, answering('more'));
      const { callCarrier } = host({ maxRequests: 3 });
      const error = await failed(
        callCarrier(
          (function* (): Talk<never> {
            for (;;) {
              try {
                yield get(server.origin, 'never');
              } catch {
                // Goes on all the same.
              }
            }
          })(),
          [server.origin],
        ),
      );
      assert.deepEqual([error.acted, server.requests()], ['unknown', 3]);
    });

    it('but lets one end well that has what it needs', async (t) => {
      const server = await serve(t, answering('page'));
      const pages = await host({ maxRequests: 3 }).callCarrier(
        (function* (): Talk<number> {
          let count = 0;
          try {
            for (; ; count += 1) yield get(server.origin);
          } catch {
            return count;
          }
        })(),
        [server.origin],
      );
      assert.deepEqual([pages, server.requests()], [3, 3]);
    });
  });
});
