// Reads and writes clients as lines of CSV, without their secrets.
import type { ListedClient } from '../../auth/client-import.ts';
import type { Client } from '../../auth/clients.ts';
import { refuseFaults } from '../../auth/user-import.ts';
import { csvLines, csvText, wordsIn, yesOrNo } from '../csv-file.ts';
import { instantText } from '../environment.ts';

const flags = ['confidential', 'read_only', 'service', 'pkce', 'platform', 'disabled'] as const;
const columns = ['id', 'name', 'redirect_addresses', 'activities', ...flags, 'created'] as const;

export function clientCsvOf(clients: readonly Client[]): string {
  const flag = (value: boolean): string => (value ? 'yes' : 'no');
  const lines = clients.map((client) => [
    ...[client.id, client.name, client.redirectUris.join(' '), client.activityCodes.join(' ')],
    ...[client.confidential, client.readOnly, client.service, client.pkceRequired, client.platform].map(flag),
    ...[flag(client.disabledAt !== null), instantText(client.createdAt)],
  ]);
  return csvText([columns, ...lines]);
}

/** @throws OperatorError that reports the faults by line */
export function clientsIn(bytes: Uint8Array): readonly ListedClient[] {
  const faults: string[] = [];
  const clients = csvLines(bytes, columns, 'name', { secret: secretAdvice }).map((each): ListedClient => {
    const { line, at } = each;
    const found = [...each.faults];
    // An empty cell must not remove a protection.
    const flag = (name: (typeof flags)[number]): boolean | null => yesOrNo(name, at(name) || null, found);
    const listed = {
      ...{ line, id: at('id') || null, name: at('name') ?? '' },
      redirectUris:
        at('redirect_addresses')
          ?.split(/\s+/)
          .filter((address) => address !== '') ?? null,
      activityCodes: wordsIn(at('activities')),
      confidential: flag('confidential'),
      readOnly: flag('read_only'),
      service: flag('service'),
      pkceRequired: flag('pkce'),
      platform: flag('platform'),
      disabled: flag('disabled'),
    };
    if (found.length > 0) faults.push(`Line ${line}: ${found.join(' ')}`);
    return listed;
  });
  refuseFaults(faults);
  return clients;
}

const secretAdvice =
  'Line 1: there is no column "secret": new clients get one that is made for them, into the file of --secrets.';
