// The command `migrate`: brings the database, its stored bodies included, to the program's version ahead of the
// server's start.
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { definitions } from '../resources/index.ts';
import { migrate } from '../store/migrate.ts';
import { migrations } from '../store/migrations/index.ts';
import { type Definitions, rewriteBodies } from '../store/body-rewriting.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';

export function declareMigrate(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('migrate')
      .summary('bring the database to this version')
      .description('Bring the database to the version of this program. The server does the same when it starts.')
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await runMigrations(environment, { json: options.json === true }))),
    { examples: ['migrate'], settings: storageSettings },
  );
}

/**
 * Runs the steps that the database lacks, and writes stored bodies anew where definitions gained fields; makes the
 * embedded database when there is none.
 * @param known the resources of the program
 * @throws OperatorError when storage cannot be used, or was written by a newer program
 */
export async function runMigrations(
  environment: Environment,
  { json }: { readonly json: boolean },
  known: Definitions = definitions,
): Promise<ExitCode> {
  const config = readConfig(environment.variables, environment.folder);
  const { openEngine } = await import('../store/open.ts');
  const engine = await openEngine(config, environment.now);
  try {
    const applied = await migrate(engine);
    const rewritten = await rewriteBodies(engine, known);
    const version = migrations.at(-1)?.name ?? '';
    const lines = [
      ...applied.map((name) => `applied ${name}`),
      ...Object.entries(rewritten).map(([name, count]) => `wrote texts of ${name} anew: ${count}`),
    ];
    if (json) writeJson(environment.stdout, { engine: engine.dialect, applied, rewritten, version });
    else
      environment.stdout.write(
        lines.length === 0 ? `Nothing to do: the database is at ${version}.\n` : `${lines.join('\n')}\n`,
      );
    return exitCodes.done;
  } finally {
    await engine.close();
  }
}
