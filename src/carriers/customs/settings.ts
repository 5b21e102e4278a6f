// Settings of an account about its goods, the same for every carrier that declares them to customs.
import type { CarrierSetting } from '../carrier.ts';
import { goodsCategories, incoterms } from '../../model/customs.ts';

export const customsSettings = [
  {
    name: 'eori',
    meaning: 'EORI number of the sender, for customs.',
    otherwise: '',
    rare: true,
    pattern: '[A-Z]{2}[A-Za-z0-9]{1,15}',
  },
  {
    name: 'vatNumber',
    meaning: 'VAT number of the sender, for customs.',
    otherwise: '',
    rare: true,
    pattern: '[A-Za-z0-9]{4,15}',
  },
  {
    name: 'ioss',
    meaning: 'IOSS number of the sender, for goods that come into the European Union.',
    otherwise: '',
    rare: true,
    pattern: 'IM\\d{10}',
  },
  {
    name: 'goodsCategory',
    meaning: 'Why goods are sent, for customs, where an order does not say it.',
    otherwise: 'sale',
    choices: goodsCategories,
  },
  {
    name: 'incoterm',
    meaning: 'Incoterm of parcels through customs, where an order has none.',
    otherwise: 'DAP',
    choices: incoterms,
  },
] as const satisfies readonly CarrierSetting[];
