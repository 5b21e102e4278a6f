// The settings of a Mondial Relay account for the two interfaces: version 2 (REST) and version 1 (SOAP).
import { textBlock } from '../../model/text-block.ts';
import type { CarrierAccount, CarrierSetting } from '../carrier.ts';

/** A simulator's address without HTTPS must be on this machine: it receives secrets. */
const machine = String.raw`https://[^\s/?#@]+|http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?`;
const ownUrl = String.raw`(?:${machine})(?:/[^\s?#]*)?`;

/** No control characters, which XML cannot carry. */
const printable = String.raw`\P{C}*`;

export const accountSettings: readonly CarrierSetting[] = [
  {
    name: 'login',
    meaning: textBlock`
        Version 2: login of the interface, such as XXX@business-api.mondialrelay.com (in MR Connect under Configuration
        des API, version 2.0). Empty: the account has no version 2.
      `,
    otherwise: '',
    pattern: printable,
  },
  {
    name: 'password',
    meaning: 'Version 2: password that belongs to the login.',
    secret: true,
    otherwise: '',
    pattern: printable,
  },
  {
    name: 'customerId',
    meaning: 'Version 2: customer number (brand), such as BDTEST.',
    otherwise: '',
    pattern: '(?:[0-9A-Z]{2,8})?',
  },
  {
    name: 'culture',
    meaning: 'Language and country of the account: of labels where the sender has no language, and of tracking.',
    otherwise: 'fr-FR',
    pattern: '[a-z]{2}-[A-Z]{2}',
  },
  {
    name: 'environment',
    meaning: textBlock`
        Version 2: production, sandbox (nothing is recorded there), or the address of a server that speaks the same,
        such as a simulator.
      `,
    otherwise: 'production',
    pattern: `production|sandbox|${ownUrl}`,
  },
  {
    name: 'enseigne',
    meaning: textBlock`
        Version 1: code of the merchant, eight capital letters, digits and spaces, such as BDTEST13. Empty: the account
        has no version 1, and no tracking.
      `,
    otherwise: '',
    pattern: '(?:[0-9A-Z]{2}[0-9A-Z ]{6})?',
  },
  {
    name: 'brandCode',
    meaning: 'Version 1: code of the brand, such as 11; it makes links to labels where the carrier gives none.',
    otherwise: '',
    pattern: '[0-9A-Z]{0,4}',
  },
  {
    name: 'privateKey',
    meaning: 'Version 1: private key that signs the requests.',
    secret: true,
    otherwise: '',
    pattern: printable,
  },
  {
    name: 'v1Url',
    meaning: 'Version 1: address of the SOAP interface.',
    otherwise: 'https://api.mondialrelay.com/Web_Services.asmx',
    pattern: ownUrl,
  },
  {
    name: 'apiVersion',
    meaning: 'Version of requests that name none: 1 or 2. Empty: 2 where the account has it, else 1.',
    otherwise: '',
    pattern: '[12]?',
  },
];

/** Version 2 of an account. */
export interface RestAccount {
  readonly login: string;
  readonly password: string;
  readonly customerId: string;
  readonly culture: string;
  readonly url: string;
  /** Where links to labels lead. */
  readonly labelOrigin: string;
}

/** Version 1 of an account. */
export interface SoapAccount {
  readonly enseigne: string;
  readonly brandCode: string;
  readonly privateKey: string;
  readonly culture: string;
  readonly url: string;
  readonly labelOrigin: string;
}

export type Version = '1' | '2';

/** Version 2, null if some of its settings are missing. */
export function restAccount({ settings: given }: CarrierAccount): RestAccount | null {
  const { login = '', password = '', customerId = '', culture = '', environment = '' } = given;
  const place = placeOf(environment);
  return login === '' || password === '' || customerId === '' || place === null
    ? null
    : { login, password, customerId, culture, ...place };
}

/** Version 1, null if some of its settings are missing. */
export function soapAccount({ settings: given }: CarrierAccount): SoapAccount | null {
  const { enseigne = '', brandCode = '', privateKey = '', culture = '', v1Url = '' } = given;
  const origin = URL.parse(v1Url)?.origin;
  if (enseigne === '' || privateKey === '' || origin === undefined) return null;
  return {
    enseigne,
    brandCode,
    privateKey,
    culture,
    url: v1Url,
    labelOrigin: origin === 'https://api.mondialrelay.com' ? 'https://www.mondialrelay.com' : origin,
  };
}

/**
 * The version that a label request asks for.
 * @param asked its apiVersion
 * @returns null if the carrier has no such version; the account may still lack it
 */
export function versionOf(asked: string, account: CarrierAccount): Version | null {
  if (asked === '') {
    const { apiVersion = '' } = account.settings;
    if (apiVersion === '1' || apiVersion === '2') return apiVersion;
    return restAccount(account) === null && soapAccount(account) !== null ? '1' : '2';
  }
  return Object.hasOwn(versions, asked) ? (versions[asked] ?? null) : null;
}

/** The spellings of the versions; version 2 calls itself 1.0 on the wire. */
export const versions: Readonly<Record<string, Version>> = { 1: '1', v1: '1', 2: '2', v2: '2', '1.0': '2' };

/** Origins that the account's exchanges may call: the interfaces, and the hosts of their labels. */
export function originsOfAccount(account: CarrierAccount): readonly string[] {
  const places = [restAccount(account), soapAccount(account)].filter((place) => place !== null);
  return [...new Set(places.flatMap(({ url, labelOrigin }) => [new URL(url).origin, labelOrigin]))];
}

function placeOf(environment: string): Pick<RestAccount, 'url' | 'labelOrigin'> | null {
  if (environment === 'production' || environment === '')
    return {
      url: 'https://connect-api.mondialrelay.com/api/shipment',
      labelOrigin: 'https://connect.mondialrelay.com',
    };
  if (environment === 'sandbox')
    return {
      url: 'https://connect-api-sandbox.mondialrelay.com/api/shipment',
      labelOrigin: 'https://connect-sandbox.mondialrelay.com',
    };
  const own = URL.parse(environment);
  return own === null ? null : { url: `${environment.replace(/\/+$/, '')}/api/shipment`, labelOrigin: own.origin };
}
