// The whole command line on one screen: every command with its arguments, options and examples. What a command needs is loaded when it runs.
import { Command } from 'commander';
import packageFacts from '../../package.json' with { type: 'json' };
import { type Environment, type ExitCode, exitCodes } from './environment.ts';
import { reportFailure } from './failure.ts';
import { describe, storageSettings } from './help.ts';

interface Json { readonly json?: true }

/**
 * Runs one command line. Never throws: what goes wrong is written to standard error.
 * @param args words after the program's name
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], environment: Environment): Promise<ExitCode> {
  const ran: { command: string; exitCode: ExitCode } = { command: '', exitCode: exitCodes.done };
  try {
    const program = commandLine(environment, (exitCode) => { ran.exitCode = exitCode; });
    for (const parent of [program, ...program.commands]) parent.hook('preSubcommand', (_parent, command) => { ran.command = `${ran.command} ${command.name()}`.trim(); });
    await program.parseAsync([...args], { from: 'user' });
    return ran.exitCode;
  } catch (error) {
    return reportFailure(error, environment, ran.command, args.includes('--json'));
  }
}

function commandLine(environment: Environment, done: (exitCode: ExitCode) => void): Command {
  const program = new Command('logistics-connect')
    .description('Self-hosted integration server for logistics platforms.')
    .version(packageFacts.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => environment.stdout.write(text),
      writeErr: (text) => environment.stderr.write(text),
      // Usage errors are written by `reportFailure`, like all others.
      outputError: () => undefined,
      getOutHelpWidth: () => environment.stdout.columns ?? 100,
      getErrHelpWidth: () => environment.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  describe(program, { examples: ['serve --demo', 'user add --help'] });

  const json = ['--json', 'write JSON: the result to standard output, an error to standard error'] as const;
  const activities = ['--activity <code...>', 'activity that it may act in; may be given several times'] as const;

  describe(program.command('serve').summary('run the server').description('Run the server until it is told to stop (Ctrl-C or SIGTERM): running requests end first, a second signal ends it at once.')
    .option('--demo', 'fill an empty database with a demonstration warehouse, and print a login and a token to try')
    .option(...json)
    .action(async (options: Json & { demo?: true }) => done(await (await import('./serve.ts')).serve(environment, { demo: options.demo === true, json: options.json === true }))),
  { examples: ['serve --demo', 'PORT=9000 DATA_DIR=/var/lib/logistics-connect serve'], settings: 'all' });

  const activity = describe(program.command('activity').description('Client companies\' accounts: every record belongs to one.'), { examples: ['activity add ACM "Acme Home"', 'activity list'] });
  describe(activity.command('add').description('Add an activity; the same again changes nothing.')
    .argument('<code>', '1 to 3 letters A to Z or digits')
    .argument('<name>', '1 to 30 characters')
    .option(...json)
    .action(async (code: string, name: string, options: Json) => done(await (await import('./activity.ts')).addActivity(environment, { code, name, json: options.json === true }))),
  { examples: ['activity add ACM "Acme Home"'], settings: storageSettings });
  describe(activity.command('list').description('List the activities.')
    .option(...json)
    .action(async (options: Json) => done(await (await import('./activity.ts')).listActivities(environment, { json: options.json === true }))),
  { examples: ['activity list'], settings: storageSettings });

  const client = describe(program.command('client').description('Programs that may ask for tokens.'), { examples: ['client add --help', 'client list'] });
  describe(client.command('add').description('Register a client. Prints its id, and for a confidential client its secret: this once.')
    .argument('<name>', 'what people see when they are asked for consent')
    .requiredOption('--redirect <uri...>', 'where the browser is sent back to; may be given several times')
    .requiredOption(...activities)
    .option('--read-only', 'refuse its writes')
    .option('--confidential', 'it runs on a server of its own and can keep a secret')
    .option(...json)
    .action(async (name: string, options: Json & { redirect: string[]; activity: string[]; readOnly?: true; confidential?: true }) => done(await (await import('./client.ts')).addClient(environment, {
      name, redirectUris: options.redirect, activityCodes: options.activity, readOnly: options.readOnly === true, confidential: options.confidential === true, json: options.json === true,
    }))),
  {
    examples: ['client add "Web shop" --redirect https://shop.example/callback --activity ACM --confidential', 'client add Desk --redirect http://127.0.0.1/callback --activity ACM --activity BLU --read-only'],
    settings: storageSettings,
  });
  describe(client.command('list').description('List the clients, disabled ones too.')
    .option(...json)
    .action(async (options: Json) => done(await (await import('./client.ts')).listClients(environment, { json: options.json === true }))),
  { examples: ['client list', 'client list --json'], settings: storageSettings });
  describe(client.command('disable').description('Disable a client: it gets no more tokens, and those it holds stop within a minute.')
    .argument('<id>', 'see client list')
    .option(...json)
    .action(async (id: string, options: Json) => done(await (await import('./client.ts')).disableClient(environment, { id, json: options.json === true }))),
  { examples: ['client disable web-shop-7x0k2m9qpe'], settings: storageSettings });

  const one = async (run: keyof typeof import('./client-changes.ts'), id: string, options: Json): Promise<void> => done(await (await import('./client-changes.ts'))[run](environment, { id, json: options.json === true }));
  describe(client.command('show').description('Show a client.').argument('<id>', 'see client list').option(...json).action((id: string, options: Json) => one('showClient', id, options)),
    { examples: ['client show web-shop-7x0k2m9qpe'], settings: storageSettings });
  describe(client.command('rotate-secret').description('Give a confidential client a new secret, shown this once; the old one is refused at once.').argument('<id>', 'see client list').option(...json).action((id: string, options: Json) => one('rotateClientSecret', id, options)),
    { examples: ['client rotate-secret web-shop-7x0k2m9qpe'], settings: storageSettings });
  describe(client.command('remove').description('Remove a client for good: it gets no more tokens, and those it holds stop within a minute.').argument('<id>', 'see client list').option(...json).action((id: string, options: Json) => one('removeClient', id, options)),
    { examples: ['client remove web-shop-7x0k2m9qpe'], settings: storageSettings });

  const user = describe(program.command('user').description('People who sign in.'), { examples: ['user add --help', 'user list'] });
  describe(user.command('add').description('Add a user. The password is asked for on a terminal; elsewhere it is the first line of standard input.')
    .argument('<login>', 'a name or an e-mail address')
    .option(activities[0], `${activities[1]}; only an operator may have none`)
    .option('--operator', 'may administer the service')
    .option(...json)
    .action(async (login: string, options: Json & { activity?: string[]; operator?: true }) => done(await (await import('./user.ts')).addUser(environment, {
      login, activityCodes: options.activity ?? [], operator: options.operator === true, json: options.json === true,
    }))),
  { examples: ['user add mia@shop.example --activity ACM', 'user add ops --operator < password.txt'], settings: storageSettings });
  describe(user.command('list').description('List the users, disabled ones too.')
    .option(...json)
    .action(async (options: Json) => done(await (await import('./user.ts')).listUsers(environment, { json: options.json === true }))),
  { examples: ['user list'], settings: storageSettings });
  describe(user.command('disable').description('Disable a user: no more sign-in, and tokens in hand stop within a minute.')
    .argument('<login>', 'see user list')
    .option(...json)
    .action(async (login: string, options: Json) => done(await (await import('./user.ts')).disableUser(environment, { login, json: options.json === true }))),
  { examples: ['user disable mia@shop.example'], settings: storageSettings });

  const keys = describe(program.command('keys').description('Keys that sign tokens.'), { examples: ['keys rotate'] });
  describe(keys.command('rotate').description('Make new keys. Running servers sign with them after two minutes; tokens in hand stay valid.').option(...json).action(async (options: Json) => done(await (await import('./keys.ts')).rotateKeys(environment, { json: options.json === true }))),
    { examples: ['keys rotate'], settings: [...storageSettings, 'secretKey'] });

  describe(program.command('token').summary('print an access token').description('Print an access token for trying things out, alone on standard output. It is valid for an hour.')
    .requiredOption('--client <id>', 'see client list')
    .requiredOption('--user <login>', 'see user list')
    .option(...json)
    .action(async (options: Json & { client: string; user: string }) => done(await (await import('./token.ts')).printToken(environment, { clientId: options.client, login: options.user, json: options.json === true }))),
  {
    examples: ['token --client demo --user demo', 'curl -H "Authorization: Bearer $(./logistics-connect token --client demo --user demo)" http://localhost:8080/v1/orders'],
    settings: [...storageSettings, 'port', 'baseUrl', 'authUrl', 'secretKey'],
  });

  describe(program.command('login').summary('sign in through the browser').description('Sign in through the browser, as a program of an integrator does, and print the access token alone on standard output. It asks the server, not the storage: AUTH_URL says which.')
    .requiredOption('--client <id>', 'a public client with the redirect address http://127.0.0.1/callback')
    .option('--scope <scope>', 'what to ask for (default: svc_connect)')
    .option('--no-browser', 'only print the address to open')
    .option('--refresh-token', 'with --json: write the refresh token too')
    .option('--timeout <seconds>', 'how long to wait for the sign-in', '300')
    .option(...json)
    .action(async (options: Json & { client: string; scope?: string; browser: boolean; refreshToken?: true; timeout: string }) => done(await (await import('./login.ts')).login(environment, {
      clientId: options.client, scope: options.scope ?? null, browser: options.browser, refreshToken: options.refreshToken === true, timeout: Number(options.timeout), json: options.json === true,
    }))),
  {
    examples: ['login --client demo', 'AUTH_URL=https://auth.example.com login --client desk-7x0k2m9qpe --json --refresh-token', 'curl -H "Authorization: Bearer $(./logistics-connect login --client demo)" http://localhost:8080/v1/orders'],
    codes: { [exitCodes.interrupted]: 'interrupted' },
    settings: ['port', 'baseUrl', 'authUrl'],
  });

  describe(program.command('import').summary('import a file of records').description('Import records in the shape that the interface publishes. Importing the same file again changes nothing, so an import that was interrupted is simply run again.')
    .argument('<resource>', 'articles, stock, movements, orders, order-reports, procurements or procurement-reports')
    .argument('<file>', 'newline-delimited JSON or one JSON array, UTF-8; - for standard input')
    .requiredOption('--activity <code>', 'activity that the records belong to')
    .option('--strict', 'refuse the whole file when one line is refused')
    .option('--rejected <file>', 'where refused lines go with all reasons (default: FILE.rejected.ndjson; for standard input RESOURCE.rejected.ndjson)')
    .option(...json)
    .action(async (resource: string, file: string, options: Json & { activity: string; strict?: true; rejected?: string }) => done(await (await import('./import.ts')).runImport(environment, {
      resource, file, activity: options.activity, strict: options.strict === true, rejected: options.rejected ?? null, json: options.json === true,
    }))),
  {
    examples: ['import articles articles.ndjson --activity ACM', 'import stock - --activity ACM --json < stock.json', 'import orders orders.ndjson.rejected.ndjson --activity ACM'],
    codes: { [exitCodes.failed]: 'nothing was written, or the import failed half way', [exitCodes.linesRefused]: 'done, but lines were refused', [exitCodes.interrupted]: 'interrupted; run it again to complete it' },
    settings: storageSettings,
  });

  describe(program.command('migrate').summary('bring the database to this version').description('Bring the database to the version of this program. The server does the same when it starts.')
    .option(...json)
    .action(async (options: Json) => done(await (await import('./migrate.ts')).runMigrations(environment, { json: options.json === true }))),
  { examples: ['migrate'], settings: storageSettings });

  describe(program.command('doctor').summary('check settings, storage and keys').description('Check settings, storage, keys, clock and addresses, and say what to do. Changes nothing.')
    .option(...json)
    .action(async (options: Json) => done(await (await import('./doctor.ts')).runChecks(environment, { json: options.json === true }))),
  { examples: ['doctor', 'HOST=0.0.0.0 BASE_URL=https://api.example.com/v1 doctor'], codes: { [exitCodes.failed]: 'something is wrong; warnings alone are not' }, settings: 'all' });

  return program;
}
