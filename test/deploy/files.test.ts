// The files of deploy/: what others wrote to read such files takes them, and they say what the program says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import packageFacts from '../../package.json' with { type: 'json' };
import { createCipher } from '../../src/auth/cipher.ts';
import { fileVariable } from '../../src/config/secret-files.ts';
import { settings } from '../../src/config/settings.ts';
import { root } from '../commands/fixture.ts';

const folder = join(root, 'deploy');
const tools = join(root, '.ci/deploy-tools/');
const noTools = !existsSync(join(tools, 'node_modules')) && '.ci/install-deploy-tools was not run';

/** A package that the project itself does not have. */
async function tool(name: string) {
  const { load } = await import(join(tools, 'load.mjs'));
  return load(name);
}

function textOf(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function has(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What is at a place in it, such as `spec.template.spec.containers.0.image`. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (found, name) => (typeof found === 'object' && found !== null ? Reflect.get(found, name) : null),
      value,
    );
}

function numberAt(value: unknown, path: string): number {
  return Number.parseInt(String(at(value, path)), 10);
}

function namesAt(value: unknown, path: string): readonly string[] {
  return Object.keys(at(value, path) ?? {});
}

function manifestsIn(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJSON());
}

function manifests(): readonly Manifest[] {
  const files = ['namespace', 'configuration', 'secret.example', 'server', 'network', 'migrate'];
  const examples = ['autoscaler.example', 'backup.example'];
  return [...files, ...examples].flatMap((name) => manifestsIn(textOf(`kubernetes/${name}.yaml`)));
}

function only(kind: string): Manifest {
  const [found, ...more] = manifests().filter((each) => each.kind === kind);
  assert.ok(found !== undefined && more.length === 0, kind);
  return found;
}

/** What a controller starts. */
function podOf(controller: Manifest): unknown {
  return at(controller, 'spec.jobTemplate.spec.template.spec') ?? at(controller, 'spec.template.spec');
}

const variables = Object.values(settings).flatMap((setting) => [setting.name, fileVariable(setting) ?? setting.name]);

