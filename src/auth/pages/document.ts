// The frame of every page: head, the name of the service, one card; and the matching response headers.
import { createHash } from 'node:crypto';
import { html, type Markup } from './markup.ts';
import type { Language } from './language.ts';
import { style } from './style.ts';

interface Frame {
  readonly language: Language;
  readonly title: string;
  /** Content of the card, starting with the heading. */
  readonly content: Markup;
}

/** A complete page as HTML text. */
export function document({ language, title, content }: Frame): string {
  // The style sheet is our own and its bytes are hashed: it must not be escaped.
  const sheet: Markup = { html: `<style>${style}</style>` };
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${serviceName}</title>
${sheet}
</head>
<body>
<header>${mark}<span>${serviceName}</span></header>
<main>
${content}
</main>
</body>
</html>
`.html;
}

/**
 * The headers of a page.
 * @param formTargets addresses that the browser may be redirected to after a form of the page: the redirect address of
 *   the request
 */
export function pageHeaders({ formTargets }: { readonly formTargets: readonly string[] }): Record<string, string> {
  const targets = [...new Set(["'self'", ...formTargets.flatMap(formChain)])].join(' ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      "base-uri 'none'",
      `form-action ${targets}`,
      "frame-ancestors 'none'",
    ].join('; '),
    // With `no-referrer`, browsers would send `Origin: null` with our own forms too, so that they could not be told
    // from foreign ones.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    vary: 'Accept-Language',
  };
}

const serviceName = 'Logistics Connect';

const styleHash = createHash('sha256').update(style).digest('base64');

/** A crate. */
const mark = html`<svg viewBox="0 0 24 24" width="28" height="28" \
fill="none" stroke="currentColor" stroke-width="1.75" stroke-linejoin="round" stroke-linecap="round" \
aria-hidden="true" focusable="false">\
<path d="M12 2.75 20 7v10l-8 4.25L4 17V7z"/><path d="m4 7 8 4.25L20 7M12 11.25v10M8 4.9l8 4.25v3.6"/></svg>`;

/**
 * Where a form may lead. Browsers check the whole chain of redirects after a form against `form-action`, and the chain
 * does not end at the client's address: a web shop may redirect from its API host to its pages, a command line from
 * this machine to a page of thanks. So both the client's origin and possible further targets are listed. An origin that
 * a policy cannot express (`[::1]`) is listed by its scheme, like a program's own.
 */
function formChain(redirect: string): readonly string[] {
  const { protocol, origin, hostname } = new URL(redirect);
  if (protocol !== 'https:' && protocol !== 'http:') return [policySource(protocol)];
  const first = /^[a-z0-9.-]+$/.test(hostname) ? origin : protocol;
  return protocol === 'https:'
    ? [policySource(first), 'https:']
    : [policySource(first), 'https:', 'http://127.0.0.1:*', 'http://localhost:*'];
}

function policySource(source: string): string {
  if (/^[a-z0-9.:/+-]+$/.test(source)) return source;
  throw new Error(`"${source.slice(0, 80)}" cannot stand in a policy.`);
}
