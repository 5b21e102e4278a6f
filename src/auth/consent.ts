// Consent: requested when something is missing, stored in the grant, and the upper bound of every token under it.
import { type Client, errors, type Grant, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { isTextList, sharedActivities } from './activity-access.ts';
import { isSignedIn } from './browser-session.ts';
import { askedResource, type ResourceAddresses } from './platform-resource.ts';
import { platformScope } from './tokens.ts';

/** Adds the activities that the person was shown to a grant; its tokens never contain anything beyond them. */
export function consentTo(grant: Grant, activityCodes: readonly string[]): void {
  grant.addRar({ type: consentType, activityCodes });
}

/** The activities that both a client and the signed-in person have. */
export function commonActivities(
  client: Client | undefined,
  user: { readonly [key: string]: unknown } | undefined,
): readonly string[] {
  return sharedActivities(codesOf(client?.activityCodes), codesOf(user?.activityCodes));
}

/**
 * The activities of a token being issued: those consented to that client and person still have. None for the platform
 * interface, where the operator's roles at the time of use count instead.
 * @throws InvalidGrant when nothing is left (decision D33)
 */
export function tokenActivities(ctx: KoaContextWithOIDC, addresses: ResourceAddresses): readonly string[] {
  if (askedResource(ctx, addresses).scope === platformScope) {
    if (!hasRoles(ctx.oidc.account)) throw new errors.InvalidGrant('the operator has no role any more');
    return [];
  }
  const { client, account: user, grant, params } = ctx.oidc;
  const codes =
    // A client that acts for itself needs no consent.
    params?.grant_type === 'client_credentials'
      ? codesOf(client?.activityCodes)
      : sharedActivities(commonActivities(client, user), consentedActivities(grant));
  if (codes.length === 0) throw new errors.InvalidGrant('no activity is left that the token could open');
  return codes;
}

/**
 * A token without the one scope of its resource would be useless, so a request that lacks it is refused at once
 * (decision D32).
 * @param asked scopes, separated by blanks
 * @throws InvalidScope
 */
export function requireScope(asked: string | undefined, scope: string): void {
  if (asked?.split(' ').includes(scope) === true) return;
  throw new errors.InvalidScope(`ask for the scope ${scope}`, asked ?? '');
}

/** The policy of `oidc-provider`, extended by what it does not know: disabled people, and activities. */
export function interactionPolicyOf(addresses: ResourceAddresses): interactionPolicy.DefaultPolicy {
  const { base, Check } = interactionPolicy;
  const policy = base();
  const login = policy.get('login');
  login?.checks.add(
    new Check('scope_missing', 'the scope of the interface is not asked for', 'invalid_scope', (ctx) => {
      requireScope([...ctx.oidc.requestParamScopes].join(' '), askedResource(ctx, addresses).scope);
      return false;
    }),
    0,
  );
  login?.checks.add(
    new Check(
      'account_gone',
      'nobody is signed in who may be, and as they have to',
      'login_required',
      ({ oidc }) =>
        oidc.session?.accountId !== undefined &&
        (oidc.account === undefined || !isSignedIn(oidc.session, signInRules(oidc.account))),
    ),
  );
  const consent = policy.get('consent');
  consent?.checks.add(
    new Check('activities_not_consented', 'activities are not consented to', 'consent_required', (ctx) => {
      const { oidc } = ctx;
      if (askedResource(ctx, addresses).scope === platformScope) {
        if (hasRoles(oidc.account)) return false;
        throw new errors.AccessDenied('this user has no role at the platform interface');
      }
      const common = commonActivities(oidc.client, oidc.account);
      // Refused before a code is issued, and before the person is asked for something that cannot be granted.
      if (common.length === 0) throw new errors.AccessDenied('this user and this client have no activity in common');
      const consented = consentedActivities(oidc.grant);
      return common.some((code) => !consented.includes(code));
    }),
    0,
  );
  return policy;
}

function signInRules(user: Readonly<Record<string, unknown>>): Parameters<typeof isSignedIn>[1] {
  const { signedOutAt, needsCode } = user;
  return { signedOutAt: typeof signedOutAt === 'number' ? signedOutAt : null, needsCode: needsCode !== false };
}

/** Whether somebody is an operator with at least one role. */
function hasRoles(user: { readonly [key: string]: unknown } | undefined): boolean {
  return codesOf(user?.operatorRoles).length > 0;
}

const consentType = 'activities';

/** The activities consented to in a grant; `undefined` when there is none: nobody was asked. */
export function consentedActivities(grant: Pick<Grant, 'rar'> | undefined): readonly string[] {
  return (grant?.rar ?? [])
    .filter((detail) => detail.type === consentType)
    .flatMap((detail) => codesOf(detail.activityCodes));
}

function codesOf(value: unknown): readonly string[] {
  return isTextList(value) ? value : [];
}
