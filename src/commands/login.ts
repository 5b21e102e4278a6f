// The command `login`: signs in through the browser, like an integrator's program.
import type { Command } from 'commander';
import * as oauth from 'openid-client';
import { apiScope } from '../auth/tokens.ts';
import { readConfig } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { addressesOf, isLoopback } from './addresses.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { Interrupted, UsageError } from './failure.ts';
import { describeCommand } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { openBrowser } from './login/browser.ts';
import { callbackPath, listenOnLoopback } from './login/loopback.ts';

export function declareLogin(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
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
          options: JsonOption & {
            client: string;
            scope?: string;
            browser: boolean;
            refreshToken?: true;
            timeout: string;
          },
        ) =>
          done(
            await login(environment, {
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

interface LoginOptions {
  readonly clientId: string;
  readonly scope: string | null;
  /** False: only print the address. */
  readonly browser: boolean;
  /** Print the refresh token too; with `json` only. */
  readonly refreshToken: boolean;
  /** Seconds to wait for the person. */
  readonly timeout: number;
  readonly json: boolean;
}

/**
 * Runs the authorization code flow (RFC 8252) against the server that the settings name. It needs no storage, so it
 * works from any machine. `openid-client` implements the protocol: others use this certified library too, so the
 * command shows whether the server works with it, and we cannot get its checks of PKCE, `state` and `iss` wrong.
 * @throws OperatorError when the server is unavailable, refuses, or nobody signs in within the time
 * @throws Interrupted on Ctrl-C
 */
async function login(environment: Environment, options: LoginOptions): Promise<ExitCode> {
  if (options.refreshToken && !options.json)
    throw new UsageError('--refresh-token needs --json: standard output has room for one token');
  if (!(options.timeout > 0 && options.timeout <= 3600))
    throw new UsageError('--timeout takes seconds, from 1 to 3600');
  const interrupted = environment.interruption();
  const { authUrl, baseUrl } = addressesOf(readConfig(environment.variables, environment.folder));
  const server = await discovered(authUrl, options.clientId);
  const tokens = await signIn(environment, options, server, interrupted);
  const expiresAt = tokens.expires_in === undefined ? null : environment.now() + tokens.expires_in * 1000;
  if (options.json) {
    writeJson(environment.stdout, {
      accessToken: tokens.access_token,
      tokenType: 'Bearer',
      expiresAt: instantText(expiresAt),
      scope: tokens.scope ?? null,
      baseUrl,
      ...(options.refreshToken ? { refreshToken: tokens.refresh_token ?? null } : {}),
    });
  } else environment.stdout.write(`${tokens.access_token}\n`);
  return exitCodes.done;
}

async function signIn(
  environment: Environment,
  options: LoginOptions,
  server: oauth.Configuration,
  interrupted: AbortSignal,
): Promise<oauth.TokenEndpointResponse> {
  const [state, verifier] = [oauth.randomState(), oauth.randomPKCECodeVerifier()];
  const loopback = await listenOnLoopback(state);
  const waiting = deadline(options.timeout, interrupted);
  try {
    const address = oauth.buildAuthorizationUrl(server, {
      redirect_uri: loopback.redirectUri,
      scope: options.scope ?? apiScope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    await show(environment, address.href, options.browser);
    const { url, answer } = await Promise.race([loopback.returned, waiting.over]);
    try {
      const tokens = await oauth.authorizationCodeGrant(server, url, {
        expectedState: state,
        pkceCodeVerifier: verifier,
      });
      await answer('done');
      return tokens;
    } catch (error) {
      await answer('failed');
      throw explained(error, options.clientId);
    }
  } finally {
    waiting.cancel();
    await loopback.close();
  }
}

async function discovered(authUrl: string, clientId: string): Promise<oauth.Configuration> {
  const { protocol, hostname } = new URL(authUrl);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    throw new OperatorError(
      `AUTH_URL is ${authUrl}: over plain http to another machine, password and token could be read on the way.`,
      'Set AUTH_URL to an https address.',
    );
  }
  try {
    // `allowInsecureRequests` is marked deprecated only as a warning; without encryption nothing but this machine is
    // contacted.
    return await oauth.discovery(new URL(authUrl), clientId, { token_endpoint_auth_method: 'none' }, oauth.None(), {
      algorithm: 'oauth2',
      timeout: 10,
      execute: protocol === 'http:' ? [oauth.allowInsecureRequests] : [],
    });
  } catch (error) {
    throw new OperatorError(
      `The authorization server ${authUrl} does not answer as one.`,
      'Start it with `./logistics-connect serve`, or set AUTH_URL to the address that it printed.',
      { cause: error },
    );
  }
}

async function show(environment: Environment, address: string, browser: boolean): Promise<void> {
  const opened = browser && (await openBrowser(address, environment.variables.BROWSER));
  const invitation = opened
    ? 'Sign in in the browser that opens now. If none does, open this address on this machine:'
    : 'To sign in, open this address in a browser on this machine:';
  environment.stderr.write(`${invitation}\n\n${address}\n\nWaiting for you to sign in; Ctrl-C gives up.\n`);
}

/** A promise that rejects when the time is over or the operator interrupts the command. */
function deadline(
  seconds: number,
  interrupted: AbortSignal,
): { readonly over: Promise<never>; readonly cancel: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  // It may reject when nobody waits for it any more.
  promise.catch(() => undefined);
  const give = (): void => reject(new Interrupted());
  if (interrupted.aborted) give();
  interrupted.addEventListener('abort', give);
  const timer = setTimeout(
    () =>
      reject(
        new OperatorError(
          `Nobody signed in within ${seconds} s; the wait is over.`,
          'Run the command again; --timeout waits longer.',
        ),
      ),
    seconds * 1000,
  );
  return {
    over: promise,
    cancel: () => {
      clearTimeout(timer);
      interrupted.removeEventListener('abort', give);
    },
  };
}

function explained(error: unknown, clientId: string): unknown {
  if (error instanceof oauth.AuthorizationResponseError) {
    if (error.error === 'access_denied')
      return new OperatorError('The access was not allowed.', 'Run the command again and choose "Allow".');
    return new OperatorError(`The authorization server refused: ${described(error.error, error.error_description)}.`);
  }
  if (error instanceof oauth.ResponseBodyError) {
    if (error.error === 'invalid_client') {
      return new OperatorError(
        `The client "${clientId}" may not get tokens this way.`,
        `Use a public client that is not disabled and has the redirect address http://127.0.0.1${callbackPath}; see \`client list\`.`,
      );
    }
    return new OperatorError(
      `The authorization server gave no token: ${described(error.error, error.error_description)}.`,
    );
  }
  return new OperatorError(
    'The answer of the authorization server is not to be trusted, so no token was taken.',
    'Check AUTH_URL, then run the command again.',
    { cause: error },
  );
}

function described(code: string, description: string | undefined): string {
  return description === undefined ? code : `${code}, ${description}`;
}
