// All attacks in one process, one after another.
import { runFiles } from './together.ts';
import { testPlan } from '../../tools/test-plan.ts';

await runFiles(testPlan().attacks);
