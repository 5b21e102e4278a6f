// Opens storage for one command, and closes it again whatever happens.
import { existsSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import { definitions } from '../resources/index.ts';
import type { Store } from '../store/store.ts';
import type { Environment } from './environment.ts';

/**
 * Opens the existing storage that the settings name, and migrates it to the program's version.
 * @throws OperatorError when a setting is wrong, or storage is unavailable, newer than the program, or does not exist:
 *   a mistyped folder or address must not become a second, empty database
 */
export async function withStore<T>(
  environment: Environment,
  work: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment.variables, environment.folder);
  const { databaseFile, openStore, openStoreOnServer } = await import('../store/open.ts');
  if (config.databaseUrl !== null)
    return closing(await openStoreOnServer(config, definitions, environment.now), (store) => work(store, config));
  if (!existsSync(databaseFile(config))) {
    throw new OperatorError(
      `There is no database in ${config.dataDir}.`,
      'Set DATA_DIR to the folder that the server uses, or begin with: ./logistics-connect activity add CODE NAME',
    );
  }
  return closing(await openStore(config, definitions, environment.now), (store) => work(store, config));
}

/** Like `withStore`, but creates the database if it does not exist yet. */
export async function withNewStore<T>(
  environment: Environment,
  work: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment.variables, environment.folder);
  // The help loads this file too, and must not wait for drivers and migrations.
  const { openStore } = await import('../store/open.ts');
  return closing(await openStore(config, definitions, environment.now), (store) => work(store, config));
}

async function closing<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
