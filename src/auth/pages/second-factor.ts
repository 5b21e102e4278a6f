// The pages of the second factor: entering a code, setting it up, and the recovery codes.
import { textBlock } from '../../model/text-block.ts';
import { document } from './document.ts';
import { faultBox } from './fault-box.ts';
import type { Language } from './language.ts';
import { pageAddress, fill, html, type Markup } from './markup.ts';
import { qrCode } from './qr-code.ts';

/** What all of their forms have in common. */
interface FormFacts {
  readonly language: Language;
  readonly action: string;
  /** Hidden fields that are sent back unchanged, including `csrf`. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly fault: CodeFault | null;
  /** Target of the cancel link; '' for none. */
  readonly cancel: string;
}

export type CodeFault = 'wrong' | 'used' | 'throttled' | 'expired' | 'credentials';

/** HTML text of the page that asks for a code: field `code`. */
export function codePage({ language, action, hidden, fault, cancel }: FormFacts): string {
  const texts = secondFactorTexts[language];
  return document({
    language,
    title: fault === null ? texts.code : texts.faultTitle,
    content: html`<h1>${texts.code}</h1>
<p>${texts.codeLead}</p>
${fault === null ? html`` : faultBox(texts[fault])}
<form method="post" action="${pageAddress(action)}">
${hiddenFields(hidden)}${codeField(texts.codeField, fault, 40, true)}
<div class="actions">
<button class="first" type="submit">${texts.submit}</button>
${cancel === '' ? html`` : html`<a class="button second" href="${pageAddress(cancel)}">${texts.cancel}</a>`}
</div>
</form>
<p class="soft notes">${texts.codeHelp}</p>`,
  });
}

interface SetUpFacts extends FormFacts {
  /** Base32. */
  readonly secret: string;
  /** Address that an authenticator app reads from the QR code. */
  readonly totpAddress: string;
  /** The person cannot continue without it. */
  readonly required: boolean;
  /** Whether the form asks for the password as well: field `password`. */
  readonly asksPassword: boolean;
}

/** HTML text of the page that sets a second factor up: field `code`. */
export async function setUpPage(facts: SetUpFacts): Promise<string> {
  const { language, action, hidden, fault, cancel, secret, totpAddress, required, asksPassword } = facts;
  const texts = secondFactorTexts[language];
  const groups = secret.match(/.{1,4}/g) ?? [];
  return document({
    language,
    title: fault === null ? texts.setUp : texts.faultTitle,
    content: html`<h1>${texts.setUp}</h1>
<p>${required ? texts.setUpRequired : texts.setUpLead}</p>
${fault === null ? html`` : faultBox(texts[fault])}
<h2>${texts.scan}</h2>
${await qrCode(totpAddress, texts.scanLabel)}
<p class="soft">${fill(texts.byHand, { secret: html`<code class="secret">${groups.join(' ')}</code>` })}</p>
<form method="post" action="${pageAddress(action)}">
${hiddenFields(hidden)}${
  asksPassword
    ? html`<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" \
required autofocus\
${fault === 'credentials' ? html` aria-invalid="true" aria-describedby="fault"` : html``}>
`
    : html``
}${codeField(texts.firstCode, fault, 10, !asksPassword)}
<div class="actions">
<button class="first" type="submit">${texts.confirm}</button>
${cancel === '' ? html`` : html`<a class="button second" href="${pageAddress(cancel)}">${texts.cancel}</a>`}
</div>
</form>`,
  });
}

interface RecoveryCodesFacts {
  readonly language: Language;
  readonly codes: readonly string[];
  /** The form that continues; null: a link does. */
  readonly form: { readonly action: string; readonly hidden: Readonly<Record<string, string>> } | null;
  /** Target of the link. */
  readonly next: string;
}

/** HTML text of the page that shows recovery codes, once. */
export function recoveryCodesPage({ language, codes, form, next }: RecoveryCodesFacts): string {
  const texts = secondFactorTexts[language];
  return document({
    language,
    title: texts.recovery,
    content: html`<h1>${texts.recovery}</h1>
<p>${texts.recoveryLead}</p>
<ul class="codes" role="list">
${codes.map(
  (code) => html`<li><code>${code}</code></li>
`,
)}</ul>
${
  form === null
    ? html`<div class="actions"><a class="button first" href="${pageAddress(next)}">${texts.saved}</a></div>`
    : html`<form method="post" action="${pageAddress(form.action)}">
${hiddenFields(form.hidden)}<div class="actions"><button class="first" type="submit">${texts.saved}</button></div>
</form>`
}`,
  });
}

