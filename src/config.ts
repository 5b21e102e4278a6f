// Every setting: name, type, default and one sentence; the help text and the reference page are made from this table.
import { textBlock } from './model/text-block.ts';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseTrustedIssuers, type TrustedIssuer } from './auth/trusted-issuers.ts';
import type { LogLevel } from './http/log.ts';
import type { Addresses } from './http/route.ts';
import { OperatorError } from './model/operator-error.ts';

interface Setting {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'url' | 'folder' | 'list' | 'secret' | readonly string[];
  /** As it would be written in the environment; null: none. */
  readonly default: string | null;
  readonly meaning: string;
}

/** The settings, by environment variable. */
export const settings = {
  port: {
    name: 'PORT',
    type: 'integer',
    default: '8080',
    meaning: 'TCP port that the server listens on; 0 takes a free one.',
  },
  host: {
    name: 'HOST',
    type: 'text',
    default: '127.0.0.1',
    meaning: 'Address that the server listens on; 0.0.0.0 for all of the machine.',
  },
  dataDir: {
    name: 'DATA_DIR',
    type: 'folder',
    default: './data',
    meaning: 'Folder of the embedded database and of document files; made when it is missing.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    type: 'secret',
    default: null,
    meaning: textBlock`
        PostgreSQL to use instead of the embedded database: postgres://user:password@host:5432/database. With
        ?sslmode=verify-full the line is encrypted and the certificate of the server is checked (require does the same;
        &sslrootcert=FILE names its authority), with ?sslmode=no-verify it is encrypted only.
      `,
  },
  documentsUrl: {
    name: 'DOCUMENTS_URL',
    type: 'text',
    default: null,
    meaning: textBlock`
        S3-compatible store that keeps document files instead of the folder documents in DATA_DIR:
        s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true; see docs/documents.md.
      `,
  },
  awsAccessKeyId: {
    name: 'AWS_ACCESS_KEY_ID',
    type: 'secret',
    default: null,
    meaning: 'Name of the key for DOCUMENTS_URL; without one, the role of the machine is used.',
  },
  awsSecretAccessKey: { name: 'AWS_SECRET_ACCESS_KEY', type: 'secret', default: null, meaning: 'Secret of that key.' },
  awsSessionToken: {
    name: 'AWS_SESSION_TOKEN',
    type: 'secret',
    default: null,
    meaning: 'Session token of that key, where it is a temporary one.',
  },
  documentSlugs: {
    name: 'DOCUMENT_SLUGS',
    type: 'list',
    default: 'invoice,delivery-note,packing-list,gift-message,customs,label,other',
    meaning: 'Kinds of documents that can be attached to orders, separated by commas; only label may be ZPL.',
  },
  baseUrl: {
    name: 'BASE_URL',
    type: 'url',
    default: null,
    meaning: textBlock`
        Public address of the client interface; links, cursors and tokens are made from it. Default:
        http://localhost:PORT/v1.
      `,
  },
  authUrl: {
    name: 'AUTH_URL',
    type: 'url',
    default: null,
    meaning: 'Public address of the authorization server, the issuer of its tokens. Default: http://localhost:PORT.',
  },
  platformUrl: {
    name: 'PLATFORM_URL',
    type: 'url',
    default: null,
    meaning:
      'Public address of the platform interface, for the warehouse side. Default: /platform at the host of BASE_URL.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    type: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    meaning: 'Least severe log line that is written.',
  },
  secretKey: {
    name: 'SECRET_KEY',
    type: 'secret',
    default: null,
    meaning: textBlock`
        Passphrase that encrypts the signing keys, the secrets of cookies and forms, and the secrets of carrier accounts
        in the database; without it the first two are stored readable to whoever can read the database, the last under a
        key file in DATA_DIR. What lay there readable before is encrypted at the next start; copies may be older, so
        follow with: keys rotate.
      `,
  },
  trustedIssuers: {
    name: 'TRUSTED_ISSUERS',
    type: 'text',
    default: null,
    meaning: textBlock`
        Other authorization servers whose tokens are accepted, like Keycloak, Duende, Auth0 or Entra: JSON text, or @
        and the path of a file; see docs/external-issuers.md.
      `,
  },
  builtInIssuer: {
    name: 'BUILT_IN_ISSUER',
    type: ['on', 'off'],
    default: 'on',
    meaning: textBlock`
        Whether the built-in authorization server runs and its tokens are accepted; off where TRUSTED_ISSUERS stand in
        for it.
      `,
  },
  readRate: {
    name: 'RATE_READS',
    type: 'integer',
    default: '600',
    meaning: 'Reads that one client may make in a minute, from all processes of the database together; 0: no limit.',
  },
  writeRate: {
    name: 'RATE_WRITES',
    type: 'integer',
    default: '120',
    meaning: 'Writes that one client may make in a minute, refused ones included; 0: no limit.',
  },
  labelRate: {
    name: 'RATE_LABELS',
    type: 'integer',
    default: '60',
    meaning: 'Labels and uploads that one client may make in a minute; 0: no limit.',
  },
  platformRate: {
    name: 'RATE_PLATFORM',
    type: 'integer',
    default: '3000',
    meaning: 'Requests that one platform key may make in a minute; 0: no limit.',
  },
  signInRate: {
    name: 'RATE_SIGN_INS',
    type: 'integer',
    default: '60',
    meaning: textBlock`
        Sign-ins that may be begun from one address in a minute, and half of the forms that may be sent; browsers in
        which somebody has signed in before count apart. 0: no limit.
      `,
  },
  connections: {
    name: 'MAX_CONNECTIONS',
    type: 'integer',
    default: '2000',
    meaning: 'Connections that may be open at a time; further ones are closed at once. 0: no limit.',
  },
  addressConnections: {
    name: 'MAX_ADDRESS_CONNECTIONS',
    type: 'integer',
    default: '250',
    meaning: 'The same from one address (IPv6: network of 64 bits); those of TRUST_PROXY have as many as they want.',
  },
  runningRequests: {
    name: 'MAX_RUNNING_REQUESTS',
    type: 'integer',
    default: '16',
    meaning: textBlock`
        Reads that are worked on at a time, at least 1, and half as many writes; others wait, and turns go round the
        clients.
      `,
  },
  clientRunningRequests: {
    name: 'MAX_CLIENT_RUNNING_REQUESTS',
    type: 'integer',
    default: '4',
    meaning: 'The same for one client, at least 1.',
  },
  openRequests: {
    name: 'MAX_OPEN_REQUESTS',
    type: 'integer',
    default: '1000',
    meaning: 'Requests that are worked on or wait, at least 1; beyond that they are answered with 503.',
  },
  clientOpenRequests: {
    name: 'MAX_CLIENT_OPEN_REQUESTS',
    type: 'integer',
    default: '250',
    meaning: 'The same for one client, at least 1; beyond that its requests are answered with 429.',
  },
  waitSeconds: {
    name: 'MAX_WAIT_SECONDS',
    type: 'integer',
    default: '10',
    meaning: textBlock`
        Seconds that a request waits for its turn, 1 to 60, before it is answered with 503; a tenth of it once there has
        always been somebody waiting for so long.
      `,
  },
  clientMegabytesInFlight: {
    name: 'MAX_CLIENT_MB_IN_FLIGHT',
    type: 'integer',
    default: '64',
    meaning: textBlock`
        Memory, in MB, that request bodies of one client and answers that it has not read yet may hold at a time; a body
        of articles needs up to 21. 0: no limit.
      `,
  },
  megabytesInFlight: {
    name: 'MAX_MB_IN_FLIGHT',
    type: 'integer',
    default: '256',
    meaning: 'The same for all clients together; 0: no limit.',
  },
  pageCacheMegabytes: {
    name: 'PAGE_CACHE_MB',
    type: 'integer',
    default: '16',
    meaning: 'Memory for rendered pages that are asked for again, in MB; 0: none.',
  },
  stockRetentionDays: {
    name: 'STOCK_RETENTION_DAYS',
    type: 'integer',
    default: '400',
    meaning: 'Days after which an older stock image is removed; the latest always stays.',
  },
  auditRetentionDays: {
    name: 'AUDIT_RETENTION_DAYS',
    type: 'integer',
    default: '400',
    meaning: 'Days after which an entry of the audit trail is removed.',
  },
  outboxRetentionDays: {
    name: 'OUTBOX_RETENTION_DAYS',
    type: 'integer',
    default: '30',
    meaning: 'Days after which an entry of the outbox is removed that every consumer has acknowledged.',
  },
  labelRetentionDays: {
    name: 'LABEL_RETENTION_DAYS',
    type: 'integer',
    default: '90',
    meaning: textBlock`
        Days, at least 1, for which the files of a shipping label are kept and their links work; then what the service
        knows of sender and recipient is removed too.
      `,
  },
  carrierAnswerSeconds: {
    name: 'CARRIER_ANSWER_SECONDS',
    type: 'integer',
    default: '15',
    meaning: 'Seconds that a carrier may take for one answer, 1 to 90.',
  },
  carrierTotalSeconds: {
    name: 'CARRIER_TOTAL_SECONDS',
    type: 'integer',
    default: '40',
    meaning: 'Seconds for everything that a carrier is asked for one request, repeats included, 1 to 90.',
  },
  maxLongReads: {
    name: 'MAX_LONG_READS',
    type: 'integer',
    default: '2',
    meaning: textBlock`
        Queries without an index that are worked on at a time, 2 to 64, at most half of them of one client: each is a
        process beside the embedded database, or a connection to PostgreSQL. Others wait for their turn.
      `,
  },
  maxLongReadSeconds: {
    name: 'MAX_LONG_READ_SECONDS',
    type: 'integer',
    default: '30',
    meaning: 'Seconds after which such a query is ended, 1 to 600.',
  },
  corsOrigins: {
    name: 'CORS_ORIGINS',
    type: 'list',
    default: '',
    meaning: 'Origins of web pages that may call the interface from a browser, separated by commas; empty: none.',
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    type: 'list',
    default: '',
    meaning: 'Addresses of reverse proxies whose X-Forwarded-For is believed, separated by commas; empty: none.',
  },
} as const satisfies Record<string, Setting>;

