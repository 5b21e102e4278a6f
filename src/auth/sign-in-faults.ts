// What a person or a program reads when a sign-in cannot continue.
import { textBlock } from '../model/text-block.ts';
import { type ErrorOut, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { errorPage, type Language, languageOf, pageHeaders } from './pages/index.ts';
import type { TransientError } from './transient-errors.ts';

export type SignInFault = 'expired' | 'foreign' | 'client' | 'redirect' | 'request' | 'server' | 'unavailable' | 'busy';

/**
 * Responds to an error of the authorization server that cannot be sent to the client: a page on the paths of people,
 * else JSON. (Programs that name no type of their own, Java's among them, accept pages too: the path decides, not
 * `Accept`.)
 */
export function answerFault(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): void {
  if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') {
    ctx.body = out;
    return;
  }
  const fault = faultOf(out, error);
  ctx.set(pageHeaders({ formTargets: [] }));
  ctx.body = faultPage(fault, {
    language: languageOf(ctx.get('accept-language')),
    technical:
      fault === 'request'
        ? ` (${[out.error, out.error_description].filter((text) => text !== undefined).join(': ')})`
        : '',
    reference: ctx.response.get('x-request-id'),
  });
}

/** HTML text of a fault; `technical` is appended for the developer of the client. */
export function faultPage(
  fault: SignInFault,
  {
    language,
    technical = '',
    reference,
  }: { readonly language: Language; readonly technical?: string; readonly reference: string },
): string {
  const { title, detail } = faultTexts[language][fault];
  return errorPage({ language, title, detail: `${detail}${technical}`, reference });
}

/** The page for a transient error, and its headers. */
export function transientErrorPage(
  { fault }: TransientError,
  acceptLanguage: string | undefined,
  reference: string,
): { readonly html: string; readonly headers: Record<string, string> } {
  return {
    html: faultPage(fault, { language: languageOf(acceptLanguage), reference }),
    headers: pageHeaders({ formTargets: [] }),
  };
}

function faultOf(out: ErrorOut, error: Error): SignInFault {
  if (error instanceof errors.SessionNotFound) return 'expired';
  if (error instanceof errors.TemporarilyUnavailable) return 'unavailable';
  if (out.error === 'invalid_client') return 'client';
  if (out.error === 'invalid_redirect_uri') return 'redirect';
  return out.error === 'server_error' ? 'server' : 'request';
}

const faultTexts = {
  en: {
    expired: {
      title: 'This sign-in is over',
      detail: textBlock`
          It was open for too long, was finished already, or was begun in another browser. Go back to the program that
          you came from and start again.
        `,
    },
    foreign: {
      title: 'This form was not sent from here',
      detail: textBlock`
          Another site tried to send it in your name, so nothing was done. Go back to the program that you came from and
          start again.
        `,
    },
    client: {
      title: 'This program is not known',
      detail: 'The program that sent you here is not registered, or was disabled. Ask the operator of this service.',
    },
    redirect: {
      title: 'This program asked for a wrong way back',
      detail: textBlock`
          The address to which it wants you to return is not registered for it, so you were not sent there. Ask whoever
          runs the program.
        `,
    },
    request: {
      title: 'This request cannot be answered',
      detail: 'The program that sent you here asked in a way that is not accepted. Ask whoever runs it.',
    },
    server: {
      title: 'Something went wrong here',
      detail: 'It is not your fault. Try again in a moment; if it goes on, ask the operator of this service.',
    },
    unavailable: {
      title: 'This service is interrupted for a moment',
      detail: textBlock`
          Nothing is lost. Wait a few seconds, then load this page again, or go back to the program that you came from
          and start again.
        `,
    },
    busy: {
      title: 'Too many sign-ins at once',
      detail: 'Too many were begun from your network in a short time. Wait a minute, then load this page again.',
    },
  },
  fr: {
    expired: {
      title: 'Cette connexion est terminée',
      detail: textBlock`
          Elle est restée ouverte trop longtemps, a déjà abouti ou a commencé dans un autre navigateur. Revenez au
          programme d’où vous venez et recommencez.
        `,
    },
    foreign: {
      title: 'Ce formulaire ne vient pas d’ici',
      detail:
        'Un autre site a tenté de l’envoyer en votre nom\u00a0: rien n’a été fait. Revenez au programme d’où vous ' +
        'venez et recommencez.',
    },
    client: {
      title: 'Ce programme est inconnu',
      detail: textBlock`
          Le programme qui vous a envoyé ici n’est pas enregistré, ou a été désactivé. Adressez-vous à l’exploitant de
          ce service.
        `,
    },
    redirect: {
      title: 'Ce programme a indiqué un mauvais retour',
      detail:
        'L’adresse vers laquelle il veut vous renvoyer n’est pas enregistrée pour lui\u00a0: vous n’y avez pas été ' +
        'envoyé. Adressez-vous au responsable du programme.',
    },
    request: {
      title: 'Cette demande ne peut pas aboutir',
      detail: textBlock`
          Le programme qui vous a envoyé ici a formulé une demande qui n’est pas acceptée. Adressez-vous à son
          responsable.
        `,
    },
    server: {
      title: 'Un problème est survenu ici',
      detail:
        'Vous n’y êtes pour rien. Réessayez dans un instant\u00a0; si cela persiste, adressez-vous à l’exploitant ' +
        'de ce service.',
    },
    unavailable: {
      title: 'Ce service est interrompu un instant',
      detail: textBlock`
          Rien n’est perdu. Patientez quelques secondes, puis rechargez cette page, ou revenez au programme d’où vous
          venez et recommencez.
        `,
    },
    busy: {
      title: 'Trop de connexions à la fois',
      detail: textBlock`
          Trop de connexions ont été commencées depuis votre réseau en peu de temps. Patientez une minute, puis
          rechargez cette page.
        `,
    },
  },
} as const satisfies Record<Language, Record<SignInFault, { readonly title: string; readonly detail: string }>>;
