// The samples of deploy/proxy, run by the real nginx and the real Caddy on this machine: the files as they are, with
// addresses and certificates of the test in place of those of an operator.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/http/port-check.ts';
import { root } from '../commands/fixture.ts';
import { until } from '../contract/until.ts';

/** Something that ends, and what is to be done then. */
interface Ends {
  readonly after: (work: () => unknown) => void;
}

export interface RunningProxy {
  readonly port: number;
  /** Of whoever signed the certificate of `localhost`. */
  readonly authority: string;
}

interface ProxyUnderTest {
  readonly name: 'nginx' | 'Caddy';
  /** Why it cannot be run here; false: it can. */
  readonly skip: false | string;
  /** Starts it in front of processes on ports of this machine; it ends with the test. */
  readonly start: (t: Ends, ports: readonly number[]) => Promise<RunningProxy>;
}

/** Besides the usual places, those where distributions put programs that are for administrators. */
const searched = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];

export const proxies: readonly ProxyUnderTest[] = [
  { name: 'nginx', skip: missing('nginx', 'openssl'), start: startNginx },
  { name: 'Caddy', skip: missing('caddy'), start: startCaddy },
];

function missing(...programs: readonly string[]): false | string {
  const away = programs.filter((program) => !searched.some((folder) => existsSync(join(folder, program))));
  return away.length > 0 && `${away.join(' and ')} is not installed; .ci/install-proxies does that`;
}

function temporary(t: Ends): string {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function startNginx(t: Ends, ports: readonly number[]): Promise<RunningProxy> {
  const folder = temporary(t);
  const [port, plainPort] = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)];
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const made = spawnSync('openssl', ['req', '-x509', ...curve, ...subject, '-out', certificate, '-keyout', key]);
  assert.equal(made.status, 0, String(made.stderr));
  const servers = ports.map((each) => `    server 127.0.0.1:${each} max_fails=1 fail_timeout=2s;\n`).join('');
  const sample = changed(readFileSync(join(root, 'deploy/proxy/nginx.conf'), 'utf8'), [
    [/(?: {4}server 127\.0\.0\.1:808\d max_fails=1 fail_timeout=2s;\n)+/, servers],
    [/listen 80;\n {4}listen \[::\]:80;/, `listen 127.0.0.1:${plainPort};`],
    [/listen 443 ssl http2;\n {4}listen \[::\]:443 ssl http2;/, `listen 127.0.0.1:${port} ssl http2;`],
    ['/etc/ssl/logistics-connect/fullchain.pem', certificate],
    ['/etc/ssl/logistics-connect/privkey.pem', key],
  ]);
  writeFileSync(join(folder, 'sample.conf'), sample);
  const temporaries = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${join(folder, 'pid')}; error_log stderr warn; worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http { access_log off; ${temporaries.join(' ')} include ${join(folder, 'sample.conf')}; }\n`,
  );
  await run(t, 'nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], folder, {}, port);
  return { port, authority: readFileSync(certificate, 'utf8') };
}

async function startCaddy(t: Ends, ports: readonly number[]): Promise<RunningProxy> {
  const folder = temporary(t);
  const [port, plainPort] = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)];
  const options = [
    ...['admin off', 'skip_install_trust', 'auto_https disable_redirects', 'default_bind 127.0.0.1'],
    ...[`http_port ${plainPort}`, `https_port ${port}`, 'log {\n level WARN\n }'],
  ];
  const sample = readFileSync(join(root, 'deploy/proxy/Caddyfile'), 'utf8');
  writeFileSync(join(folder, 'Caddyfile'), `{\n${options.join('\n')}\n}\n${sample}`);
  const upstreams = ports.map((each) => `127.0.0.1:${each}`).join(' ');
  const variables = { SITE: 'localhost', UPSTREAMS: upstreams, HOME: folder, XDG_DATA_HOME: join(folder, 'data') };
  mkdirSync(variables.XDG_DATA_HOME);
  const file = join(folder, 'Caddyfile');
  await run(t, 'caddy', ['run', '--config', file, '--adapter', 'caddyfile'], folder, variables, port);
  const authority = join(variables.XDG_DATA_HOME, 'caddy/pki/authorities/local/root.crt');
  await until(() => existsSync(authority));
  return { port, authority: readFileSync(authority, 'utf8') };
}

/** Replaces what must be there once. */
function changed(text: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  return changes.reduce((done, [from, to]) => {
    assert.equal(done.split(from).length, 2, `${from} is there once`);
    return done.replace(from, () => to);
  }, text);
}

/** Starts a proxy and waits until it listens. */
async function run(
  t: Ends,
  program: string,
  args: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>>,
  port: number,
): Promise<void> {
  const env = { PATH: searched.join(':'), ...variables };
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
  t.after(() => ended(child));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`);
    return accepts(port);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, 'close');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 2000);
  await over;
  clearTimeout(killTimer);
}

async function accepts(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2000) });
    return true;
  } catch (error) {
    // TLS that was not spoken to is an answer too.
    const code = error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code;
    return code !== 'ECONNREFUSED' && code !== false;
  }
}
