// The pages of a person's own account: allowed programs, changing the password, the existing second factor.
import type { Program } from '../account/programs.ts';
import { accountTexts } from './account-texts.ts';
import { document } from './document.ts';
import { faultBox } from './fault-box.ts';
import type { Language } from './language.ts';
import { pageAddress, fill, html, type Markup } from './markup.ts';
import { type CodeFault, secondFactorTexts } from './second-factor.ts';

/** What a page of the account reports about the previous action. */
export type AccountNotice = 'withdrawn' | 'password' | 'factor-removed' | 'expired';

export function isAccountNotice(value: unknown): value is AccountNotice {
  return value === 'withdrawn' || value === 'password' || value === 'factor-removed' || value === 'expired';
}

interface AccountFacts {
  readonly language: Language;
  readonly login: string;
  readonly programs: readonly Program[];
  /** Where the withdrawal form is posted to: fields `csrf` and `client`. */
  readonly withdraw: { readonly action: string; readonly csrf: string };
  readonly secondFactor: boolean;
  /** Title of the identity provider at which the person signs in; null: here, with a password. */
  readonly identityProvider: string | null;
  readonly notice: AccountNotice | null;
  /** Targets of the links. */
  readonly password: string;
  readonly secondFactorPage: string;
  readonly signOut: string;
}

/** HTML text of the page. */
export function accountPage(facts: AccountFacts): string {
  const { language, login, programs, notice, signOut } = facts;
  const texts = accountTexts[language];
  return document({
    language,
    title: texts.title,
    content: html`<h1>${texts.title}</h1>
<p>${fill(texts.signedIn, { login: html`<strong><bdi>${login}</bdi></strong>` })}</p>
${notice === null ? html`` : noticeBox(notice, texts[notice])}
<h2 id="programs">${texts.programs}</h2>
${
  programs.length === 0
    ? html`<p class="soft">${texts.none}</p>`
    : html`<ul class="programs" role="list" aria-labelledby="programs">
${programs.map((program) => programItem(facts, program))}</ul>`
}
<h2>${texts.signingIn}</h2>
${signingIn(facts)}
<div class="actions">
${signingInLinks(facts)}<a class="button second" href="${pageAddress(signOut)}">${texts.signOut}</a>
</div>`,
  });
}

/** How the person signs in, and where to change it. */
function signingIn({ language, secondFactor, identityProvider }: AccountFacts): Markup {
  const texts = accountTexts[language];
  if (identityProvider === null) return html`<p class="soft">${secondFactor ? texts.withCode : texts.withoutCode}</p>`;
  const elsewhere = secondFactor ? texts.elsewhereWithCode : texts.elsewhere;
  return html`<p>${fill(elsewhere, { provider: html`<strong><bdi>${identityProvider}</bdi></strong>` })}</p>`;
}

/** A person of an identity provider has no password here, and a second factor only if this service requires one. */
function signingInLinks(facts: AccountFacts): Markup {
  const { language, secondFactor, identityProvider, password, secondFactorPage } = facts;
  const texts = accountTexts[language];
  const link = (address: string, text: string): Markup =>
    html`<a class="button second" href="${pageAddress(address)}">${text}</a>
`;
  const factor = link(secondFactorPage, secondFactor ? texts.changeFactor : texts.setUpFactor);
  if (identityProvider === null) return html`${link(password, texts.changePassword)}${factor}`;
  return secondFactor ? factor : html``;
}

function programItem(
  { language, withdraw }: AccountFacts,
  { clientId, name, readOnly, activityCodes, since, lastUsedAt }: AccountFacts['programs'][number],
): Markup {
  const texts = accountTexts[language];
  const codes = html`${activityCodes.map((code, index) => html`${index === 0 ? '' : ', '}<code>${code}</code>`)}`;
  const facts = [
    ...(activityCodes.length === 0 ? [] : [fill(readOnly ? texts.reads : texts.acts, { codes })]),
    since === null ? html`${texts.byOperator}` : fill(texts.since, { at: html`${instantText(language, since)}` }),
    ...(lastUsedAt === null ? [] : [fill(texts.lastUsed, { at: html`${instantText(language, lastUsedAt)}` })]),
  ];
  return html`<li><h3><bdi>${name}</bdi></h3>
${facts.map(
  (fact) => html`<p class="soft">${fact}</p>
`,
)}<details><summary><span>${fill(texts.withdraw, { name: html`<bdi>${name}</bdi>` })}</span></summary>
<p>${texts.withdrawEffect}</p>
<form method="post" action="${pageAddress(withdraw.action)}">
<input type="hidden" name="csrf" value="${withdraw.csrf}">
<input type="hidden" name="client" value="${clientId}">
<button class="first" type="submit">${fill(texts.withdrawNow, { name: html`<bdi>${name}</bdi>` })}</button>
</form>
</details></li>
`;
}

