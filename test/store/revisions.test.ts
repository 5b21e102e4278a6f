// Revisions that are read together: whoever asks is given what was read after it asked, and who asks later does not
// hear of a failure.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { article, order } from '../../src/resources/index.ts';
import type { Engine, Row } from '../../src/store/engine.ts';
import { createRevisions } from '../../src/store/revisions.ts';
import { revisionTable } from '../../src/store/tables/activities.ts';
import { allEngines } from '../contract/engines.ts';

/** An engine whose one table is in the hands of the test: each read sees it as it is when the read ends. */
function engineOf(reads: PromiseWithResolvers<readonly Row[]>[]): Engine {
  const read: Engine['read'] = async (statement) => {
    const answer = Promise.withResolvers<readonly Row[]>();
    reads.push(answer);
    return (await answer.promise).map(statement.toRow);
  };
  const unused = (): never => {
    throw new Error('not asked here');
  };
  const others = { now: unused, readLong: unused, snapshot: unused, longReads: unused, writeOnce: unused };
  const writes = { write: unused, writeInBackground: unused, optimize: unused, close: unused };
  return { dialect: 'postgres', read, readShort: read, ...others, ...writes };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('revisions that are read together', () => {
  it('are those of a read that began after they were asked for', async () => {
    const reads: PromiseWithResolvers<readonly Row[]>[] = [];
    const { read: revision } = createRevisions(engineOf(reads));
    const first = revision(order, ['AAA']);
    await turn();
    const later = [revision(order, ['AAA', 'BBB']), revision(article, ['AAA'])];
    await turn();
    assert.equal(reads.length, 1, 'the first read may have begun before what the later ones must see');
    reads[0]?.resolve([[order.name, 'AAA', 1]]);
    assert.deepEqual(await first, { AAA: 1 });
    await turn();
    assert.equal(reads.length, 2, 'one read for all that came meanwhile');
    reads[1]?.resolve([
      [order.name, 'AAA', 2],
      [article.name, 'AAA', 7],
    ]);
    assert.deepEqual(await Promise.all(later), [{ AAA: 2, BBB: 0 }, { AAA: 7 }]);
  });

  it('fail for those who asked, and not for those who come after', async () => {
    const reads: PromiseWithResolvers<readonly Row[]>[] = [];
    const { read: revision } = createRevisions(engineOf(reads));
    const first = assert.rejects(async () => revision(order, ['AAA']), /away/);
    await turn();
    const second = revision(order, ['AAA']);
    reads[0]?.reject(new Error('away'));
    await first;
    await turn();
    reads[1]?.resolve([[order.name, 'AAA', 3]]);
    assert.deepEqual(await second, { AAA: 3 });
  });
});

describe('the revision that is expected', () => {
  it('is the one that was read last, of all activities that are asked for or of none', async () => {
    const reads: PromiseWithResolvers<readonly Row[]>[] = [];
    const { read, lastRead } = createRevisions(engineOf(reads));
    assert.equal(lastRead(order, ['AAA']), null);
    for (const [index, lastChange] of [4, 9].entries()) {
      const reading = read(order, ['AAA', 'BBB']);
      await turn();
      reads[index]?.resolve([[order.name, 'AAA', lastChange]]);
      await reading;
      assert.deepEqual(lastRead(order, ['AAA', 'BBB']), { AAA: lastChange, BBB: 0 });
    }
    assert.deepEqual(lastRead(order, ['BBB']), { BBB: 0 });
    assert.equal(lastRead(order, ['AAA', 'CCC']), null);
    assert.equal(lastRead(article, ['AAA']), null);
  });
});

describe('revisions on SQLite', () => {
  it('are read again when anything was written, by whatever process, and are the same object until then', async () => {
    const [sqlite] = allEngines.filter(({ name }) => name === 'SQLite');
    if (sqlite === undefined) return;
    const database = await sqlite.create();
    const [engine, elsewhere] = [await database.open(), await database.open()];
    try {
      const { read: revision } = createRevisions(engine);
      const activities = ['AAA', 'BBB'];
      const first = await revision(order, activities);
      assert.deepEqual(first, { AAA: 0, BBB: 0 });
      assert.equal(await revision(order, activities), first);
      assert.notEqual(await revision(article, activities), first);
      for (const [writer, lastChange] of [[engine, 1] as const, [elsewhere, 2] as const]) {
        await writer.write((transaction) =>
          transaction.putRows(revisionTable.target, [
            revisionTable.toCells({ activity: 'AAA', resource: order.name, lastChange }),
          ]),
        );
        assert.deepEqual(await revision(order, activities), { AAA: lastChange, BBB: 0 });
      }
    } finally {
      await Promise.all([engine.close(), elsewhere.close()]);
      await database.remove();
    }
  });
});
