// The background task of the feed folder: there is one where a folder is set, and the log says what it did.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { createLogger } from '../../src/http/log.ts';
import { feedFolderTasks } from '../../src/jobs/feed-folder.ts';
import { article, dropFor } from '../feeds/folder/fixture.ts';

describe('the task of the feed folder', () => {
  it('takes what is there, and logs what was taken or refused, and which folders are wrong', async (t) => {
    const { store, root, put } = await dropFor(t);
    await put('inbox/ACM/articles/1.ndjson', article('A'));
    await put('inbox/ACM/articles/2.ndjson', `${article('B')}{}\n`);
    await put('inbox/ACM/articles/3.ndjson', 'no JSON at all');
    await put('inbox/ACM/articles/4.ndjson', '');
    await put('inbox/XYZ/articles/1.ndjson', article('A'));
    const odd = { ...JSON.parse(article('C')), barcodes: ['12345678', '4006381333930'].map((code) => ({ code })) };
    await put('inbox/ACM/articles/5.ndjson', JSON.stringify(odd));
    const out = new PassThrough();
    const log = text(out);
    const settings = {
      feedFolder: root,
      feedFolderComplete: 'rename',
      feedFolderQuietSeconds: 30,
      gtinLengths: [13],
    } as const;
    const parts = { store, turns: createFeedTurns(), logger: createLogger('info', out), stopping: t.signal };
    const [task, ...others] = feedFolderTasks(settings, parts);
    assert.deepEqual([task?.name, others], ['feed-folder', []]);
    await task?.run();
    out.end();
    const lines = (await log)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ level, file, place, movedTo = '', fault, code }) => [
        level,
        file ?? place,
        movedTo.replace(join(root, '/'), ''),
        fault?.code ?? code ?? '',
      ]),
      [
        [50, 'inbox/XYZ', '', 'unknown-activity'],
        [30, '1.ndjson', 'archive/ACM/articles/1.ndjson', ''],
        [40, '2.ndjson', 'error/ACM/articles/2.ndjson', ''],
        [50, '3.ndjson', 'error/ACM/articles/3.ndjson', ''],
        [50, '4.ndjson', 'error/ACM/articles/4.ndjson', 'empty-file'],
        [30, '5.ndjson', 'archive/ACM/articles/5.ndjson', ''],
      ],
    );
    const warned = await store.feeds.message('ACM', Number(lines[5].messages[0].message.split(':')[1]));
    assert.match(warned?.warnings ?? '', /^\[\{[^{]*code has 13 digits[^{]*\}\]$/);
    assert.equal(lines[3].messages[0].fault.code, 'not-json');
    assert.ok(lines.slice(1).every(({ activity, folder }) => activity === 'ACM' && folder === 'articles'));
  });

  it('is not there without a folder', async (t) => {
    const { store } = await dropFor(t);
    const settings = {
      feedFolder: null,
      feedFolderComplete: 'quiet',
      feedFolderQuietSeconds: 30,
      gtinLengths: [13],
    } as const;
    const parts = {
      store,
      turns: createFeedTurns(),
      logger: createLogger('silent', new PassThrough()),
      stopping: t.signal,
    };
    assert.deepEqual(feedFolderTasks(settings, parts), []);
  });
});
