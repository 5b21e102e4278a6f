// What is told of failures: how many since the start, and when the last one was.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metricReader } from '../../src/http/metric-values.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { createCarrierMetrics, createTaskMetrics } from '../../src/jobs/metrics.ts';
import { serviceHealth } from '../../src/platform/service-health.ts';
import { provenWithoutServer } from '../contract/engines.ts';

describe('the failures of a service', { skip: provenWithoutServer }, () => {
  it('have the time of the last one, and none while all is well', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-03-02T08:00:00Z') });
    const metrics = createMetrics({ process: false });
    const [called, failed] = [createCarrierMetrics(metrics.registry), createTaskMetrics(metrics.registry)];
    const told = async () => serviceHealth(await metricReader(metrics.registry, null)());
    const call = { host: 'carrier.example', method: 'POST', attempt: 1, failure: null, milliseconds: 5 };
    metrics.observe('/v1/orders', 'GET', 404, 0.1, 'not-found');
    metrics.observe('/readyz', 'GET', 503, 0.1, null);
    called({ ...call, status: 422 });
    const before = await told();
    assert.deepEqual([before.lastFailureAt, before.taskFailures], [null, []]);
    assert.deepEqual(
      before.carrierCalls.map((each) => each.lastFailureAt),
      [null],
    );
    metrics.observe('/v1/orders', 'GET', 500, 0.1, 'internal-error');
    failed('sweep');
    context.mock.timers.tick(60_000);
    metrics.observe('/v1/orders', 'GET', 200, 0.1, null);
    called({ ...call, status: null });
    const after = await told();
    assert.equal(after.lastFailureAt, '2026-03-02T08:00:00.000Z');
    assert.deepEqual(after.taskFailures, [{ failure: 'sweep', count: 1, lastAt: '2026-03-02T08:00:00.000Z' }]);
    const [calls] = after.carrierCalls;
    assert.deepEqual([calls?.calls, calls?.failed, calls?.lastFailureAt], [2, 1, '2026-03-02T08:01:00.000Z']);
  });
});
