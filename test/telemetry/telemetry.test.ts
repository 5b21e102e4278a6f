// Traces and metrics as a collector that others wrote receives them, and what no collector may receive.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { article } from '../../src/resources/index.ts';
import { prepare, startServer } from '../api/server-process.ts';
import { engines, provenWithoutServer } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { until } from '../contract/until.ts';
import { type ReceivedSpan, type Receiver, receiver } from './receiver.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';
const traceparent = `00-${trace}-${span}-01`;

const anArticle = {
  articleReference: 'SECRET-REF',
  longArticleDescription: 'A lamp',
  shortArticleDescription: 'Lamp',
};

/** An application that sends what the settings say; `close` sends the rest. */
async function sending(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
): Promise<RunningApp & { readonly lines: () => readonly Record<string, unknown>[] }> {
  const [engine] = engines;
  assert.ok(engine);
  const app = await startApp(engine, { LOG_LEVEL: 'info', ...settings });
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => (closed ??= app.close());
  t.after(close);
  const lines = () =>
    app
      .logged()
      .split('\n')
      .filter(Boolean)
      .map((line): Record<string, unknown> => JSON.parse(line));
  return { ...app, close, lines };
}

function named(spans: readonly ReceivedSpan[], name: string | RegExp): readonly ReceivedSpan[] {
  return spans.filter((each) => (typeof name === 'string' ? each.name === name : name.test(each.name)));
}

