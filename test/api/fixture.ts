// The whole application over an empty database of its own, for tests of what it says of itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

/** Public addresses as an operator would set them. */
export const environment = { BASE_URL: 'https://logistics.test/v1', AUTH_URL: 'https://login.logistics.test', LOG_LEVEL: 'silent' };

/** Opens the application; `close` removes its database too. */
export async function openApp(settings: Readonly<Record<string, string>> = {}): Promise<App> {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  const log = new Writable({ write: (_chunk, _encoding, done) => done() });
  const app = await createApp(readConfig({ ...environment, PORT: '0', DATA_DIR: folder, ...settings }, folder), { log });
  return {
    ...app,
    close: async () => {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
