// The content security policy of the pages that this server shows.

/**
 * Scripts from this server alone and none in the page itself; styles from it too; requests to it and to the given
 * addresses; no frame may hold the page.
 * @param addresses of the interfaces that the page asks, as URLs
 * @param more further directives and sources: those of `style-src` beside the server itself, and whole directives
 */
export function pagePolicy(
  addresses: readonly string[],
  more: { readonly styles?: readonly string[]; readonly directives?: readonly string[] } = {},
): string {
  const origins = [...new Set(addresses.map((address) => new URL(address).origin))];
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...(more.styles ?? [])].join(' '),
    ...(more.directives ?? []),
    "img-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
