// What Colissimo's event codes mean for the state of a parcel, as its own module for WooCommerce reads them.
import type { Tracking } from '../../model/shipping.ts';

const announced: readonly string[] = ['COMCFM', 'PCHMQT', 'PCHCLI', 'PCHDFT'];

/** The last three letters of `LIV…`: delivered. */
const delivered: readonly string[] = words('BPO CFM DIV GAR RCA RCC RDV RTI VOI VPC ACC BAL CGA').map(
  (end) => `LIV${end}`,
);

/** Codes with these prefixes: not delivered, refused, or going back. */
const anomalyPrefixes: readonly string[] = words('RCD REF SOL');
/** `REN…` is a return, except for these, which report another delivery attempt. */
const renewed: readonly string[] = words('RENAPR RENAVI RENGUI RENRDV RENREX RENRPR RENNRZ RENSRV');
const anomalies: readonly string[] = [
  // Delivered to the sender, to whom it came back: of the table of the client AnyBlok Delivery.
  'LIVREO',
  ...words('LIVEXP FENRET PABRET SCCEXP PCHREN AARLIB AACALI AACEDI'),
  ...words('RDVABS RDVAIN RDVINC RDVREP'),
  ...words('RSTACP RSTCAD RSTEMP RSTPRO RSTREF RSTRES RSTTRI'),
  // Customs.
  ...words('COI COM CRR DDI DDM DVR EXI FCI FCM IDD IIR NIR PRO RES EOR').map((end) => `DOU${end}`),
];

/** The state of a parcel whose last event has this code; unlisted codes mean that it is underway. */
export function statusOfCode(code: string): Tracking['status'] {
  if (announced.includes(code)) return '80';
  if (delivered.includes(code)) return '82';
  const isReturn = code.startsWith('REN') && !renewed.includes(code);
  const isAnomaly = anomalies.includes(code) || anomalyPrefixes.some((prefix) => code.startsWith(prefix));
  return isReturn || isAnomaly ? '83' : '81';
}

function words(text: string): readonly string[] {
  return text.split(' ');
}