describe('manifests of Kubernetes', () => {
  it('fit the schemas of their kinds, and a mistake in one is seen', { skip: noTools }, async () => {
    const check = async (manifest: Manifest): Promise<void> => {
      const models = await tool(`kubernetes-models/${manifest.apiVersion}`);
      new models[manifest.kind](manifest).validate();
    };
    const all = manifests();
    for (const manifest of all) await check(manifest);
    assert.equal(new Set(all.map(({ kind }) => kind)).size, 12);
    const text = textOf('kubernetes/server.yaml');
    for (const [right, wrong] of [
      ['periodSeconds: 2', 'periodSeconds: soon'],
      ['image: logistics-connect', 'image: 7'],
      ['replicas: 3', 'replicas: three'],
    ] as const)
      await assert.rejects(Promise.all(manifestsIn(text.replace(right, wrong)).map(check)), wrong);
  });

  it('have no field that there is not', { skip: noTools }, (t) => {
    assert.equal(typeFaults(t, manifests()), '');
    const misspelt = textOf('kubernetes/server.yaml').replace('readinessProbe:', 'readynessProbe:');
    assert.match(typeFaults(t, manifestsIn(misspelt)), /readynessProbe/);
  });

  it('keep the promises of a roll-out: more pods first, none taken away, time to drain and to end', () => {
    const [deployment, budget] = [only('Deployment'), only('PodDisruptionBudget')];
    assert.ok(numberAt(deployment, 'spec.replicas') >= 3);
    assert.deepEqual(at(deployment, 'spec.strategy.rollingUpdate'), { maxSurge: 1, maxUnavailable: 0 });
    assert.ok(numberAt(budget, 'spec.minAvailable') < numberAt(deployment, 'spec.replicas'));
    const drainSeconds = numberAt(only('ConfigMap'), 'data.DRAIN_SECONDS');
    const grace = numberAt(deployment, 'spec.template.spec.terminationGracePeriodSeconds');
    assert.ok(grace >= drainSeconds + 30 + 5);
    const chosen = at(only('Service'), 'spec.selector');
    for (const each of [deployment, budget]) assert.deepEqual(at(each, 'spec.selector.matchLabels'), chosen);
    assert.deepEqual(at(deployment, 'spec.template.metadata.labels'), chosen);
  });

  it('run without root, rights or a root file system, and name secrets as files', () => {
    for (const kind of ['Deployment', 'Job', 'CronJob']) {
      const pod = podOf(only(kind));
      assert.deepEqual([at(pod, 'securityContext.runAsNonRoot'), at(pod, 'securityContext.runAsUser')], [true, 10001]);
      assert.equal(at(pod, 'automountServiceAccountToken'), false, kind);
      const own = at(pod, 'containers.0.securityContext');
      assert.deepEqual([at(own, 'readOnlyRootFilesystem'), at(own, 'capabilities')], [true, { drop: ['ALL'] }], kind);
      for (const index of namesAt(pod, 'containers.0.env')) {
        const name = String(at(pod, `containers.0.env.${index}.name`));
        assert.ok(variables.includes(name), name);
        const key = String(at(pod, `containers.0.env.${index}.value`)).replace('/run/secrets/logistics-connect/', '');
        assert.ok(namesAt(only('Secret'), 'stringData').includes(key), key);
      }
    }
    for (const name of namesAt(only('ConfigMap'), 'data')) assert.ok(variables.includes(name), name);
  });

  it('say of the autoscaler what must be removed from the servers, and count from the same number', () => {
    const [, line = ''] =
      /remove the line `(.+)` from server\.yaml/.exec(textOf('kubernetes/autoscaler.example.yaml')) ?? [];
    const without = textOf('kubernetes/server.yaml').replace(`  ${line}\n`, '');
    const [deployment] = manifestsIn(without);
    assert.ok(deployment !== undefined && !namesAt(deployment, 'spec').includes('replicas'));
    assert.equal(
      numberAt(only('HorizontalPodAutoscaler'), 'spec.minReplicas'),
      numberAt(only('Deployment'), 'spec.replicas'),
    );
  });

  it('make a backup of what the servers use, in a volume that stays', () => {
    const [server, backup] = [podOf(only('Deployment')), podOf(only('CronJob'))];
    for (const part of ['env', 'envFrom'])
      assert.deepEqual(at(backup, `containers.0.${part}`), at(server, `containers.0.${part}`), part);
    const script = String(at(backup, 'containers.0.command.2'));
    const [, folder] = / backup --to "(.+?)\/\$\(/.exec(script) ?? [];
    const named = (list: string, key: string, value: unknown): unknown =>
      namesAt(backup, list)
        .map((index) => at(backup, `${list}.${index}`))
        .find((each) => at(each, key) === value);
    const volume = at(named('containers.0.volumeMounts', 'mountPath', folder), 'name');
    const claim = at(named('volumes', 'name', volume), 'persistentVolumeClaim.claimName');
    assert.equal(claim, at(only('PersistentVolumeClaim'), 'metadata.name'));
  });

  it('have no passphrase that a server would take as it is', () => {
    assert.throws(() => createCipher(String(at(only('Secret'), 'stringData.secret-key'))), /at least 32 are needed/);
  });

  it('let in clients and the console, and keep the rest inside', () => {
    const routed = at(only('Ingress'), 'spec.rules.0.http.paths');
    assert.ok(Array.isArray(routed));
    const paths = routed.map((each) => `${String(at(each, 'path'))} ${String(at(each, 'pathType'))}`);
    const prefixes = ['/.well-known', '/account', '/connect', '/console', '/v1'].map((path) => `${path} Prefix`);
    assert.deepEqual(paths.toSorted(), ['/ Exact', ...prefixes]);
  });

  it('are put together by kustomize', { skip: !has('kubectl', 'version', '--client') && 'kubectl is not here' }, () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(folder, 'kubernetes')]);
    assert.equal(status, 0, String(stderr));
    const made = manifestsIn(String(stdout));
    for (const manifest of made.filter(({ kind }) => kind !== 'Namespace'))
      assert.equal(at(manifest, 'metadata.namespace'), 'logistics-connect');
    const deployment = made.find(({ kind }) => kind === 'Deployment');
    const image = String(at(deployment, 'spec.template.spec.containers.0.image'));
    assert.match(image, /^registry\.example\.com\/logistics-connect:/);
  });
});

