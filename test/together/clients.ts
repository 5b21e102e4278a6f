// The group "clients" of tools/test-plan.ts in one process.
import { runTogether } from './together.ts';

await runTogether('clients');
