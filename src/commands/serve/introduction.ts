// What `serve` prints once it serves: the addresses, and what to do next.
import type { App } from '../../app.ts';
import { listClients } from '../../auth/clients.ts';
import { listUsers } from '../../auth/users.ts';
import type { Config } from '../../config.ts';
import { demoClientId, demoLogin } from '../../demo/demo-client.ts';
import type { Store } from '../../store/store.ts';
import { isPublic } from '../addresses.ts';
import { type Environment, instantText, writeJson } from '../environment.ts';
import { programWithSettings } from '../program-with-settings.ts';
import type { Demonstration } from './demonstration.ts';

/** Where it is printed, and in which form. */
interface Introduction {
  readonly environment: Environment;
  readonly config: Config;
  readonly demo: boolean;
  readonly json: boolean;
  /** Null: there is none. */
  readonly demonstration: Demonstration | null;
}

/** Prints what is needed to use the server. */
export async function introduce(
  app: App,
  { environment, config, demo, json, demonstration }: Introduction,
): Promise<void> {
  const { addresses, store } = app;
  await warn(environment, config, store);
  const facts = demonstration === null ? null : await tryOut(app, config.builtInIssuer, demonstration, environment);
  if (json) writeJson(environment.stdout, { ...addresses, demonstration: facts });
  else
    environment.stdout.write(
      `${introduction(addresses)
        .concat(facts === null ? await nextSteps(store, demo) : trial(facts))
        .concat(webConsole(addresses, config), platform(addresses))
        .join('\n')}\n`,
    );
}

/** What somebody needs to read a first page. */
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

/** Without a token if the operator has disabled the user or the client, or the server accepts no tokens of its own. */
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

/** People sign in to the console at the built-in authorization server. */
function webConsole({ baseUrl }: App['addresses'], config: Config): readonly string[] {
  if (!config.console || !config.builtInIssuer) return [];
  return [
    `Console:            ${new URL('/', baseUrl).href} (in a browser, with a user's login; operators: /#/operator)`,
  ];
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

/** Quotes one word for a POSIX shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The demonstration is meant for a single machine. */
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
