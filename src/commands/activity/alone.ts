// What brings in or removes a whole activity is done by one process at a time.
import { OperatorError } from '../../model/operator-error.ts';
import type { StorageSettings } from '../../store/open.ts';
import { takeProcessLock } from '../../store/process-lock.ts';

/**
 * Imports or removes an activity while nobody else does. A removal beside an import would empty tables that the import
 * still fills, and one beside another would go on when the code is free and has new records.
 * @param code of an activity
 * @throws OperatorError when somebody else is doing one of the two
 */
export async function aloneAtActivity<T>(settings: StorageSettings, code: string, work: () => Promise<T>): Promise<T> {
  // The name that earlier versions gave the lock of an import, which may run beside this.
  const lock = await takeProcessLock(settings, `import-${code}`);
  if (lock === null)
    throw new OperatorError(
      `Somebody else is importing or removing ${code} at this moment.`,
      'Wait until that is done.',
    );
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
