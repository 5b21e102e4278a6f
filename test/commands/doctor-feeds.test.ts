// The doctor tells what is wrong with the folder into which files are dropped.
import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { run, succeed, temporaryFolder } from './fixture.ts';

interface Finding {
  readonly subject: string;
  readonly verdict: string;
  readonly message: string;
}

describe('doctor', () => {
  it('names folders that are wrong, files that wait, and files that were refused', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { FEED_FOLDER: 'feeds' } };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    const found = async (): Promise<readonly string[]> => {
      const { findings } = JSON.parse((await run(place, 'doctor', '--json')).stdout);
      return findings
        .filter(({ subject }: Finding) => subject === 'feeds')
        .map(({ verdict, message }: Finding) => `${verdict} ${message.replace(place.folder, '')}`);
    };
    const [missing, ...others] = await found();
    assert.match(missing ?? '', /^wrong \/feeds\/inbox cannot be used: ENOENT/);
    assert.deepEqual(others, []);
    for (const path of ['inbox/ACM/articles', 'inbox/ACM/sales', 'inbox/XYZ', 'error/ACM/articles'])
      mkdirSync(join(place.folder, 'feeds', path), { recursive: true });
    const old = join(place.folder, 'feeds/inbox/ACM/articles/old.ndjson');
    writeFileSync(old, '{}');
    utimesSync(old, 1, 1);
    for (const name of ['a.ndjson', 'a.ndjson.ack.json', 'a.ndjson.refused.ndjson'])
      writeFileSync(join(place.folder, 'feeds/error/ACM/articles', name), '');
    assert.deepEqual(await found(), [
      'wrong inbox/XYZ: There is no activity "XYZ".',
      'wrong inbox/ACM/sales: There is neither mappings/ACM/sales.json nor mappings/sales.json, and no resource sales.',
      'warning 1 files lie in /feeds/error.',
    ]);
    const later = { ...place, now: () => Date.now() + 2 * 3_600_000 };
    const { stdout } = await run(later, 'doctor');
    assert.match(stdout, /warning\s+feeds\s+1 files have waited for more than an hour/);
  });

  it('names a file in place of a folder of one feed, and a folder with the name of a file', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { FEED_FOLDER: 'feeds' } };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    for (const path of ['inbox/ACM/articles/a.ndjson', 'inbox/ACM/articles/sent', 'archive/ACM'])
      mkdirSync(join(place.folder, 'feeds', path), { recursive: true });
    writeFileSync(join(place.folder, 'feeds/archive/ACM/articles'), 'in the way');
    const { stdout } = await run(place, 'doctor');
    assert.match(stdout, /wrong\s+feeds\s+archive\/ACM\/articles: It cannot be read: ENOTDIR/);
    assert.match(stdout, /wrong\s+feeds\s+inbox\/ACM\/articles\/a\.ndjson: This is a folder with the name of a file/);
    assert.doesNotMatch(stdout, /articles\/sent/);
  });

  it('says nothing where no folder is watched, and how many folders are watched where all is well', async (t) => {
    const folder = temporaryFolder(t);
    await succeed({ folder }, 'activity', 'add', 'ACM', 'Acme Home');
    assert.doesNotMatch((await run({ folder }, 'doctor')).stdout, /feeds/);
    mkdirSync(join(folder, 'feeds/inbox/ACM/articles'), { recursive: true });
    const { stdout } = await run({ folder, variables: { FEED_FOLDER: 'feeds' } }, 'doctor');
    assert.match(stdout, /ok\s+feeds\s+Files are taken from 1 folders in .*feeds\/inbox/);
  });
});
