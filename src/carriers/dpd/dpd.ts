// DPD France: labels through its web service EPrint, tracking through Webtrace (both SOAP).
import { noDryRun, noPoints } from '../desk.ts';
import type { Carrier } from '../carrier.ts';
import { title } from './errors.ts';
import { createLabel, fetchLabel, probe } from './label.ts';
import { isReturn } from './returns.ts';
import { dpdReasons, dpdOutputs } from './rules.ts';
import { textBlock } from '../../model/text-block.ts';
import { ownList } from '../desk.ts';
import { voidLabel } from './void.ts';
import { track } from './webtrace.ts';
import { withRedaction } from '../redaction.ts';
import { addressPattern, originsOf } from '../endpoints.ts';

export const dpd: Carrier = withRedaction({
  name: 'dpd',
  title,
  settings: [
    { name: 'userId', meaning: 'User ID of your access to EPrint.', pattern: '\\P{C}+' },
    { name: 'password', meaning: 'Password of your access to EPrint.', secret: true, pattern: '\\P{C}+' },
    { name: 'centerNumber', meaning: 'Number of your DPD depot, up to three digits.', pattern: '\\d{1,3}' },
    { name: 'customerNumber', meaning: 'Your customer number at the depot, digits.', pattern: '\\d{1,9}' },
    {
      name: 'countryCode',
      meaning: 'Country of the account as DPD numbers them.',
      otherwise: '250',
      pattern: '\\d{3}',
    },
    {
      name: 'notification',
      meaning: 'What recipients are told when the mode is not PREDICT: nothing, or a message by SMS or e-mail.',
      otherwise: 'No',
      choices: ['No', 'AutomaticSMS', 'AutomaticMail'],
    },
    {
      name: 'baseUrl',
      meaning:
        'Address of EPrint; for tests https://e-station-testenv.cargonet.software/eprintwebservice/eprintwebservice' +
        '.asmx.',
      otherwise: 'https://e-station.cargonet.software/dpd-eprintwebservice/eprintwebservice.asmx',
      pattern: addressPattern,
    },
    {
      name: 'trackingUrl',
      meaning: textBlock`
        Address of Webtrace; for tests https://e-station-testenv.cargonet.software/trace-service/Webtrace_Service.asmx.
      `,
      otherwise: 'https://webtrace.dpd.fr/trace-service/Webtrace_Service.asmx',
      pattern: addressPattern,
    },
    {
      name: 'language',
      meaning: 'Language of the wordings of tracking.',
      otherwise: 'FR',
      choices: ['FR', 'EN'],
    },
  ],
  outputs: dpdOutputs,
  origins: ({ settings }) => originsOf(settings.baseUrl, settings.trackingUrl),
  check: dpdReasons,
  createLabel,
  fetchLabel,
  fetchesEachParcel: true,
  track,
  probe,
  desk: {
    voidLabel,
    findPoints: noPoints(title, 'Its finder of Pickup points gives their numbers, such as P32500.'),
    dryRun: noDryRun(title),
    handover: { ...ownList, isReturn },
  },
});
