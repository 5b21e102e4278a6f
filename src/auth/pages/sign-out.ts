// The page that asks whether to sign out, and the one that says that it is done.
import { textBlock } from '../../model/text-block.ts';
import { document } from './document.ts';
import type { Language } from './language.ts';
import { pageAddress, fill, html } from './markup.ts';

interface SignOutFacts {
  readonly language: Language;
  /** Where the form is posted to: field `csrf`. */
  readonly action: string;
  readonly csrf: string;
  /** Who is signed in. */
  readonly login: string;
  /** Where the person sees what they let in. */
  readonly account: string;
}

/** HTML text of the page that asks. */
export function signOutPage({ language, action, csrf, login, account }: SignOutFacts): string {
  const texts = signOutTexts[language];
  return document({
    language,
    title: texts.title,
    content: html`<h1>${texts.question}</h1>
<p>${fill(texts.signedIn, { login: html`<strong><bdi>${login}</bdi></strong>` })}</p>
<form method="post" action="${pageAddress(action)}">
<input type="hidden" name="csrf" value="${csrf}">
<button class="first" type="submit">${texts.submit}</button>
</form>
<p class="soft notes">${texts.effect}</p>
<p class="links"><a class="plain" href="${pageAddress(account)}">${texts.account}</a></p>`,
  });
}

/** HTML text of the page that says that it is done, or that nobody was signed in. */
export function signedOutPage({ language }: { readonly language: Language }): string {
  const texts = signOutTexts[language];
  return document({
    language,
    title: texts.done,
    content: html`<h1>${texts.done}</h1>
<p>${texts.close}</p>`,
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
    done: 'You are signed out',
    close: 'You can close this window.',
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
    done: 'Vous êtes déconnecté',
    close: 'Vous pouvez fermer cette fenêtre.',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;
