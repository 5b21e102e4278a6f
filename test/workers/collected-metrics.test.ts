// The counts of a server whose workers end: none is lost, and none counts twice.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { lastFailureGauge } from '../../src/model/last-failure-gauge.ts';
import { metricsOfAll } from '../../src/http/metrics.ts';
import type { ReportedMetrics } from '../../src/model/worker-link.ts';
import { createCollectedMetrics } from '../../src/workers/collected-metrics.ts';

function counted(value: number): ReportedMetrics {
  return [
    { name: 'requests_total', help: 'Requests.', type: 'counter', aggregator: 'sum', values: [{ labels: {}, value }] },
  ];
}

function waiting(value: number): ReportedMetrics {
  return [{ name: 'waiting', help: 'Waiting.', type: 'gauge', aggregator: 'sum', values: [{ labels: {}, value }] }];
}

/** The sum of all values over all reports. */
function sumOf(reports: readonly ReportedMetrics[]): number {
  const values: unknown = JSON.parse(JSON.stringify(reports.flat().map((metric) => Object(metric).values)));
  assert.ok(Array.isArray(values));
  return values.flat().reduce((sum, { value }) => sum + Number(value), 0);
}

describe('the counts of workers', () => {
  it('are kept when several of them end at once', async () => {
    const asked: number[] = [];
    const metrics = createCollectedMetrics((worker, id) => {
      asked.push(worker);
      queueMicrotask(() => metrics.reported(worker, id, counted(10 ** worker)));
    });
    assert.equal(sumOf(await metrics.collect([0, 1, 2, 3])), 1111);
    assert.deepEqual(asked, [0, 1, 2, 3]);
    await Promise.all([0, 1, 2, 3].map((worker) => metrics.ended(worker)));
    assert.equal(sumOf(await metrics.collect([])), 1111);
  });

  it('count once where a worker ends after it reported and before another one has', async () => {
    const ids: number[] = [];
    const metrics = createCollectedMetrics((_worker, id) => ids.push(id));
    const collected = metrics.collect([1, 2]);
    metrics.reported(1, ids[0] ?? 0, counted(5));
    const ended = metrics.ended(1);
    metrics.reported(2, ids[1] ?? 0, counted(7));
    await ended;
    assert.equal(sumOf(await collected), 12);
  });

  it('stay those that a worker had last while it does not respond', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const silent = new Set<number>();
    const metrics = createCollectedMetrics((worker, id) => {
      if (!silent.has(worker)) queueMicrotask(() => metrics.reported(worker, id, [...counted(5), ...waiting(3)]));
    });
    assert.equal(sumOf(await metrics.collect([1, 2])), 16);
    silent.add(2);
    const collected = metrics.collect([1, 2]);
    context.mock.timers.tick(2000);
    assert.equal(sumOf(await collected), 13, 'but what waits in it now is not known');
    await metrics.ended(2);
    assert.equal(sumOf(await metrics.collect([1])), 13);
  });

  it('leave the time of the last failure, whichever worker it was in', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1000 });
    const options = { prefix: 'tasks', help: 'Failed.', labelNames: ['failure'] } as const;
    const registries = [new Registry(), new Registry()] as const;
    const [first, second] = [lastFailureGauge(registries[0], options), lastFailureGauge(registries[1], options)];
    const metrics = createCollectedMetrics(async (worker, id) => {
      metrics.reported(worker, id, await (registries[worker] ?? new Registry()).getMetricsAsJSON());
    });
    const told = async (workers: readonly number[]): Promise<readonly string[]> => {
      const all = await metricsOfAll(await metrics.collect(workers)).metrics();
      return all.split('\n').filter((line) => line.startsWith('tasks_'));
    };
    assert.deepEqual(await told([0, 1]), []);
    second({ failure: 'sweep' });
    context.mock.timers.setTime(9000);
    first({ failure: 'sweep' });
    const latest = ['tasks_last_failure_timestamp_seconds{failure="sweep"} 9'];
    assert.deepEqual(await told([0, 1]), latest);
    await metrics.ended(0);
    assert.deepEqual(await told([1]), latest, 'also once it has ended');
  });
});
