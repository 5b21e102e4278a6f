// Starts the peers, and defines how each is named, started and queried.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../src/http/port-check.ts';
import { textBlock } from '../../src/model/text-block.ts';
import type { Place } from '../databases.ts';
import { pidOf } from '../program.ts';
import { askDirectus } from './directus.ts';
import { askGraphql, type Asking } from './graphql.ts';
import { installPeer, peerEnvironment, versionIn } from './install.ts';
import { plainRecords, type Subject } from './subject.ts';
import type { PageQuery } from './work.ts';

/** How to obtain and run a peer. */
interface PeerKind {
  readonly title: string;
  /** Packages whose versions are reported. */
  readonly packages: readonly string[];
  /** Reports them if they are not npm packages. */
  readonly versions?: () => string;
  readonly scripts?: readonly string[];
  readonly command: (port: number) => readonly string[];
  /** How to query it, if it has no routes of our own; and what indicates that it is up. */
  readonly asking?: {
    readonly readyPath: string;
    readonly learn: (port: number, headers: Readonly<Record<string, string>>) => Promise<Asking>;
  };
  /** Null if it cannot create articles; default: `/articles`. */
  readonly articlesPath?: null;
  /** The command that imports the file named in `IMPORT`; null if there is none. */
  readonly importing: readonly string[] | null;
  readonly note: string;
}

const node = (): readonly string[] => ['node', '--disable-warning=ExperimentalWarning', 'server.ts'];

/** Every peer, by its folder. */
export const peerKinds: Readonly<Record<string, PeerKind>> = {
  'fastify-drizzle': {
    title: 'Fastify, Drizzle',
    packages: ['fastify', 'drizzle-orm', 'pg'],
    command: node,
    importing: node(),
    note: 'prepared statements, response schemas, nested records by the relational query (one statement)',
  },
  'fastify-prisma': {
    title: 'Fastify, Prisma',
    packages: ['fastify', '@prisma/client', '@prisma/adapter-pg'],
    scripts: ['prepare-client'],
    command: node,
    importing: node(),
    note: 'the driver adapter, response schemas, nested records by `select` with joins',
  },
  'nestjs-typeorm': {
    title: 'NestJS, TypeORM',
    packages: ['@nestjs/core', 'typeorm', 'pg'],
    command: node,
    importing: node(),
    note: 'repositories on Express, nested records by a statement for each kind',
  },
  postgraphile: {
    title: 'PostGraphile',
    packages: ['postgraphile', 'grafast', 'pg'],
    command: node,
    importing: null,
    asking: { readyPath: `/graphql?query=${encodeURIComponent('{__typename}')}`, learn: askGraphql },
    articlesPath: null,
    note: textBlock`
      the schema that it makes of the tables, GET with document and variables; each page by the cursor of its
      connection, and the list before an instant by a cursor of that instant; what it calls otherwise and writes
      otherwise (names of fields by aliases, integers as texts, lists as connections) is mapped before it is compared;
      it has no creation of many rows in one field
    `,
  },
  'django-rest': {
    title: 'Django REST framework',
    packages: [],
    versions: () => {
      const script =
        'import rest_framework as r, django as d, gunicorn as g; print(r.VERSION, d.__version__, g.__version__)';
      const text = execFileSync('/usr/bin/python3', ['-c', script], { encoding: 'utf8' }).trim().split(' ');
      return ['djangorestframework', 'django', 'gunicorn'].map((name, index) => `${name} ${text[index]}`).join(', ');
    },
    command: (port) => [
      ...['/usr/bin/python3', '-m', 'gunicorn', '--bind', `127.0.0.1:${port}`],
      ...[
        '--workers',
        '1',
        '--threads',
        '8',
        '--keep-alive',
        '600',
        '--worker-tmp-dir',
        '/dev/shm',
        '--log-level',
        'warning',
        'server',
      ],
    ],
    importing: ['/usr/bin/python3', 'server.py'],
    note: 'Python of Debian, one process with eight threads, ModelSerializer, nested records by prefetch_related',
  },
  // The last one, because it adds tables of its own to the database, which others must not mistake for tables of
  // records.
  directus: {
    title: 'Directus',
    packages: ['directus', 'knex', 'pg'],
    command: node,
    importing: null,
    asking: { readyPath: '/server/ping', learn: askDirectus },
    articlesPath: null,
    note: textBlock`
      its REST interface to the tables, without its web application, caches and limits, as an administrator; integers
      of 64 bits are texts, by which it orders nested rows too: mapped before they are compared; nothing is created
    `,
  },
};

/** Installs and starts a peer on the tables of `place`, and waits for its first page. */
export async function startPeerServer(name: string, place: Place, token: string): Promise<Subject> {
  const kind = peerKinds[name];
  if (kind === undefined) throw new Error(`there is no peer ${name}`);
  const { title, packages, versions, scripts, command, asking, note } = kind;
  const folder = installPeer(name, scripts);
  const port = await freePort('127.0.0.1', 0);
  const [program = '', ...words] = command(port);
  const databaseUrl = place.storage.databaseUrl ?? '';
  const child = spawn(program, words, {
    cwd: folder,
    env: peerEnvironment({ DATABASE_URL: databaseUrl, PORT: String(port), TOKEN: token }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const headers = { authorization: `Bearer ${token}` };
  const readyPath = asking?.readyPath ?? plainPath(firstPage);
  await untilItAnswers(child, title, `http://127.0.0.1:${port}${readyPath}`, headers);
  const { pathOf, recordsOf } = (await asking?.learn(port, headers)) ?? { pathOf: plainPath, recordsOf: plainRecords };
  const found = packages.map((each) => `${each} ${versionIn(folder, each)}`).join(', ');
  return {
    name: title,
    kind: 'peer',
    engine: 'PostgreSQL',
    pid: pidOf(child),
    hasSeveralProcesses: false,
    port,
    pathOf,
    articlesPath: kind.articlesPath === undefined ? '/articles' : null,
    headers,
    recordsOf,
    prepare: async () => undefined,
    note: `${versions === undefined ? found : versions()}: ${note}`,
    stop: () => stopChild(child),
  };
}

const firstPage: PageQuery = { list: 'movements', after: 0, limit: 1, articleReference: null, before: null };

/** The address of a page at a peer with routes of our own. */
function plainPath({ list, after, limit, articleReference, before }: PageQuery): string {
  if (before !== null) return `/${list}?before=${before}&limit=${limit}`;
  const article = articleReference === null ? '' : `&articleReference=${encodeURIComponent(articleReference)}`;
  return `/${list}?after=${after}&limit=${limit}${article}`;
}

/** Ends a child process, and resolves when it is gone. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** Seconds until a server must have given its first answer. */
const startSeconds = 90;

/** Waits until a server responds with 200. @throws Error when it ends, or does not in time */
export async function untilItAnswers(
  child: ChildProcess,
  name: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const end = (): void => void child.kill();
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  const until = performance.now() + startSeconds * 1000;
  let last = 'nothing';
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`);
    const answer = await fetch(url, { headers }).catch(() => null);
    const text = await answer?.text();
    if (answer?.status === 200) return;
    if (answer !== null) last = `${answer.status} ${text?.slice(0, 500)}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new Error(`${name} does not answer; the last was ${last}`);
}
