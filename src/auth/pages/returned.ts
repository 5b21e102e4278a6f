// The page shown to a person who returns from signing in to a program that has no pages of its own.
import { document } from './document.ts';
import type { Language } from './language.ts';
import { html } from './markup.ts';

interface ReturnedFacts {
  readonly language: Language;
  /** `failed`: the terminal shows what went wrong. */
  readonly outcome: 'done' | 'failed';
}

/** HTML text of the page. */
export function returnedPage({ language, outcome }: ReturnedFacts): string {
  const texts = returnedTexts[language];
  const [title, text] = outcome === 'done' ? [texts.done, texts.close] : [texts.failed, texts.look];
  return document({
    language,
    title,
    content: html`<h1>${title}</h1>
<p>${text}</p>`,
  });
}

export const returnedTexts = {
  en: {
    done: 'You are signed in',
    close: 'You can close this window and go back to the terminal.',
    failed: 'The sign-in did not succeed',
    look: 'The terminal says why. You can close this window.',
  },
  fr: {
    done: 'Vous êtes connecté',
    close: 'Vous pouvez fermer cette fenêtre et revenir au terminal.',
    failed: 'La connexion n’a pas abouti',
    look: 'Le terminal en donne la raison. Vous pouvez fermer cette fenêtre.',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;
