// Every setting: one row with its name, the kind that parses and bounds it, its default and its meaning.
import { textBlock } from '../model/text-block.ts';
import {
  choice,
  dictionary,
  flag,
  folder,
  gtins,
  integer,
  isHost,
  isNetwork,
  isOrigin,
  identityProviders,
  issuers,
  list,
  type Setting,
  secret,
  text,
  url,
} from './setting-kinds.ts';
import { limitSettings } from './limit-settings.ts';
import { telemetrySettings } from './telemetry-settings.ts';

/** The settings, by the name that the program uses. */
export const settings = {
  port: {
    name: 'PORT',
    kind: integer({ max: 65_535 }),
    default: '8080',
    meaning: 'TCP port that the server listens on; 0 takes a free one.',
  },
  host: {
    name: 'HOST',
    kind: text,
    default: '127.0.0.1',
    meaning: 'Address that the server listens on; 0.0.0.0 for all of the machine.',
  },
  drainSeconds: {
    name: 'DRAIN_SECONDS',
    kind: integer({ max: 300, unit: 'seconds' }),
    default: '0',
    meaning: textBlock`
        How long the server goes on when it is told to stop, before it closes its port: /readyz answers 503 and every
        answer ends its connection, so that proxies and load balancers turn to another one. 0 where there is none.
      `,
  },
  workers: {
    name: 'WORKERS',
    kind: integer({ min: 1, max: 64 }),
    default: null,
    meaning: textBlock`
        Processes that answer requests on the same port; the settings that bound a server hold for all of them together.
        Default: one for each processor, 4 at most.
      `,
  },
  dataDir: {
    name: 'DATA_DIR',
    kind: folder,
    default: './data',
    meaning: 'Folder of the embedded database and of document files; made when it is missing.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    kind: secret({
      pattern: /^postgres(ql)?:\/\//i,
      expected: 'an address like postgres://user:password@host:5432/database',
    }),
    default: null,
    meaning: textBlock`
        PostgreSQL to use instead of the embedded database: postgres://user:password@host:5432/database. With
        ?sslmode=verify-full the line is encrypted and the certificate of the server is checked (require does the same;
        &sslrootcert=FILE names its authority), with ?sslmode=no-verify it is encrypted only.
      `,
  },
  databaseReplicaUrls: {
    name: 'DATABASE_REPLICA_URLS',
    kind: secret({
      pattern: /^postgres(ql)?:\/\/\S+(\s+postgres(ql)?:\/\/\S+)*$/i,
      expected: 'addresses like postgres://user:password@host:5432/database, separated by blanks',
    }),
    default: null,
    meaning: textBlock`
        Replicas (hot standbys) of DATABASE_URL, separated by blanks, each the address of one server. Pages of lists are
        read from one that has all that the primary has of the list, else from the primary; see docs/operation.md.
      `,
  },
  documentsUrl: {
    name: 'DOCUMENTS_URL',
    kind: text,
    default: null,
    meaning: textBlock`
        S3-compatible store that keeps document files instead of the folder documents in DATA_DIR:
        s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true; see docs/documents.md.
      `,
  },
  awsAccessKeyId: {
    name: 'AWS_ACCESS_KEY_ID',
    kind: secret(),
    default: null,
    meaning: 'Name of the key for DOCUMENTS_URL; without one, the role of the machine is used.',
  },
  awsSecretAccessKey: {
    name: 'AWS_SECRET_ACCESS_KEY',
    kind: secret(),
    default: null,
    meaning: 'Secret of that key.',
  },
  awsSessionToken: {
    name: 'AWS_SESSION_TOKEN',
    kind: secret(),
    default: null,
    meaning: 'Session token of that key, where it is a temporary one.',
  },
  documentSlugs: {
    name: 'DOCUMENT_SLUGS',
    kind: list('names of 1 to 32 lower-case letters, digits and hyphens', (item) => /^[a-z0-9-]{1,32}$/.test(item), {
      min: 1,
    }),
    default: 'invoice,delivery-note,packing-list,gift-message,customs,label,other',
    meaning: 'Kinds of documents that can be attached to orders, separated by commas; only label may be ZPL.',
  },
  dictionary: {
    name: 'DICTIONARY_FILE',
    kind: dictionary,
    default: null,
    meaning: textBlock`
        JSON file with the units and codes of the warehouse and what they mean, published with the description of the
        interface; see docs/dictionary.md.
      `,
  },
  gtinLengths: {
    name: 'GTIN_LENGTHS',
    kind: gtins,
    default: '8,12,13,14',
    meaning: textBlock`
        How many digits a barcode has that is taken for a GTIN (EAN-8, UPC-A, EAN-13, GTIN-14), separated by commas: its
        check digit is checked. Leave 8 or 12 out where codes of as many digits are numbers of your own, such as those
        of shelves.
      `,
  },
  feedFolder: {
    name: 'FEED_FOLDER',
    kind: folder,
    default: null,
    meaning: textBlock`
        Folder into which the warehouse system drops files, with inbox, mappings, archive and error in it; see
        docs/feeds.md. Without it no folder is watched.
      `,
  },
  feedFolderComplete: {
    name: 'FEED_FOLDER_COMPLETE',
    kind: choice(['quiet', 'ok', 'rename']),
    default: 'quiet',
    meaning: textBlock`
        How a dropped file shows that it is complete: nobody has changed it for FEED_FOLDER_QUIET_SECONDS; a companion
        FILE.ok lies beside it; or it has its name, because it was written under another one (.tmp, .part or a dot in
        front) and renamed. A companion counts with each of the three.
      `,
  },
  feedFolderQuietSeconds: {
    name: 'FEED_FOLDER_QUIET_SECONDS',
    kind: integer({ max: 86_400, unit: 'seconds' }),
    default: '30',
    meaning: 'How long a dropped file must stay as it is before it is taken, with FEED_FOLDER_COMPLETE=quiet.',
  },
  baseUrl: {
    name: 'BASE_URL',
    kind: url,
    default: null,
    meaning: textBlock`
        Public address of the client interface; links, cursors and tokens are made from it. Default:
        http://localhost:PORT/v1.
      `,
  },
  authUrl: {
    name: 'AUTH_URL',
    kind: url,
    default: null,
    meaning: 'Public address of the authorization server, the issuer of its tokens. Default: http://localhost:PORT.',
  },
  platformUrl: {
    name: 'PLATFORM_URL',
    kind: url,
    default: null,
    meaning:
      'Public address of the platform interface, for the warehouse side. Default: /platform at the host of BASE_URL.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    kind: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    meaning: 'Least severe log line that is written.',
  },
  secretKey: {
    name: 'SECRET_KEY',
    kind: secret(),
    default: null,
    meaning: textBlock`
        Passphrase of at least 32 characters (openssl rand -base64 32) that encrypts the signing keys, the secrets of
        cookies and forms, second factors, and the secrets of carrier accounts in the database; without it the first
        three are stored readable to whoever can read the database, the last under a key file in DATA_DIR. What lay
        there readable before is encrypted at the next start; copies may be older, so follow with: signing-key rotate.
      `,
  },
  secretKeyPrevious: {
    name: 'SECRET_KEY_PREVIOUS',
    kind: secret(),
    default: null,
    meaning: textBlock`
        While SECRET_KEY is changed: the passphrase of before, with which what is encrypted can be read as well. Run:
        secret-key rotate. Leave it out again when doctor says that nothing needs it.
      `,
  },
  console: {
    name: 'CONSOLE',
    kind: flag,
    default: 'on',
    meaning: textBlock`
        The web console at / of BASE_URL, for browsers. Without it they are led to the reference page, as programs are.
        People sign in to it as the client "console", which registers itself; client disable console keeps them out.
        There is none where BUILT_IN_ISSUER is off.
      `,
  },
  trustedIssuers: {
    name: 'TRUSTED_ISSUERS',
    kind: issuers,
    default: '',
    meaning: textBlock`
        Other authorization servers whose tokens are accepted, like Keycloak, Duende, Auth0 or Entra: JSON text, or @
        and the path of a file; see docs/external-issuers.md.
      `,
  },
  identityProviders: {
    name: 'IDENTITY_PROVIDERS',
    kind: identityProviders,
    default: '',
    meaning: textBlock`
        Identity providers at which people sign in to the built-in authorization server, like Keycloak, Entra or Google:
        JSON text, or @ and the path of a file, since it has secrets; see docs/identity-providers.md.
      `,
  },
  builtInIssuer: {
    name: 'BUILT_IN_ISSUER',
    kind: flag,
    default: 'on',
    meaning: textBlock`
        Whether the built-in authorization server runs and its tokens are accepted; off where TRUSTED_ISSUERS stand in
        for it.
      `,
  },
  secondFactor: {
    name: 'SECOND_FACTOR',
    kind: choice(['optional', 'operators', 'required']),
    default: 'optional',
    meaning: textBlock`
        Who of those that sign in must have a second factor (a code of an app): with required everybody, with operators
        whoever is an operator; who has none sets it up at the next sign-in. In any case people may have one, and must
        where the operator says so (user change).
      `,
  },
  ...limitSettings,
  ...telemetrySettings,
  corsOrigins: {
    name: 'CORS_ORIGINS',
    kind: list('origins like https://shop.example, without a path', isOrigin),
    default: '',
    meaning: 'Origins of web pages that may call the interface from a browser, separated by commas; empty: none.',
  },
  traceparentHosts: {
    name: 'TRACEPARENT_HOSTS',
    kind: list('hosts like karrio.internal or 10.0.0.5:8080', isHost),
    default: '',
    meaning: textBlock`
        Hosts of carrier accounts that are told the trace of a call (header traceparent), separated by commas: gateways
        of your own. Nobody else is told.
      `,
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    kind: list('addresses or networks like 10.0.0.0/8', isNetwork),
    default: '',
    meaning: 'Addresses of reverse proxies whose X-Forwarded-For is believed, separated by commas; empty: none.',
  },
} as const satisfies Record<string, Setting>;
