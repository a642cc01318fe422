/** Child process that sends the open loads that its parent describes, all at the same time, and returns their reports. */
import { answerTest } from './answer-test.ts';
import { runOpenLoad, type OpenLoad } from './open-load.ts';

answerTest(async (loads: readonly OpenLoad[]) => Promise.all(loads.map((load) => runOpenLoad(load))));
