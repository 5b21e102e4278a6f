// The command `serve`: runs the server until it is told to stop, and prints what is needed to use it.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { listClients } from '../auth/clients.ts';
import { listUsers } from '../auth/users.ts';
import { type Config, readConfig } from '../config.ts';
import { freePort } from '../http/port.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import type { Store } from '../store/store.ts';
import { isPublic } from './addresses.ts';
import { maxSpeed, parseSpeed } from '../demo/clock.ts';
import { demoClientId, demoLogin } from '../demo/demo-client.ts';
import { type Demonstration, offerDemonstration } from './demonstration.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { Interrupted, UsageError } from './failure.ts';
import { describeCommand } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { programWithSettings } from './program-with-settings.ts';

export function declareServe(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('serve')
      .summary('run the server')
      .description(
        textBlock`
          Run the server until it is told to stop (Ctrl-C or SIGTERM): it goes on for DRAIN_SECONDS, in which proxies
          turn to others, then running requests end. A second signal ends it at once.
        `,
      )
      .option(
        '--demo',
        'fill an empty database with a demonstration warehouse that lives, and print a login and a token to try',
      )
      .option(
        '--clock <speed>',
        `with --demo: how many times faster than time the demonstration lives, 1x to ${maxSpeed}x (default: 1x)`,
      )
      .option(...jsonOption)
      .action(async (options: JsonOption & { demo?: true; clock?: string }) =>
        done(
          await serve(environment, {
            demo: options.demo === true,
            speed: speedOf(options),
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: ['serve --demo', 'serve --demo --clock 60x', 'PORT=9000 DATA_DIR=/var/lib/logistics-connect serve'],
      settings: 'all',
    },
  );
}

/**
 * Serves until the interruption.
 * @throws OperatorError when storage cannot be used or the address is taken
 * @throws Interrupted when it is stopped before it serves
 */
async function serve(
  environment: Environment,
  { demo, speed, json }: { readonly demo: boolean; readonly speed: number; readonly json: boolean },
): Promise<ExitCode> {
  // The help loads this file too, and shall not wait for the whole server.
  const { createApp } = await import('../app.ts');
  const config = readConfig(environment.variables, environment.folder);
  const stopped = environment.interruption();
  // A port that is taken is told before a demonstration warehouse is filled.
  if (config.port !== 0) await onAddress(config, () => freePort(config.host, config.port));
  const app = await onAddress(config, () => createApp(config, { now: environment.now, processMetrics: true }));
  try {
    const demonstration = demo
      ? await offerDemonstration(
          app.store,
          app.addresses.baseUrl,
          (instant) => seed(environment, stopped, app.store, instant),
          environment.now(),
        )
      : null;
    const addresses = await onAddress(config, () => app.listen());
    if (demonstration !== null) await live(app, environment, speed);
    await warn(environment, config, app.store);
    const facts = demonstration === null ? null : await tryOut(app, config.builtInIssuer, demonstration, environment);
    if (json) writeJson(environment.stdout, { ...addresses, demonstration: facts });
    else
      environment.stdout.write(
        `${introduction(addresses)
          .concat(facts === null ? await nextSteps(app.store, demo) : trial(facts), platform(addresses))
          .join('\n')}\n`,
      );
    if (!stopped.aborted) await once(stopped, 'abort');
    if (config.drainSeconds > 0) {
      app.drain();
      await pause(config.drainSeconds * 1000);
    }
    return exitCodes.done;
  } finally {
    await app.close();
  }
}

/** Does what needs the address to listen on, and tells what is wrong with it. */
async function onAddress<T>({ host, port }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : '';
    if (code === 'EADDRINUSE')
      throw new OperatorError(
        `Port ${port} on ${host} is in use, perhaps by this program.`,
        'Stop what uses it, or set PORT to another one.',
        { cause: error },
      );
    if (code === 'EACCES')
      throw new OperatorError(`This user may not listen on port ${port}.`, 'Set PORT to 1024 or more.', {
        cause: error,
      });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new OperatorError(
        `${host} is no address of this machine.`,
        'Set HOST to 127.0.0.1, to 0.0.0.0, or to an address of this machine.',
        { cause: error },
      );
    throw error;
  }
}

async function seed(environment: Environment, stopped: AbortSignal, store: Store, instant: number): Promise<void> {
  const { seedDemo } = await import('../demo/seed.ts');
  const terminal = environment.stderr.isTTY === true;
  environment.stderr.write(terminal ? '' : 'Filling the demonstration warehouse…\n');
  await seedDemo(store, instant, (step) => {
    if (stopped.aborted)
      throw new Interrupted('Interrupted while the demonstration warehouse was filled; the next start completes it.');
    if (terminal) environment.stderr.write(`\r\u001b[KFilling the demonstration warehouse: ${step}`);
  });
  if (terminal) environment.stderr.write('\r\u001b[K');
}

/** Lets the demonstration go on in real time. */
async function live(app: App, { now }: Environment, speed: number): Promise<void> {
  const { liveTask, tellWhetherItLives } = await import('../demo/live-task.ts');
  const { store, logger } = app;
  await tellWhetherItLives(store, logger);
  app.runInBackground((signal, turns) => liveTask({ store, turns, logger, now, speed, signal }));
}

/** @throws UsageError for a clock that is none, or without a demonstration */
function speedOf({ demo, clock }: { readonly demo?: true; readonly clock?: string }): number {
  if (clock === undefined) return 1;
  if (demo !== true) throw new UsageError('--clock is for the demonstration: give --demo too.');
  const speed = parseSpeed(clock);
  if (speed === null) throw new UsageError(`--clock takes a speed from 1x to ${maxSpeed}x, such as 60x.`);
  return speed;
}

/** What someone needs to read the first page. */
interface Trial {
  readonly login: { readonly user: string; readonly password: string };
  readonly disabled: boolean;
  readonly clientId: string;
  readonly accessToken: string | null;
  readonly expiresAt: string | null;
  readonly curl: string | null;
  readonly anotherToken: string;
  readonly signIn: string;
}

/** Without a token when the operator disabled the user or the client, or the server accepts no tokens of its own. */
async function tryOut(
  { issueToken, addresses }: App,
  ownTokens: boolean,
  { user, password, client }: Demonstration,
  environment: Environment,
): Promise<Trial> {
  const { now } = environment;
  const program = programWithSettings(environment, addresses);
  const known = {
    login: { user: user.login, password },
    clientId: client.id,
    disabled: user.disabledAt !== null || client.disabledAt !== null,
    anotherToken: `${program} token --client ${client.id} --user ${user.login}`,
    signIn: `${program} login --client ${client.id}`,
  };
  if (!ownTokens || known.disabled) return { ...known, accessToken: null, expiresAt: null, curl: null };
  const { accessToken, expiresAt } = await issueToken({ client, user, now: now() });
  const authorization = shellQuoted(`Authorization: Bearer ${accessToken}`);
  return {
    ...known,
    accessToken,
    expiresAt: instantText(expiresAt),
    curl: `curl -sS -H ${authorization} ${shellQuoted(`${addresses.baseUrl}/articles?limit=2`)}`,
  };
}

function introduction({ baseUrl, authUrl }: App['addresses']): readonly string[] {
  return [`Base URL:           ${baseUrl}`, `Authorization URL:  ${authUrl}`];
}

function platform({ platformUrl }: App['addresses']): readonly string[] {
  return [`Platform URL:       ${platformUrl} (for the warehouse side; keys: ./logistics-connect key add --help)`];
}

function trial({ login, disabled, curl, anotherToken, signIn }: Trial): readonly string[] {
  if (curl === null)
    return [
      disabled
        ? 'The demonstration login is disabled.'
        : 'Tokens come from TRUSTED_ISSUERS alone: BUILT_IN_ISSUER is off.',
    ];
  return [
    `Login:              user ${login.user}, password ${login.password}`,
    'Try it:',
    curl,
    `The token is valid for an hour. For another one: ${anotherToken}`,
    "Or sign in through the browser, as an integrator's program does:",
    signIn,
  ];
}

async function nextSteps(store: Store, demo: boolean): Promise<readonly string[]> {
  const told = demo ? ['This database has activities of its own: --demo left it as it is.'] : [];
  if ((await store.activities.list()).length === 0)
    return [...told, 'Nobody can read anything yet. Next: ./logistics-connect activity add CODE NAME'];
  const clients = await listClients(store);
  if (!clients.some(({ service }) => service) && (await listUsers(store)).length === 0)
    return [...told, 'Nobody can sign in yet. Next: ./logistics-connect user add LOGIN --activity CODE'];
  if (clients.length === 0)
    return [
      ...told,
      'No program can connect yet. Next: ./logistics-connect client add NAME --redirect URI --activity CODE',
    ];
  return told;
}

/** The demonstration is made for one machine. */
async function warn(environment: Environment, config: Config, store: Store): Promise<void> {
  if (!isPublic(config)) return;
  const [client, user] = [
    (await listClients(store)).find(({ id }) => id === demoClientId),
    (await listUsers(store)).find(({ login }) => login === demoLogin),
  ];
  if (client?.disabledAt !== null && user?.disabledAt !== null) return;
  environment.stderr.write(`
********************************************************************************
WARNING: others can reach this server (HOST=${config.host}), and its demonstration login
works. Whoever reads this output, or listens on the network, can sign in.
Switch it off:  ./logistics-connect user disable ${demoLogin}
                ./logistics-connect client disable ${demoClientId}
********************************************************************************
`);
}

/** As one word of a POSIX shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
