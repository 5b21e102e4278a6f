// English names of fields whose names in the interface are not English, or not a word.

const names: Readonly<Record<string, string>> = {
  alcool: 'Alcohol',
  dateLasteUpdate: 'Date last update',
  disableProduit: 'Product disabled',
  incotrm: 'Incoterm',
  lignes: 'Lines',
  nomflux: 'Flow name',
  numeroObjet: 'Object number',
  trpcont: 'Transport contract',
};

/** Null: the interface's own name is one. */
export function englishFieldName(name: string): string | null {
  return names[name] ?? null;
}
