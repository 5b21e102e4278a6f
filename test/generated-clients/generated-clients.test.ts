// Clients that others' generators make of the description: they compile under strict settings, every operation can be
// called with them, and the examples of the description work on the demonstration.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { seedDemo } from '../../src/demo/seed.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp, tokenFor } from '../contract/running-app.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const packages = join(root, 'node_modules');

/** A generator may start further programs. */
const hook = pathToFileURL(join(root, 'tools/use-typescript-5.ts')).href;
const env = { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${hook}` };

/** Name of a program → the generator that makes what it uses, with its arguments. */
const generators: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  'openapi-typescript': (folder) => [
    'openapi-typescript/bin/cli.js',
    join(folder, 'openapi.json'),
    '--output',
    join(folder, 'generated/openapi-typescript.ts'),
  ],
  'hey-api': (folder) => ['@hey-api/openapi-ts/bin/run.js', '--file', join(folder, 'hey-api.config.mjs')],
};

describe('a generated client', { concurrency: 1 }, () => {
  const [engine] = engines;
  let running: RunningApp;
  let folder: string;
  let baseUrl: string;
  let token: string;
  let document: Record<string, unknown>;

  before(async () => {
    assert.ok(engine);
    running = await startApp(engine);
    await seedDemo(running.app.store, Date.now());
    token = await tokenFor(running.app, ['ACM', 'BEL']);
    baseUrl = `${await running.app.server.listen({ host: '127.0.0.1', port: 0 })}/v1`;
    document = (await running.get('/v1/openapi.json')).object();
    folder = mkdtempSync(join(tmpdir(), 'generated-clients-'));
    cpSync(join(import.meta.dirname, 'programs'), folder, { recursive: true });
    mkdirSync(join(folder, 'generated'));
    symlinkSync(packages, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
    const output = { path: join(folder, 'generated/hey-api'), module: { extension: '.ts' } };
    writeFileSync(
      join(folder, 'hey-api.config.mjs'),
      `export default ${JSON.stringify({ input: join(folder, 'openapi.json'), output })};`,
    );
  });

  after(async () => {
    await running.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, commandOf] of Object.entries(generators)) {
    it(`of ${name} compiles, and every operation succeeds`, async () => {
      const [script = '', ...parameters] = commandOf(folder);
      await node([join(packages, script), ...parameters], folder);
      assert.deepEqual(await compiled(folder, `${name}.ts`), []);
      const program: unknown = await import(pathToFileURL(join(folder, `${name}.ts`)).href);
      const call: unknown = Reflect.get(Object(program), 'callEveryOperation');
      assert.ok(typeof call === 'function');
      const statuses: unknown = await call(baseUrl, token, exampleOf('createLabel'));
      assert.deepEqual(statuses, Object.fromEntries([...operations().keys()].map((operation) => [operation, 200])));
    });
  }

  it('is not needed to send the example of articles', async () => {
    const answer = await running.send('/v1/articles', exampleOf('createArticles'), { token });
    assert.deepEqual(answer.object().passed, ['ACM/CID-BRU-075'], answer.body);
  });

  function operations(): ReadonlyMap<string, object> {
    return new Map(
      Object.values(Object(document.paths)).flatMap((methods) =>
        Object.values(Object(methods)).map((operation) => [
          String(Reflect.get(Object(operation), 'operationId')),
          Object(operation),
        ]),
      ),
    );
  }

  /** The example of the operation's body. */
  function exampleOf(operation: string): unknown {
    const steps = ['requestBody', 'content', 'application/json', 'example'];
    return steps.reduce<unknown>((part, step) => Reflect.get(Object(part), step), operations().get(operation));
  }
});

/**
 * Compiles a program with what it imports.
 * @returns the errors; not those of the generator's own files, in which nothing is from the description
 */
async function compiled(folder: string, program: string): Promise<readonly string[]> {
  const settings = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'esnext',
    module: 'nodenext',
    allowImportingTsExtensions: true,
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: settings, files: [program] }));
  const text = await node([join(packages, 'typescript/bin/tsc'), '--pretty', 'false', '-p', folder], folder, true);
  return text.split('\n').filter((line) => /error TS/.test(line) && !/^generated\/hey-api\/(client|core)\//.test(line));
}

async function node(parameters: readonly string[], cwd: string, mayFail = false): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, [...parameters], { cwd, env })).stdout;
  } catch (error) {
    if (!mayFail) throw error;
    return String(Reflect.get(Object(error), 'stdout'));
  }
}
