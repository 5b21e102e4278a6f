// The page that asks for login and password.
import { document } from './document.ts';
import { faultBox } from './fault-box.ts';
import type { Language } from './language.ts';
import { pageAddress, fill, html, type Markup } from './markup.ts';

export interface SignInFacts {
  readonly language: Language;
  /** Where the form is posted to: fields `login`, `password`, `csrf`. */
  readonly action: string;
  readonly csrf: string;
  /** Name of the client that the person comes from; null: they opened their account page. */
  readonly clientName: string | null;
  /** The previous content of the field; '' at first. */
  readonly login: string;
  /**
   * What went wrong before: wrong login or password, too many attempts, a form that has expired; at an identity
   * provider: it does not respond, the sign-in there failed, or it grants nothing here.
   */
  readonly fault: 'credentials' | 'throttled' | 'expired' | 'provider-away' | 'federation' | 'no-access' | null;
  /** Target of the cancel link; '' for none. */
  readonly cancel: string;
  /** Identity providers for signing in instead; default: none. */
  readonly providers?: readonly { readonly title: string; readonly address: string }[];
}

/**
 * HTML text of the page. The fault is the description of both fields, and the focus is set where it has to be
 * corrected.
 */
export function signInPage(facts: SignInFacts): string {
  const { language, action, csrf, clientName, login, fault, cancel, providers = [] } = facts;
  const texts = signInTexts[language];
  const described =
    fault === null
      ? html``
      : html` aria-describedby="fault"${fault === 'credentials' ? html` aria-invalid="true"` : html``}`;
  const lead =
    clientName === null
      ? html`${texts.account}`
      : fill(texts.lead, { client: html`<strong><bdi>${clientName}</bdi></strong>` });
  const focus = (here: boolean): Markup => (here ? html` autofocus` : html``);
  return document({
    language,
    title: fault === null ? texts.title : texts.faultTitle,
    content: html`<h1>${texts.title}</h1>
<p>${lead}</p>
${fault === null ? html`` : faultBox(texts[fault])}
<form method="post" action="${pageAddress(action)}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="login">${texts.login}</label>
<input id="login" name="login" type="text" value="${login}" \
autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" \
maxlength="200" required${focus(login === '')}${described}>
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" \
autocomplete="current-password" maxlength="1024" required${focus(login !== '')}${described}>
<div class="actions">
<button class="first" type="submit">${texts.submit}</button>
${cancel === '' ? html`` : html`<a class="button second" href="${pageAddress(cancel)}">${texts.cancel}</a>`}
</div>
</form>
${providers.map(
  ({ title, address }) => html`<p><a class="button second" href="${pageAddress(address)}">${fill(texts.with, {
    provider: html`<bdi>${title}</bdi>`,
  })}</a></p>
`,
)}<p class="soft notes">${texts.help}</p>`,
  });
}

export const signInTexts = {
  en: {
    title: 'Sign in',
    faultTitle: 'Error: Sign in',
    lead: 'to continue to {client}',
    account: 'to your account at this service',
    login: 'Login',
    password: 'Password',
    submit: 'Sign in',
    cancel: 'Cancel',
    credentials: 'The login or the password is not right. Check both and try again.',
    throttled: 'There were too many attempts. Wait a few minutes, then try again.',
    expired: 'This page was open for too long. Sign in once more.',
    'provider-away': 'The sign-in there cannot be reached at the moment. Try again in a few minutes.',
    federation: 'The sign-in there came to nothing. Try once more.',
    'no-access': 'You are known there, but nothing is open to you here. Ask the operator of this service.',
    with: 'Sign in with {provider}',
    help: 'No login yet, or the password forgotten? Ask the operator of this service.',
  },
  fr: {
    title: 'Connexion',
    faultTitle: 'Erreur\u00a0: Connexion',
    lead: 'pour continuer vers {client}',
    account: 'à votre compte auprès de ce service',
    login: 'Identifiant',
    password: 'Mot de passe',
    submit: 'Se connecter',
    cancel: 'Annuler',
    credentials: 'L’identifiant ou le mot de passe est incorrect. Vérifiez les deux et réessayez.',
    throttled: 'Trop de tentatives. Patientez quelques minutes, puis réessayez.',
    expired: 'Cette page est restée ouverte trop longtemps. Connectez-vous à nouveau.',
    'provider-away': 'La connexion y est impossible pour le moment. Réessayez dans quelques minutes.',
    federation: 'La connexion n’y a pas abouti. Réessayez.',
    'no-access': 'Vous y êtes connu, mais rien ne vous est ouvert ici. Adressez-vous à l’exploitant de ce service.',
    with: 'Se connecter avec {provider}',
    help: 'Pas encore d’identifiant, ou mot de passe oublié\u00a0? Adressez-vous à l’exploitant de ce service.',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;