/** The settings as the program uses them. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Null: on disk. */
  readonly documentsUrl: string | null;
  readonly awsAccessKeyId: string | null;
  readonly awsSecretAccessKey: string | null;
  readonly awsSessionToken: string | null;
  readonly documentSlugs: readonly string[];
  /** Without a slash at the end. Null: made from the port that the server listens on. */
  readonly baseUrl: string | null;
  readonly authUrl: string | null;
  /** Null: at the host of the client interface. */
  readonly platformUrl: string | null;
  readonly logLevel: LogLevel;
  readonly secretKey: string | null;
  readonly trustedIssuers: readonly TrustedIssuer[];
  readonly builtInIssuer: boolean;
  readonly readRate: number;
  readonly writeRate: number;
  readonly labelRate: number;
  readonly platformRate: number;
  readonly signInRate: number;
  readonly connections: number;
  readonly addressConnections: number;
  readonly runningRequests: number;
  readonly clientRunningRequests: number;
  readonly openRequests: number;
  readonly clientOpenRequests: number;
  readonly waitSeconds: number;
  readonly clientMegabytesInFlight: number;
  readonly megabytesInFlight: number;
  readonly pageCacheMegabytes: number;
  readonly stockRetentionDays: number;
  readonly auditRetentionDays: number;
  readonly outboxRetentionDays: number;
  /** 1 or more. */
  readonly labelRetentionDays: number;
  readonly carrierAnswerSeconds: number;
  readonly carrierTotalSeconds: number;
  /** 2 or more. */
  readonly maxLongReads: number;
  readonly maxLongReadSeconds: number;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: readonly string[];
}

