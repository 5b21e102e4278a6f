// The content security policy of the server's pages.

/**
 * Scripts from this server only and none inline; styles from it too; requests to it and to the given addresses; no
 * framing.
 * @param addresses of the interfaces that the page contacts, as URLs
 * @param more additions: sources of `style-src` besides the server itself, and whole directives
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
