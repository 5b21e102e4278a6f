// The session of a browser at the authorization server: who is signed in; begun and ended outside of an authorization
// request.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';

export type BrowserSession = InstanceType<Provider['Session']>;

/** The session that the cookie of the browser names, or a new one of nobody. */
export function sessionOf(provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<BrowserSession> {
  return provider.Session.get(provider.createContext(request.raw, reply.raw));
}

/** Ends the session of the browser, if it has one, and takes its cookie back; what programs were allowed stays. */
export async function endSession(provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const session = await sessionOf(provider, request, reply);
  await session.destroy();
  setCookie(provider, request, reply, null);
}

/** A sign-in that begins a session. */
interface SessionStart {
  readonly accountId: string;
  /** Seconds since 1970. */
  readonly loginTs: number;
  readonly amr: readonly string[];
}

/**
 * Begins a session in the browser, under an id that nobody has seen before (session fixation); one of somebody else
 * ends.
 * @param seconds how long it lasts from now on
 */
export async function beginSession(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  { accountId, loginTs, amr }: SessionStart,
  seconds: number,
): Promise<void> {
  let session = await sessionOf(provider, request, reply);
  if (session.accountId !== undefined && session.accountId !== accountId) {
    await session.destroy();
    session = new provider.Session();
  }
  session.resetIdentifier();
  session.loginAccount({ accountId, loginTs, amr: [...amr] });
  await session.save(seconds);
  setCookie(provider, request, reply, session.jti, new Date(Date.now() + seconds * 1000));
}

/** Whether somebody who signed in is so still, and in the way in which they have to. */
export function isSignedIn(
  { loginTs = 0, amr = [] }: { readonly loginTs?: number | undefined; readonly amr?: readonly string[] | undefined },
  { signedOutAt, needsCode }: { readonly signedOutAt: number | null; readonly needsCode: boolean },
): boolean {
  return (signedOutAt === null || loginTs >= Math.floor(signedOutAt / 1000)) && (!needsCode || amr.includes('otp'));
}

/** The cookie library writes to the response itself; what is set later would replace it there. */
function setCookie(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string | null,
  expires?: Date,
): void {
  const { cookies } = provider.createContext(request.raw, reply.raw);
  const expiry = expires === undefined ? {} : { expires };
  cookies.set(provider.cookieName('session'), id, { ...sessionCookie, ...expiry });
  const written = reply.raw.getHeader('set-cookie');
  reply.raw.removeHeader('set-cookie');
  if (written !== undefined) reply.header('set-cookie', [written].flat().map(String));
}

/** As `providerConfiguration` has it. */
export const sessionCookie = { httpOnly: true, sameSite: 'lax', signed: true, path: '/' } as const;