describe('the compose file', () => {
  const noCompose = !has('docker-compose', '--version') && 'docker-compose is not here';

  it('is taken by Compose, with the name of the site from .env in every command', { skip: noCompose }, (t) => {
    const copy = copied(t);
    assert.equal(spawnSync(join(copy, 'compose/make-secrets')).status, 0);
    const file = join(copy, 'compose/compose.yaml');
    // Compose 1.29, which Debian has, is from before the file could name the project.
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^name: .*\n/m, ''));
    const configured = () =>
      spawnSync('docker-compose', ['-f', file, 'config'], { cwd: join(copy, 'compose'), encoding: 'utf8' });
    const nameless = configured();
    assert.notEqual(nameless.status, 0, nameless.stdout);
    assert.match(nameless.stderr, /write SITE=name into \.env/);
    writeFileSync(join(copy, 'compose/.env'), 'SITE=api.example.com\n');
    const { status, stderr, stdout } = configured();
    assert.equal(status, 0, stderr);
    assert.match(stdout, /read_only: true/);
    assert.match(stdout, /AUTH_URL: https:\/\/api\.example\.com$/m);
    assert.match(stdout, /SITE: api\.example\.com$/m);
  });

  it('has secrets that are made once', (t) => {
    const copy = copied(t);
    const make = (): string => String(spawnSync(join(copy, 'compose/make-secrets')).stdout);
    const secret = (name: string): string => readFileSync(join(copy, 'compose/secrets', name), 'utf8');
    assert.match(make(), /made secrets\/secret_key/);
    const key = secret('secret_key');
    assert.match(key, /^[0-9a-f]{64}\n$/);
    assert.ok(secret('database_url').includes(secret('database_password').trim()));
    assert.match(make(), /secret_key is there already/);
    assert.equal(secret('secret_key'), key);
  });

  it('sets what there is to set', () => {
    const server = at(parse(textOf('compose/compose.yaml')), 'services.server');
    for (const name of namesAt(server, 'environment')) assert.ok(variables.includes(name), name);
    assert.ok(numberAt(server, 'stop_grace_period') >= numberAt(server, 'environment.DRAIN_SECONDS') + 35);
  });
});

describe('the Dockerfile', () => {
  it('has nothing that a linter finds', { skip: noTools }, async () => {
    const { validate } = await tool('dockerfile-utils');
    assert.deepEqual(validate(textOf('container/Dockerfile')), []);
  });

  it('has the server drain and end before Docker kills it, and the guide gives it the time it may take', () => {
    const drainSeconds = Number(/ DRAIN_SECONDS=(\d+) /.exec(textOf('container/Dockerfile'))?.[1]);
    assert.ok(drainSeconds <= 5);
    const [, given] = /docker run .*?--stop-timeout (\d+)/s.exec(textOf('README.md')) ?? [];
    assert.ok(Number(given) >= drainSeconds + 35);
  });

  it('copies what is there, and no build from the folder takes more', () => {
    const copies = [...textOf('container/Dockerfile').matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    );
    assert.ok(copies.length > 5);
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8');
    for (const path of copies) {
      assert.ok(existsSync(join(root, path)), path);
      assert.match(ignored, new RegExp(`^!${path}$`, 'm'), path);
    }
  });
});

it('every file names the version of the program', () => {
  for (const [path, pattern] of [
    ['container/Dockerfile', /^ARG VERSION=(.+)$/m],
    ['container/Dockerfile', /-t logistics-connect:(\S+)/],
    ['compose/compose.yaml', /image: logistics-connect:(.+)/],
    ['kubernetes/kustomization.yaml', /newTag: (.+)/],
    ['kubernetes/backup.example.yaml', /image: registry\.example\.com\/logistics-connect:(.+)/],
    ['kubernetes/migrate.yaml', /image: registry\.example\.com\/logistics-connect:(.+)/],
  ] as const)
    assert.equal(pattern.exec(textOf(path))?.[1], packageFacts.version, path);
});

/** What the compiler says of manifests as values of the types of their kinds: their schemas pass over other fields. */
function typeFaults(t: TestContext, all: readonly Manifest[]): string {
  const place = mkdtempSync(join(tmpdir(), 'manifests-'));
  t.after(() => rmSync(place, { recursive: true }));
  symlinkSync(join(tools, 'node_modules'), join(place, 'node_modules'));
  const lines = all.flatMap((manifest, index) => [
    `import type { I${manifest.kind} as T${index} } from 'kubernetes-models/${manifest.apiVersion}';`,
    `export const value${index}: T${index} = ${JSON.stringify(manifest)};`,
  ]);
  writeFileSync(join(place, 'manifests.mts'), lines.join('\n'));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
  const run = spawnSync(process.execPath, [compiler, ...options, 'manifests.mts'], { cwd: place, encoding: 'utf8' });
  return run.stdout + run.stderr;
}

function copied(t: TestContext): string {
  const place = mkdtempSync(join(tmpdir(), 'deploy-'));
  t.after(() => rmSync(place, { recursive: true }));
  cpSync(folder, place, { recursive: true, filter: (path) => !/\/(secrets|\.env)$/.test(path) });
  return place;
}
