// Sign-in and consent: the pages between a client's request and its code.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Client, errors, type Interaction, type InteractionResults } from 'oidc-provider';
import type { Logger } from 'pino';
import type { Store } from '../store/store.ts';
import { commonActivities, consentTo } from './consent.ts';
import { federationRoutes } from './federation/federation-routes.ts';
import type { ProviderClient } from './federation/provider-client.ts';
import type { KnownBrowser } from './known-browsers.ts';
import { paths } from './oidc-configuration.ts';
import { endSession } from './browser-session.ts';
import { addressTo, type RunningProvider } from './oidc-provider.ts';
import { mountPage } from './other-methods.ts';
import { consentPage, type Language, languageOf, pageHeaders } from './pages/index.ts';
import { fieldOf, requireSameOrigin, preparePages, sendPage } from './sign-in-forms.ts';
import {
  askPassword,
  type CompletedSignIn,
  continueSignIn,
  type SignInPlace,
  type SignInStepsOptions,
  takeStep,
} from './sign-in-steps.ts';
import { type TokenResource, tokenResource } from './platform-resource.ts';
import { platformScope } from './tokens.ts';
import { findActiveUser, type User } from './users.ts';

export interface PagesOptions extends SignInStepsOptions {
  readonly store: Pick<
    Store,
    'activities' | 'audit' | 'clients' | 'invitations' | 'oidcPayloads' | 'sessions' | 'users'
  >;
  /** At which people may sign in as well. */
  readonly providerClients: ReadonlyMap<string, ProviderClient>;
  readonly logger: Logger;
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly platformUrl: string;
  /** Path of `authUrl`, without a slash at the end. */
  readonly prefix: string;
  readonly providers: () => Promise<RunningProvider>;
  /** Called with a grant that has ended in this process. */
  readonly onGrantChanged: (grantId: string) => Promise<void>;
  /** Counts one form sent from an address or a known browser; throws Problem `quota-exceeded`. */
  readonly countForm: (address: string, browser: KnownBrowser | null) => Promise<unknown>;
  /** The same for one page view. */
  readonly countPage: (request: FastifyRequest) => Promise<unknown>;
}

interface UidParameters {
  readonly uid: string;
}

type UidRequest = FastifyRequest<{ Params: UidParameters }>;

/** An interaction of this browser, and what its pages need. */
interface Visit {
  readonly interaction: Interaction;
  readonly running: RunningProvider;
  readonly client: Client;
  readonly redirectUri: string;
  readonly language: Language;
  readonly action: string;
  readonly request: UidRequest;
  readonly reply: FastifyReply;
}

/** Mounts `GET` and `POST {auth_url}/connect/interaction/{uid}`, and `GET …/cancel`. */
export function interactionRoutes(server: FastifyInstance, options: PagesOptions): void {
  preparePages(server, options);
  const url = `${options.prefix}${paths.interaction}/:uid`;
  mountPage<UidParameters>(server, url, {
    GET: async (request, reply) => {
      const visit = await visitOf(options, request, reply);
      await (visit.interaction.prompt.name === 'consent'
        ? askConsent(options, visit)
        : askPassword(placeOf(options, visit)));
    },
    POST: async (request, reply) => {
      requireSameOrigin(options.authUrl, request);
      await options.countForm(request.ip, await options.knownBrowsers.recognise(request.headers.cookie));
      const visit = await visitOf(options, request, reply);
      await (visit.interaction.prompt.name === 'consent' ? takeConsent(options, visit) : takeLogin(options, visit));
    },
  });
  mountPage<UidParameters>(server, `${url}/cancel`, {
    GET: async (request, reply) => {
      await conclude(await visitOf(options, request, reply), denied('the sign-in was cancelled'));
    },
  });
  federationRoutes(server, options, {
    visitOf: (request, reply) => visitOf(options, request, reply),
    ask: (visit, fault, status) => askPassword(placeOf(options, visit), '', fault, status),
    continueSignIn: (visit, user, ts, amr) => continueSignIn(options, placeOf(options, visit), { user, ts }, amr),
    complete: (visit, done) => complete(options, visit, done),
    countForm: async ({ ip, headers }) => options.countForm(ip, await options.knownBrowsers.recognise(headers.cookie)),
  });
}

/** @throws SessionNotFound when the interaction is over, or belongs to another browser */
async function visitOf(options: PagesOptions, request: UidRequest, reply: FastifyReply): Promise<Visit> {
  if (request.note !== null) request.note.route = `${options.prefix}${paths.interaction}/{uid}`;
  const running = await options.providers();
  addressTo(options.authUrl, request.raw);
  const interaction = await running.provider.interactionDetails(request.raw, reply.raw);
  if (interaction.uid !== request.params.uid)
    throw new errors.SessionNotFound('the cookie belongs to another interaction');
  const { client_id: clientId, redirect_uri: redirectUri, ui_locales: locales } = interaction.params;
  const client = await running.provider.Client.find(String(clientId));
  if (client === undefined) throw new errors.InvalidClient('client is invalid', 'client not found');
  return {
    interaction,
    running,
    client,
    request,
    reply,
    redirectUri: String(redirectUri),
    // The client's request takes precedence over the browser's preference (OpenID Connect Core, 3.1.2.1).
    language: languageOf(
      typeof locales === 'string' ? locales.replaceAll(' ', ',') : request.headers['accept-language'],
    ),
    action: `${options.prefix}${paths.interaction}/${interaction.uid}`,
  };
}

