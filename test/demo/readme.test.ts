// What the README shows is sent to the demonstration as it stands there, and is taken.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { article } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp, tokenFor } from '../contract/running-app.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
/** Requests with a body: path, and the JSON between quotes. */
const requests = [...readme.matchAll(/^post [^\n]*http:\/\/localhost:8080(\S+) -d '([^']*)'/gm)].map(
  ([, path = '', body = '']): readonly [string, string] => [path, body],
);

describe('the README', () => {
  const [engine] = engines;
  let running: RunningApp;
  before(async () => {
    assert.ok(engine);
    running = await startApp(engine);
    await seedDemo(running.app.store, Date.now());
  });
  after(() => running.close());

  it('shows requests that the demonstration takes', async () => {
    assert.equal(requests.length, 2);
    const token = await tokenFor(running.app, ['ACM']);
    for (const [path, body] of requests) {
      const answer = await running.send(path, body, { token });
      const { errors = {}, status } = answer.object();
      assert.deepEqual([answer.status, errors, Number(status) % 200], [200, {}, 0], `${path} ${answer.body}`);
    }
  });

  it('imports an article that nothing is wrong with', () => {
    const [, record = ''] = /^echo '(\{[^']*\})' \|/m.exec(readme) ?? [];
    const checked = createChecker(article)(JSON.parse(record), { activity: 'ACM', activityName: 'Acme Home' });
    assert.ok(checked.ok && (checked.warnings ?? []).length === 0);
  });
});
