// Debian's `python3-requests-oauthlib` connects: a library of another language, made by others.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { proveAccess, proveRefresh, stage } from './proof.ts';

const python = '/usr/bin/python3';
const present = spawnSync(python, ['-c', 'import requests_oauthlib']).status === 0;

/** What the script writes, in two lines: first the address, then the rest. */
interface Heard {
  readonly address: string;
  readonly before: { readonly access_token: string; readonly refresh_token: string };
  readonly after: Heard['before'];
  readonly read: readonly number[];
}

describe('requests-oauthlib', { skip: present ? false : 'install python3-requests-oauthlib to run it' }, () => {
  for (const confidential of [false, true]) {
    it(`connects and refreshes as a ${confidential ? 'confidential' : 'public'} client`, async (t) => {
      const scene = await stage(t, { confidential });
      const program = spawn(python, [join(import.meta.dirname, 'requests_oauthlib_flow.py')], {
        env: { OAUTHLIB_INSECURE_TRANSPORT: '1', NO_PROXY: '*' },
        stdio: 'pipe',
      });
      t.after(() => program.kill('SIGKILL'));
      const complaints = text(program.stderr);
      const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
      const heard = async (): Promise<Heard> => {
        const { value, done } = await lines.next();
        if (done === true) assert.fail(await complaints);
        const message: Heard = JSON.parse(value);
        return message;
      };
      const tell = (value: unknown): boolean => program.stdin.write(`${JSON.stringify(value)}\n`);
      tell({
        client_id: scene.client.id,
        secret: scene.secret,
        redirect_uri: scene.redirectUri,
        auth_url: scene.service.authUrl,
        base_url: scene.service.baseUrl,
      });
      const { address } = await heard();
      tell({ back: await scene.signIn(address) });
      const { before, after, read } = await heard();
      assert.deepEqual(read, [200, 200]);
      await proveAccess(scene, before.access_token);
      await proveRefresh(
        scene,
        { access: before.access_token, refresh: before.refresh_token },
        { access: after.access_token, refresh: after.refresh_token },
      );
    });
  }
});
