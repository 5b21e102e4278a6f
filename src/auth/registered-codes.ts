// Refusals for which RFC 6749 has a code of its own, where `oidc-provider` says `invalid_request`.
import Provider, { errors } from 'oidc-provider';
import { paths, responseTypes } from './oidc-configuration.ts';

export function refuseByRegisteredCodes(provider: Provider): void {
  refuseOtherGrants(provider);
  refuseOtherResponseTypes(provider);
}

/** Section 5.2: a grant type that this client may not use. */
function refuseOtherGrants(provider: Provider): void {
  const { prototype } = provider.Client;
  const { grantTypeAllowed } = prototype;
  prototype.grantTypeAllowed = function allowed(type) {
    if (grantTypeAllowed.call(this, type)) return true;
    const asked = Provider.ctx?.path === paths.token ? Provider.ctx.oidc.params?.grant_type : undefined;
    if (asked === type) throw new errors.UnauthorizedClient(`this client may not use the grant ${type}`);
    return false;
  };
}

/**
 * Section 4.1.2.1: a response type that there is not, or none at all. The provider first refuses the mode of the
 * response, which follows from the type.
 */
function refuseOtherResponseTypes(provider: Provider): void {
  const { prototype } = provider.Client;
  const { responseModeAllowed } = prototype;
  const known: readonly string[] = responseTypes;
  prototype.responseModeAllowed = function allowed(mode, ...rest) {
    const params = Provider.ctx?.oidc.params;
    const asked = params?.response_type;
    if (params !== undefined && (asked === undefined || asked === ''))
      throw new errors.InvalidRequest("missing required parameter 'response_type'");
    if (typeof asked === 'string' && !asked.split(' ').every((type) => known.includes(type)))
      throw new errors.UnsupportedResponseType();
    return responseModeAllowed.call(this, mode, ...rest);
  };
}
