// French translations of the demonstration's English notes.

/** The English notes, and their translations; `$1` is the first part in parentheses. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/^order (\S+) arrives$/, 'la commande $1 arrive'],
  [/^(\S+) of (.+) arrives$/, '$1 de $2 arrive'],
  [/^wave (\S+) is launched$/, 'la vague $1 est lancée'],
  [/^order (\S+) is packed$/, 'la commande $1 est emballée'],
  [/^the parcels of order (\S+) are loaded$/, 'les colis de la commande $1 sont chargés'],
  [/^(\d+) empty bottles come back$/, 'retour de bouteilles vides : $1'],
  [/^(\d+) (\S+) come back$/, 'retour de $2 : $1'],
  [/^the stock image of (\S+) is taken$/, 'l’image de stock de $1 est prise'],
  [/^picking places are filled up$/, 'les emplacements de prélèvement sont réapprovisionnés'],
  [/^some places are counted$/, 'des emplacements sont comptés'],
  [/^quality control takes goods from sale$/, 'le contrôle qualité retire des marchandises de la vente'],
  [/^damaged goods are destroyed$/, 'des marchandises abîmées sont détruites'],
  [/^goods past their time are blocked$/, 'des marchandises périmées sont bloquées'],
  [/^kits are assembled$/, 'des kits sont assemblés'],
  [/^(\S+) was asked for, of (\S+)$/, '$1 a été demandé pour $2'],
  [/^(\S+) is new in (\S+): goods are ordered$/, '$1 est nouveau chez $2 : des marchandises sont commandées'],
  [/^a part of (\S+) of (\S+) is damaged$/, 'une part de $1 de $2 est abîmée'],
  [/^the stock image of (\S+) is going to be five hours late$/, 'l’image de stock de $1 aura cinq heures de retard'],
  [
    /^a stock image of (\S+) is taken that says it was taken fifty minutes ago$/,
    'une image de stock de $1 est prise, qui se dit prise cinquante minutes plus tôt',
  ],
  [/^a movement of (\S+) is lost: (\S+) of (\S+)$/, 'un mouvement de $1 est perdu : $2 de $3'],
  [
    /^one half of a change of grade of (\S+) is lost: (\S+) of (\S+)$/,
    'une moitié d’un changement de qualité de $1 est perdue : $2 de $3',
  ],
  [/^a movement of (\S+) has no direction: (\S+) of (\S+)$/, 'un mouvement de $1 n’a pas de sens : $2 de $3'],
  [/^a piece of (\S+) is not found for order (\S+)$/, 'une pièce de $1 reste introuvable pour la commande $2'],
  [
    /^the shipment of (\S+) for order (\S+) is booked after the next stock image$/,
    'l’expédition de $1 pour la commande $2 est saisie après la prochaine image de stock',
  ],
  [/^(\S+) of order (\S+) is going to be enclosed$/, '$1 de la commande $2 va être joint'],
  [/^(\S+) of order (\S+) came too late$/, '$1 de la commande $2 est arrivé trop tard'],
  [/^message (\d+) of the orders of (\S+) is held back$/, 'le message $1 des commandes de $2 est retenu'],
  [/^message (\d+) of the (\S+) of (\S+) is sent twice$/, 'le message $1 ($2) de $3 est envoyé deux fois'],
  [/^message (\d+) of the orders of (\S+) is sent late$/, 'le message $1 des commandes de $2 est envoyé en retard'],
];

/** Null: a server of another version sends notes that are unknown here. */
export function frenchNote(text: string): string | null {
  const [pattern, french] = sentences.find(([told]) => told.test(text)) ?? [];
  return pattern === undefined || french === undefined ? null : text.replace(pattern, french);
}
