// The commands `client …` on the command line.
import type { Command } from 'commander';
import { describe, storageSettings } from '../help.ts';
import { activitiesOption, type Json, jsonOption, type Line } from './line.ts';

export function addClientCommands(program: Command, line: Line): void {
  const client = describe(program.command('client').description('Programs that may ask for tokens.'), {
    examples: ['client add --help', 'client list'],
  });
  addClientAdd(client, line);
  const { environment, done } = line;
  describe(
    client
      .command('list')
      .description('List the clients, disabled ones too.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../client.ts')).listClients(environment, { json: options.json === true })),
      ),
    { examples: ['client list', 'client list --json'], settings: storageSettings },
  );
  describe(
    client
      .command('disable')
      .description('Disable a client: it gets no more tokens, and those it holds stop within a minute.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action(async (id: string, options: Json) =>
        done(await (await import('../client.ts')).disableClient(environment, { id, json: options.json === true })),
      ),
    { examples: ['client disable web-shop-7x0k2m9qpe'], settings: storageSettings },
  );

  const one = async (run: keyof typeof import('../client-changes.ts'), id: string, options: Json): Promise<void> =>
    done(await (await import('../client-changes.ts'))[run](environment, { id, json: options.json === true }));
  describe(
    client
      .command('show')
      .description('Show a client.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: Json) => one('showClient', id, options)),
    { examples: ['client show web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
  describe(
    client
      .command('rotate-secret')
      .description('Give a confidential client a new secret, shown this once; the old one is refused at once.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: Json) => one('rotateClientSecret', id, options)),
    { examples: ['client rotate-secret web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
  describe(
    client
      .command('remove')
      .description('Remove a client for good: it gets no more tokens, and those it holds stop within a minute.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: Json) => one('removeClient', id, options)),
    { examples: ['client remove web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
}

function addClientAdd(client: Command, { environment, done }: Line): void {
  describe(
    client
      .command('add')
      .description('Register a client. Prints its id, and for a confidential client its secret: this once.')
      .argument('<name>', 'what people see when they are asked for consent')
      .requiredOption('--redirect <uri...>', 'where the browser is sent back to; may be given several times')
      .requiredOption(...activitiesOption)
      .option('--read-only', 'refuse its writes')
      .option('--confidential', 'it runs on a server of its own and can keep a secret')
      .option(...jsonOption)
      .action(
        async (
          name: string,
          options: Json & { redirect: string[]; activity: string[]; readOnly?: true; confidential?: true },
        ) =>
          done(
            await (await import('../client.ts')).addClient(environment, {
              name,
              redirectUris: options.redirect,
              activityCodes: options.activity,
              readOnly: options.readOnly === true,
              confidential: options.confidential === true,
              json: options.json === true,
            }),
          ),
      ),
    {
      examples: [
        'client add "Web shop" --redirect https://shop.example/callback --activity ACM --confidential',
        'client add Desk --redirect http://127.0.0.1/callback --activity ACM --activity BLU --read-only',
      ],
      settings: storageSettings,
    },
  );
}
