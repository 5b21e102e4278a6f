// The pages of an invitation: a person sets a password and gets a confirmation.
import { accountTexts } from './account-texts.ts';
import type { PasswordPageFault } from './account.ts';
import { document } from './document.ts';
import { faultBox } from './fault-box.ts';
import type { Language } from './language.ts';
import { fill, html, type Markup, pageAddress } from './markup.ts';

interface InvitationFacts {
  readonly language: Language;
  /** Where the form is posted to: fields `token`, `password`, `again`, `csrf`. */
  readonly action: string;
  readonly csrf: string;
  readonly token: string;
  readonly login: string;
  readonly fault: PasswordPageFault | null;
}

/** HTML text of the page that asks for a password. */
export function invitationPage({ language, action, csrf, token, login, fault }: InvitationFacts): string {
  const [texts, shared] = [invitationTexts[language], accountTexts[language]];
  const invalid = fault === null ? html`` : html` aria-invalid="true" aria-describedby="fault"`;
  const field = (name: string, label: string): Markup =>
    html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="new-password" maxlength="1024" required${invalid}>
`;
  return document({
    language,
    title: fault === null ? texts.title : texts.faultTitle,
    content: html`<h1>${texts.title}</h1>
<p>${fill(texts.lead, { login: html`<strong><bdi>${login}</bdi></strong>` })}</p>
${fault === null ? html`` : faultBox(shared[fault])}
<form method="post" action="${pageAddress(action)}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="token" value="${token}">
<input type="text" name="login" value="${login}" autocomplete="username" hidden>
${field('password', shared.wanted)}${field('again', shared.again)}<div class="actions">
<button class="first" type="submit">${texts.submit}</button>
</div>
</form>
<p class="soft notes">${texts.advice}</p>`,
  });
}

/** HTML text of the page after it, or for a link that is no longer valid; with a link to `signIn`. */
export function invitationOverPage(language: Language, outcome: 'done' | 'over', signIn: string): string {
  const texts = invitationTexts[language];
  const [title, text] = outcome === 'done' ? [texts.done, texts.next] : [texts.over, texts.ask];
  return document({
    language,
    title,
    content: html`<h1>${title}</h1>
<p>${text}</p>
<p class="links"><a class="plain" href="${pageAddress(signIn)}">${texts.signIn}</a></p>`,
  });
}

const invitationTexts = {
  en: {
    title: 'Choose your password',
    faultTitle: 'Error: Choose your password',
    lead: 'Your login is {login}.',
    submit: 'Use this password',
    advice: 'At least 15 characters; several words are fine. What was signed in under this login before ends.',
    done: 'Your password is set',
    next: 'You can sign in with it from now on.',
    over: 'This link is good no more',
    ask: 'It was used already, it is older than three days, or a newer one was made. Ask whoever sent it for another.',
    signIn: 'Sign in',
  },
  fr: {
    title: 'Choisissez votre mot de passe',
    faultTitle: 'Erreur\u00a0: Choisissez votre mot de passe',
    lead: 'Votre identifiant est {login}.',
    submit: 'Utiliser ce mot de passe',
    advice: '15 caractères au moins\u00a0; plusieurs mots conviennent. Les connexions d’avant prennent fin.',
    done: 'Votre mot de passe est enregistré',
    next: 'Vous pouvez désormais vous connecter avec lui.',
    over: 'Ce lien n’est plus valable',
    ask: 'Il a déjà servi, il a plus de trois jours, ou un autre a été créé depuis. Demandez-en un nouveau.',
    signIn: 'Se connecter',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;
