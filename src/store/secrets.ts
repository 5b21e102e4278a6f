// The random secrets of this database, by name; all processes share them.
import type { Engine } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { insertMissing, remove, selectRows, update } from './table-statements.ts';
import { secretTable } from './tables/processes.ts';

export interface Secrets {
  /** The secret of this name, or null. */
  read(name: string): Promise<string | null>;
  /**
   * The secret of this name, made at first use; if several processes make it at once, all get the same one.
   * @param make makes the text of a new one
   * @param now milliseconds since 1970
   */
  obtain(name: string, make: () => string | Promise<string>, now?: number): Promise<string>;
  /** Stores another text, unless the stored one has changed meanwhile. Returns whether it did. */
  replace(name: string, before: string, value: string): Promise<boolean>;
  remove(names: readonly string[]): Promise<void>;
}

export function createSecrets(engine: Pick<Engine, 'read' | 'writeOnce'>): Secrets {
  const read = async (name: string): Promise<string | null> =>
    (await readFirst(engine, selectRows(secretTable, { name })))?.value ?? null;
  return {
    read,
    obtain: async (name, make, now = Date.now()) => {
      const known = await read(name);
      if (known !== null) return known;
      const made = await make();
      await writeOnce(engine, insertMissing(secretTable, { name, value: made, createdAt: now }));
      return (await read(name)) ?? made;
    },
    replace: async (name, before, value) =>
      (await writeOnce(engine, update(secretTable, { value }, { name, value: before }))) === 1,
    remove: async (names) => void (await writeOnce(engine, remove(secretTable, { name: names }))),
  };
}
