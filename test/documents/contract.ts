// What every storage of document files must do, whatever it keeps them in.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { documentName } from '../../src/documents/names.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { Problem } from '../../src/model/problem.ts';

/** A storage of its own, empty. */
export interface Place {
  readonly storage: DocumentStorage;
  /** The same files, opened for another database. */
  readonly forDatabase: (database: string) => DocumentStorage;
  readonly incomingFolder: string;
  /** What the storage told of its failures. */
  readonly failures: readonly unknown[];
}

const limits = { size: 1_000_000 };
const hour = 3_600_000;

export function describeStorage(
  what: string,
  openPlace: (t: TestContext) => Promise<Place>,
  options: { readonly skip?: false | string } = {},
): void {
  describe(`documents ${what}`, options, () => {
    it('leave nothing behind when their stream fails', async (t) => {
      const place = await openPlace(t);
      for (const after of [0, 1, 10]) {
        const reason = new Error('the client went away');
        async function* failing(): AsyncGenerator<Buffer> {
          for (let count = 0; count < after; count += 1) yield randomBytes(50_000);
          throw reason;
        }
        await assert.rejects(place.storage.receive(Readable.from(failing()), limits), (error) => error === reason);
      }
      const gone = new Readable({ read: () => undefined });
      gone.push('begun');
      setImmediate(() => gone.destroy());
      await assert.rejects(place.storage.receive(gone, limits), /Premature close/);
      const failed = new Readable({ read: () => undefined });
      failed.destroy(new Error('before it began'));
      await assert.rejects(place.storage.receive(failed, limits), /before it began/);
      await assert.rejects(place.storage.receive(Readable.from(['text', 'text']), limits), TypeError);
      assert.deepEqual(await leftIn(place), []);
      assert.deepEqual(place.failures, []);
    });

    it('are refused when they are too long, by one byte or without end', async (t) => {
      const place = await openPlace(t);
      async function* endless(): AsyncGenerator<Buffer> {
        for (;;) yield Buffer.alloc(65_536);
      }
      for (const content of [Readable.from([Buffer.alloc(limits.size + 1)]), Readable.from(endless())]) {
        await assert.rejects(
          place.storage.receive(content, limits),
          (error) =>
            error instanceof Problem && error.slug === 'payload-too-large' && /1000000 bytes/.test(error.detail),
        );
        assert.ok(content.destroyed);
      }
      assert.deepEqual(await leftIn(place), []);
    });

    it('are not there when they are not', async (t) => {
      const { storage, failures } = await openPlace(t);
      const name = newName();
      await assert.rejects(
        storage.open(name),
        (error) => error instanceof Error && !(error instanceof Problem) && error.message.includes(name),
      );
      await storage.remove(name);
      assert.deepEqual(await namesOf(storage), []);
      assert.deepEqual(failures, []);
    });

    it('have no names but ours', async (t) => {
      const { storage } = await openPlace(t);
      const good = newName();
      for (const name of [
        '',
        '../secret',
        `../${good}`,
        `/${good}`,
        good.replace('/', '//'),
        `${good}/..`,
        good.toUpperCase(),
        good.replace('.pdf', '.exe'),
        good.replace('.pdf', ''),
        `${good}\n`,
        'ACM/2026/13/x.pdf',
        good.replace(/-7(?=[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})/, '-4'),
      ]) {
        await assert.rejects(storage.open(name), /is no name of a document file/);
        await assert.rejects(storage.remove(name), /is no name of a document file/);
        const received = await storage.receive(streamOf(Buffer.from('document')), limits);
        await assert.rejects(received.keep(name), /is no name of a document file/);
        await received.discard();
      }
    });

    it('come back as they were, of any length', async (t) => {
      const place = await openPlace(t);
      for (const length of [0, 1, 65_535, 65_536, limits.size]) {
        const bytes = randomBytes(length);
        const received = await place.storage.receive(streamOf(bytes), limits);
        assert.equal(received.size, length);
        assert.equal(received.sha256, createHash('sha256').update(bytes).digest('hex'));
        const name = newName();
        await received.keep(name);
        const { stream, size } = await place.storage.open(name);
        assert.equal(size, length);
        assert.deepEqual(await buffer(stream), bytes);
      }
      assert.deepEqual(leftovers(place), []);
      assert.deepEqual(place.failures, []);
    });

    it('can be looked at anywhere before they are kept', async (t) => {
      const { storage } = await openPlace(t);
      const bytes = randomBytes(200_000);
      const received = await storage.receive(streamOf(bytes), limits);
      for (const [position, length] of [
        [0, 10],
        [199_990, 100],
        [65_000, 70_000],
        [200_000, 5],
        [5_000_000_000, 5],
        [0, 0],
        [0, 200_000],
      ] as const) {
        assert.deepEqual(await received.read(position, length), bytes.subarray(position, position + length));
      }
      await received.discard();
    });

    it('are kept once, and then no longer discarded', async (t) => {
      const place = await openPlace(t);
      const received = await place.storage.receive(streamOf(Buffer.from('once')), limits);
      const name = newName();
      await received.keep(name);
      await assert.rejects(received.keep(newName()), /kept or discarded before/);
      await received.discard();
      assert.deepEqual(await namesOf(place.storage), [name]);
      const other = await place.storage.receive(streamOf(Buffer.from('never')), limits);
      await other.discard();
      await other.discard();
      await assert.rejects(other.keep(newName()), /kept or discarded before/);
      assert.deepEqual(await namesOf(place.storage), [name]);
      assert.deepEqual(leftovers(place), []);
    });

    it('tell their length, and come back under their name when they were lost or cut', async (t) => {
      const place = await openPlace(t);
      const [name, bytes] = [newName(), randomBytes(70_000)];
      assert.equal(await place.storage.sizeOf(name), null);
      for (const length of [70_000, 10, 0, 70_000]) {
        await (await place.storage.receive(streamOf(bytes.subarray(0, length)), limits)).keep(name);
        assert.equal(await place.storage.sizeOf(name), length);
        assert.deepEqual(await buffer((await place.storage.open(name)).stream), bytes.subarray(0, length));
      }
      await assert.rejects(place.storage.sizeOf('../secret'), /is no name of a document file/);
      assert.deepEqual(await namesOf(place.storage), [name]);
      assert.deepEqual(place.failures, []);
    });

    it('can be given up half way through reading', async (t) => {
      const { storage } = await openPlace(t);
      const name = await kept(storage, randomBytes(limits.size));
      const { stream } = await storage.open(name);
      await once(stream, 'readable');
      stream.destroy();
      await once(stream, 'close');
      await storage.remove(name);
      await storage.remove(name);
      await assert.rejects(storage.open(name), /is not in/);
    });

    it('arrive side by side', async (t) => {
      const place = await openPlace(t);
      const contents = Array.from({ length: 12 }, () => randomBytes(100_000));
      const names = await Promise.all(contents.map((bytes) => kept(place.storage, bytes)));
      assert.deepEqual((await namesOf(place.storage)).toSorted(), names.toSorted());
      for (const [index, name] of names.entries())
        assert.deepEqual(await buffer((await place.storage.open(name)).stream), contents[index]);
    });

    it('are swept away when no row knows them and they are an hour old', async (t) => {
      const place = await openPlace(t);
      const names: string[] = [];
      for (let count = 0; count < 7; count += 1)
        names.push(await kept(place.storage, Buffer.from(`document ${count}`)));
      const unknown = names.slice(0, 3);
      const asked: string[] = [];
      const known = async (given: readonly string[]): Promise<ReadonlySet<string>> => {
        asked.push(...given);
        return new Set(given.filter((name) => !unknown.includes(name)));
      };
      const waiting = await place.storage.receive(streamOf(Buffer.from('on its way')), limits);
      // A store tells times to the second, and its clock is not quite ours.
      assert.deepEqual(await sweepDocuments({ storage: place.storage, known, now: Date.now() + hour - 60_000 }), {
        files: 0,
        leftovers: 0,
      });
      assert.deepEqual(asked, []);
      assert.equal(leftovers(place).length, 1);
      assert.deepEqual(await sweepDocuments({ storage: place.storage, known, now: Date.now() + hour + 60_000 }), {
        files: 3,
        leftovers: 1,
      });
      assert.deepEqual(asked.toSorted(), names.toSorted());
      assert.deepEqual((await namesOf(place.storage)).toSorted(), names.slice(3).toSorted());
      assert.deepEqual(leftovers(place), []);
      await waiting.discard();
      assert.deepEqual(await sweepDocuments({ storage: place.storage, known, now: Date.now() + hour + 60_000 }), {
        files: 0,
        leftovers: 0,
      });
    });

    it('are safe from the sweep of another database', async (t) => {
      const place = await openPlace(t);
      const name = await kept(place.storage, Buffer.from('ours'));
      const other = place.forDatabase('another');
      const known = async (): Promise<ReadonlySet<string>> => new Set();
      await assert.rejects(
        sweepDocuments({ storage: other, known, now: Date.now() + 2 * hour }),
        (error) => error instanceof OperatorError && /another database/.test(error.message),
      );
      assert.equal(await other.isOurs(), false);
      assert.equal(await place.storage.isOurs(), true);
      const theirs = await kept(other, Buffer.from('theirs'));
      assert.deepEqual((await namesOf(place.storage)).toSorted(), [name, theirs].toSorted());
    });

    it('belong to the database that asks first', async (t) => {
      const place = await openPlace(t);
      assert.equal(await place.storage.isOurs(), true);
      assert.equal(await place.forDatabase('another').isOurs(), false);
      assert.deepEqual(
        await sweepDocuments({ storage: place.storage, known: async () => new Set(), now: Date.now() }),
        { files: 0, leftovers: 0 },
      );
    });
  });
}

/** Receives and keeps; gives the name. */
export async function kept(storage: DocumentStorage, bytes: Buffer): Promise<string> {
  const name = newName();
  await (await storage.receive(streamOf(bytes), { size: 100_000_000 })).keep(name);
  return name;
}

export function newName(): string {
  return documentName('ACM', 'pdf', Date.now());
}

export function streamOf(bytes: Buffer): Readable {
  const chunks: Buffer[] = [];
  for (let position = 0; position < bytes.length; position += 65_536)
    chunks.push(bytes.subarray(position, position + 65_536));
  return Readable.from(chunks);
}

export async function namesOf(storage: DocumentStorage): Promise<readonly string[]> {
  return (await Array.fromAsync(storage.list())).map(({ name }) => name);
}

/** Names of temporary files. */
export function leftovers({ incomingFolder }: Pick<Place, 'incomingFolder'>): readonly string[] {
  return existsSync(incomingFolder) ? readdirSync(incomingFolder) : [];
}

async function leftIn(place: Place): Promise<readonly string[]> {
  return [...(await namesOf(place.storage)), ...leftovers(place).map((name) => join(place.incomingFolder, name))];
}
