// The page that asks whether to sign out, and its confirmation.
import { textBlock } from '../../model/text-block.ts';
import { document } from './document.ts';
import type { Language } from './language.ts';
import { pageAddress, fill, html, type Markup } from './markup.ts';

interface SignOutFacts {
  readonly language: Language;
  /** Where the form is posted to: field `csrf`. */
  readonly action: string;
  readonly csrf: string;
  /** Who is signed in. */
  readonly login: string;
  /** Where the person sees the programs that they have allowed. */
  readonly account: string;
  /** The identity provider at which the person signed in; null: they signed in here. */
  readonly elsewhere: {
    readonly title: string;
    /**
     * Whether it can be asked to sign them out; then the form chooses the place in the field `at`: `provider` or
     * `here`.
     */
    readonly canEnd: boolean;
  } | null;
}

/** HTML text of the page that asks. */
export function signOutPage({ language, action, csrf, login, account, elsewhere }: SignOutFacts): string {
  const texts = signOutTexts[language];
  return document({
    language,
    title: texts.title,
    content: html`<h1>${texts.question}</h1>
<p>${fill(texts.signedIn, { login: html`<strong><bdi>${login}</bdi></strong>` })}</p>
<form method="post" action="${pageAddress(action)}">
<input type="hidden" name="csrf" value="${csrf}">
${buttons(language, elsewhere)}
</form>
${elsewhere === null || elsewhere.canEnd ? html`` : goesOn(language, elsewhere.title)}
<p class="soft notes">${elsewhere === null ? texts.effect : texts.effectElsewhere}</p>
<p class="links"><a class="plain" href="${pageAddress(account)}">${texts.account}</a></p>`,
  });
}

function buttons(language: Language, elsewhere: SignOutFacts['elsewhere']): Markup {
  const texts = signOutTexts[language];
  if (elsewhere === null || !elsewhere.canEnd)
    return html`<button class="first" type="submit">${texts.submit}</button>`;
  const both = fill(texts.both, { provider: html`<bdi>${elsewhere.title}</bdi>` });
  return html`<div class="actions">
<button class="first" type="submit" name="at" value="provider">${both}</button>
<button class="second" type="submit" name="at" value="here">${texts.hereOnly}</button>
</div>`;
}

function goesOn(language: Language, title: string): Markup {
  return html`<p>${fill(signOutTexts[language].goesOn, { provider: html`<bdi>${title}</bdi>` })}</p>`;
}

interface SignedOutFacts {
  readonly language: Language;
  /** Title of the identity provider whose own session continues; null: none, as far as is known. */
  readonly still: string | null;
  /** Address of the start page. */
  readonly start: string;
}

/** HTML text of the confirmation, also shown when nobody was signed in. */
export function signedOutPage({ language, still, start }: SignedOutFacts): string {
  const texts = signOutTexts[language];
  return document({
    language,
    title: texts.done,
    content: html`<h1>${texts.done}</h1>
${still === null ? html`` : goesOn(language, still)}
<p>${texts.close}</p>
<p class="links"><a class="plain" href="${pageAddress(start)}">${texts.start}</a></p>`,
  });
}

export const signOutTexts = {
  en: {
    title: 'Sign out',
    question: 'Sign out?',
    signedIn: 'You are signed in as {login}.',
    submit: 'Sign out',
    account: 'Your account',
    effect: 'This browser will ask for your password again. Programs that you allowed keep their access.',
    effectElsewhere: 'This browser will ask you to sign in again. Programs that you allowed keep their access.',
    both: 'Sign out here and at {provider}',
    hereOnly: 'Sign out here only',
    goesOn: textBlock`
      You stay signed in at {provider}. If others use this browser, sign out there too, or close all of its windows.
    `,
    done: 'You are signed out',
    close: 'You can close this window.',
    start: 'Back to the start page',
  },
  fr: {
    title: 'Déconnexion',
    question: 'Se déconnecter\u00a0?',
    signedIn: 'Vous êtes connecté en tant que {login}.',
    submit: 'Se déconnecter',
    account: 'Votre compte',
    effect: textBlock`
        Ce navigateur vous demandera de nouveau votre mot de passe. Les programmes que vous avez autorisés gardent leur
        accès.
      `,
    effectElsewhere: textBlock`
      Ce navigateur vous demandera de vous connecter de nouveau. Les programmes que vous avez autorisés gardent leur
      accès.
    `,
    both: 'Se déconnecter ici et chez {provider}',
    hereOnly: 'Se déconnecter ici seulement',
    goesOn: textBlock`
      Vous restez connecté chez {provider}. Si d’autres utilisent ce navigateur, déconnectez-vous là aussi, ou fermez
      toutes ses fenêtres.
    `,
    done: 'Vous êtes déconnecté',
    close: 'Vous pouvez fermer cette fenêtre.',
    start: 'Retour à la page d’accueil',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;