/**
 * Reads the settings.
 * @param environment variables by name
 * @param folder that relative folders are relative to
 * @throws OperatorError that names every variable that is wrong
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>, folder: string): Config {
  const wrong: string[] = [];
  const text = (setting: Setting): string | null => {
    const value = environment[setting.name]?.trim();
    return value === undefined || value === '' ? setting.default : value;
  };
  const integer = (setting: Setting, max = 1_000_000, min = 0): number => {
    const value = text(setting) ?? '';
    if (!/^\d{1,7}$/.test(value) || Number(value) > max || Number(value) < min)
      wrong.push(`${setting.name} must be a whole number from ${min} to ${max}, not "${value}"`);
    return Number(value);
  };
  const url = (setting: Setting): string | null => {
    const value = text(setting);
    if (value === null) return null;
    const parsed = URL.parse(value);
    if (
      parsed === null ||
      !/^https?:$/.test(parsed.protocol) ||
      parsed.search !== '' ||
      parsed.hash !== '' ||
      parsed.username !== ''
    ) {
      wrong.push(
        `${setting.name} must be an address like https://api.example.com/v1, without login, query or fragment`,
      );
    }
    // Whoever asks whether an address is encrypted looks at its beginning.
    return value.replace(/^https?:/i, (scheme) => scheme.toLowerCase()).replace(/\/+$/, '');
  };
  const list = (setting: Setting): readonly string[] =>
    (text(setting) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const documentSlugs = [...new Set(list(settings.documentSlugs))];
  if (documentSlugs.length === 0 || !documentSlugs.every((slug) => /^[a-z0-9-]{1,32}$/.test(slug)))
    wrong.push('DOCUMENT_SLUGS must be names of 1 to 32 lower-case letters, digits and hyphens');
  const databaseUrl = text(settings.databaseUrl);
  // The value holds a password: it is not shown.
  if (databaseUrl !== null && !/^postgres(ql)?:\/\//i.test(databaseUrl))
    wrong.push('DATABASE_URL must be an address like postgres://user:password@host:5432/database');
  const trustedIssuers = trusted(text(settings.trustedIssuers), folder, wrong);
  const builtIn = text(settings.builtInIssuer);
  if (builtIn !== 'on' && builtIn !== 'off') wrong.push(`BUILT_IN_ISSUER must be on or off, not "${builtIn}"`);
  else if (builtIn === 'off' && trustedIssuers.length === 0)
    wrong.push('BUILT_IN_ISSUER is off and TRUSTED_ISSUERS names nobody else, so nobody could sign in');
  const levelText = text(settings.logLevel);
  const logLevel = settings.logLevel.type.find((level) => level === levelText) ?? settings.logLevel.default;
  if (logLevel !== levelText)
    wrong.push(`LOG_LEVEL must be one of ${settings.logLevel.type.join(', ')}, not "${levelText}"`);
  const config: Config = {
    port: integer(settings.port, 65_535),
    host: text(settings.host) ?? '',
    dataDir: resolve(folder, text(settings.dataDir) ?? '.'),
    databaseUrl,
    documentsUrl: text(settings.documentsUrl),
    awsAccessKeyId: text(settings.awsAccessKeyId),
    awsSecretAccessKey: text(settings.awsSecretAccessKey),
    awsSessionToken: text(settings.awsSessionToken),
    documentSlugs,
    baseUrl: url(settings.baseUrl),
    authUrl: url(settings.authUrl),
    platformUrl: url(settings.platformUrl),
    logLevel,
    secretKey: text(settings.secretKey),
    trustedIssuers,
    builtInIssuer: builtIn !== 'off',
    readRate: integer(settings.readRate),
    writeRate: integer(settings.writeRate),
    labelRate: integer(settings.labelRate),
    platformRate: integer(settings.platformRate),
    signInRate: integer(settings.signInRate),
    connections: integer(settings.connections),
    addressConnections: integer(settings.addressConnections),
    runningRequests: integer(settings.runningRequests, 10_000, 1),
    clientRunningRequests: integer(settings.clientRunningRequests, 10_000, 1),
    openRequests: integer(settings.openRequests, 1_000_000, 1),
    clientOpenRequests: integer(settings.clientOpenRequests, 1_000_000, 1),
    waitSeconds: integer(settings.waitSeconds, 60, 1),
    clientMegabytesInFlight: integer(settings.clientMegabytesInFlight, 100_000),
    megabytesInFlight: integer(settings.megabytesInFlight, 100_000),
    pageCacheMegabytes: integer(settings.pageCacheMegabytes, 100_000),
    stockRetentionDays: integer(settings.stockRetentionDays, 36_500),
    auditRetentionDays: integer(settings.auditRetentionDays, 36_500),
    outboxRetentionDays: integer(settings.outboxRetentionDays, 36_500),
    labelRetentionDays: integer(settings.labelRetentionDays, 36_500, 1),
    carrierAnswerSeconds: integer(settings.carrierAnswerSeconds, 90, 1),
    carrierTotalSeconds: integer(settings.carrierTotalSeconds, 90, 1),
    maxLongReads: integer(settings.maxLongReads, 64, 2),
    maxLongReadSeconds: integer(settings.maxLongReadSeconds, 600, 1),
    corsOrigins: list(settings.corsOrigins),
    trustProxy: list(settings.trustProxy),
  };
  if (wrong.length === 0 && haveOnePath(addressesAt(config, config.port)))
    wrong.push(
      'PLATFORM_URL and BASE_URL must have different paths, also on different hosts, such as /platform and /v1',
    );
  if (wrong.length > 0)
    throw new OperatorError(`${wrong.join('; ')}.`, 'Every setting is explained by: ./logistics-connect serve --help');
  return config;
}

/** One server answers at both, and hosts make no difference to it. */
function haveOnePath({ baseUrl, platformUrl }: PublicAddresses): boolean {
  const [base, platform] = [baseUrl, platformUrl].map((url) => new URL(url).pathname.replace(/\/$/, ''));
  return base === platform;
}

