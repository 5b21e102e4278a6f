// The commands `keys …`, `token` and `login` on the command line: tokens, and the keys that sign them.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { exitCodes } from '../environment.ts';
import { describe, storageSettings } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

export function addTokenCommands(program: Command, line: Line): void {
  const { environment, done } = line;
  const keys = describe(program.command('keys').description('Keys that sign tokens.'), { examples: ['keys rotate'] });
  describe(
    keys
      .command('rotate')
      .description('Make new keys. Running servers sign with them after two minutes; tokens in hand stay valid.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../keys.ts')).rotateKeys(environment, { json: options.json === true })),
      ),
    { examples: ['keys rotate'], settings: [...storageSettings, 'secretKey'] },
  );

  describe(
    program
      .command('token')
      .summary('print an access token')
      .description('Print an access token for trying things out, alone on standard output. It is valid for an hour.')
      .requiredOption('--client <id>', 'see client list')
      .requiredOption('--user <login>', 'see user list')
      .option(...jsonOption)
      .action(async (options: Json & { client: string; user: string }) =>
        done(
          await (await import('../token.ts')).printToken(environment, {
            clientId: options.client,
            login: options.user,
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
      settings: [...storageSettings, 'port', 'baseUrl', 'authUrl', 'secretKey'],
    },
  );
  addLogin(program, line);
}

function addLogin(program: Command, { environment, done }: Line): void {
  describe(
    program
      .command('login')
      .summary('sign in through the browser')
      .description(
        textBlock`
          Sign in through the browser, as a program of an integrator does, and print the access token alone on standard
          output. It asks the server, not the storage: AUTH_URL says which.
        `,
      )
      .requiredOption('--client <id>', 'a public client with the redirect address http://127.0.0.1/callback')
      .option('--scope <scope>', 'what to ask for (default: svc_connect)')
      .option('--no-browser', 'only print the address to open')
      .option('--refresh-token', 'with --json: write the refresh token too')
      .option('--timeout <seconds>', 'how long to wait for the sign-in', '300')
      .option(...jsonOption)
      .action(
        async (
          options: Json & { client: string; scope?: string; browser: boolean; refreshToken?: true; timeout: string },
        ) =>
          done(
            await (await import('../login.ts')).login(environment, {
              clientId: options.client,
              scope: options.scope ?? null,
              browser: options.browser,
              refreshToken: options.refreshToken === true,
              timeout: Number(options.timeout),
              json: options.json === true,
            }),
          ),
      ),
    {
      examples: [
        'login --client demo',
        'AUTH_URL=https://auth.example.com login --client desk-7x0k2m9qpe --json --refresh-token',
        'curl -H "Authorization: Bearer $(./logistics-connect login --client demo)" http://localhost:8080/v1/orders',
      ],
      codes: { [exitCodes.interrupted]: 'interrupted' },
      settings: ['port', 'baseUrl', 'authUrl'],
    },
  );
}
