// Settings from a file in dotenv format, such as the server's, so that every command sees the same ones.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { OperatorError } from '../model/operator-error.ts';
import { closestName } from '../model/closest-name.ts';
import { fileVariable } from './secret-files.ts';
import { dictionary, folder, identityProviders, issuers, type Setting } from './setting-kinds.ts';
import { settings } from './settings.ts';

/** Read from the current folder when no other file is named. */
export const standardSettingsFile = 'logistics-connect.env';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The settings in a file, with relative paths resolved against the folder of the file.
 * @param path absolute
 * @throws OperatorError that reports every invalid line, and never shows a value
 */
export function readSettingsFile(path: string): Variables {
  const text = textOf(path);
  const faults = [...lineFaults(text)];
  const values = parseEnv(text);
  if (faults.length > 0)
    throw new OperatorError(`${path}: ${faults.join(' ')}`, 'See: ./logistics-connect serve --help');
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, absolute(name, value?.trim() ?? '', dirname(path))]),
  );
}

/** The environment, completed from the file. A blank variable counts as missing. */
export function mergedSettings(environment: Variables, file: Variables): Variables {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => (value ?? '').trim() !== ''));
  // A secret that the environment gives in one of its two forms is not taken from the file in the other.
  const replaced = all.flatMap((setting) => {
    const [name, variable] = [setting.name, fileVariable(setting)];
    return variable !== null && (name in given || variable in given) ? [name, variable] : [];
  });
  return { ...Object.fromEntries(Object.entries(file).filter(([name]) => !replaced.includes(name))), ...given };
}

/** Of the settings that are set, the names of those that hold secrets. */
export function secretsAmong(values: Variables): readonly string[] {
  return all.filter((setting) => holdsSecret(setting, values[setting.name] ?? '')).map(({ name }) => name);
}

/** @param value '' if it is not set */
function holdsSecret({ kind }: Setting, value: string): boolean {
  // Each identity provider knows this server by a secret.
  return value !== '' && (kind.name === 'secret' || (kind === identityProviders && !value.startsWith('@')));
}

/** The files with secrets that settings name, each with the variable that names it. */
export function secretFilesAmong(
  values: Variables,
  base: string,
): readonly { readonly name: string; readonly path: string }[] {
  return all.flatMap((setting) => {
    const name = fileVariable(setting) ?? setting.name;
    const value = values[name]?.trim() ?? '';
    if (name !== setting.name) return value === '' ? [] : [{ name, path: resolve(base, value) }];
    return setting.kind === identityProviders && value.startsWith('@')
      ? [{ name, path: resolve(base, value.slice(1)) }]
      : [];
  });
}

const all: readonly Setting[] = Object.values(settings);
const names: readonly string[] = all.flatMap((setting) => [setting.name, fileVariable(setting) ?? setting.name]);
const maxBytes = 1_000_000;

function textOf(path: string): string {
  let bytes: Buffer;
  try {
    if (statSync(path).size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    bytes = readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The settings file ${path} cannot be read: ${reason}.`, 'Name another one with --config.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new OperatorError(`The settings file ${path} is not UTF-8 text.`, 'Save it as UTF-8.');
  }
}

/** What the parser would silently skip, cut off or change. */
function lineFaults(text: string): readonly string[] {
  const faults: string[] = [];
  const lineOf = new Map<string, number>();
  let open: Quoted | null = null;
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const number = index + 1;
    let quoted = line;
    if (open === null) {
      if (/^\s*(#|$)/.test(line)) continue;
      const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined) {
        faults.push(`Line ${number} is not NAME=value.`);
        continue;
      }
      faults.push(...nameFaults(name, number, lineOf));
      const quote = /^["'`]/.exec(value)?.[0];
      if (quote === undefined) {
        if (/\S#/.test(value))
          faults.push(`Line ${number}: what follows # would be left out of ${name}: put the value in quotes.`);
        continue;
      }
      open = { name, quote };
      quoted = value.slice(1);
    }
    faults.push(...quotedFaults(open, quoted, number));
    if (quoted.includes(open.quote)) open = null;
  }
  if (open !== null) faults.push(`A value that begins with ${open.quote} has no end.`);
  return faults;
}

/** A value whose closing quote has not come yet. */
interface Quoted {
  readonly name: string;
  readonly quote: string;
}

/** @param text what is on this line behind the opening quote, or the whole line if that was before */
function quotedFaults({ name, quote }: Quoted, text: string, number: number): readonly string[] {
  const [inside = '', ...behind] = text.split(quote);
  const faults: string[] = [];
  if (quote === '"' && inside.includes('\\n'))
    faults.push(`Line ${number}: \\n would become a line break in ${name}: put the value in single quotes.`);
  if (behind.length > 0 && !/^(\s+#.*|\s*)$/.test(behind.join(quote)))
    faults.push(
      `Line ${number}: what follows the second ${quote} would be left out of ${name}: put the value in other quotes.`,
    );
  return faults;
}

function nameFaults(name: string, number: number, lineOf: Map<string, number>): readonly string[] {
  const first = lineOf.get(name);
  lineOf.set(name, first ?? number);
  if (first !== undefined) return [`Line ${number}: ${name} is on line ${first} already.`];
  if (names.includes(name)) return [];
  const near = closestName(name, names);
  return [
    `Line ${number}: there is no setting ${name}${near === null ? '' : `; did you mean ${near}?`}.`.replace('?.', '?'),
  ];
}

function absolute(name: string, value: string, base: string): string {
  if (value !== '' && all.some((each) => fileVariable(each) === name)) return resolve(base, value);
  const setting = all.find((each) => each.name === name);
  if (value === '' || setting === undefined) return value;
  if (setting.kind === folder || setting.kind === dictionary) return resolve(base, value);
  // The setting holds the path of a file.
  const namesFile = (setting.kind === issuers || setting.kind === identityProviders) && value.startsWith('@');
  return namesFile ? `@${resolve(base, value.slice(1))}` : value;
}
