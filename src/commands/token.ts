// The command `token`: issues an access token for trying things out.
import type { Command } from 'commander';
import { createCipher } from '../auth/cipher.ts';
import { findClient } from '../auth/clients.ts';
import { createKeyRing } from '../auth/keys.ts';
import { createTokenIssuer } from '../auth/tokens.ts';
import { findUser } from '../auth/users.ts';
import { readConfig } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { addressesOf } from './addresses.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { withStore } from './storage.ts';

export function declareToken(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('token')
      .summary('print an access token')
      .description('Print an access token for trying things out, alone on standard output. It is valid for an hour.')
      .requiredOption('--client <id>', 'see client list')
      .option('--user <login>', 'see user list; none for a service that acts for itself')
      .option(...jsonOption)
      .action(async (options: JsonOption & { client: string; user?: string }) =>
        done(
          await printToken(environment, {
            clientId: options.client,
            login: options.user ?? null,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        'token --client demo --user demo',
        textBlock`
          curl -H "Authorization: Bearer $(./logistics-connect token --client demo --user demo)"
          http://localhost:8080/v1/orders
        `,
      ],
      settings: [...storageSettings, 'port', 'baseUrl', 'authUrl', 'secretKey', 'secretKeyPrevious'],
    },
  );
}

/**
 * Prints a token as the server with these settings would issue it: alone on standard output, or with its details as
 * JSON.
 * @throws OperatorError when one of them does not exist or is disabled, they have no activity in common, or a client
 *   that is not a service has no user
 */
async function printToken(
  environment: Environment,
  { clientId, login, json }: { readonly clientId: string; readonly login: string | null; readonly json: boolean },
): Promise<ExitCode> {
  const settings = readConfig(environment.variables, environment.folder);
  if (!settings.builtInIssuer)
    throw new OperatorError(
      'The server accepts no tokens of its own: BUILT_IN_ISSUER is off.',
      'Get a token from one of the TRUSTED_ISSUERS.',
    );
  const { baseUrl, authUrl } = addressesOf(settings);
  const { accessToken, expiresAt, activityCodes } = await withStore(environment, async (store, config) => {
    const client = await findClient(store, clientId);
    if (client === null)
      throw new OperatorError(`There is no client "${clientId}".`, 'See: ./logistics-connect client list');
    const user = login === null ? null : await findUser(store, login);
    if (login !== null && user === null)
      throw new OperatorError(`There is no user "${login}".`, 'See: ./logistics-connect user list');
    const keys = createKeyRing({
      store,
      cipher: createCipher(config.secretKey, 'The keys', config.secretKeyPrevious),
      now: environment.now,
    });
    return createTokenIssuer({ store, keys, issuer: authUrl, audience: baseUrl })({
      client,
      user,
      now: environment.now(),
    });
  });
  if (json)
    writeJson(environment.stdout, {
      accessToken,
      tokenType: 'Bearer',
      expiresAt: instantText(expiresAt),
      activityCodes,
      baseUrl,
    });
  else environment.stdout.write(`${accessToken}\n`);
  return exitCodes.done;
}
