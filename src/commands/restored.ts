// The command `restored`: tells the database that it was restored from a backup.
import { beginHistory } from '../store/history.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { withStore } from './storage.ts';

/**
 * Begins a new history of changes.
 * @throws OperatorError when storage cannot be used
 */
export async function declareRestored(
  environment: Environment,
  { json }: { readonly json: boolean },
): Promise<ExitCode> {
  const activities = await withStore(environment, async (store) => {
    const count = await beginHistory(store.db);
    await recordCommand(environment, store, { action: 'restored', target: null });
    return count;
  });
  if (json) writeJson(environment.stdout, { activities });
  else {
    environment.stdout.write(
      'Start the server now, again if it runs. Clients that come with a cursor of before are told to read from the start (410 cursor-expired).\n' +
        'Who was disabled, and which keys were revoked, since the backup was made is so no longer: do it again.\n',
    );
  }
  return exitCodes.done;
}
