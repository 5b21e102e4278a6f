// The settings of a carrier account: missing ones are asked for or read, all are checked, secrets are kept apart.
import { textBlock } from '../../model/text-block.ts';
import type { Carrier, CarrierSetting } from '../../carriers/carrier.ts';
import { carrierNames, loadCarrier } from '../../carriers/index.ts';
import { addressPattern } from '../../carriers/endpoints.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { prompt } from '../prompts.ts';
import type { Environment } from '../environment.ts';

/** Values by name. */
export type Pairs = Readonly<Record<string, string>>;

interface CompleteSettings {
  readonly settings: Pairs;
  readonly secrets: Pairs;
}

/** The faults of settings given on the command line, where secrets do not belong. */
export function toldFaults({ title, settings }: Carrier, told: Pairs): readonly string[] {
  return Object.keys(told).flatMap((name) => {
    const setting = settings.find((each) => each.name === name);
    if (setting === undefined)
      return [`${title} has no setting ${name}; it has ${settings.map((each) => each.name).join(', ') || 'none'}.`];
    return setting.secret === true
      ? [`${name} is a secret: it does not belong on a command line, where others can read it. It is asked for.`]
      : [];
  });
}

/**
 * Asks on a terminal for missing settings; otherwise reads one JSON object of strings from standard input, if a secret
 * or a required setting is missing. An empty string means the default.
 * @param told from the command line, without faults
 * @throws OperatorError that lists all faults and never quotes a value
 * @throws Interrupted on Ctrl-C
 */
export async function completeSettings(
  environment: Environment,
  carrier: Carrier,
  told: Pairs,
): Promise<CompleteSettings> {
  const missing = carrier.settings.filter(({ name }) => told[name] === undefined);
  const found = environment.stdin.isTTY === true ? await asked(environment, missing) : await read(environment, missing);
  const given = Object.fromEntries(Object.entries({ ...found, ...told }).filter(([, value]) => value !== ''));
  const known = carrier.settings.map(({ name }) => name);
  refuse([
    ...Object.keys(given)
      .filter((name) => !known.includes(name))
      .map((name) => `${carrier.title} has no setting ${name}.`),
    ...carrier.settings.flatMap((setting) => settingFaults(setting, given[setting.name] ?? '')),
  ]);
  const secret = carrier.settings.filter((setting) => setting.secret === true).map(({ name }) => name);
  const entries = Object.entries(given);
  return {
    settings: Object.fromEntries(entries.filter(([name]) => !secret.includes(name))),
    secrets: Object.fromEntries(entries.filter(([name]) => secret.includes(name))),
  };
}

/** Settings with a default, or that few accounts have, are not asked for: --set changes them. */
async function asked(environment: Environment, missing: readonly CarrierSetting[]): Promise<Pairs> {
  const wanted = missing.filter(
    ({ secret, rare, otherwise = '' }) => secret === true || (otherwise === '' && rare !== true),
  );
  const given: Record<string, string> = {};
  await prompt(
    environment,
    wanted.map((setting) => ({ text: questionOf(setting), secret: setting.secret === true })),
    (answer, index) => {
      const setting = wanted[index];
      if (setting === undefined) return;
      refuse(settingFaults(setting, answer));
      given[setting.name] = answer;
    },
  );
  return given;
}

function questionOf({ name, meaning, choices, otherwise }: CarrierSetting): string {
  const hints = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(otherwise === undefined || meaning.includes('Empty: ')
      ? []
      : [otherwise === '' ? 'empty for none' : `empty for ${otherwise}`]),
  ];
  return `${name} (${[meaning.replace(/\.$/, ''), ...hints].join('; ')})`;
}

async function read({ stdin }: Environment, missing: readonly CarrierSetting[]): Promise<Pairs> {
  if (!missing.some(({ secret, otherwise }) => secret === true || otherwise === undefined)) return {};
  const parts: Buffer[] = [];
  for await (const chunk of stdin) parts.push(Buffer.from(chunk));
  const texts = textsIn(Buffer.concat(parts).toString().trim());
  if (texts !== null) return texts;
  throw new OperatorError(
    'Standard input holds no JSON object of texts with the settings that are missing.',
    'Pipe in something like {"password":"…"}, or run the command in a terminal to be asked.',
  );
}

/** Null when it is not a JSON object of strings; it is secret, so nothing of it is quoted. */
function textsIn(json: string): Pairs | null {
  if (json === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return texts.length === entries.length ? Object.fromEntries(texts) : null;
  } catch {
    return null;
  }
}

function settingFaults(
  { name, meaning, otherwise, pattern, choices }: CarrierSetting,
  value: string,
): readonly string[] {
  if (value === '') return otherwise === undefined ? [`${name} is missing.`] : [];
  if (choices !== undefined && !choices.includes(value)) return [`${name} must be one of ${choices.join(', ')}.`];
  if (pattern === undefined || new RegExp(`^(?:${pattern})$`, 'u').test(value)) return [];
  return [
    pattern === addressPattern
      ? textBlock`
        ${name} must be an address with https, or with http on this machine alone (http://localhost), without a slash at
        its end.
      `
      : `${name} is not of the right form: ${meaning}`,
  ];
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
}

/** @throws OperatorError when there is no such carrier */
export async function carrierNamed(name: string): Promise<Carrier> {
  const carrier = await loadCarrier(name);
  if (carrier === null)
    throw new OperatorError(`There is no carrier ${name}.`, `Known are ${carrierNames.join(', ')}.`);
  return carrier;
}
