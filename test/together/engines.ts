// The group "engines" of tools/test-plan.ts in one process.
import { runTogether } from './together.ts';

await runTogether('engines');
