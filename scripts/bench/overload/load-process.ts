/** Child process that sends the open loads that its parent describes, all at the same time, and returns their reports. */
import { answerParent } from '../processes.ts';
import { runOpenLoad, type OpenLoad } from './open-load.ts';

answerParent(async (loads: readonly OpenLoad[]) => Promise.all(loads.map((load) => runOpenLoad(load))));
