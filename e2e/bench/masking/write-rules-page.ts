/** Writes docs/masking-rules.md from the rules; `npm run docs` runs it. */
import { writeFileSync } from 'node:fs';
import { rulesPage } from '../../../worker/src/masking/testing/rules-page.ts';

writeFileSync(new URL('../../../docs/masking-rules.md', import.meta.url), rulesPage());
