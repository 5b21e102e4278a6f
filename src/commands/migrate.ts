// The command `migrate`: migrates the database, including stored bodies, to the program's version before the server
// starts, and distributes its tables when it spans many machines.
import { type Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config.ts';
import { definitions } from '../resources/index.ts';
import { migrate } from '../store/migrate.ts';
import { migrations } from '../store/migrations/index.ts';
import { type Definitions, rewriteBodies } from '../store/body-rewriting.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';

interface MigrateOptions extends JsonOption {
  readonly distribute?: true;
  readonly shards: number;
}

const maxShards = 1024;

function readShards(text: string): number {
  const shards = Number(text);
  if (!/^[1-9]\d{0,3}$/.test(text) || shards > maxShards)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxShards}.`);
  return shards;
}

export function declareMigrate(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('migrate')
      .summary('bring the database to this version')
      .description('Bring the database to the version of this program. The server does the same when it starts.')
      .option('--distribute', 'divide the tables among the machines of a Citus cluster, by activity; no server may run')
      .option('--shards <count>', 'with --distribute: parts that the activities are divided into', readShards, 32)
      .option(...jsonOption)
      .action(async ({ json, distribute, shards }: MigrateOptions) =>
        done(
          await runMigrations(environment, {
            json: json === true,
            shards: distribute === true ? shards : null,
          }),
        ),
      ),
    { examples: ['migrate', 'migrate --distribute'], settings: storageSettings },
  );
}

/**
 * Runs the missing migration steps, and rewrites stored bodies whose definitions gained fields; creates the embedded
 * database if there is none.
 * @param shards number of shards for distributing the tables; null or absent: they stay as they are
 * @param known the resources of the program
 * @throws OperatorError when storage cannot be used, or was written by a newer program
 */
export async function runMigrations(
  environment: Environment,
  { json, shards = null }: { readonly json: boolean; readonly shards?: number | null },
  known: Definitions = definitions,
): Promise<ExitCode> {
  const config = readConfig(environment.variables, environment.folder);
  const { openEngine, wholeTableMs } = await import('../store/open.ts');
  const { allTables, distribute } = await import('../store/distribution.ts');
  const engine = await openEngine(config, environment.now, null, wholeTableMs);
  try {
    const applied = await migrate(engine, undefined, (sentence) => void environment.stderr.write(`${sentence}\n`));
    const isToDistribute = shards !== null || engine.isDistributed === true;
    const distributed = isToDistribute
      ? await distribute(engine, allTables(known.resources), shards ?? undefined)
      : null;
    const rewritten = await rewriteBodies(engine, known);
    const version = migrations.at(-1)?.name ?? '';
    const lines = [
      ...applied.map((name) => `applied ${name}`),
      ...(distributed?.byActivity ?? []).map((name) => `distributed ${name} by activity`),
      ...(distributed?.everywhere ?? []).map((name) => `gave ${name} to every machine`),
      ...Object.entries(rewritten).map(([name, count]) => `wrote texts of ${name} anew: ${count}`),
    ];
    if (json)
      writeJson(environment.stdout, {
        engine: engine.dialect,
        applied,
        rewritten,
        ...(distributed !== null && { distributed }),
        version,
      });
    else
      environment.stdout.write(
        lines.length === 0 ? `Nothing to do: the database is at ${version}.\n` : `${lines.join('\n')}\n`,
      );
    return exitCodes.done;
  } finally {
    await engine.close();
  }
}
