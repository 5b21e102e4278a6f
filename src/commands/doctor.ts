// The command `doctor`: checks everything that the server needs, changes nothing, and says what to do.
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { checkAccess } from './doctor/access.ts';
import { checkAddresses } from './doctor/addresses.ts';
import { checkBackups } from './doctor/backup.ts';
import { checkCarriers } from './doctor/carriers.ts';
import { checkConnections } from './doctor/connections.ts';
import { checkDocuments } from './doctor/documents.ts';
import { checkFeedFolder } from './doctor/feed-folder.ts';
import { checkFeeds } from './doctor/feeds.ts';
import type { Finding } from './doctor/finding.ts';
import { checkLabels } from './doctor/labels.ts';
import { checkOutbox } from './doctor/outbox.ts';
import { checkReplicas } from './doctor/replicas.ts';
import { checkWorkers } from './doctor/workers.ts';
import { checkNode } from './doctor/runtime.ts';
import { checkSettings } from './doctor/settings-file.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { workersOf } from './serve.ts';

export function declareDoctor(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('doctor')
      .summary('check settings, storage and keys')
      .description('Check settings, storage, keys, clock and addresses, and say what to do. Changes nothing.')
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await runChecks(environment, { json: options.json === true }))),
    {
      examples: ['doctor', 'HOST=0.0.0.0 BASE_URL=https://api.example.com/v1 doctor'],
      codes: { [exitCodes.failed]: 'something is wrong; warnings alone are not' },
      settings: 'all',
    },
  );
}

/** Runs every check whose prerequisites are met, and reports all findings; fails when something is wrong. */
async function runChecks(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const findings = [...checkNode(environment.nodeVersion), ...(await checkService(environment))];
  const ok = findings.every(({ verdict }) => verdict !== 'wrong');
  if (json) writeJson(environment.stdout, { ok, findings });
  else {
    for (const { subject, verdict, message, remedy } of findings) {
      environment.stdout.write(
        `${verdict.padEnd(9)}${subject.padEnd(11)}${message}\n${remedy === '' ? '' : `${' '.repeat(20)}→ ${remedy}\n`}`,
      );
    }
    environment.stdout.write(`${verdictOf(findings)}\n`);
  }
  return ok ? exitCodes.done : exitCodes.failed;
}

async function checkService(environment: Environment): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment.variables, environment.folder);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [{ subject: 'settings', verdict: 'wrong', message: error.message, remedy: error.remedy }];
  }
  // The help loads this file too, and must not wait for drivers and migrations.
  const { checkStorage } = await import('./doctor/storage.ts');
  const storage = await checkStorage(config, environment.now);
  try {
    return [
      ...checkSettings(environment),
      ...checkWorkers(config.workers, environment.processors ?? Number.POSITIVE_INFINITY),
      ...storage.findings,
      ...(await checkDocuments(storage.engine, config, environment.now())),
      ...(storage.engine === null
        ? []
        : [
            ...(await checkConnections(storage.engine, config, workersOf(config, environment))),
            ...(await checkReplicas(storage.engine, config)),
            ...(await checkBackups(storage.engine, environment.now())),
            ...(await checkAccess(storage.engine, config, environment.now())),
            ...(await checkCarriers(storage.engine, config)),
            ...(await checkLabels(storage.engine)),
            ...(await checkOutbox(storage.engine, environment.now())),
            ...(await checkFeeds(storage.engine, environment.now())),
            ...(await checkFeedFolder(storage.engine, config, environment.now())),
          ]),
      ...(await checkAddresses(config, storage)),
    ];
  } finally {
    await storage.engine?.close();
  }
}

function verdictOf(findings: readonly Finding[]): string {
  const counted = (wanted: Finding['verdict'], one: string, many: string): string => {
    const count = findings.filter(({ verdict }) => verdict === wanted).length;
    return count === 0 ? '' : `, ${count} ${count === 1 ? one : many}`;
  };
  return textBlock`
    ${findings.length} findings${counted('wrong', 'is wrong', 'are wrong')}${counted('warning', 'warning', 'warnings')}.
  `;
}
