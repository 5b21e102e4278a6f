// The page that asks whether a client may act on behalf of the signed-in person.
import { textBlock } from '../../model/text-block.ts';
import type { PlatformRole } from '../platform-roles.ts';
import { document } from './document.ts';
import type { Language } from './language.ts';
import { pageAddress, fill, html, type Markup } from './markup.ts';

interface ConsentFacts {
  readonly language: Language;
  /** Where the form is posted to: fields `csrf` and `decision`: `allow`, `deny`, or `other` for another account. */
  readonly action: string;
  readonly csrf: string;
  readonly clientName: string;
  /** Who is signed in. */
  readonly login: string;
  /** The roles with which it may act at the platform interface; absent: it gets access to the client interface. */
  readonly roles?: readonly string[];
  /** The activities that the client gets access to. */
  readonly activities: readonly { readonly code: string; readonly name: string }[];
  readonly readOnly: boolean;
  /** Where the person sees the programs that they have allowed. */
  readonly account: string;
  /** Where they sign out. */
  readonly signOut: string;
  /** The host that the browser is sent back to, or the scheme of a program. */
  readonly redirectHost: string;
}

/** HTML text of the page. */
export function consentPage({
  language,
  action,
  csrf,
  clientName,
  login,
  activities,
  roles,
  readOnly,
  account,
  signOut,
  redirectHost,
}: ConsentFacts): string {
  const texts = consentTexts[language];
  const client = html`<bdi>${clientName}</bdi>`;
  const host = html`<strong><bdi>${redirectHost}</bdi></strong>`;
  const granted =
    roles !== undefined
      ? [texts.platform]
      : readOnly
        ? [texts.read, texts.track]
        : [texts.read, texts.track, texts.write, texts.ship];
  const title = activities.length === 1 ? texts.activity : texts.activities;
  return document({
    language,
    title: texts.title,
    content: html`<h1>${fill(texts.question, { client })}</h1>
<p>${fill(texts.signedIn, { login: html`<strong><bdi>${login}</bdi></strong>` })}</p>
<h2 id="granted">${texts.granted}</h2>
<ul class="granted" role="list" aria-labelledby="granted">
${granted.map(
  (text) => html`<li>${tick}<span>${text}</span></li>
`,
)}${
  readOnly && roles === undefined
    ? html`<li class="withheld">${cross}<span>${texts.noWrites}</span></li>
`
    : html``
}</ul>
${roles === undefined ? listed(title, activities) : listedRoles(texts.roles, roles, roleTexts[language])}\
<form method="post" action="${pageAddress(action)}">
<input type="hidden" name="csrf" value="${csrf}">
<div class="actions pair">
<button class="first" type="submit" name="decision" value="allow">${texts.allow}</button>
<button class="second" type="submit" name="decision" value="deny">${texts.deny}</button>
</div>
<button class="plain" type="submit" name="decision" value="other">${texts.other}</button>
</form>
<div class="soft notes">
<p>${fill(isLoopback(redirectHost) ? texts.returnHere : texts.returnTo, { host })}</p>
<p>${roles === undefined ? texts.end : texts.platformEnd}</p>
</div>
<p class="links"><a class="plain" href="${pageAddress(account)}">${texts.account}</a><a class="plain" \
href="${pageAddress(signOut)}">${texts.signOut}</a></p>`,
  });
}

function listed(title: string, activities: ConsentFacts['activities']): Markup {
  const many = activities.length > 6;
  return html`<h2 id="activities">${title}</h2>
<ul class="activities${many ? ' many' : ''}" role="list" aria-labelledby="activities"${many ? html` tabindex="0"` : ''}>
${activities.map(
  ({ code, name }) => html`<li><code>${code}</code><bdi>${name}</bdi></li>
`,
)}</ul>
`;
}

/** @param meanings what each opens; one that this version does not know has none */
function listedRoles(title: string, roles: readonly string[], meanings: Partial<Record<string, string>>): Markup {
  return html`<h2 id="roles">${title}</h2>
<ul class="activities roles" role="list" aria-labelledby="roles">
${roles.map(
  (role) => html`<li><span>${meanings[role] ?? ''}</span><code>${role}</code></li>
`,
)}</ul>
`;
}

