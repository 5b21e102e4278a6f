// Clients as a CSV file, in the format of the commands `client export` and `client import`; never their secrets.
import type { AdministeredClient } from '../../../../client/src/index.ts';
import { csvLine } from '../../list/export.ts';
import { type CsvFault, type CsvLine, csvFile, flagIn, readCsvLines, wordsIn } from './csv-table.ts';

const flagColumns = ['confidential', 'read_only', 'service', 'pkce', 'platform', 'disabled'] as const;

/** In the order in which they are written; the last one is ignored when reading. */
const clientColumns = ['id', 'name', 'redirect_addresses', 'activities', ...flagColumns, 'created'] as const;

export const readClientColumns = clientColumns.slice(0, -1);

export function clientsText(clients: readonly AdministeredClient[]): string {
  const yesOrNo = (flag: boolean): string => (flag ? 'yes' : 'no');
  const lines = clients.map((client) =>
    csvLine([
      ...[client.id, client.name, client.redirectUris.join(' '), client.activityCodes.join(' ')],
      ...[client.confidential, client.readOnly, client.service, client.pkceRequired, client.platform].map(yesOrNo),
      ...[yesOrNo(client.disabledAt !== null), client.createdAt],
    ]),
  );
  return csvFile([csvLine(clientColumns), ...lines]);
}

/** A client according to a line of a file. Missing values stay unchanged, or get their defaults in a new client. */
export interface ListedClient {
  readonly line: number;
  /** Undefined: the client with that name, or a new one. */
  readonly id?: string;
  readonly name: string;
  readonly redirectUris?: string[];
  readonly activityCodes?: string[];
  readonly confidential?: boolean;
  readonly readOnly?: boolean;
  readonly service?: boolean;
  readonly pkceRequired?: boolean;
  readonly platform?: boolean;
  readonly disabled?: boolean;
}

const flagFields = {
  confidential: 'confidential',
  read_only: 'readOnly',
  service: 'service',
  pkce: 'pkceRequired',
  platform: 'platform',
  disabled: 'disabled',
} as const satisfies Readonly<Record<(typeof flagColumns)[number], keyof ListedClient>>;

export function readClients(text: string): readonly ListedClient[] | CsvFault {
  const lines = readCsvLines(text, clientColumns, 'name');
  if ('fault' in lines) return lines;
  const seen = new Set<string>();
  const clients: ListedClient[] = [];
  for (const { line, cell } of lines) {
    const [id = '', name = ''] = [cell('id'), cell('name')];
    if (name === '') return { fault: 'missing', at: `${line}: name` };
    // Clients with the same name are distinguished only by their ids.
    const key = id === '' ? `name ${name}` : `id ${id}`;
    if (seen.has(key)) return { fault: 'twice', at: `${line}: ${id || name}` };
    seen.add(key);
    const flags = flagsOf(cell);
    if (flags === null) return { fault: 'flag', at: String(line) };
    const [addresses, codes] = [cell('redirect_addresses'), cell('activities')];
    clients.push({
      ...{ line, name, ...(id !== '' && { id }) },
      ...(addresses !== undefined && { redirectUris: addresses.split(/\s+/).filter((address) => address !== '') }),
      ...(codes !== undefined && { activityCodes: wordsIn(codes) }),
      ...flags,
    });
  }
  return clients;
}

type Flags = Partial<Readonly<Record<(typeof flagFields)[keyof typeof flagFields], boolean>>>;

/** Null: a cell is neither yes nor no. */
function flagsOf(cell: CsvLine['cell']): Flags | null {
  const flags: Partial<Record<keyof Flags, boolean>> = {};
  for (const column of flagColumns) {
    const flag = flagIn(cell(column));
    if (flag === 'neither') return null;
    if (flag !== undefined) flags[flagFields[column]] = flag;
  }
  return flags;
}
