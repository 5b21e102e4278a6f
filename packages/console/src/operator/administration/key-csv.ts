// Platform keys as a CSV file, in the format of the command `key export`; never the keys themselves. Read again, it
// makes and revokes keys: nothing else about a key can be changed.
import type { AdministeredKey, PlatformClient } from '../../../../client/src/index.ts';
import { csvLine } from '../../list/export.ts';
import { type CsvFault, csvFile, flagIn, readCsvLines, wordsIn } from './csv-table.ts';
import { activityFault, isSameList, type LineFault, type Planned, planned } from './planned.ts';
import { allRoles, isRole } from './roles.ts';

const keyColumns = ['id', 'name', 'activities', 'roles', 'created', 'last_used', 'revoked'] as const;

/** Columns that are read; the others are ignored. */
export const readKeyColumns = ['id', 'name', 'activities', 'roles', 'revoked'] as const;

/** A key for every activity has `*` instead of codes. */
export function keysText(keys: readonly AdministeredKey[]): string {
  const lines = keys.map(({ id, name, activityCodes, roles, createdAt, lastUsedAt, revokedAt }) =>
    csvLine([...[id, name, activityCodes?.join(' ') ?? '*', roles.join(' ')], ...[createdAt, lastUsedAt, revokedAt]]),
  );
  return csvFile([csvLine(keyColumns), ...lines]);
}

/** A key according to a line of a file. Missing values stay unchanged, or get their defaults in a new key. */
interface ListedKey {
  readonly line: number;
  /** Undefined: the key with that name that is good, or a new one. */
  readonly id?: string;
  readonly name: string;
  /** Null: every activity. */
  readonly activityCodes?: string[] | null;
  readonly roles?: string[];
  readonly revoked?: boolean;
}

export function readKeys(text: string): readonly ListedKey[] | CsvFault {
  const lines = readCsvLines(text, keyColumns, 'name');
  if ('fault' in lines) return lines;
  const seen = new Set<string>();
  const keys: ListedKey[] = [];
  for (const { line, cell } of lines) {
    const [id = '', name = ''] = [cell('id'), cell('name')];
    if (name === '') return { fault: 'missing', at: `${line}: name` };
    const known = id === '' ? `name ${name}` : `id ${id}`;
    if (seen.has(known)) return { fault: 'twice', at: `${line}: ${id || name}` };
    seen.add(known);
    const revoked = revokedIn(cell('revoked'));
    if (revoked === 'neither') return { fault: 'flag', at: String(line) };
    const [codes, roles] = [cell('activities'), cell('roles')];
    keys.push({
      ...{ line, name, ...(id !== '' && { id }) },
      ...(codes !== undefined && codes !== '' && { activityCodes: codes === '*' ? null : wordsIn(codes) }),
      ...(roles !== undefined && roles !== '' && { roles: wordsIn(roles) }),
      ...(revoked !== undefined && { revoked }),
    });
  }
  return keys;
}

/** The instant that is exported, or yes or no. */
function revokedIn(cell: string | undefined): ReturnType<typeof flagIn> {
  return cell !== undefined && /^\d{4}-\d\d-\d\dT/.test(cell) ? true : flagIn(cell);
}

type PlannedKey = Planned<ListedKey, AdministeredKey>;

/** @param codes of all activities */
export function planKeys(
  listed: readonly ListedKey[],
  known: readonly AdministeredKey[],
  codes: ReadonlySet<string>,
): readonly PlannedKey[] {
  const byId = new Map(known.map((key) => [key.id, key]));
  // A revoked key opens nothing, so its name is free for a new one.
  const byName = Map.groupBy(
    known.filter(({ revokedAt }) => revokedAt === null),
    ({ name }) => name,
  );
  const lines = listed.map((each) => {
    const named = byName.get(each.name) ?? [];
    const key = (each.id === undefined ? (named.length === 1 ? named[0] : undefined) : byId.get(each.id)) ?? null;
    return { each, key, isUnclear: each.id === undefined && named.length > 1 };
  });
  const timesOf = Map.groupBy(lines, ({ key }) => key?.id ?? null);
  return lines.map(({ each, key, isUnclear }) => {
    const isTwice = key !== null && (timesOf.get(key.id)?.length ?? 0) > 1;
    const fault =
      isTwice || isUnclear
        ? ({ word: 'row-which-key', values: { at: each.name } } as const)
        : key === null
          ? newFault(each, codes)
          : changeFault(each, key);
    return planned(each, key, fault, ({ revokedAt }) => each.revoked !== true || revokedAt !== null);
  });
}

function newFault({ id, name, activityCodes, roles = [], revoked }: ListedKey, codes: ReadonlySet<string>) {
  if (id !== undefined) return { word: 'row-no-key', values: { at: id } } as const;
  if ([...name].length > 60) return { word: 'row-name', values: { most: '60' } } as const;
  if (activityCodes === undefined || revoked === true) return { word: 'row-new-key' } as const;
  const unknown = roles.find((role) => !isRole(role));
  if (unknown !== undefined) return { word: 'row-role', values: { at: unknown, roles: allRoles.join(', ') } } as const;
  return activityFault(activityCodes ?? undefined, codes);
}

/** A revoked key stays revoked. */
function changeFault(listed: ListedKey, key: AdministeredKey): LineFault | null {
  const { name, activityCodes, roles, revoked } = listed;
  const isSameActivities =
    activityCodes === undefined ||
    (activityCodes === null || key.activityCodes === null
      ? activityCodes === key.activityCodes
      : isSameList(activityCodes, key.activityCodes));
  const isSame = name === key.name && isSameActivities && isSameList(roles, key.roles);
  return isSame && !(revoked === false && key.revokedAt !== null) ? null : { word: 'row-key-change' };
}

/**
 * Makes or revokes the key of a line.
 * @param told receives id, name and text of a new key as soon as it exists
 */
export async function applyKey(
  { administration }: PlatformClient,
  { listed, known }: PlannedKey,
  told: (cells: readonly string[]) => void,
): Promise<void> {
  if (known !== null) {
    await administration.revokeKey(known.id);
    return;
  }
  const { name, activityCodes, roles } = listed;
  const made = await administration.addKey({
    name,
    ...(activityCodes == null ? { everyActivity: true } : { activityCodes }),
    ...(roles !== undefined && { roles: roles.filter(isRole) }),
  });
  told([made.id, made.name, made.key]);
}