function hiddenFields(fields: Readonly<Record<string, string>>): Markup {
  return html`${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
  )}`;
}

function codeField(label: string, fault: CodeFault | null, maxLength: number, isFirst: boolean): Markup {
  const described =
    fault === null
      ? html``
      : html` aria-describedby="fault"${fault === 'wrong' || fault === 'used' ? html` aria-invalid="true"` : html``}`;
  return html`<label for="code">${label}</label>
<input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="none" autocorrect="off" \
spellcheck="false" maxlength="${String(maxLength)}" required${isFirst ? html` autofocus` : html``}${described}>`;
}

export const secondFactorTexts = {
  en: {
    code: 'Enter a code',
    faultTitle: 'Error: Enter a code',
    codeLead: 'Open the app in which you set up this account, and type the six digits that it shows.',
    codeField: 'Code',
    submit: 'Sign in',
    cancel: 'Cancel',
    codeHelp: textBlock`
      No telephone at hand? A recovery code does as well, once each. Without one, ask the operator of this service.
    `,
    wrong: 'The code is not right. Check the clock of your telephone, wait for the next code, and try that one.',
    used: 'The code was used already. Wait for the next one.',
    throttled: 'There were too many attempts. Wait a few minutes, then try again.',
    expired: 'This page was open for too long. Try once more.',
    credentials: 'The password is not right. Check it and try again.',
    setUp: 'Set up a second factor',
    setUpLead: 'From then on a sign-in asks for a code of an app on your telephone after the password.',
    setUpRequired: textBlock`
      This service asks for a code of an app on your telephone after the password. Set it up now; then you go on.
    `,
    scan: 'Scan this with an authenticator app',
    scanLabel: 'QR code of the secret that is written below',
    byHand: 'Or type this secret into the app: {secret}',
    password: 'Password',
    firstCode: 'Code that the app shows now',
    confirm: 'Confirm',
    recovery: 'Keep these recovery codes',
    recoveryLead: textBlock`
      Each signs you in once in place of a code of the app, when your telephone is gone. Print them or store them where
      you keep passwords: they are not shown again.
    `,
    saved: 'I have kept them',
  },
  fr: {
    code: 'Saisissez un code',
    faultTitle: 'Erreur\u00a0: Saisissez un code',
    codeLead: 'Ouvrez l’application dans laquelle vous avez ajouté ce compte et saisissez les six chiffres affichés.',
    codeField: 'Code',
    submit: 'Se connecter',
    cancel: 'Annuler',
    codeHelp: textBlock`
      Pas de téléphone sous la main\u00a0? Un code de secours convient aussi, une fois chacun. Sans code de secours,
      adressez-vous à l’exploitant de ce service.
    `,
    wrong: 'Le code est incorrect. Vérifiez l’heure de votre téléphone, attendez le code suivant et essayez celui-là.',
    used: 'Ce code a déjà servi. Attendez le suivant.',
    throttled: 'Trop de tentatives. Patientez quelques minutes, puis réessayez.',
    expired: 'Cette page est restée ouverte trop longtemps. Réessayez.',
    credentials: 'Le mot de passe est incorrect. Vérifiez-le et réessayez.',
    setUp: 'Ajouter un second facteur',
    setUpLead: 'Après le mot de passe, la connexion demandera un code affiché par une application de votre téléphone.',
    setUpRequired: textBlock`
      Après le mot de passe, ce service demande un code affiché par une application de votre téléphone. Ajoutez-la
      maintenant\u00a0; vous continuerez ensuite.
    `,
    scan: 'Scannez ceci avec une application d’authentification',
    scanLabel: 'Code QR du secret écrit ci-dessous',
    byHand: 'Ou saisissez ce secret dans l’application\u00a0: {secret}',
    password: 'Mot de passe',
    firstCode: 'Code affiché maintenant par l’application',
    confirm: 'Confirmer',
    recovery: 'Conservez ces codes de secours',
    recoveryLead: textBlock`
      Chacun permet une connexion à la place d’un code de l’application, si votre téléphone est perdu. Imprimez-les ou
      rangez-les avec vos mots de passe\u00a0: ils ne seront plus affichés.
    `,
    saved: 'Je les ai conservés',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;
