// What two workers and their supervisor keep at rest, and what none of them loads before it is wanted.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../commands/fixture.ts';
import { provenWithoutServer } from '../contract/engines.ts';
import { newDatabase } from '../contract/new-database.ts';
import { startWorkers } from './worker-server.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const mostMegabytes = 250;
/** A start is over, and what it leaves is given back. */
const restMs = 10_000;

/** Of a process and all below it, MB: what several share is a part of each (PSS). */
function memoryOfTree(pid: number): number {
  const own = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? assert.fail('no Pss');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.map(memoryOfTree).reduce((sum, each) => sum + each, Number(own) / 1024);
}

const statement = /^(?:import|export) (?!type )(?:([^;'=]*?) from )?'([^']+)';/gms;

/** The files and packages that come with these files, whatever is done. */
function loadedWith(...files: readonly string[]): { readonly files: readonly string[]; readonly packages: string[] } {
  const [seen, packages] = [new Set<string>(), new Set<string>()];
  const follow = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, names = '', target = ''] of text.matchAll(statement)) {
      const inBraces = /^\{(.*)\}$/s.exec(names)?.[1];
      const isOfTypes = inBraces?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '));
      if (isOfTypes === true || target.startsWith('node:')) continue;
      if (!target.startsWith('.')) packages.add(target);
      else if (target.endsWith('.ts')) follow(relative(root, join(root, dirname(file), target)));
    }
  };
  files.forEach(follow);
  return { files: [...seen], packages: [...packages].toSorted() };
}

describe('two workers at rest', () => {
  for (const [name, skip, settings] of [
    ['SQLite', provenWithoutServer, async () => ({})],
    [
      'PostgreSQL',
      serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
      async (t: TestContext) => ({ DATABASE_URL: await newDatabase(t, serverUrl ?? '') }),
    ],
  ] as const)
    it(`and their supervisor take less than ${mostMegabytes} MB on ${name}`, {
      timeout: 900_000,
      skip: skip || (!existsSync('/proc/self/smaps_rollup') && 'only Linux tells how much memory is shared'),
    }, async (t) => {
      const server = await startWorkers(t, await settings(t), 2);
      await pause(restMs);
      for (let sample = 0; sample < 5; sample += 1) {
        const megabytes = memoryOfTree(server.child.pid);
        assert.ok(megabytes < mostMegabytes, `${megabytes.toFixed(0)} MB`);
        await pause(500);
      }
      t.diagnostic(`${memoryOfTree(server.child.pid).toFixed(0)} MB`);
    });
});

describe('what is loaded at a start', () => {
  const entry = ['src/main.ts', 'src/commands/serve.ts'];

  it('of a worker is no library and no part of the program that few servers need', () => {
    const { files, packages } = loadedWith(...entry, 'src/commands/serve/server.ts', 'src/workers/link.ts');
    assert.deepEqual(packages, [
      ...['commander', 'fastify', 'jose', 'lru-cache', 'negotiator', 'oidc-provider', 'pino', 'prom-client', 'uuid'],
    ]);
    const rare = /^src\/(demo\/|feeds\/(mapping|folder)\/|carriers\/[a-z]+\/|telemetry\/open-)/;
    // Small: what the reference and the help say comes from them, and whether a label goes through customs at all.
    const told = new RegExp(
      '^src/(demo/(demo-client|dictionary|clock|calendar)|carriers/sandbox/(histories|modes|triggers)|' +
        'carriers/customs/(rules|areas))\\.ts$',
    );
    assert.deepEqual(
      files.filter((file) => rare.test(file) && !told.test(file)),
      [],
    );
  });

  it('of their supervisor is neither storage nor the server', () => {
    const { files, packages } = loadedWith(...entry, 'src/commands/serve/workers.ts', 'src/workers/supervisor.ts');
    assert.deepEqual(packages, ['commander', 'pino']);
    assert.deepEqual(
      files.filter((file) => /^src\/(store|api|platform|feeds|carriers|documents|jobs|app)\b/.test(file)),
      [],
    );
  });
});
