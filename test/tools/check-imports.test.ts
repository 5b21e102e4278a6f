// The layout check: it finds each thing that it is there to find, and lets the rest be.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layoutFindings } from '../../tools/check-imports.ts';

const findingsIn = (path: string, ...lines: readonly string[]): readonly string[] =>
  layoutFindings(new Map([[path, lines.join('\n')]]));

describe('the layout check finds', () => {
  const cases: readonly (readonly [what: string, path: string, line: string, finding: string])[] = [
    [
      'an import against the direction',
      'src/model/plan.ts',
      "import { page } from '../store/pages.ts';",
      'src/model/plan.ts:1: model may not import store',
    ],
    [
      'a type that is imported against it',
      'src/http/send.ts',
      "import type { Resource } from '../resources/index.ts';",
      'src/http/send.ts:1: http may not import resources',
    ],
    [
      'an import while running',
      'src/store/open.ts',
      "const { app } = await import('../app.ts');",
      'src/store/open.ts:1: store may not import app',
    ],
    [
      'an import for its effects',
      'src/auth/keys.ts',
      "import '../api/routes.ts';",
      'src/auth/keys.ts:1: auth may not import api',
    ],
    [
      'an export from there',
      'src/carriers/list.ts',
      "export { Store } from '../store/store.ts';",
      'src/carriers/list.ts:1: carriers may not import store',
    ],
    [
      'the end of an import over several lines',
      'src/feeds/import.ts',
      "} from '../http/route.ts';",
      'src/feeds/import.ts:1: feeds may not import http',
    ],
    [
      'an import of the commands by anything but main',
      'src/app.ts',
      "import { serve } from './commands/serve.ts';",
      'src/app.ts:1: app may not import commands',
    ],
    [
      'an import of tools',
      'src/api/lists.ts',
      "import { generatedFiles } from '../../tools/gen.ts';",
      'src/api/lists.ts:1: src may not import tools/gen.ts',
    ],
    [
      'an import of the simulators',
      'src/carriers/host.ts',
      "const { startSimulator } = await import('../../simulators/index.ts');",
      'src/carriers/host.ts:1: src may not import simulators/index.ts',
    ],
    [
      'the simulators loaded with the command line',
      'src/commands/carrier-standin.ts',
      "import { startSimulator } from '../../simulators/index.ts';",
      'src/commands/carrier-standin.ts:1: src may not import simulators/index.ts',
    ],
    [
      'a simulator that knows the adapter',
      'simulators/gls.ts',
      "import { labelRequest } from '../src/carriers/gls/label.ts';",
      'simulators/gls.ts:1: simulators may not import src/carriers/gls/label.ts',
    ],
    ['SQL outside storage', 'src/api/lists.ts', "import { Pool } from 'pg';", 'src/api/lists.ts:1: api may not use pg'],
    [
      'the embedded database in a feed',
      'src/feeds/import.ts',
      "import { DatabaseSync } from 'node:sqlite';",
      'src/feeds/import.ts:1: feeds may not use node:sqlite',
    ],
    [
      'statements written outside storage',
      'src/auth/users.ts',
      "import { sql } from '../store/statement.ts';",
      'src/auth/users.ts:1: only store writes statements',
    ],
    [
      'a table used outside storage',
      'src/commands/doctor/access.ts',
      "import { userAccountTable } from '../../store/tables/access.ts';",
      'src/commands/doctor/access.ts:1: only store writes statements',
    ],
    [
      'the HTTP server in a feed',
      'src/feeds/folder.ts',
      "import Fastify from 'fastify/types';",
      'src/feeds/folder.ts:1: feeds may not use fastify',
    ],
    [
      'a part that nobody has placed',
      'src/spare/part.ts',
      '',
      'src/spare/part.ts: tools/check-imports.ts does not know the part "spare"',
    ],
    [
      'the environment read elsewhere',
      'src/http/log.ts',
      'const level = process.env.LOG_LEVEL;',
      'src/http/log.ts:1: only main.ts reads process.env and process.argv',
    ],
    [
      'arguments read elsewhere',
      'src/commands/serve.ts',
      "run(process['argv']);",
      'src/commands/serve.ts:1: only main.ts reads process.env and process.argv',
    ],
    [
      'the process as a module',
      'src/http/log.ts',
      "import { env } from 'node:process';",
      'src/http/log.ts:1: only main.ts reads process.env and process.argv',
    ],
    [
      'a folder that says nothing',
      'test/helpers/server.ts',
      '',
      'test/helpers/server.ts: "helpers" says nothing of what is in it',
    ],
    [
      'a file that says nothing',
      'src/model/utils.ts',
      '',
      'src/model/utils.ts: "utils.ts" says nothing of what is in it',
    ],
    [
      'a line that is too long',
      'test/store/pages.test.ts',
      'é'.repeat(121),
      'test/store/pages.test.ts:1: longer than 120 columns',
    ],
    ['a file that is too long', 'src/model/plan.ts', '\n'.repeat(301), 'src/model/plan.ts: 301 lines, 300 at most'],
  ];
  for (const [what, path, line, finding] of cases) it(what, () => assert.deepEqual(findingsIn(path, line), [finding]));
});

describe('the layout check lets be', () => {
  const cases: readonly (readonly [what: string, path: string, line: string])[] = [
    ['an import along the direction', 'src/api/lists.ts', "import type { Store } from '../store/store.ts';"],
    ['an import within a part', 'src/http/openapi/answers.ts', "import type { Json } from '../openapi.ts';"],
    [
      'main, which imports the commands and reads the process',
      'src/main.ts',
      "await (await import('./commands/program.ts')).run(process.argv);",
    ],
    [
      'a data file from outside',
      'src/commands/program.ts',
      "import about from '../../package.json' with { type: 'json' };",
    ],
    [
      'the simulators, loaded by their command while it runs',
      'src/commands/carrier-standin.ts',
      "const { startSimulator } = await import('../../simulators/index.ts');",
    ],
    ['a simulator that reads JSON', 'simulators/gls.ts', "import { parseJson } from '../src/carriers/json.ts';"],
    ['a comment on the process', 'src/http/log.ts', '// Nothing here reads process.env.'],
    ['other members of the process', 'src/http/metrics.ts', 'const used = process.memoryUsage();'],
    ['a line of the length that is allowed', 'test/store/pages.test.ts', 'é'.repeat(120)],
    ['an address that is longer', 'test/store/pages.test.ts', `// https://specification.example/${'a'.repeat(120)}`],
    ['a long definition', 'src/resources/order.ts', '\n'.repeat(400)],
    ['tests, which read what they like', 'test/api/lists.test.ts', "const url = process.env['TEST_DATABASE_URL'];"],
  ];
  for (const [what, path, line] of cases) it(what, () => assert.deepEqual(findingsIn(path, line), []));
});
