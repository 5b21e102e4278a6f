// The French texts of adding and changing carrier accounts.
import type { accountsEnglish } from './accounts-en.ts';

export const accountsFrench: Readonly<Record<keyof typeof accountsEnglish, string>> = {
  addAccount: 'Ajouter un compte',
  chooseCarrier: 'Transporteur',
  accountActivity: 'Activité',
  contextMeaning: 'Son nom dans les adresses des étiquettes : minuscules, chiffres, points, tirets et soulignés.',
  accountSettings: 'Réglages',
  rareSettings: 'Réglages que peu de comptes ont',
  senderPart: 'Expéditeur',
  senderMeaning: 'Ce qu’une demande d’étiquette peut omettre.',
  limitMeaning: 'De minuit à minuit en UTC. Vide : sans limite. 0 : aucune étiquette, mais le suivi continue.',
  isKept: 'conservé tel quel, sauf si vous en saisissez un autre',
  removeSecret: 'Supprimer {name}, qui est enregistré',
  otherwiseIs: 'si vide : {value}',
  saveAccount: 'Enregistrer',
  accountSaved: 'Le compte {name} est enregistré et sert dès la prochaine étiquette. Testez-le maintenant.',
  accountAdded: 'Le compte {name} est ajouté.',
  openAccount: 'Le montrer',
  notSaved: 'Le compte n’a pas été enregistré. Ce qui ne va pas est dit à chaque champ.',
  lastLabel: 'Dernière étiquette',
  neverUsed: 'jamais',
  removeAccount: 'Supprimer',
  removeAccountQuestion: 'Le compte {name} est supprimé avec ses secrets.',
  removeUsedQuestion:
    'Le compte {name} est utilisé : sa dernière étiquette date du {instant}. Sans lui, nul ne peut suivre ou ' +
    'annuler ' +
    'ces colis, réimprimer leurs étiquettes ou les mettre sur un bordereau, tant qu’il n’y a pas de nouveau un ' +
    'compte ' +
    'de même contexte, transporteur et activité.',
  unknownCarrier:
    'Cette version du service n’a pas de transporteur de ce nom : le compte peut seulement être supprimé.',
};
