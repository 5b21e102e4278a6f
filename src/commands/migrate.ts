// The command `migrate`: brings the database to the program's version ahead of the server's start.
import { readConfig } from '../config.ts';
import { migrate } from '../store/migrate.ts';
import { migrations } from '../store/migrations/index.ts';
import { openEngine } from '../store/open.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';

/**
 * Runs the steps that the database lacks; makes the embedded database when there is none.
 * @throws OperatorError when storage cannot be used, or was written by a newer program
 */
export async function runMigrations(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const config = readConfig(environment.variables, environment.folder);
  const engine = await openEngine(config, environment.now);
  try {
    const applied = await migrate(engine);
    const version = migrations.at(-1)?.name ?? '';
    if (json) writeJson(environment.stdout, { engine: engine.dialect, applied, version });
    else environment.stdout.write(applied.length === 0 ? `Nothing to do: the database is at ${version}.\n` : `${applied.map((name) => `applied ${name}`).join('\n')}\n`);
    return exitCodes.done;
  } finally {
    await engine.close();
  }
}
