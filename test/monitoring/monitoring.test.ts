// The dashboard and the alert rules of deploy/monitoring: that they ask only for what a server shows, and what promtool
// says of them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { leftToGate } from '../contract/rounds.ts';

const folder = fileURLToPath(new URL('../../deploy/monitoring/', import.meta.url));
const [rules, ruleTests] = ['alerts.yml', 'alerts.test.yml'].map((name) => readFileSync(join(folder, name), 'utf8'));
assert.ok(rules !== undefined && ruleTests !== undefined);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly datasource: unknown }[];
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
}
const dashboard: Dashboard = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8'));
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

const installed = spawnSync('promtool', ['--version']).error === undefined;
const missing = leftToGate || (installed ? false : 'promtool is not installed: .ci/install-promtool');

/** What promtool prints, where it is content. */
function promtool(...parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', parameters, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

/** What a server shows: names of series, each with the labels that it can have. */
async function shownSeries(t: TestContext): Promise<ReadonlySet<string>> {
  const place = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  const variables = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: place };
  const app = await createApp(readConfig(variables, place), { processMetrics: true });
  t.after(async () => {
    await app.close();
    rmSync(place, { recursive: true });
  });
  const { body, statusCode } = await app.server.inject('/metrics');
  assert.equal(statusCode, 200);
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name],
    ),
  );
}

/** Names of series in an expression. */
function seriesIn(expression: string): readonly string[] {
  const plain = expression.replaceAll(/"[^"]*"/g, '').replaceAll(/\b(by|on|without) \([^)]*\)/g, '');
  return plain.match(/\b(?:logistics|http|process|nodejs)_\w+/g) ?? [];
}

describe('alert rules', () => {
  it('pass promtool, with the configuration that names them', { skip: missing }, () => {
    promtool('check', 'rules', 'alerts.yml');
    promtool('check', 'config', 'prometheus.yml');
  });

  it('fire and do not fire as their tests say', { skip: missing }, () => {
    promtool('test', 'rules', 'alerts.test.yml');
  });

  it('have a test of each kind', () => {
    const names = [...rules.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name);
    assert.ok(names.length >= 6);
    const tested = [...ruleTests.matchAll(/^ {2}- name: (.+)$/gm)].map(([, name]) => name);
    assert.deepEqual(tested.toSorted(), names.flatMap((name) => [`${name} does not fire`, `${name} fires`]).toSorted());
  });
});

describe('the dashboard', () => {
  it('is laid out as Grafana wants it', () => {
    assert.match(dashboard.uid, /^[A-Za-z0-9_-]{1,40}$/);
    assert.ok(dashboard.schemaVersion >= 36);
    const ids = dashboard.panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const taken = new Set<string>();
    for (const { title, type, gridPos, targets = [], datasource } of dashboard.panels) {
      assert.ok(['row', 'stat', 'timeseries'].includes(type), title);
      assert.ok(gridPos.x >= 0 && gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(!taken.has(`${x}/${y}`), `${title} lies on another panel`);
          taken.add(`${x}/${y}`);
        }
      const refs = targets.map(({ refId }) => refId);
      assert.equal(new Set(refs).size, refs.length, title);
      const source = { type: 'prometheus', uid: `\${datasource}` };
      for (const each of targets) assert.deepEqual(each.datasource, source, title);
      if (type !== 'row') assert.deepEqual(datasource, source, title);
      assert.equal(targets.length > 0, type !== 'row', title);
    }
    const variables = dashboard.templating.list.map(({ name }) => name);
    for (const name of JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g))
      assert.ok([...variables, '__rate_interval'].includes(name[1] ?? ''), name[0]);
  });

  it('has queries that Prometheus can read', { skip: missing }, (t) => {
    const place = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    t.after(() => rmSync(place, { recursive: true }));
    const asRules = expressions.map((expression, index) => {
      const filled = expression.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*');
      return `      - { record: "panel:${index}", expr: ${JSON.stringify(filled)} }`;
    });
    const file = join(place, 'panels.yml');
    writeFileSync(file, `groups:\n  - name: panels\n    rules:\n${asRules.join('\n')}\n`);
    assert.match(promtool('check', 'rules', file), new RegExp(`SUCCESS: ${expressions.length} rules found`));
  });
});

describe('dashboard and alert rules', () => {
  let asked: readonly (readonly [string, string])[] = [];
  before(() => {
    const ofVariables = dashboard.templating.list.flatMap(({ definition = '' }) => definition);
    const ofRules = [...rules.matchAll(/^ {8}expr: (?:'.*'$|>-\n(?: {10}.*\n)+)/gm)].map(([text]) => text);
    asked = [...expressions, ...ofVariables, ...ofRules].flatMap((text) =>
      seriesIn(text).map((name) => [name, text] as const),
    );
  });

  it('ask only for what a server shows', async (t) => {
    const shown = await shownSeries(t);
    for (const [name, text] of asked) assert.ok(shown.has(name), `no server shows ${name}: ${text}`);
  });

  it('leave nothing out that the server shows of its own', async (t) => {
    const own = [...(await shownSeries(t))].filter((name) => /^(logistics|http)_/.test(name) && !/_sum$/.test(name));
    const named = new Set(asked.map(([name]) => name));
    assert.deepEqual(
      own.filter((name) => !named.has(name)),
      [],
    );
  });
});
