// The texts of the pages for developers.
import type { Words } from '../texts/texts.ts';

const english = {
  tokenText:
    'A program that acts for itself asks the authorization server with its id and secret. The token lasts an hour at ' +
    'most (expires_in says how long): ask again before it ends, not before each request.',
  person: 'A person signs in',
  personText:
    'A program that a person uses has no secret: it opens the authorization server in a browser, ' +
    'waits for the code at ' +
    'its own address, which the operator has registered with the client, and exchanges it (authorization code flow ' +
    'with PKCE). Nobody who sees the code can use it without the verifier.',
  pageText:
    'An answer has at most 100 records. The header Link names the next page; where there is none, that was the last. ' +
    'Follow it as it is: the address has all parameters.',
  syncText:
    'Every answer without sort says in Sync-Cursor where it ended. Store it with the records, and give it as cursor ' +
    'the next time: you get what was written since, each record in its newest state. After 410 drop the copy and ' +
    'begin anew.',
  retryText:
    'After 429 and 503 wait as Retry-After says. Reads may be tried again after 500, 502 and 504 too. A write has an ' +
    'Idempotency-Key: the same request with the same key is done once.',
  shipText:
    'The context is an account at a carrier: the page “Ship” lists yours, GET /shippings/accounts too. dryRun=true ' +
    'checks a request without making a parcel. Keep the key with the order.',
  settings: 'Set these first, in your shell:',
  yourToken: 'TOKEN is the one of your own sign-in: it ends with it.',
  withToken: 'Fill in my token',
  withoutToken: 'Hide my token',
  copy: 'Copy',
  copied: 'Copied',
  sample: 'Sample in {language}',
  language: 'Language of the sample',
  typed: 'For TypeScript there is a typed client without dependencies in packages/client, which does all of this.',
} as const;

type DeveloperWord = keyof typeof english;

export const developerWords: Words<DeveloperWord> = {
  en: english,
  fr: {
    tokenText:
      'Un programme qui agit pour lui-même s’adresse au serveur d’autorisation avec son ' +
      'identifiant et son secret. Le ' +
      'jeton dure une heure au plus (expires_in le dit) : redemandez-le avant sa fin, pas avant chaque requête.',
    person: 'Une personne se connecte',
    personText:
      'Un programme utilisé par une personne n’a pas de secret : il ouvre le serveur d’autorisation dans un ' +
      'navigateur, attend le code à sa propre adresse, que l’opérateur a enregistrée pour le client, et l’échange ' +
      '(flux de code d’autorisation avec PKCE). Qui voit le code ne peut rien en faire sans le vérificateur.',
    pageText:
      'Une réponse a 100 enregistrements au plus. L’en-tête Link nomme la page suivante ; s’il n’y en a pas, c’était ' +
      'la dernière. Suivez l’adresse telle quelle : elle a tous les paramètres.',
    syncText:
      'Toute réponse sans sort dit dans Sync-Cursor où elle s’arrête. Conservez-le avec les ' +
      'enregistrements et donnez-le ' +
      'comme cursor la fois suivante : vous recevez ce qui a été écrit depuis, chaque ' +
      'enregistrement dans son dernier ' +
      'état. Après 410, abandonnez la copie et recommencez.',
    retryText:
      'Après 429 et 503, attendez ce que dit Retry-After. Les lectures se répètent aussi après 500, 502 et 504. Une ' +
      'écriture porte une Idempotency-Key : la même requête avec la même clé n’est exécutée qu’une fois.',
    shipText:
      'Le contexte est un compte chez un transporteur : la page « Expédier » liste les vôtres, ' +
      'GET /shippings/accounts ' +
      'aussi. dryRun=true vérifie une requête sans créer de colis. Gardez la clé avec la commande.',
    settings: 'Définissez d’abord, dans votre shell :',
    yourToken: 'TOKEN est celui de votre propre connexion : il finit avec elle.',
    withToken: 'Remplir avec mon jeton',
    withoutToken: 'Masquer mon jeton',
    copy: 'Copier',
    copied: 'Copié',
    sample: 'Exemple en {language}',
    language: 'Langage de l’exemple',
    typed: 'Pour TypeScript, packages/client contient un client typé sans dépendances, qui fait tout cela.',
  },
};