/** @param wrong takes what is wrong */
function trusted(value: string | null, folder: string, wrong: string[]): readonly TrustedIssuer[] {
  if (value === null) return [];
  try {
    return parseTrustedIssuers(value.startsWith('@') ? readFileSync(resolve(folder, value.slice(1)), 'utf8') : value);
  } catch (error) {
    wrong.push(`TRUSTED_ISSUERS ${error instanceof Error ? error.message : 'cannot be read'}`);
    return [];
  }
}

/** Where the faces of the program are, as others see them; without a slash at the end. */
export interface PublicAddresses extends Addresses {
  readonly platformUrl: string;
}

/** The public addresses that the settings give; without settings, those of a server on this machine. */
export function addressesAt(
  config: Pick<Config, 'baseUrl' | 'authUrl' | 'platformUrl'>,
  port: number,
): PublicAddresses {
  const local = `http://localhost:${port}`;
  const baseUrl = config.baseUrl ?? `${local}/v1`;
  return {
    baseUrl,
    authUrl: config.authUrl ?? local,
    platformUrl: config.platformUrl ?? `${new URL(baseUrl).origin}/platform`,
  };
}

/** How long a carrier may take, milliseconds: for one answer, and for a whole request. */
export function carrierTimes({ carrierAnswerSeconds, carrierTotalSeconds }: Config): {
  readonly callTimeout: number;
  readonly conversationTimeout: number;
} {
  return { callTimeout: carrierAnswerSeconds * 1000, conversationTimeout: carrierTotalSeconds * 1000 };
}

/** The settings as lines of help: name, default, sentence. All of them, or those that are asked for. */
export function settingsHelp(wanted?: readonly (keyof typeof settings)[]): string {
  const shown: readonly Setting[] =
    wanted === undefined ? Object.values(settings) : wanted.map((name) => settings[name]);
  const width = Math.max(...shown.map((setting) => setting.name.length)) + 2;
  return shown
    .map((setting) => {
      const standard = setting.default === null || setting.default === '' ? '' : ` (${setting.default})`;
      return `  ${setting.name.padEnd(width)}${setting.meaning}${standard}`;
    })
    .join('\n');
}
