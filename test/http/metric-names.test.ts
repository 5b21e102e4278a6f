// Names of metrics: by promtool where it is installed, and everywhere by the published rules of Prometheus.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { programVersion } from '../../src/config/program-version.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import {
  createCarrierMetrics,
  createConnectionMetrics,
  createLongReadMetrics,
  createStateMetrics,
  createTaskMetrics,
} from '../../src/jobs/metrics.ts';
import { engines, storeOn } from '../contract/engines.ts';

/** All that a server shows, with a sample of each. */
async function metricsText(close: (work: () => Promise<void>) => void): Promise<string> {
  const [engine] = engines;
  assert.ok(engine);
  const database = await engine.create();
  const store = await storeOn(await database.open());
  close(async () => {
    await store.close();
    await database.remove();
  });
  await store.activities.add('ACM', 'Acme');
  const metrics = createMetrics({ process: true, program: programVersion });
  metrics.watchLoad(() => ({ running: 1, waiting: 2, bytesInFlight: 3 }));
  metrics.observe('/v1/articles', 'GET', 200, 0.1, 'not-found');
  metrics.shed('connection');
  createLongReadMetrics(metrics.registry, () => store.longReads());
  createConnectionMetrics(metrics.registry, store.refusedConnections);
  createTaskMetrics(metrics.registry)('a round failed');
  const call = { host: 'carrier.example', method: 'GET', status: 200, milliseconds: 5, attempt: 1, failure: null };
  createCarrierMetrics(metrics.registry)(call);
  await createStateMetrics(metrics.registry, store).refresh(1);
  return metrics.registry.metrics();
}

it('pass promtool, and the rules that it checks', async (t) => {
  const text = await metricsText((work) => t.after(work));
  assert.match(text, /^logistics_build_info\{version="[\d.]+",revision="(unknown|[0-9a-f]{12})"\} 1$/m);
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
  assert.ok(types.length > 25, `${types.length} metrics`);
  for (const { name, type } of types) {
    assert.match(name, /^[a-z][a-z0-9_]*$/, name);
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
    assert.doesNotMatch(name, /_(counter|gauge|histogram|summary)(_|$)/, name);
    assert.doesNotMatch(name, /_(milliseconds|ms|minutes|hours|days|kilobytes|megabytes|kb|mb|percent)(_|$)/, name);
    if (type !== 'histogram' && type !== 'summary') assert.doesNotMatch(name, /_(count|sum|bucket)$/, name);
    assert.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'));
  }
  const { status, stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  });
  if (error !== undefined) t.diagnostic('promtool is not installed: its rules alone were checked');
  else assert.deepEqual([status, `${stdout}${stderr}`], [0, '']);
});
