// A label request (clause 2.11) as schema and example, for the descriptions of both interfaces.
import type { JsonSchema } from '../model/schema.ts';
import { labelRequestFields } from '../model/shipping.ts';

/** Only fields that no context can preset are required. */
export const labelRequestSchema: JsonSchema = {
  type: 'object',
  description: 'What a label is asked for with. Numbers are written as text.',
  properties: Object.fromEntries(
    Object.entries(labelRequestFields).map(([name, { max, meaning }]) => [
      name,
      { type: ['string', 'null'], maxLength: max, description: meaning },
    ]),
  ),
  required: Object.entries(labelRequestFields)
    .filter(([, field]) => 'required' in field)
    .map(([name]) => name),
  additionalProperties: false,
};

export const labelRequestExample = {
  modeCol: 'CCC',
  modeLiv: 'HOM',
  expLang: 'FR',
  expAddr1: 'Acme Home',
  expAddr2: '4 rue des Entrepôts',
  expCity: 'Lesquin',
  expZip: '59810',
  expCountry: 'FR',
  destLang: 'FR',
  destAddr1: 'Camille Moreau',
  destAddr2: '6 place des Vosges',
  destCity: 'Paris',
  destZip: '75004',
  destCountry: 'FR',
  destTel1: '+33600000000',
  destMail: 'camille.moreau@example.com',
  weight: '1200',
  nbPackage: '1',
  nDossier: 'WEB-2026-004711',
  outputType: 'PdfUrl',
  outputFormat: '10x15',
} as const;
