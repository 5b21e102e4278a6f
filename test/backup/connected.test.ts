// A server that is written to is backed up, and restored elsewhere: it serves what was there at that instant, and
// programs that were connected go on.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeBackup } from '../../src/backup/backup.ts';
import { checkBackup, restoreBackup } from '../../src/backup/restore.ts';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { article } from '../../src/resources/index.ts';
import { sql } from '../../src/store/statement.ts';
import { connect, readArticles, refresh, registerClient, registerUser, startService } from '../auth/flow.ts';
import { type EngineUnderTest, engines } from '../contract/engines.ts';
import { articleRecord } from '../platform/export-fixture.ts';

const minute = 60_000;
const nothing = (): void => undefined;

for (const engine of engines)
  describe(`a server on ${engine.name} that is restored from a backup`, { skip: engine.skip }, () => {
    it('serves one state of before, to programs that stay connected', async (t) => {
      let at = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: at });
      const later = (): void => {
        at += minute;
        t.mock.timers.setTime(at);
      };
      const folder = mkdtempSync(join(tmpdir(), 'connected-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const first = await engine.create();
      t.after(() => first.remove());
      const target = await engine.createEmpty();
      t.after(() => target.remove());
      let current = first;
      const switched: EngineUnderTest = {
        ...engine,
        create: async () => ({ ...first, open: (reads) => current.open(reads), remove: async () => undefined }),
      };
      const service = await startService(t, {}, switched);
      const { store } = service.app;
      const credentials = await registerClient(service, { confidential: true });
      await registerUser(service);
      const connected = await connect(service, credentials);
      let written = 0;
      // In both activities of a transaction, and in one after the other.
      const write = async (): Promise<void> => {
        written += 1;
        for (const code of ['BBB', 'CCC'])
          await store.records.submit([code], (unit) => unit.write(article, code, [articleRecord(`A${written}`)], 'op'));
      };
      await write();
      const writes: Promise<void>[] = [];
      const source = { engine: store.engine, epoch: store.epoch, storage: null, program: '9' };
      const path = join(folder, 'backup');
      const manifest = await makeBackup({ ...source, onRows: () => void writes.push(write()) }, path);
      await Promise.all(writes);
      later();
      // The backup knows nothing of this one.
      const newest = (await refresh(service, credentials, connected.refresh_token)).json();
      later();
      assert.deepEqual(await checkBackup(path, nothing), manifest);
      const opened = await target.open();
      const storage = createDiskStorage({ folder: join(folder, 'files'), database: store.epoch, failed: nothing });
      await restoreBackup(path, manifest, { engine: opened, storage, keepHistory: false, onRows: nothing });
      await opened.close();
      later();
      current = target;
      const restored = await service.again();
      const answer = await refresh(restored, credentials, newest.refresh_token);
      assert.equal(answer.status, 200, answer.body);
      const read = await readArticles(restored, answer.json().access_token);
      assert.equal(read.status, 200);
      assert.ok(written > 10, 'it was written to meanwhile');
      const counts = await restored.app.store.engine.read(
        sql`select owner, count(*) from article group by owner order by owner`,
      );
      const onlyFirst = [
        ['BBB', 1],
        ['CCC', 1],
      ];
      assert.deepEqual(counts, onlyFirst, 'of each activity what was there when the backup began');
      const again = await refresh(restored, credentials, answer.json().refresh_token);
      assert.equal(again.status, 200, 'it rotates on');
    });
  });
