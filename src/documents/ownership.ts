// Ownership of document files: a mark in the storage names the database, so that a program on another database never
// sweeps the files away.

/** Access to the mark. */
interface OwnershipMark {
  /** Null when there is none. */
  readonly read: () => Promise<string | null>;
  /** Writes it unless one exists by now. */
  readonly write: (text: string) => Promise<void>;
}

/** Name of the mark in the storage. */
export const markName = '.database';

/**
 * Makes the check of one process: the first database to ask gets the mark. Once it is ours, it stays ours.
 * @param database random name of the database
 */
export function createOwnership(mark: OwnershipMark, database: string): () => Promise<boolean> {
  let ours = false;
  return async () => {
    if (ours) return true;
    const found = await mark.read();
    if (found === null) await mark.write(database);
    // Read again, because two databases may have written at once.
    ours = (found ?? (await mark.read()))?.trim() === database;
    return ours;
  };
}
