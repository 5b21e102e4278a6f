// The file of secrets that an import makes: for its owner alone, and only where there are any.
import { rmSync } from 'node:fs';
import { OperatorError } from '../model/operator-error.ts';
import { csvText, writePrivateFile } from './csv-file.ts';
import type { Environment } from './environment.ts';

/** Secrets that are made now and shown once. */
interface NewSecrets {
  /** What they are of, after their number: `clients are new and confidential`. */
  readonly what: string;
  /** First the names of the columns. */
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Writes the file before the work is done: whose secret cannot be read could never be used. If the work fails, the file
 * is removed.
 * @param file its path; null: none was named
 * @throws OperatorError when there are secrets and no file for them, or it exists already
 */
export async function withSecretsFile(
  environment: Environment,
  { what, heading, rows }: NewSecrets,
  file: string | null,
  work: () => Promise<void>,
): Promise<void> {
  if (rows.length === 0) return work();
  if (file === null)
    throw new OperatorError(
      `${rows.length} ${what}, and their secrets must be written somewhere.`,
      'Add --secrets FILE, or see --dry-run. Nothing was changed.',
    );
  const path = writePrivateFile(environment, 'secrets', file, csvText([heading, ...rows]));
  try {
    await work();
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}
