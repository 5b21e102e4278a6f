// What other tools find in an OpenAPI document.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Runs one of the two programs, both of which are installed for it.
 * @param file the document; its folder is written to
 * @returns rule and sentence of each finding, of whatever severity
 */
export async function lintFindings(tool: 'Spectral' | 'Redocly', file: string): Promise<readonly string[]> {
  if (tool === 'Redocly') {
    const { problems }: { problems: readonly Readonly<Record<string, unknown>>[] } = JSON.parse(
      await run('@redocly/cli/bin/cli.js', ['lint', file, '--extends', 'recommended', '--format', 'json'], file),
    );
    return problems.map(({ ruleId, message }) => `${String(ruleId)}: ${String(message)}`);
  }
  const rules = join(dirname(file), 'spectral.json');
  writeFileSync(rules, '{"extends":["spectral:oas"]}');
  const findings: readonly Readonly<Record<string, unknown>>[] = JSON.parse(
    await run(
      '@stoplight/spectral-cli/dist/index.js',
      ['lint', file, '--ruleset', rules, '--format', 'json', '--fail-severity', 'hint', '--quiet'],
      file,
    ),
  );
  return findings.map(({ code, message, path }) => `${String(code)}: ${String(message)} ${JSON.stringify(path)}`);
}

/** Output of a checker, which exits 1 when it finds something. */
async function run(program: string, parameters: readonly string[], file: string): Promise<string> {
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
        cwd: dirname(file),
      })
    ).stdout;
  } catch (error) {
    const output: unknown = Reflect.get(Object(error), 'stdout');
    if (typeof output === 'string' && output !== '') return output;
    throw error;
  }
}
