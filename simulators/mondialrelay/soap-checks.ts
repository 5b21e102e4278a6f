// Version 1's checks, parameter by parameter in the order of the wire, each with the STAT of its refusal.

/** One parameter of WSI2_CreationEtiquette. */
interface CreationParameter {
  readonly name: string;
  readonly stat: string;
  readonly pattern: RegExp | null;
}

type Sent = Readonly<Record<string, string>>;

const line = (least: number): RegExp => new RegExp(`^[0-9A-Z_\\-'., /]{${least},32}$`);
/** Monaco must be given as France. */
const country = /^(?!MC$)[A-Z]{2}$/;
const optionalMail = /^([\w\-.@]{7,70})?$/;

/**
 * The 47 parameters; those that depend on others are checked below. Source: Mondial Relay's own description of version
 * 1 ("Solution Web Service" 5.4, March 2018).
 */
export const creationParameterRules: readonly CreationParameter[] = [
  { name: 'Enseigne', stat: '1', pattern: null },
  { name: 'ModeCol', stat: '28', pattern: /^(CCC|CDR|CDS|REL)$/ },
  { name: 'ModeLiv', stat: '29', pattern: /^(LCC|LD1|LDS|24R|24L|24X|ESP|DRI|HOM)$/ },
  { name: 'NDossier', stat: '5', pattern: /^[0-9A-Z_ -]{0,15}$/ },
  { name: 'NClient', stat: '7', pattern: /^[0-9A-Z]{0,9}$/ },
  { name: 'Expe_Langage', stat: '74', pattern: /^[A-Z]{2}$/ },
  { name: 'Expe_Ad1', stat: '30', pattern: line(2) },
  { name: 'Expe_Ad2', stat: '31', pattern: line(0) },
  { name: 'Expe_Ad3', stat: '33', pattern: line(2) },
  { name: 'Expe_Ad4', stat: '34', pattern: line(0) },
  { name: 'Expe_Ville', stat: '35', pattern: /^[A-Z_\-' ]{2,26}$/ },
  { name: 'Expe_CP', stat: '36', pattern: null },
  { name: 'Expe_Pays', stat: '37', pattern: country },
  { name: 'Expe_Tel1', stat: '38', pattern: null },
  { name: 'Expe_Tel2', stat: '38', pattern: null },
  { name: 'Expe_Mail', stat: '39', pattern: optionalMail },
  { name: 'Dest_Langage', stat: '74', pattern: /^(FR|ES|NL)$/ },
  { name: 'Dest_Ad1', stat: '30', pattern: line(2) },
  { name: 'Dest_Ad2', stat: '31', pattern: line(0) },
  { name: 'Dest_Ad3', stat: '33', pattern: line(2) },
  { name: 'Dest_Ad4', stat: '34', pattern: line(0) },
  { name: 'Dest_Ville', stat: '35', pattern: /^[A-Z_\-' ]{2,26}$/ },
  { name: 'Dest_CP', stat: '36', pattern: null },
  { name: 'Dest_Pays', stat: '37', pattern: country },
  { name: 'Dest_Tel1', stat: '38', pattern: null },
  { name: 'Dest_Tel2', stat: '38', pattern: null },
  { name: 'Dest_Mail', stat: '39', pattern: optionalMail },
  { name: 'Poids', stat: '20', pattern: /^[0-9]{3,7}\.?[0-9]{0,2}$/ },
  { name: 'Longueur', stat: '21', pattern: /^[0-9]{0,3}$/ },
  { name: 'Taille', stat: '22', pattern: /^(XS|S|M|L|XL|XXL|3XL)?$/ },
  { name: 'NbColis', stat: '47', pattern: /^[0-9]{1,2}$/ },
  { name: 'CRT_Valeur', stat: '42', pattern: /^[0-9]{1,7}$/ },
  { name: 'CRT_Devise', stat: '43', pattern: /^(EUR)?$/ },
  { name: 'Exp_Valeur', stat: '44', pattern: /^[0-9]{0,7}$/ },
  { name: 'Exp_Devise', stat: '45', pattern: /^(EUR)?$/ },
  { name: 'COL_Rel_Pays', stat: '12', pattern: /^([A-Z]{2})?$/ },
  { name: 'COL_Rel', stat: '11', pattern: /^([0-9]{6}|AUTO)?$/ },
  { name: 'LIV_Rel_Pays', stat: '15', pattern: /^([A-Z]{2})?$/ },
  { name: 'LIV_Rel', stat: '14', pattern: /^([0-9]{6})?$/ },
  { name: 'TAvisage', stat: '61', pattern: /^[ON]?$/ },
  { name: 'TReprise', stat: '66', pattern: /^[ON]?$/ },
  { name: 'Montage', stat: '64', pattern: /^([0-9]{1,3})?$/ },
  { name: 'TRDV', stat: '65', pattern: /^[ON]?$/ },
  { name: 'Assurance', stat: '63', pattern: /^[0-9A-Z]?$/ },
  { name: 'Instructions', stat: '62', pattern: /^[0-9A-Z_\-'., /]{0,31}$/ },
  { name: 'Security', stat: '97', pattern: null },
  { name: 'Texte', stat: '60', pattern: /^([^<>&']{3,30}(\(cr\)[^<>&']{0,30}){0,9})?$/ },
];

/** The STAT of the first fault, null if there is none. A wrong text on the label does not stop the request. */
export function creationRefusal(sent: Sent): string | null {
  const wrong = creationParameterRules.find(
    ({ name, pattern }) => name !== 'Texte' && pattern !== null && !pattern.test(sent[name] ?? ''),
  );
  return (
    wrong?.stat ??
    addressRefusal(sent, 'Expe', true) ??
    addressRefusal(sent, 'Dest', ['HOM', 'LD1', 'LDS'].includes(sent.ModeLiv ?? '')) ??
    wayRefusal(sent)
  );
}

/** Whether the text on the label is valid. */
export function isPrintable(sent: Sent): boolean {
  return creationParameterRules.find(({ name }) => name === 'Texte')?.pattern?.test(sent.Texte ?? '') ?? true;
}

function addressRefusal(sent: Sent, prefix: string, isPhoneNeeded: boolean): string | null {
  const country = sent[`${prefix}_Pays`] ?? '';
  const postcode = sent[`${prefix}_CP`] ?? '';
  if (!(country === 'FR' ? /^[0-9@]{1}[0-9]{4}$/ : /^[0-9A-Z@ -]{2,10}$/).test(postcode)) return '36';
  const [first = '', second = ''] = [sent[`${prefix}_Tel1`], sent[`${prefix}_Tel2`]];
  if (isPhoneNeeded && first === '') return '38';
  return [first, second].every((phone) => phone === '' || isPhone(phone)) ? null : '38';
}

/** French national forms, and the documented international forms; nothing is known about other countries. */
function isPhone(text: string): boolean {
  const forms: readonly (readonly [prefix: string, rest: RegExp])[] = [
    ['+33', /^[1-9][0-9]{8}$/],
    ['0033', /^[0-9]{9}$/],
    ['+352', /^[0-9]{6,10}$/],
    ['+351', /^[0-9]{9}$/],
    ['+377', /^[0-9]{5,9}$/],
    ['+32', /^(4[0-9]{8}|[0-9]{8})$/],
    ['+34', /^[96][0-9]{8}$/],
    ['+49', /^[0-9]{10,11}$/],
    ['+39', /^[0-9]{10}$/],
  ];
  const form = forms.find(([prefix]) => text.startsWith(prefix));
  return form === undefined ? /^(0[0-9]{9}|\+[0-9]{3,20})$/.test(text) : form[1].test(text.slice(form[0].length));
}

function wayRefusal(sent: Sent): string | null {
  const {
    ModeCol = '',
    ModeLiv = '',
    NbColis = '',
    COL_Rel = '',
    COL_Rel_Pays = '',
    LIV_Rel = '',
    LIV_Rel_Pays = '',
    Dest_Pays = '',
  } = sent;
  if (Number(NbColis) < 1) return '47';
  if (Number(sent.Poids) <= 0) return '20';
  if (ModeCol === 'REL' && COL_Rel_Pays === '') return '12';
  if (ModeCol === 'REL' && COL_Rel === '') return '11';
  const isRelay = ['24R', '24L', '24X'].includes(ModeLiv);
  if (isRelay && LIV_Rel_Pays === '') return '15';
  if (isRelay && LIV_Rel === '') return '14';
  if (isRelay && LIV_Rel_Pays !== Dest_Pays) return '92';
  if (Number(NbColis) > 1 && (ModeLiv === '24R' || ModeLiv === '24X')) return '48';
  return LIV_Rel === '000000' || sent.Dest_CP === '00000' ? '93' : null;
}
