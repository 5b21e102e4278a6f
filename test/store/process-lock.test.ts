// A lock between processes: one holder at a time, and none after its holder has died, however it died.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { StorageSettings } from '../../src/store/open.ts';
import { type ProcessLock, takeProcessLock } from '../../src/store/process-lock.ts';
import { provenWithoutServer } from '../contract/engines.ts';

const serverUrl = process.env.TEST_DATABASE_URL;

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'lock-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function taken(t: TestContext, settings: StorageSettings, name: string): Promise<ProcessLock> {
  const lock = await takeProcessLock(settings, name);
  assert.ok(lock !== null, 'the lock is free');
  t.after(() => lock.release().catch(() => undefined));
  return lock;
}

const engines: readonly (readonly [
  name: string,
  skip: false | string,
  settings: (t: TestContext) => StorageSettings,
])[] = [
  ['SQLite', provenWithoutServer, (t) => ({ dataDir: folder(t), databaseUrl: null })],
  [
    'PostgreSQL server',
    serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
    () => ({ dataDir: '/nowhere', databaseUrl: serverUrl ?? '' }),
  ],
];

for (const [engine, skip, settingsOf] of engines) {
  describe(`a lock on ${engine}`, { skip }, () => {
    it('has one holder at a time, and is free again once released', async (t) => {
      const settings = settingsOf(t);
      const first = await taken(t, settings, 'one');
      assert.equal(await takeProcessLock(settings, 'one'), null);
      assert.equal(await first.held(), true);
      assert.equal(await first.held(), true);
      await first.release();
      const second = await taken(t, settings, 'one');
      assert.equal(await takeProcessLock(settings, 'one'), null);
      await second.release();
    });

    it('does not stand in the way of another name', async (t) => {
      const settings = settingsOf(t);
      await taken(t, settings, 'one');
      await taken(t, settings, 'two');
    });

    it('is free at once when the process that held it was killed', async (t) => {
      const settings = settingsOf(t);
      const module = resolve(import.meta.dirname, '../../src/store/process-lock.ts');
      const program =
        `const { takeProcessLock } = await import(${JSON.stringify(module)}); console.log(await ` +
        `takeProcessLock(${JSON.stringify(settings)}, 'one') !== null); setInterval(() => undefined, 1000);`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      const [said] = await once(child.stdout, 'data');
      assert.equal(String(said).trim(), 'true');
      assert.equal(await takeProcessLock(settings, 'one'), null);
      child.kill('SIGKILL');
      await once(child, 'exit');
      let lock: ProcessLock | null = null;
      // A server notices the end of a connection in its own time.
      while (lock === null) lock = await takeProcessLock(settings, 'one');
      await lock.release();
    });
  });
}
