/** What every answer of this release has in common, so that an auditor can calculate it again (E7). */

import packageJson from '../../package.json' with { type: 'json' };

/** The version of the package. */
export const ENGINE_VERSION = packageJson.version;
/** The version of docs/rulings.md. It increases with every change that gives an accepted request other figures. */
export const RULES_VERSION = 1;