const tick: Markup = symbol(html`<path d="m4 10.5 4 4 8-9"/>`);
const cross: Markup = symbol(html`<path d="m5.5 5.5 9 9m0-9-9 9"/>`);

function symbol(path: Markup): Markup {
  return html`<svg viewBox="0 0 20 20" width="17" height="17" \
fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round" \
aria-hidden="true" focusable="false">${path}</svg>`;
}

function isLoopback(host: string): boolean {
  return /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/.test(host);
}

export const consentTexts = {
  en: {
    title: 'Allow access',
    question: 'Allow {client} to use your account?',
    signedIn: 'You are signed in as {login}.',
    granted: 'What it may do',
    read: 'Read articles, stock, movements, orders, order reports and receipts',
    track: 'Fetch shipping labels and track parcels',
    write: 'Create and change articles, attach documents to orders',
    ship: 'Create shipping labels',
    platform: 'Run this service for you, through the platform interface, as far as your roles go',
    roles: 'Your roles',
    noWrites: 'It cannot create or change anything',
    activity: 'In this activity',
    activities: 'In these activities',
    allow: 'Allow',
    deny: 'Deny',
    other: 'Not you? Use another account',
    account: 'Your account',
    signOut: 'Sign out',
    platformEnd: 'The access ends when you sign out here, and after eight hours at the latest.',
    returnTo: 'You then go back to {host}. Your password stays here.',
    returnHere: 'You then go back to a program on this device ({host}). Your password stays here.',
    end: textBlock`
      The access ends after 30 days without use, after a year at the latest, and whenever you or the operator of this
      service withdraw it.
    `,
  },
  fr: {
    title: 'Autoriser l’accès',
    question: 'Autoriser {client} à utiliser votre compte\u00a0?',
    signedIn: 'Vous êtes connecté en tant que {login}.',
    granted: 'Ce qui lui sera permis',
    read: 'Lire les articles, stocks, mouvements, commandes, comptes rendus de commandes et réceptions',
    track: 'Récupérer les étiquettes d’expédition et suivre les colis',
    write: 'Créer et modifier des articles, joindre des documents aux commandes',
    ship: 'Créer des étiquettes d’expédition',
    platform: 'Exploiter ce service à votre place, par l’interface de plate-forme, dans la limite de vos rôles',
    roles: 'Vos rôles',
    noWrites: 'Rien ne pourra être créé ni modifié',
    activity: 'Dans cette activité',
    activities: 'Dans ces activités',
    allow: 'Autoriser',
    deny: 'Refuser',
    other: 'Ce n’est pas vous\u00a0? Utiliser un autre compte',
    account: 'Votre compte',
    signOut: 'Se déconnecter',
    platformEnd: 'L’accès prend fin quand vous vous déconnectez ici, et au plus tard après huit heures.',
    returnTo: 'Vous reviendrez ensuite vers {host}. Votre mot de passe reste ici.',
    returnHere: 'Vous reviendrez ensuite vers un programme de cet appareil ({host}). Votre mot de passe reste ici.',
    end:
      'L’accès prend fin après 30\u00a0jours sans utilisation, au plus tard après un an, et dès que vous ou ' +
      'l’exploitant de ce service le retirez.',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;

/** What each role opens, in the words of the console's administration. */
export const roleTexts: Readonly<Record<Language, Readonly<Record<PlatformRole, string>>>> = {
  en: {
    outbox: 'Take what clients wrote',
    feed: 'Feeds and refused lines',
    stock: 'Reconciliation of stock',
    shipping: 'Labels and accounts at carriers',
    audit: 'Audit trail',
    operations: 'Health and requests of the service',
    administration: 'Activities, users, clients and keys',
  },
  fr: {
    outbox: 'Prendre ce que les clients ont écrit',
    feed: 'Flux et lignes refusées',
    stock: 'Rapprochement du stock',
    shipping: 'Étiquettes et comptes chez les transporteurs',
    audit: 'Journal d’audit',
    operations: 'Santé et requêtes du service',
    administration: 'Activités, utilisateurs, clients et clés',
  },
};
