// The way from a sign-in to an identity provider and back. State in between is kept in the interaction, which is bound
// to the browser by its cookie.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Interaction, errors } from 'oidc-provider';
import { paths } from '../oidc-configuration.ts';
import { mountPage } from '../other-methods.ts';
import type { SignInFacts } from '../pages/index.ts';
import type { CompletedSignIn } from '../sign-in-steps.ts';
import type { User } from '../users.ts';
import { federatedUser } from './federated-users.ts';
import { type FederationSecrets, type ProviderClient, ProviderAway, ProviderRefused } from './provider-client.ts';
import { keepIdToken } from './provider-sign-out.ts';
import type { PagesOptions } from '../interaction.ts';

interface UidParameters {
  readonly uid: string;
  readonly provider: string;
}

type UidRequest = FastifyRequest<{ Params: UidParameters }>;

/** The part of a visit that the routes need. */
interface FederatedVisit {
  readonly interaction: Interaction;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What the local sign-in does before and after. */
interface Around<Visit extends FederatedVisit> {
  readonly visitOf: (request: UidRequest, reply: FastifyReply) => Promise<Visit>;
  /** Shows the sign-in page again, with the fault. */
  readonly ask: (visit: Visit, fault: SignInFacts['fault'], status: number) => Promise<void>;
  /** Continues once the person is known; null: another page was shown. */
  readonly continueSignIn: (
    visit: Visit,
    user: User,
    since: number,
    amr: readonly string[],
  ) => Promise<CompletedSignIn | null>;
  readonly complete: (visit: Visit, done: CompletedSignIn) => Promise<void>;
  readonly countForm: (request: FastifyRequest) => Promise<unknown>;
}

/**
 * Mounts `GET …/interaction/{uid}/with/{provider}`, which sends the browser to the provider;
 * `GET {auth_url}/connect/federation/{provider}`, to which the provider sends it back; and
 * `GET …/interaction/{uid}/returned/{provider}`, where the browser is recognized.
 */
export function federationRoutes<Visit extends FederatedVisit>(
  server: FastifyInstance,
  options: PagesOptions,
  around: Around<Visit>,
): void {
  const { prefix, providerClients: clients } = options;
  const [from, back, returned] = [
    `${prefix}${paths.interaction}/:uid/with/:provider`,
    `${prefix}${paths.federation}/:provider`,
    `${prefix}${paths.interaction}/:uid/returned/:provider`,
  ];
  mountPage<UidParameters>(server, from, {
    GET: async (request, reply) => {
      await around.countForm(request);
      await lead(options, around, clientIn(clients, request), await around.visitOf(request, reply));
    },
  });
  mountPage<UidParameters>(server, back, {
    GET: async (request, reply) => {
      const { provider } = clientIn(clients, request);
      const query = new URLSearchParams(request.url.split('?')[1]);
      const uid = /^([A-Za-z0-9_-]{1,64})\.[A-Za-z0-9_-]{43}$/.exec(query.get('state') ?? '')?.[1];
      if (uid === undefined) throw new errors.SessionNotFound('what came back belongs to no sign-in');
      const address = `${prefix}${paths.interaction}/${uid}/returned/${provider.name}?${query}`;
      await reply.header('cache-control', 'no-store').redirect(address, 303);
    },
  });
  mountPage<UidParameters>(server, returned, {
    GET: async (request, reply) => {
      await around.countForm(request);
      await takeReturn(options, around, clientIn(clients, request), await around.visitOf(request, reply));
    },
  });
}

async function lead<Visit extends FederatedVisit>(
  options: PagesOptions,
  around: Around<Visit>,
  client: ProviderClient,
  visit: Visit,
): Promise<void> {
  const { interaction, reply } = visit;
  const random = (): string => randomBytes(32).toString('base64url');
  const secrets = { state: `${interaction.uid}.${random()}`, nonce: random(), verifier: random() };
  let address: string;
  try {
    address = await client.begin(secrets);
  } catch (error) {
    return refuse(options, around, client, visit, error);
  }
  interaction.lastSubmission = { federation: { provider: client.provider.name, since: seconds(options), ...secrets } };
  await interaction.persist();
  await reply.header('cache-control', 'no-store').redirect(address, 303);
}

async function takeReturn<Visit extends FederatedVisit>(
  options: PagesOptions,
  around: Around<Visit>,
  client: ProviderClient,
  visit: Visit,
): Promise<void> {
  const { interaction, request } = visit;
  const begun = begunIn(interaction);
  // Valid for one return, whatever its outcome.
  interaction.lastSubmission = undefined;
  await interaction.persist();
  if (begun === null || begun.provider !== client.provider.name) return around.ask(visit, 'federation', 400);
  try {
    const identity = await client.finish(new URLSearchParams(request.url.split('?')[1]), begun);
    const user = await federatedUser(options.store, identity, { now: options.now(), address: request.ip });
    if (user === null) return around.ask(visit, 'no-access', 403);
    const signedIn = { accountId: user.id, loginTs: begun.since };
    await keepIdToken(options.store, signedIn, identity.idToken, options.now());
    const amr = ['fed', ...(identity.isMultiFactor ? ['mfa', 'otp'] : [])];
    const done = await around.continueSignIn(visit, user, begun.since, amr);
    if (done !== null) await around.complete(visit, done);
  } catch (error) {
    await refuse(options, around, client, visit, error);
  }
}

async function refuse<Visit extends FederatedVisit>(
  { logger }: PagesOptions,
  around: Around<Visit>,
  { provider }: ProviderClient,
  visit: Visit,
  error: unknown,
): Promise<void> {
  const isAway = error instanceof ProviderAway;
  if (!isAway && !(error instanceof ProviderRefused)) throw error;
  const facts = { requestId: visit.request.id, provider: provider.name, reason: error.message };
  if (isAway) logger.error(facts, 'an identity provider does not answer');
  else logger.warn(facts, 'a sign-in at an identity provider was refused');
  await around.ask(visit, isAway ? 'provider-away' : 'federation', isAway ? 503 : 400);
}

/** @throws SessionNotFound when there is no such provider */
function clientIn(clients: ReadonlyMap<string, ProviderClient>, request: UidRequest): ProviderClient {
  if (request.note !== null) request.note.route = request.routeOptions.url ?? null;
  const client = clients.get(request.params.provider);
  if (client === undefined) throw new errors.SessionNotFound('there is no such identity provider');
  return client;
}

function begunIn(
  interaction: Interaction,
): (FederationSecrets & { readonly provider: string; readonly since: number }) | null {
  const { federation } = interaction.lastSubmission ?? {};
  if (typeof federation !== 'object' || federation === null) return null;
  const { provider, since, state, nonce, verifier } = Object.assign(Object.create(null), federation);
  const texts: readonly unknown[] = [provider, state, nonce, verifier];
  if (!texts.every((text) => typeof text === 'string') || typeof since !== 'number') return null;
  return { provider, since, state, nonce, verifier };
}

function seconds({ now }: PagesOptions): number {
  return Math.floor(now() / 1000);
}
