// The command `client add`: registers a program that may request tokens.
import type { Command } from 'commander';
import { clientFaults } from '../../auth/client-faults.ts';
import { addClient as register, type NewClient } from '../../auth/clients.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { type Environment, type ExitCode, exitCodes } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { activitiesOption, type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { showOnce } from '../shown-once.ts';
import { withStore } from '../storage.ts';
import { clientEntry, describedClient, platformMeaning } from './display.ts';

export function declareClientAdd(client: Command, { environment, done }: CommandLine): void {
  describeCommand(
    client
      .command('add')
      .description('Register a client. Prints its id, and for a confidential client its secret: this once.')
      .argument('<name>', 'what people see when they are asked for consent')
      .option('--redirect <uri...>', 'where the browser is sent back to; may be given several times')
      .option(activitiesOption[0], `${activitiesOption[1]}; only with --platform may there be none`)
      .option('--read-only', 'refuse its writes')
      .option('--confidential', 'it runs on a server of its own and can keep a secret')
      .option('--service', 'it may act for itself, without a person (client_credentials); confidential too')
      .option('--no-pkce', 'its sign-ins need no PKCE; only with --confidential')
      .option('--platform', platformMeaning)
      .option(...jsonOption)
      .action(
        async (
          name: string,
          options: JsonOption & {
            redirect?: string[];
            activity?: string[];
            readOnly?: true;
            confidential?: true;
            service?: true;
            pkce: boolean;
            platform?: true;
          },
        ) => {
          if (options.redirect === undefined && options.service !== true)
            throw new UsageError("Required option '--redirect <uri...>' not specified; only a --service needs none");
          if (options.activity === undefined && options.platform !== true)
            throw new UsageError(
              "Required option '--activity <code...>' not specified; only with --platform may there be none",
            );
          done(
            await addClient(environment, {
              name,
              redirectUris: options.redirect ?? [],
              activityCodes: options.activity ?? [],
              readOnly: options.readOnly === true,
              confidential: options.confidential === true || options.service === true,
              service: options.service === true,
              pkceRequired: options.pkce,
              platform: options.platform === true,
              json: options.json === true,
            }),
          );
        },
      ),
    {
      examples: [
        'client add "Web shop" --redirect https://shop.example/callback --activity ACM --confidential',
        'client add "Nightly stock" --activity ACM --service --read-only',
        'client add Desk --redirect http://127.0.0.1/callback --activity ACM --activity BLU --read-only',
      ],
      settings: storageSettings,
    },
  );
}

/**
 * Registers a client, and shows its id and, only once, its secret.
 * @throws OperatorError that lists all faults
 */
async function addClient(environment: Environment, wanted: NewClient & { readonly json: boolean }): Promise<ExitCode> {
  const faults = clientFaults(wanted);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const { client, secret } = await withStore(environment, (store) =>
    register(store, wanted, environment.now(), undefined, clientEntry(environment, 'client.add')),
  );
  const show = (shown: string): Promise<void> =>
    showOnce(
      environment,
      `${shown}\n`,
      secret === null
        ? `The client is registered, as ${client.id}.`
        : `Nobody has seen the secret of the client ${client.id}: run client rotate-secret ${client.id}.`,
    );
  if (wanted.json) {
    await show(JSON.stringify({ ...describedClient(client), secret }));
    return exitCodes.done;
  }
  const lines = [`client id: ${client.id}`];
  if (secret !== null)
    lines.push(`secret:    ${secret}`, 'The secret is shown this once and kept nowhere: copy it now.');
  const asUser = client.redirectUris.length > 0 ? ' --user LOGIN' : '';
  lines.push(`To try it out: ./logistics-connect token --client ${client.id}${asUser}`);
  await show(lines.join('\n'));
  return exitCodes.done;
}