describe('traces', { skip: provenWithoutServer }, () => {
  for (const protocol of ['http/protobuf', 'http/json']) {
    it(`are sent by ${protocol}: the request, and what it asked of the database`, async (t) => {
      const collector = await receiver(t);
      const app = await sending(t, {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=passed-over',
        OTEL_SERVICE_NAME: 'warehouse',
      });
      await app.load(article, 'NOR', [anArticle]);
      const path = `/v1/articles?limit=7&filter=${encodeURIComponent('articleReference==SECRET-REF')}`;
      const { status } = await app.get(path, { headers: { traceparent, tracestate: 'other=1' } });
      assert.equal(status, 200);
      await app.close();
      const spans = collector.spans();
      const [request] = named(spans, 'GET /v1/articles');
      assert.ok(request !== undefined, JSON.stringify(spans.map(({ name }) => name)));
      assert.deepEqual([request.traceId, request.parentSpanId], [trace, span]);
      assert.equal(request.kind, 'SPAN_KIND_SERVER');
      const { 'logistics.client': client, ...attributes } = request.attributes;
      assert.equal(typeof client, 'string');
      assert.deepEqual(
        { ...attributes, 'http.response.status_code': Number(attributes['http.response.status_code']) },
        {
          'http.request.method': 'GET',
          'http.route': '/v1/articles',
          'http.response.status_code': 200,
          'url.scheme': 'http',
        },
      );
      const asked = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
      const [page] = named(asked, 'SELECT article');
      assert.ok(page !== undefined, JSON.stringify(asked.map(({ name }) => name)));
      assert.deepEqual([page.traceId, page.kind], [trace, 'SPAN_KIND_CLIENT']);
      assert.equal(page.attributes['db.system.name'], 'sqlite');
      assert.match(String(page.attributes['db.query.text']), /\?/);
      const shown = JSON.stringify([spans, collector.metrics()]);
      for (const secret of ['SECRET-REF', app.tokens.north, 'limit=7', '127.0.0.1'])
        assert.ok(!shown.includes(secret), `${secret} is shown`);
      const [resource] = collector.resources();
      assert.equal(resource?.attributes['service.name'], 'warehouse');
      assert.equal(resource?.attributes['deployment.environment.name'], 'test');
      assert.match(String(resource?.attributes['service.instance.id']), /^[0-9a-f-]{36}$/);
      const sent = collector.requests().filter(({ path: to }) => to === '/v1/traces');
      assert.ok(sent.length > 0);
      for (const { headers } of sent) {
        assert.equal(headers['content-type'], protocol === 'http/json' ? 'application/json' : 'application/x-protobuf');
        assert.equal(headers['x-key'], 'a secret');
      }
      const line = app.lines().find(({ route, msg }) => msg === 'request' && route === '/v1/articles');
      assert.equal(line?.trace, trace);
    });
  }

  it('name the problem of a refusal, and fail only where the server does', async (t) => {
    const collector = await receiver(t);
    const app = await sending(t, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` });
    const refused = await app.get('/v1/orders/Moreau/reports', { headers: { traceparent } });
    assert.equal(refused.status, 404);
    assert.match(String(refused.object().traceId), new RegExp(`^00-${trace}-(?!${span})[0-9a-f]{16}-01$`));
    const unknown = await app.get('/v1/Moreau');
    assert.equal(unknown.status, 404);
    await app.close();
    const [request] = named(collector.spans(), 'GET /v1/orders/{uniqueOrderID}/reports');
    assert.equal(request?.attributes['logistics.problem'], 'resource-not-found');
    assert.notEqual(request?.status.code, 'STATUS_CODE_ERROR');
    assert.equal(`00-${request?.traceId}-${request?.spanId}-01`, refused.object().traceId);
    assert.equal(named(collector.spans(), 'GET').length, 1);
    assert.ok(!JSON.stringify(collector.spans()).includes('Moreau'));
    assert.equal(collector.metrics().length, 0, 'metrics have no endpoint');
  });

  const begun: readonly (readonly [what: string, traceparent: string])[] = [
    ['of a version that is none', `ff-${trace}-${span}-01`],
    ['of version 00 with more behind it', `00-${trace}-${span}-01-x`],
    ['with capitals', `00-${trace.toUpperCase()}-${span}-01`],
    ['of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['with a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
    ['that came twice', `${traceparent}, ${traceparent}`],
    ['without end', `00-${trace}-${span}-01${'-0'.repeat(4000)}`],
  ];
  it('begin anew where a traceparent is not valid, and go on with one of a later version', async (t) => {
    const collector = await receiver(t);
    const app = await sending(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRICS_EXPORTER: 'none' });
    for (const [, header] of begun) await app.get('/v1/articles', { headers: { traceparent: header } });
    await app.get('/v1/articles', { headers: { traceparent: `cc-${trace}-${span}-01-what-will-come` } });
    await app.close();
    const requests = named(collector.spans(), 'GET /v1/articles');
    assert.equal(requests.length, begun.length + 1);
    assert.deepEqual(
      requests.map(({ traceId, parentSpanId = '' }) => [traceId === trace, parentSpanId]),
      [...begun.map(() => [false, '']), [true, span]],
    );
    assert.equal(new Set(requests.map(({ traceId }) => traceId)).size, requests.length);
  });

  it('are recorded as the sampler says; those that are not are known in the log all the same', async (t) => {
    for (const [sampler, flag, expected] of [
      ['always_off', '01', 0],
      ['always_on', '00', 1],
      ['parentbased_always_on', '00', 0],
      ['parentbased_always_off', '01', 1],
      ['traceidratio', '01', 0],
    ] as const) {
      const collector = await receiver(t);
      const app = await sending(t, {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER: sampler,
        OTEL_TRACES_SAMPLER_ARG: '0',
        OTEL_METRICS_EXPORTER: 'none',
      });
      await app.get('/v1/articles', { headers: { traceparent: `00-${trace}-${span}-${flag}` } });
      await app.close();
      assert.equal(named(collector.spans(), 'GET /v1/articles').length, expected, sampler);
      assert.equal(app.lines().find(({ route }) => route === '/v1/articles')?.trace, trace);
    }
  });

  it('of callers are passed over where OTEL_PROPAGATORS says so', async (t) => {
    for (const [word, isFollowed] of [
      ['none', false],
      ['None', false],
      ['TraceContext,baggage', true],
    ] as const) {
      const collector = await receiver(t);
      const app = await sending(t, {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_PROPAGATORS: word,
        OTEL_METRICS_EXPORTER: 'none',
      });
      await app.get('/v1/articles', { headers: { traceparent } });
      await app.close();
      const [request] = named(collector.spans(), 'GET /v1/articles');
      assert.ok(request !== undefined);
      assert.deepEqual([request.traceId === trace, Boolean(request.parentSpanId)], [isFollowed, isFollowed], word);
    }
  });

  it('have the messages of feeds, with what they wrote', async (t) => {
    const collector = await receiver(t);
    const app = await sending(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRICS_EXPORTER: 'none' });
    const key = { name: 'wms', activityCodes: ['NOR'], roles: ['feed'] } as const;
    const { text: token } = await addPlatformKey(app.app.store, key, Date.now());
    await app.send('/platform/feeds/articles?activity=NOR', `${JSON.stringify(anArticle)}\n`, {
      token,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    await app.close();
    const spans = collector.spans();
    const [message] = named(spans, 'feed message');
    const [request] = named(spans, /^POST \/platform\/feeds/);
    assert.ok(message !== undefined && request !== undefined, JSON.stringify(spans.map(({ name }) => name)));
    assert.equal(message.parentSpanId, request.spanId);
    assert.match(String(message.attributes['logistics.message']), /^NOR:\d+$/);
    assert.ok(spans.some(({ parentSpanId, kind }) => parentSpanId === message.spanId && kind === 'SPAN_KIND_CLIENT'));
    assert.ok(!JSON.stringify(spans).includes('SECRET-REF'));
  });
});

describe('metrics', { skip: provenWithoutServer }, () => {
  async function sent(
    t: TestContext,
    protocol: string,
  ): Promise<{ collector: Receiver; app: RunningApp; shown: string }> {
    const collector = await receiver(t);
    const app = await sending(t, {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol,
    });
    for (let times = 0; times < 3; times += 1) await app.get('/v1/articles');
    let shown = '';
    // They are counted when they are over, behind their answers.
    await until(async () => {
      shown = String((await app.app.server.inject('/metrics')).body);
      return /^http_request_duration_seconds_count\{[^}]*"\/v1\/articles"[^}]*\} 3$/m.test(shown);
    });
    await app.close();
    return { collector, app, shown };
  }

  for (const protocol of ['http/protobuf', 'http/json'])
    it(`are those of /metrics, by ${protocol}`, async (t) => {
      const { collector, shown } = await sent(t, protocol);
      const metrics = collector.metrics();
      const series = (text: string): ReadonlySet<string> =>
        new Set([...text.matchAll(/^([a-z]\w*?)(?:_bucket|_sum|_count)?(?:\{.*\})? /gm)].map(([, name = '']) => name));
      assert.deepEqual(
        [...new Set(metrics.map(({ name }) => name))].toSorted(),
        [...series(shown)].filter((name) => name !== '').toSorted(),
      );
      const duration = metrics.find(({ name }) => name === 'http_request_duration_seconds');
      assert.equal(duration?.unit, 's');
      const point = duration?.histogram?.dataPoints.find(({ attributes }) => attributes.route === '/v1/articles');
      assert.ok(point !== undefined);
      assert.deepEqual(point.attributes, { route: '/v1/articles', method: 'GET', status: '2xx' });
      assert.equal(Number(point.count), 3);
      const counts = (point.bucketCounts ?? []).map(Number);
      assert.equal(counts.length, (point.explicitBounds ?? []).length + 1);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        3,
      );
      assert.ok(counts.every((count) => count >= 0));
      assert.equal(collector.spans().length, 0, 'traces have no endpoint');
    });
});

describe('telemetry', { skip: provenWithoutServer }, () => {
  it('is not sent where nothing is set, nor where OTEL_SDK_DISABLED is true', async (t) => {
    const collector = await receiver(t);
    for (const settings of [
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' },
      // The specification has booleans and words in any letter case.
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'True' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_EXPORTER: 'None', OTEL_METRICS_EXPORTER: 'NONE' },
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_METRICS_EXPORTER: 'none',
      },
    ]) {
      const app = await sending(t, settings);
      const { headers } = await app.get('/v1/articles', { headers: { traceparent } });
      assert.equal(headers.traceparent, undefined);
      await app.close();
    }
    assert.equal(collector.requests().length, 0);
  });

  it('does not hold up the server where the collector is away, and tells so once', async (t) => {
    const app = await sending(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
    });
    const told = () => app.lines().filter(({ msg }) => msg === 'traces or metrics could not be sent');
    await until(async () => {
      assert.equal((await app.get('/v1/articles')).status, 200);
      return told().length > 0;
    });
    // It is tried again meanwhile.
    for (let times = 0; times < 20; times += 1) {
      assert.equal((await app.get('/v1/articles')).status, 200);
      await pause(50);
    }
    await app.close();
    assert.equal(new Set(told().map(({ fault }) => fault)).size, told().length);
  });

  it('does not hold up the end of the server where the collector never answers', { timeout: 300_000 }, async (t) => {
    const collector = createServer((request) => void request.resume()).listen(0, '127.0.0.1');
    t.after(() => {
      collector.closeAllConnections();
      collector.close();
    });
    await once(collector, 'listening');
    const asked = once(collector, 'request');
    const address = collector.address();
    assert.ok(typeof address === 'object' && address !== null);
    const prepared = await prepare(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${address.port}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
    });
    const { child } = await startServer(t, prepared);
    await asked;
    const began = performance.now();
    child.signal('SIGTERM');
    assert.equal((await child.ended).code, 0);
    // Five seconds for what is left to be sent; the collector may be waited for ten minutes.
    assert.ok(performance.now() - began < 60_000);
  });

  const wrong: readonly Readonly<Record<string, string>>[] = [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_TRACES_EXPORTER: 'jaeger' },
    { OTEL_PROPAGATORS: 'b3' },
    { OTEL_TRACES_SAMPLER_ARG: '1.5' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'a secret' },
  ];
  for (const settings of wrong)
    it(`refuses ${Object.entries(settings)[0]?.join('=')} at the start`, async () => {
      const [engine] = engines;
      assert.ok(engine);
      const [name = ''] = Object.keys(settings);
      await assert.rejects(startApp(engine, { ...settings }), new RegExp(name));
    });
});
