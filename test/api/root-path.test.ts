// `/`: the web console for browsers, the reference page for programs and where there is no console.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { temporaryFolder } from '../commands/fixture.ts';

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';

async function answerOf(
  t: TestContext,
  accept: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const folder = temporaryFolder(t);
  const app = await createApp(readConfig({ PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ...settings }, folder), {
    processMetrics: false,
  });
  t.after(() => app.close());
  const { baseUrl } = await app.listen();
  return fetch(new URL('/', baseUrl), { headers: { accept }, redirect: 'manual' });
}

describe('the root path', () => {
  it('is the console for a browser, with scripts of its own origin alone', async (t) => {
    const answer = await answerOf(t, html);
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers.get('content-type')), /^text\/html/);
    assert.match(String(answer.headers.get('content-security-policy')), /default-src 'none'.*script-src 'self'/);
    assert.match(await answer.text(), /<script type="module" src="\/console\/main-[\w-]+\.js"/);
  });

  const issuers = JSON.stringify([
    {
      name: 'company',
      issuer: 'https://login.example.com',
      jwksUri: 'https://login.example.com/keys',
      audiences: ['logistics'],
      activities: { claim: 'activities' },
    },
  ]);
  for (const [who, accept, settings] of [
    ['a program', '*/*', {}],
    ['everybody where CONSOLE is off', html, { CONSOLE: 'off' }],
    ['everybody where nobody can sign in here', html, { BUILT_IN_ISSUER: 'off', TRUSTED_ISSUERS: issuers }],
  ] as const)
    it(`leads ${who} to the reference page`, async (t) => {
      const answer = await answerOf(t, accept, settings);
      assert.equal(answer.status, 302);
      assert.equal(new URL(answer.headers.get('location') ?? '').pathname, '/v1/docs');
    });
});
