// Exported files: each entry exactly once and in order, whatever interrupts the export, and complete before anybody
// sees them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { OperatorError } from '../../src/model/operator-error.ts';
import { ConcurrentExport } from '../../src/platform/export.ts';
import { article as articleResource } from '../../src/resources/index.ts';
import { linesIn, openOutbox, type Outbox, positionsOf } from './export-fixture.ts';

const refused =
  (...patterns: readonly RegExp[]) =>
  (error: unknown): boolean =>
    error instanceof OperatorError && patterns.every((pattern) => pattern.test(`${error.message} ${error.remedy}`));
const references = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `A${index}`);
const positions = (activity: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${activity}:${index + 1}`);
const visible = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .toSorted();

describe('an export', () => {
  it('refuses a folder that is not there, and takes nothing', async (t) => {
    const outbox = await openOutbox(t);
    await outbox.write('ACM', 'A1');
    await assert.rejects(
      outbox.run({ folder: join(outbox.folder, 'nowhere') }),
      refused(/There is no folder .*nowhere\. Make it first/),
    );
    assert.deepEqual(await outbox.store.outbox.consumers(), []);
  });

  it('refuses the folder of another consumer, and of another database', async (t) => {
    const [outbox, other] = [await openOutbox(t), await openOutbox(t)];
    await outbox.run();
    await assert.rejects(outbox.run({ consumer: 'bi' }), refused(/Another consumer or another database exports to/));
    await assert.rejects(
      other.run({ folder: outbox.folder }),
      refused(/Another consumer or another database exports to/),
    );
    assert.deepEqual(positionsOf(linesIn(outbox.folder)), []);
  });

  it('refuses to replace a file that is not its own, and writes it once that is gone', async (t) => {
    const outbox = await openOutbox(t);
    await outbox.write('ACM', 'A1');
    const file = join(outbox.folder, 'ACM-000000000001-000000000001.ndjson');
    writeFileSync(file, 'of somebody else');
    await assert.rejects(outbox.run(), refused(/is there already, and is not from this export/));
    assert.equal(readFileSync(file, 'utf8'), 'of somebody else');
    rmSync(file);
    await outbox.run();
    assert.deepEqual(positionsOf(linesIn(outbox.folder)), ['ACM:1']);
  });

  it('ends at once where another one may be running', async (t) => {
    const outbox = await openOutbox(t);
    await outbox.write('ACM', 'A1');
    await assert.rejects(outbox.run({ alone: async () => false }), ConcurrentExport);
    // Lost after the file was written, before it was noted.
    let asked = 0;
    await assert.rejects(
      outbox.run({
        alone: async () => {
          asked += 1;
          return asked < 3;
        },
      }),
      ConcurrentExport,
    );
    assert.deepEqual(visible(outbox.folder), []);
    assert.equal((await outbox.store.outbox.progress('files', ['ACM']))[0]?.export, null);
  });

  it('has nothing to do in an empty outbox, makes the consumer known, and leaves no file', async (t) => {
    const outbox = await openOutbox(t);
    assert.deepEqual(await outbox.run(), []);
    assert.deepEqual(visible(outbox.folder), []);
    assert.deepEqual(
      (await outbox.store.outbox.consumers()).map(({ consumer, activity }) => [consumer, activity]),
      [
        ['files', 'ACM'],
        ['files', 'BIO'],
      ],
    );
  });

  it('writes entries in their shape, one activity in a file, and each once', async (t) => {
    const outbox = await openOutbox(t);
    await outbox.write('BIO', 'B1');
    await outbox.write('ACM', 'A1', 'A2');
    await outbox.run();
    assert.deepEqual(visible(outbox.folder), [
      'ACM-000000000001-000000000002.ndjson',
      'BIO-000000000001-000000000001.ndjson',
    ]);
    const [line] = linesIn(outbox.folder);
    assert.deepEqual(Object.keys(line ?? {}), ['position', 'kind', 'activityCode', 'operationId', 'at', 'article']);
    const { entries } = await outbox.store.outbox.read(['ACM'], {}, 1);
    assert.deepEqual(line, {
      position: 'ACM:1',
      kind: 'article',
      activityCode: 'ACM',
      operationId: entries[0]?.operationId,
      at: new Date(entries[0]?.createdAt ?? 0).toISOString(),
      article: JSON.parse(entries[0]?.body ?? ''),
    });
    assert.deepEqual(await outbox.run(), []);
    await outbox.write('ACM', 'A3');
    await outbox.run();
    assert.deepEqual(visible(outbox.folder), [
      'ACM-000000000001-000000000002.ndjson',
      'ACM-000000000003-000000000003.ndjson',
      'BIO-000000000001-000000000001.ndjson',
    ]);
    const progress = await outbox.store.outbox.progress('files', ['ACM', 'BIO']);
    assert.deepEqual(
      progress.map(({ acknowledged, waiting, export: pending }) => [acknowledged, waiting, pending]),
      [
        [3, 0, null],
        [1, 0, null],
      ],
    );
  });

  it('writes the activities that are asked for alone', async (t) => {
    const outbox = await openOutbox(t);
    await outbox.write('BIO', 'B1');
    await outbox.write('ACM', 'A1');
    await outbox.run({ activityCodes: ['BIO'] });
    assert.deepEqual(positionsOf(linesIn(outbox.folder)), ['BIO:1']);
  });

  it('puts at most 1000 entries into a file', async (t) => {
    const outbox = await openOutbox(t);
    await outbox.write('ACM', ...references(2050));
    await outbox.run();
    assert.deepEqual(visible(outbox.folder), [
      'ACM-000000000001-000000001000.ndjson',
      'ACM-000000001001-000000002000.ndjson',
      'ACM-000000002001-000000002050.ndjson',
    ]);
    assert.deepEqual(positionsOf(linesIn(outbox.folder)), positions('ACM', 2050));
  });

  it('ends between two files when it is stopped, and goes on later', async (t) => {
    const outbox = await openOutbox(t);
    await outbox.write('ACM', ...references(1500));
    await outbox.write('BIO', 'B1');
    const stop = new AbortController();
    await outbox.run({
      stopped: stop.signal,
      observe: ({ done }) => {
        if (done === 'cleared') stop.abort();
      },
    });
    assert.deepEqual(positionsOf(linesIn(outbox.folder)), positions('ACM', 1000));
    await outbox.run();
    assert.deepEqual(positionsOf(linesIn(outbox.folder)), [...positions('ACM', 1500), 'BIO:1']);
  });

  it('keeps to text of any script, and to one line an entry', async (t) => {
    const outbox = await openOutbox(t);
    await outbox.store.records.submit(['ACM'], (unit) =>
      unit.write(
        articleResource,
        'ACM',
        [
          {
            value: { articleReference: 'Ä\n倉\u2028', barcodes: [], logisticalVariants: [] },
            naturalKey: 'x',
            contentHash: 'x',
          },
        ],
        'o',
      ),
    );
    await outbox.run();
    const [line] = linesIn(outbox.folder);
    assert.ok(typeof line?.article === 'object' && line.article !== null && 'articleReference' in line.article);
    assert.equal(line.article.articleReference, 'Ä\n倉\u2028');
  });
});

describe('an exported document', () => {
  it('lies beside the file before that appears, under the path that the entry gives', async (t) => {
    const outbox = await openOutbox(t);
    const bytes = Buffer.from('%PDF-1.4 …');
    await outbox.attach('ACM', 'O1', bytes);
    let before: readonly string[] = [];
    await outbox.run({
      observe: ({ done }) => {
        if (done === 'noted') before = visible(outbox.folder);
      },
    });
    assert.deepEqual(before, ['documents']);
    const [line] = linesIn(outbox.folder);
    assert.deepEqual(Object.keys(line ?? {}), [
      'position',
      'kind',
      'activityCode',
      'operationId',
      'at',
      'document',
      'content',
    ]);
    assert.match(String(line?.content), /^documents\/[0-9a-f-]{36}\.pdf$/);
    assert.deepEqual(readFileSync(join(outbox.folder, String(line?.content))), bytes);
  });

  const spoiled: readonly (readonly [name: string, spoil: (outbox: Outbox) => void, pattern: RegExp])[] = [
    ['is not in the storage', ({ kept }) => kept.clear(), /cannot be read: there is no/],
    [
      'was cut in the storage',
      ({ kept }) => {
        for (const [name, bytes] of kept) kept.set(name, bytes.subarray(0, 3));
      },
      /stored bytes are damaged/,
    ],
    [
      'was changed in the storage',
      ({ kept }) => {
        for (const name of kept.keys()) kept.set(name, Buffer.from('other b'));
      },
      /stored bytes are damaged/,
    ],
  ];
  for (const [name, spoil, pattern] of spoiled) {
    it(`that ${name} holds up its activity and no other, until it is repaired`, async (t) => {
      const outbox = await openOutbox(t);
      await outbox.write('ACM', 'A1');
      await outbox.attach('ACM', 'O1', Buffer.from('bytes 1'));
      await outbox.write('BIO', 'B1');
      const sound = new Map(outbox.kept);
      spoil(outbox);
      await assert.rejects(outbox.run(), refused(pattern));
      assert.deepEqual(positionsOf(linesIn(outbox.folder)), ['BIO:1']);
      assert.deepEqual(
        existsSync(join(outbox.folder, 'documents')) ? visible(join(outbox.folder, 'documents')) : [],
        [],
      );
      for (const [stored, bytes] of sound) outbox.kept.set(stored, bytes);
      await outbox.run();
      assert.deepEqual(positionsOf(linesIn(outbox.folder)), ['ACM:1', 'ACM:2', 'BIO:1']);
    });
  }
});

describe('an export that dies between two steps', () => {
  /** What the warehouse has once the export was run again after its death. */
  async function everything(outbox: Outbox): Promise<void> {
    await outbox.write('ACM', 'A3');
    await outbox.run();
    const lines = linesIn(outbox.folder, outbox.taken);
    assert.deepEqual(positionsOf(lines), ['ACM:1', 'ACM:2', 'ACM:3', 'ACM:4', 'BIO:1']);
    for (const { kind, content, document } of lines) {
      if (kind !== 'document') continue;
      const place = [outbox.folder, outbox.taken]
        .map((folder) => join(folder, String(content)))
        .find((path) => existsSync(path));
      assert.ok(typeof document === 'object' && document !== null && 'sha256' in document);
      assert.equal(
        createHash('sha256')
          .update(readFileSync(place ?? ''))
          .digest('hex'),
        document.sha256,
      );
    }
    for (const folder of [outbox.folder, join(outbox.folder, 'documents')]) {
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.endsWith('.part')),
        [],
      );
    }
    assert.deepEqual(
      (await outbox.store.outbox.consumers()).map(({ waiting, export: pending }) => [waiting, pending]),
      [
        [0, null],
        [0, null],
      ],
    );
    assert.deepEqual(
      await auditedFiles(outbox),
      [outbox.folder, outbox.taken]
        .flatMap((folder) => visible(folder))
        .filter((name) => name.endsWith('.ndjson'))
        .toSorted(),
    );
  }

  /** Names of the files that the audit trail tells of. */
  async function auditedFiles({ store }: Outbox): Promise<readonly unknown[]> {
    const entries = await store.audit.read({
      activityCodes: null,
      operationId: null,
      action: 'outbox.export',
      actor: 'olga',
      since: null,
      until: null,
      after: null,
      newestFirst: false,
      limit: 100,
    });
    return entries
      .map(({ details }) =>
        typeof details === 'object' && details !== null && 'file' in details ? details.file : null,
      )
      .toSorted();
  }

  async function filled(outbox: Outbox): Promise<void> {
    await outbox.write('ACM', 'A1');
    await outbox.attach('ACM', 'O1', Buffer.from('first'));
    await outbox.attach('ACM', 'O1', Buffer.from('second'));
    await outbox.write('BIO', 'B1');
  }

  const deaths = ['document', 'written', 'delivered', 'noted', 'shown', 'acknowledged', 'cleared'] as const;
  for (const at of deaths) {
    for (const taking of [false, true]) {
      it(`after "${at}"${taking ? ', files being taken at once,' : ''} loses and repeats nothing`, async (t) => {
        const outbox = await openOutbox(t);
        await filled(outbox);
        const died = outbox.run({
          observe: ({ done }) => {
            if (taking) outbox.take();
            if (done === at) throw new Error('died');
          },
        });
        await assert.rejects(died, /died/);
        if (taking) outbox.take();
        await everything(outbox);
      });
    }
  }

  it('again and again, at every step in turn, loses and repeats nothing', async (t) => {
    const outbox = await openOutbox(t);
    await filled(outbox);
    for (let round = 0, alive = false; !alive; round += 1) {
      assert.ok(round < 100, 'it comes to an end');
      let seen = 0;
      // Each step is the last one twice.
      alive = await outbox
        .run({
          observe: () => {
            if (round % 3 === 0) outbox.take();
            seen += 1;
            if (seen > round / 2) throw new Error('died');
          },
        })
        .then(
          () => true,
          () => false,
        );
    }
    await everything(outbox);
  });

  it('is completed in the folder of that time, and goes on in the new one', async (t) => {
    const outbox = await openOutbox(t);
    await filled(outbox);
    await assert.rejects(
      outbox.run({
        observe: ({ done }) => {
          if (done === 'noted') throw new Error('died');
        },
      }),
      /died/,
    );
    const other = join(outbox.folder, 'other');
    mkdirSync(other);
    await outbox.write('ACM', 'A3');
    await outbox.run({ folder: other });
    assert.deepEqual(positionsOf(linesIn(outbox.folder)), ['ACM:1', 'ACM:2', 'ACM:3']);
    assert.deepEqual(positionsOf(linesIn(other)), ['ACM:4', 'BIO:1']);
  });

  it('is not taken for completed where its folder has changed, however often; --resend writes it again', async (t) => {
    const outbox = await openOutbox(t);
    await filled(outbox);
    await assert.rejects(
      outbox.run({
        observe: ({ done }) => {
          if (done === 'noted') throw new Error('died');
        },
      }),
      /died/,
    );
    // The place is there, but what should be mounted on it is not.
    rmSync(outbox.folder, { recursive: true });
    mkdirSync(outbox.folder);
    for (const changes of [{}, { activityCodes: ['BIO'] }, { folder: outbox.taken }, {}]) {
      await assert.rejects(
        outbox.run(changes),
        refused(/The export of ACM .* was interrupted, and that folder is not as it was left.*--resend/),
      );
    }
    assert.deepEqual(visible(outbox.folder), []);
    await outbox.run({ resend: true });
    assert.deepEqual(positionsOf(linesIn(outbox.folder)), ['ACM:1', 'ACM:2', 'ACM:3', 'BIO:1']);
  });
});
