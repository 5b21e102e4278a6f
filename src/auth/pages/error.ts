// The page for requests that cannot continue: one that no client of ours would make, or an expired address.
import { document } from './document.ts';
import type { Language } from './language.ts';
import { fill, html } from './markup.ts';

interface ErrorFacts {
  readonly language: Language;
  /** In the language of the page, like the detail. */
  readonly title: string;
  /** What went wrong and what to do, one or two sentences. */
  readonly detail: string;
  /** What the operator can look up in the log; '' for none. */
  readonly reference: string;
}

/** HTML text of the page. */
export function errorPage({ language, title, detail, reference }: ErrorFacts): string {
  const asked = fill(errorTexts[language].reference, { reference: html`<code>${reference}</code>` });
  return document({
    language,
    title,
    content: html`<h1>${title}</h1>
<p>${detail}</p>
${reference === '' ? html`` : html`<p class="soft notes">${asked}</p>`}`,
  });
}

export const errorTexts = {
  en: { reference: 'When you ask for help, give this reference: {reference}' },
  fr: { reference: 'Si vous demandez de l’aide, indiquez cette référence\u00a0: {reference}' },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;
