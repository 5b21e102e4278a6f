// The session of a browser at the authorization server: who is signed in. Sessions can begin and end outside an
// authorization request.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';

export type BrowserSession = InstanceType<Provider['Session']>;

/** The session named by the browser's cookie, or a new one without a user. */
export function sessionOf(provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<BrowserSession> {
  return provider.Session.get(provider.createContext(request.raw, reply.raw));
}

/** Ends the browser's session, if any, and clears its cookie; what programs were allowed is unaffected. */
export async function endSession(provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const session = await sessionOf(provider, request, reply);
  await session.destroy();
  setCookie(provider, request, reply, null);
}

/** The sign-in that begins a session. */
interface SessionStart {
  readonly accountId: string;
  /** Seconds since 1970. */
  readonly loginTs: number;
  readonly amr: readonly string[];
}

/**
 * Begins a session in the browser under a new id (against session fixation); a session of somebody else ends.
 * @param seconds lifetime of the session from now on
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

/** Whether somebody who signed in still is signed in, and in the required way. */
export function isSignedIn(
  { loginTs = 0, amr = [] }: { readonly loginTs?: number | undefined; readonly amr?: readonly string[] | undefined },
  { signedOutAt, needsCode }: { readonly signedOutAt: number | null; readonly needsCode: boolean },
): boolean {
  return (signedOutAt === null || loginTs >= Math.floor(signedOutAt / 1000)) && (!needsCode || amr.includes('otp'));
}

/** The cookie library writes to the raw response; a cookie set later would overwrite it there. */
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

/** As in `providerConfiguration`. */
export const sessionCookie = { httpOnly: true, sameSite: 'lax', signed: true, path: '/' } as const;
