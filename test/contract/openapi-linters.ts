// What other tools find in an OpenAPI document.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inGate, isInTurn } from './rounds.ts';

/**
 * Runs one of the two programs, both of which are installed for it.
 * @param files documents of one folder, which is written to
 * @returns document, rule and sentence of each finding, of whatever severity
 */
export function lintFindings(tool: 'Spectral' | 'Redocly', files: readonly string[]): Promise<readonly string[]> {
  return tool === 'Spectral' ? spectralFindings(files) : redoclyFindings(files);
}

/**
 * Two rules take two thirds of the time, because they compile a schema anew for each example:
 * every fifth run of the gate has them.
 * That examples of media types fit their schemas is a rule of Redocly too.
 */
const costlyRules = { 'oas3-valid-media-example': 'off', 'oas3-valid-schema-example': 'off' } as const;
const hasCostlyRules = inGate && isInTurn(0, 5);

/** All documents at once: to load the program and its rules takes as long as to try them on one. */
async function spectralFindings(files: readonly string[]): Promise<readonly string[]> {
  const folder = dirname(files[0] ?? '');
  const rules = join(folder, 'spectral.json');
  writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas'], rules: hasCostlyRules ? {} : costlyRules }));
  const findings: readonly Readonly<Record<string, unknown>>[] = JSON.parse(
    await run(
      '@stoplight/spectral-cli/dist/index.js',
      ['lint', ...files, '--ruleset', rules, '--format', 'json', '--fail-severity', 'hint', '--quiet'],
      folder,
    ),
  );
  return findings.map(
    ({ source, code, message, path }) =>
      `${basename(String(source))}: ${String(code)}: ${String(message)} ${JSON.stringify(path)}`,
  );
}

async function redoclyFindings(files: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    const program = '@redocly/cli/bin/cli.js';
    const {
      problems,
      totals,
    }: { problems: readonly Readonly<Record<string, unknown>>[]; totals: { ignored: number } } = JSON.parse(
      await run(program, ['lint', file, '--extends', 'recommended', '--format', 'json'], dirname(file)),
    );
    // What a comment in a document tells it to pass over is no finding, and is a finding here.
    if (totals.ignored > 0) found.push(`${basename(file)}: ${totals.ignored} findings are passed over`);
    found.push(...problems.map(({ ruleId, message }) => `${basename(file)}: ${String(ruleId)}: ${String(message)}`));
  }
  return found;
}

/** Output of a checker, which exits 1 when it finds something. */
async function run(program: string, parameters: readonly string[], folder: string): Promise<string> {
  const script = fileURLToPath(new URL(`../../node_modules/${program}`, import.meta.url));
  const offline = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    NODE_OPTIONS: '',
  };
  try {
    return (
      await promisify(execFile)(process.execPath, [script, ...parameters], {
        env: offline,
        maxBuffer: 64 << 20,
        cwd: folder,
      })
    ).stdout;
  } catch (error) {
    const output: unknown = Reflect.get(Object(error), 'stdout');
    if (typeof output === 'string' && output !== '') return output;
    throw error;
  }
}
