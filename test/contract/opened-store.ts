// A store on a database of its own, for one test or for a suite.
import { after, before, type TestContext } from 'node:test';
import type { Engine } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, storeOn, type TestDatabase } from './engines.ts';

export interface OpenedStore {
  readonly engine: Engine;
  readonly store: Store;
  /** The same database, as another process opens it. */
  readonly another: () => Promise<OpenedStore>;
}

/** Opens a store with some activities, until the test ends. */
export async function openedStore(
  t: TestContext,
  engineUnderTest: EngineUnderTest,
  ...activities: readonly (readonly [code: string, name: string])[]
): Promise<OpenedStore> {
  const database = await engineUnderTest.create();
  t.after(() => database.remove());
  const another = async (): Promise<OpenedStore> => {
    const engine = await database.open();
    const store = await storeOn(engine);
    t.after(() => store.close());
    return { engine, store, another };
  };
  const opened = await another();
  for (const [code, name] of activities) await opened.store.activities.add(code, name);
  return opened;
}

interface SuiteStore {
  readonly database: TestDatabase;
  readonly engine: Engine;
  readonly store: Store;
}

/** Opens a store for all tests of the suite in which it is called. @param use is given it before the first test */
export function storeOfSuite(
  engineUnderTest: EngineUnderTest,
  use: (opened: SuiteStore) => void | Promise<void>,
): void {
  let opened: SuiteStore | null = null;
  before(async () => {
    const database = await engineUnderTest.create();
    const engine = await database.open();
    opened = { database, engine, store: await storeOn(engine) };
    await use(opened);
  });
  after(async () => {
    await opened?.store.close();
    await opened?.database.remove();
  });
}

/** Makes activities that no other test of a suite writes to: each has the name Acme. */
export function activityMaker(store: () => Store): () => Promise<string> {
  let codes = 0;
  return async () => {
    codes += 1;
    const code = codes.toString(36).toUpperCase().padStart(3, '0');
    await store().activities.add(code, 'Acme');
    return code;
  };
}
