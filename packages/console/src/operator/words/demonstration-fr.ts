// The French texts of the demonstration page.
import type { demonstrationEnglish } from './demonstration-en.ts';

export const demonstrationFrench: Readonly<Record<keyof typeof demonstrationEnglish, string>> = {
  demonstration: 'Démonstration',
  demonstrationIntro:
    'L’entrepôt inventé de ce serveur : avancez son horloge, et laissez quelque chose aller de travers.',
  noDemonstration: 'Ce serveur n’a pas de démonstration, ou elle est en train d’être refaite.',
  demoClock: 'Son horloge',
  demoSpeed: 'Vitesse',
  demoState: 'État',
  demoRuns: 'un serveur la fait vivre',
  demoStands: 'elle est arrêtée : aucun serveur ne la fait vivre, et ce qui est demandé attend',
  deliveredTo: 'Livré jusqu’à',
  demoSeed: 'Remplie au',
  advanceClock: 'Avancer l’horloge',
  advanceMeaning: 'Tout ce qui se passe entre-temps est livré. L’horloge garde son avance ; les demandes se suivent.',
  oneHour: '+1 heure',
  oneDay: '+1 jour',
  sevenDays: '+7 jours',
  ownHours: 'Heures, de 1 à 168',
  advanceBy: 'Avancer',
  advanceAsked: 'Demandé : {hours|heure|heures}.',
  advances: 'Demandes',
  noAdvances: 'Rien n’a encore été demandé.',
  askedAt: 'Demandé le',
  askedBy: 'Par',
  hours: 'Heures',
  fromTo: 'Horloge de, à',
  progressOf: 'Où en est la demande {number}',
  stateWaiting: 'en attente',
  stateRunning: 'en cours',
  faults: 'Ce qui peut aller de travers',
  faultsMeaning: 'Chaque incident arrive une fois, dès que possible : avancez l’horloge pour le voir aussitôt.',
  letHappen: 'Provoquer',
  letHappenOf: 'Provoquer : {fault}',
  faultAsked: 'Demandé : {fault} pour {activity}.',
  faultWaits: 'en attente : {activities}',
  whereSeen: 'Où cela se voit',
  happened: 'Ce qui s’est passé',
  nothingHappened: 'Rien de ce qui a été demandé ne s’est encore passé.',
  comesNext: 'Ce qui vient',
  'fault-late-image':
    'La prochaine image de stock vient à neuf heures et non à quatre : jusque-là le stock est celui de la veille.',
  'fault-misdated-image':
    'Une image est prise après le chargement des camions et se dit d’une heure plus tôt : le ' +
    'rapprochement jusqu’à elle trouve ce qui était chargé.',
  'fault-lost-movement': 'Un mouvement ne vient jamais : le rapprochement nomme un emplacement où il en manque un.',
  'fault-late-movement':
    'Une expédition est saisie après l’image suivante : le rapprochement jusqu’à celle-ci trouve un ' +
    'mouvement tardif, au-delà plus rien.',
  'fault-lost-grade-change':
    'De deux mouvements qui bloquent des marchandises l’un ne vient jamais : le rapprochement trouve un ' +
    'changement de qualité sans sa moitié.',
  'fault-movement-without-direction':
    'Un mouvement ne dit ni entrée ni sortie : le rapprochement ne le compte pas, et trouve un écart.',
  'fault-duplicate-message': 'Un message vient deux fois : le second est un doublon, et aucune liste ne change.',
  'fault-out-of-order':
    'Un message de commandes vient après un plus récent : ses enregistrements plus anciens sont des lignes refusées.',
  'fault-short-pick':
    'Une pièce reste introuvable : le compte rendu de préparation de la commande dit moins que commandé.',
  'fault-damaged-reception':
    'Une part de ce qui est reçu est abîmée : deux mouvements la bloquent, et sa qualité est DAM dans l’image.',
  'fault-carrier-down': 'Le transporteur sandbox est absent dix minutes : étiquettes et premiers suivis : 502.',
};