export type PasswordPageFault =
  | 'credentials'
  | 'throttled'
  | 'expired'
  | 'different'
  | 'same'
  | 'long'
  | 'marks'
  | 'half'
  | 'short'
  | 'common';

interface PasswordFacts {
  readonly language: Language;
  /** Where the form is posted to: fields `current`, `password`, `again`, `programs` (`end`), `csrf`. */
  readonly action: string;
  readonly csrf: string;
  /** For password managers. */
  readonly login: string;
  readonly fault: PasswordPageFault | null;
  readonly cancel: string;
}

/** HTML text of the page that changes the password. */
export function passwordPage({ language, action, csrf, login, fault, cancel }: PasswordFacts): string {
  const texts = accountTexts[language];
  const about = (faults: readonly PasswordPageFault[]): Markup =>
    fault !== null && faults.includes(fault) ? html` aria-invalid="true" aria-describedby="fault"` : html``;
  const field = (name: string, label: string, autocomplete: string, attributes: Markup): Markup =>
    html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="${autocomplete}" maxlength="1024" \
required${attributes}>
`;
  return document({
    language,
    title: fault === null ? texts.changePassword : texts.faultTitle,
    content: html`<h1>${texts.changePassword}</h1>
${fault === null ? html`` : faultBox(texts[fault])}
<form method="post" action="${pageAddress(action)}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="text" name="login" value="${login}" autocomplete="username" hidden>
${field('current', texts.current, 'current-password', about(['credentials']))}${field(
  'password',
  texts.wanted,
  'new-password',
  about(['long', 'marks', 'half', 'short', 'common', 'same']),
)}${field('again', texts.again, 'new-password', about(['different']))}<label class="check"><input type="checkbox" \
name="programs" value="end">${texts.endPrograms}</label>
<div class="actions">
<button class="first" type="submit">${texts.changePassword}</button>
<a class="button second" href="${pageAddress(cancel)}">${texts.cancel}</a>
</div>
</form>
<p class="soft notes">${texts.passwordEffect}</p>`,
  });
}

interface SecondFactorFacts {
  readonly language: Language;
  /** Where the forms are posted to: fields `csrf`, `code`, `change` (`codes` or `remove`). */
  readonly action: string;
  readonly csrf: string;
  readonly codesLeft: number;
  readonly isOptional: boolean;
  readonly fault: CodeFault | null;
  readonly cancel: string;
}

/** HTML text of the page about an existing second factor. */
export function secondFactorPage(facts: SecondFactorFacts): string {
  const { language, action, csrf, codesLeft, isOptional, fault, cancel } = facts;
  const [texts, codeTexts] = [accountTexts[language], secondFactorTexts[language]];
  const invalid = fault === null ? html`` : html` aria-describedby="fault" aria-invalid="true"`;
  return document({
    language,
    title: fault === null ? texts.factor : texts.faultTitle,
    content: html`<h1>${texts.factor}</h1>
<p>${texts.factorOn}</p>
<p>${fill(texts.codesLeft, { count: html`<strong>${String(codesLeft)}</strong>` })}</p>
${fault === null ? html`` : faultBox(codeTexts[fault])}
<form method="post" action="${pageAddress(action)}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="code">${codeTexts.codeField}</label>
<input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="none" autocorrect="off" \
spellcheck="false" maxlength="40" required${invalid}>
<div class="actions">
<button class="first" type="submit" name="change" value="codes">${texts.newCodes}</button>
${isOptional ? removeButton(texts.removeFactor) : html``}
<a class="button second" href="${pageAddress(cancel)}">${texts.back}</a>
</div>
</form>
${isOptional ? html`` : html`<p class="soft notes">${texts.factorRequired}</p>`}`,
  });
}

function removeButton(text: string): Markup {
  return html`<button class="second" type="submit" name="change" value="remove">${text}</button>`;
}

function noticeBox(notice: AccountNotice, text: string): Markup {
  return notice === 'expired' ? faultBox(text) : html`<p class="done" role="status">${text}</p>`;
}

const locales = { en: 'en-GB', fr: 'fr-FR' } as const satisfies Record<Language, string>;

function instantText(language: Language, at: number): string {
  const form = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(locales[language], form).format(at)} UTC`;
}
