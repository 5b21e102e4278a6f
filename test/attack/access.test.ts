// Ways around authentication: other spellings of a path, a second Host, codes and refresh tokens that are used twice,
// and files that others can read.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { launcher } from '../commands/fixture.ts';
import { underAttack } from './attack.ts';
import { openBrowser, redeem, signIn } from './browser.ts';
import { addresses, redirectUri } from './prepared.ts';
import type { Target } from './target.ts';
import { ask, open, postArticles } from './wire.ts';

underAttack('access', {}, (attack) => {
  attack(
    'paths in other spellings lead nowhere',
    async (target) => {
      const spellings = [
        '/%6detrics',
        '/metric%73',
        '//metrics',
        '/metrics/',
        '/./metrics',
        '/x/../metrics',
        '/metrics;a',
        '/METRICS',
        '/%2fmetrics',
        '/%70latform/outbox',
        '/v1/%6frders',
        '/v1//orders',
        '/v1/orders/',
        '/v1/./orders',
        '/v1/x/../orders',
        '/healthz%00',
        'http://a/metrics/',
        '/v1/orders%2f',
        '/connect/interaction/%2e%2e',
        '/connect/interaction/../token',
        '/connect/%74oken',
        '/v1/docs/%2e%2e/metrics',
      ];
      return Promise.all(
        spellings.map(async (path) => ({
          path,
          status: await rawStatus(
            target,
            `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ` +
              `${target.database.tokens.attacker}\r\nConnection: close\r\n\r\n`,
          ),
        })),
      );
    },
    (_measured, answers) =>
      assert.deepEqual(
        answers.filter(({ status }) => status < 400 || status >= 500),
        [],
      ),
  );

  attack(
    'two Hosts, two lengths, a length and chunks: never two meanings',
    async (target) => {
      const body = '[{}]';
      const ask = (lines: string, sent = body): Promise<number> =>
        rawStatus(
          target,
          `POST /v1/articles?dryRun=true HTTP/1.1\r\n${lines}\r\nAuthorization: Bearer ` +
            `${target.database.tokens.attacker}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${sent}`,
        );
      const length = `Content-Length: ${body.length}`;
      const heads = [
        `Host: a\r\nHost: b\r\n${length}`,
        `Host: a\r\nhost: a\r\n${length}`,
        `Host: a b\r\n${length}`,
        `Host : a\r\n${length}`,
        length,
        `Host: a\r\n X: b\r\n Y\r\n${length}`,
        `Host: a\r\n${length}\r\nContent-Length: 2`,
        `Host: a\r\nContent-Length: +${body.length}`,
      ];
      const chunks = `4\r\n${body}\r\n0\r\n\r\n`;
      const chunked = [
        `Host: a\r\nContent-Length: ${chunks.length}\r\nTransfer-Encoding: chunked`,
        'Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity',
        'Host: a\r\nTransfer-Encoding: gzip, chunked',
        'Host: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked',
      ];
      return {
        // The same request, in one meaning: whatever is refused below, it is refused for what is different in it.
        plain: [await ask(`Host: a\r\n${length}`), await ask('Host: a\r\nTransfer-Encoding: chunked', chunks)],
        others: await Promise.all([
          ...heads.map(async (lines) => ({ lines, status: await ask(lines) })),
          ...chunked.map(async (lines) => ({ lines, status: await ask(lines, chunks) })),
        ]),
      };
    },
    (_measured, { plain, others }) => {
      assert.deepEqual(plain, [200, 200]);
      assert.deepEqual(
        others.filter(({ status }) => status !== 400),
        [],
      );
    },
  );

  attack(
    'a refused resource does not use up the refresh token',
    async (target) => {
      const granted = await grant(target);
      const refused = await redeem(target, {
        grant_type: 'refresh_token',
        refresh_token: granted.refresh,
        resource: 'https://elsewhere.example',
      });
      const renewed = await redeem(target, { grant_type: 'refresh_token', refresh_token: granted.refresh });
      return { refused: refused.status, renewed: renewed.status };
    },
    (_measured, statuses) => assert.deepEqual(statuses, { refused: 400, renewed: 200 }),
  );

  attack(
    'a code that is used again ends what it gave',
    async (target) => {
      const granted = await grant(target);
      const before = await ask(target, { path: '/v1/orders?limit=1', token: granted.access });
      const again = await redeem(target, granted.redeeming);
      // Other requests may know the token for a moment.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const access = await ask(target, { path: '/v1/orders?limit=1', token: granted.access });
      const refresh = await redeem(target, { grant_type: 'refresh_token', refresh_token: granted.refresh });
      return { before: before.status, again: again.status, access: access.status, refresh: refresh.status };
    },
    (_measured, statuses) => assert.deepEqual(statuses, { before: 200, again: 400, access: 401, refresh: 400 }),
  );

  attack(
    'an export under an open umask',
    async (target) => {
      await postArticles(target, [
        {
          activityCode: 'EVL',
          articleReference: 'EXPORT',
          longArticleDescription: 'Long',
          shortArticleDescription: 'Short',
        },
      ]);
      const { folder, variables } = target.database;
      const out = join(folder, 'out');
      mkdirSync(out);
      const env = { PATH: process.env.PATH, HOME: folder, ...variables };
      const { status, stderr } = spawnSync(
        'sh',
        ['-c', `umask 000; exec "$0" outbox export --to "$1"`, launcher, out],
        { env, encoding: 'utf8' },
      );
      return {
        status,
        stderr,
        modes: readdirSync(out).map((name) => (statSync(join(out, name)).mode & 0o777).toString(8)),
      };
    },
    (_measured, { status, stderr, modes }) => {
      assert.equal(status, 0, stderr);
      assert.ok(modes.length > 0);
      assert.deepEqual([...new Set(modes)], ['600']);
    },
  );
});

interface Granted {
  readonly access: string;
  readonly refresh: string;
  readonly redeeming: Readonly<Record<string, string>>;
}

async function grant(target: Target): Promise<Granted> {
  const signedIn = await signIn(target, openBrowser(target, '127.0.5.1'), 'attacker');
  assert.ok(signedIn !== null, 'the sign-in came to no code');
  const redeeming = {
    grant_type: 'authorization_code',
    code: signedIn.code,
    code_verifier: signedIn.verifier,
    redirect_uri: redirectUri,
  };
  const answer = await redeem(target, redeeming);
  assert.equal(answer.status, 200, `${addresses.AUTH_URL}: ${answer.body}`);
  const { access_token: access, refresh_token: refresh } = JSON.parse(answer.body.toString());
  return { access, refresh, redeeming };
}

/** Status of the answer to some bytes; 0 for none. */
async function rawStatus(target: Target, bytes: string): Promise<number> {
  const socket = await open(target);
  let got = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    got += part;
  });
  socket.write(bytes);
  await Promise.race([
    new Promise((resolve) => socket.once('close', resolve)),
    new Promise((resolve) => setTimeout(resolve, 3000)),
  ]);
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(got)?.[1] ?? 0);
}