/** Where the sign-in of an interaction takes place. */
function placeOf(
  { providerClients }: PagesOptions,
  { interaction, running, client, language, action, redirectUri, request, reply }: Visit,
): SignInPlace {
  const hint = interaction.params.login_hint;
  return {
    csrf: running.csrf,
    binding: interaction.uid,
    language,
    action,
    clientName: client.clientName ?? client.clientId,
    formTargets: [redirectUri],
    cancel: `${action}/cancel`,
    providers: [...providerClients.values()].map(({ provider: { name, title } }) => ({
      ...{ title, address: `${action}/with/${name}` },
    })),
    hint: typeof hint === 'string' ? hint : '',
    request,
    reply,
  };
}

async function takeLogin(options: PagesOptions, visit: Visit): Promise<void> {
  const done = await takeStep(options, placeOf(options, visit));
  if (done !== null) await complete(options, visit, done);
}

async function complete(options: PagesOptions, visit: Visit, done: CompletedSignIn): Promise<void> {
  visit.reply.header('set-cookie', done.cookie);
  await endOthers(options, visit, done.user);
  await conclude(visit, { login: { accountId: done.user.id, amr: [...done.amr], ts: done.ts } });
}

/**
 * Ends the session of somebody else who was signed in here, since before this sign-in or in another window. The
 * provider would need a script to sign them out, and would end their programs' access.
 */
async function endOthers(
  { store }: PagesOptions,
  { interaction, running: { provider }, request, reply }: Visit,
  user: User,
): Promise<void> {
  const now = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  const others = [interaction.session, now].filter(
    (session) => session?.accountId !== undefined && session.accountId !== user.id,
  );
  if (others.length === 0) return;
  for (const other of others) if (other !== undefined) await store.oidcPayloads.removeSession(other.uid);
  interaction.session = undefined;
  await interaction.persist();
}

async function askConsent(options: PagesOptions, visit: Visit): Promise<void> {
  const { interaction, running, client, language, action, redirectUri, reply } = visit;
  const { user, codes, resource } = await partiesOf(options, visit);
  const page = consentPage({
    language,
    action,
    csrf: running.csrf.token(consentBinding(interaction, codes)),
    clientName: client.clientName ?? client.clientId,
    login: user.login,
    activities: resource.scope === platformScope ? [] : await options.store.activities.named(codes),
    ...(resource.scope === platformScope && { roles: codes }),
    readOnly: client.readOnly === true,
    account: `${options.prefix}${paths.account}`,
    signOut: `${options.prefix}${paths.signOut}`,
    redirectHost: new URL(redirectUri).host || new URL(redirectUri).protocol.slice(0, -1),
  });
  await sendPage(reply.headers(pageHeaders({ formTargets: [redirectUri] })), page);
}

async function takeConsent(options: PagesOptions, visit: Visit): Promise<void> {
  const { interaction, client, request, running } = visit;
  const { user, codes, resource } = await partiesOf(options, visit);
  // Consent covers only what was shown: if the activities have changed meanwhile, the page is shown again.
  if (!running.csrf.matches(fieldOf(request, 'csrf'), consentBinding(interaction, codes))) {
    visit.reply.code(400);
    return askConsent(options, visit);
  }
  if (fieldOf(request, 'decision') === 'other') return askOther(visit);
  if (fieldOf(request, 'decision') !== 'allow') return conclude(visit, denied('the request was denied'));
  // A separate grant each time: when one chain of refresh tokens is stolen, only that one ends.
  const grant = new running.provider.Grant({ accountId: user.id, clientId: client.clientId });
  const scopes = String(interaction.params.scope).split(' ');
  grant.addOIDCScope(scopes.filter((scope) => scope === 'openid' || scope === 'offline_access'));
  grant.addResourceScope(resource.address, resource.scope);
  consentTo(grant, resource.scope === platformScope ? [] : codes);
  await conclude(visit, { consent: { grantId: await grant.save() } });
}

/** Signs this browser out, and restarts the same authorization request for somebody else. */
async function askOther({ interaction, running: { provider }, request, reply }: Visit): Promise<void> {
  await endSession(provider, request, reply);
  await interaction.destroy();
  const { login_hint: _hint, ...params } = interaction.params;
  const query = new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
    ),
  );
  const address = `${provider.issuer}${paths.authorization}?${query}`;
  await reply.header('cache-control', 'no-store').redirect(address, 303);
}

/** Who is asked for consent, and to what. */
interface Parties {
  readonly user: User;
  readonly resource: TokenResource;
  /** What is shown: the activities to consent to, or the roles of an operator. */
  readonly codes: readonly string[];
}

/** @throws SessionNotFound when the person was disabled meanwhile, or no longer has anything to consent to */
async function partiesOf(options: PagesOptions, { interaction, client }: Visit): Promise<Parties> {
  const { params, session } = interaction;
  const resource = tokenResource(options, params.resource, client, undefined);
  const user = await findActiveUser(options.store, session?.accountId ?? '');
  const codes =
    user === null || resource.scope === platformScope
      ? (user?.operatorRoles ?? [])
      : commonActivities(client, { activityCodes: user.activityCodes });
  if (user === null || codes.length === 0) throw new errors.SessionNotFound('nobody is signed in who could consent');
  return { user, resource, codes };
}

function consentBinding(interaction: Interaction, codes: readonly string[]): string {
  return `${interaction.uid} ${codes.join(' ')}`;
}

function denied(description: string): InteractionResults {
  return { error: 'access_denied', error_description: description };
}

/**
 * Ends a step and sends the browser back to the authorization endpoint, which asks for the next one or responds to the
 * client.
 */
async function conclude({ running, request, reply }: Visit, result: InteractionResults): Promise<void> {
  const address = await running.provider.interactionResult(request.raw, reply.raw, result);
  await reply.header('cache-control', 'no-store').redirect(address, 303);
}
