// Upper limits for any server with the same answers: the same statements on the bare engine, and the same bytes from
// bare HTTP servers.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/http/port-check.ts';
import { startPeer } from '../peers.ts';
import { pidOf } from '../program.ts';
import { stopChild, untilItAnswers } from './peer-servers.ts';
import type { Subject } from './subject.ts';

type Limit = Pick<Subject, 'kind' | 'engine' | 'hasSeveralProcesses' | 'articlesPath' | 'headers' | 'recordsOf'>;

const asLimit: Limit = {
  kind: 'limit',
  engine: null,
  hasSeveralProcesses: false,
  articlesPath: null,
  headers: {},
  recordsOf: () => [],
};

/** `node:http` with one page in memory. */
export async function startBareServer(): Promise<Subject> {
  const server = await startPeer('bare-server.ts');
  const port = await freePort('127.0.0.1', 0);
  return {
    ...asLimit,
    name: 'bare node:http',
    pid: server.pid,
    port,
    pathOf: () => '/',
    prepare: async (_work, body) => {
      const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
      await server.ask({ port, status: 200, headers, body });
    },
    note: `Node ${process.version}: one page of the work from memory, whatever is asked`,
    stop: server.stop,
  };
}

/** nginx with one page in a file. */
export async function startNginx(): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-nginx-'));
  const port = await freePort('127.0.0.1', 0);
  const configuration = join(folder, 'nginx.conf');
  writeFileSync(configuration, nginxConfiguration(folder, port));
  writeFileSync(join(folder, 'page.json'), '[]');
  const child = spawn('nginx', ['-p', folder, '-c', configuration, '-e', join(folder, 'error.log')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilItAnswers(child, 'nginx', `http://127.0.0.1:${port}/page.json`, {});
  return {
    ...asLimit,
    name: 'nginx, the same bytes',
    pid: pidOf(child),
    port,
    pathOf: () => '/page.json',
    prepare: async (_work, body) => writeFileSync(join(folder, 'page.json'), body),
    note: `${nginxVersion()}: one process, one page of the work from a file that the system has in memory`,
    stop: async () => {
      await stopChild(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nginxVersion(): string {
  const text = execFileSync('sh', ['-c', 'nginx -v 2>&1'], { encoding: 'utf8' });
  return /nginx\/[\d.]+/.exec(text)?.[0] ?? 'nginx';
}

function nginxConfiguration(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${join(folder, name)};`,
  );
  return [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off; worker_processes 1;',
    `pid ${join(folder, 'nginx.pid')};`,
    `error_log ${join(folder, 'error.log')};`,
    'events { worker_connections 1024; }',
    'http {',
    ...temporary,
    '  types { application/json json; }',
    '  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=100;',
    // A page is rewritten for each kind of work.
    '  open_file_cache_valid 1s;',
    `  server { listen 127.0.0.1:${port}; root ${folder}; }`,
    '}',
    '',
  ].join('\n');
}
