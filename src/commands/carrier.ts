// The command `carrier list`: shows what each carrier supports here.
import type { Command } from 'commander';
import { capabilitiesOf, capabilityNames } from '../carriers/capabilities.ts';
import { carrierNames, loadCarrier } from '../carriers/index.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand } from './help.ts';
import { writeTable } from './table.ts';

export function declareCarrier(program: Command, { environment, done }: CommandLine): void {
  const carrier = describeCommand(program.command('carrier').description('Carriers: what each of them can do here.'), {
    examples: ['carrier list'],
  });
  describeCommand(
    carrier
      .command('list')
      .description('List the carriers with what each can do, and what to do where one has no way.')
      .option(...jsonOption)
      .action(async ({ json }: JsonOption) => done(await listCarriers(environment, json === true))),
    { examples: ['carrier list', 'carrier list --json'] },
  );
}

async function listCarriers(environment: Environment, json: boolean): Promise<ExitCode> {
  const carriers = (await Promise.all(carrierNames.map(loadCarrier))).filter((carrier) => carrier !== null);
  const described = carriers.map((carrier) => ({
    carrier: carrier.name,
    title: carrier.title,
    capabilities: capabilitiesOf(carrier),
  }));
  if (json) {
    writeJson(environment.stdout, described);
    return exitCodes.done;
  }
  writeTable(
    environment.stdout,
    ['CARRIER', ...capabilityNames.map((name) => name.toUpperCase())],
    described.map(({ carrier, capabilities }) => [
      carrier,
      ...capabilities.map(({ offered }) => (offered ? 'yes' : '-')),
    ]),
  );
  for (const { title, capabilities } of described)
    for (const { name, instead } of capabilities)
      if (instead !== '') environment.stdout.write(`${title}, ${name}: ${instead}\n`);
  return exitCodes.done;
}
